// The steps of a form of questions: one at a time, by keyboard. Without scripts it is one long form.

import { pressedKey } from "./pressed.js";

const FIELDS = "input:not([type=hidden])";
const isTyped = (target) => target.matches?.("textarea, select, input:not([type=checkbox], [type=radio])");

export class Steps {
  #form;
  #steps;
  #controls;
  #current = 0;
  #sent = false;
  #send;
  #onShow;

  // `send` is called instead of sending the form when all is answered; `onShow` with each step that comes.
  constructor(form, { first = 0, send = null, onShow = () => {} } = {}) {
    this.#form = form;
    this.#steps = [...form.querySelectorAll("[data-step]")];
    this.#send = send;
    this.#onShow = onShow;
    const find = (name) => form.querySelector(`[data-${name}]`);
    this.#controls = find("controls");
    this.forward = find("forward");
    this.back = find("back");
    this.problem = find("problem");
    this.progress = find("progress");
    this.keys = find("keys");

    form.addEventListener("change", ({ target }) => {
      this.#exclude(target);
      this.#relabel(); // what is chosen may end it, or ask for more
    });
    // While typing, not when a field is left: what moves just then is not hit by the click that leaves it.
    form.addEventListener("input", () => {
      this.problem.hidden = true;
    });
    form.addEventListener("submit", (event) => this.#submit(event));
    this.back.addEventListener("click", () => this.goBack());
    document.addEventListener("keydown", (event) => this.#press(event));
    for (const passage of form.querySelectorAll("[data-passage]")) passage.classList.add("boxed");
    this.keys.hidden = false;
    const wanted = Math.min(first, this.#steps.length - 1);
    this.show(this.#isAsked(this.#steps[wanted]) ? wanted : this.#neighbour(wanted, -1));
  }

  get current() {
    return this.#current;
  }

  get names() {
    return this.#steps.map((step) => step.dataset.name);
  }

  get isLast() {
    return this.#neighbour(this.#current, 1) === -1;
  }

  // Whether a step is asked: not where all is chosen, in steps before it, that makes it needless.
  #isAsked(step) {
    if (!step.dataset.unless) return true;
    const isChosen = (line) => {
      const [name, value] = line.split(" ");
      return this.#form.querySelector(`input[name="${name}"][value="${value}"]:checked`) !== null;
    };
    return !step.dataset.unless.split("\n").every(isChosen);
  }

  // The number of the next step that is asked (-1: the one before); -1 if there is none.
  #neighbour(number, by) {
    let other = number + by;
    while (this.#steps[other] && !this.#isAsked(this.#steps[other])) other += by;
    return this.#steps[other] ? other : -1;
  }

  // What a step still lacks, in words; empty: nothing. A step may say so itself.
  #lacks(step) {
    return step.lacks?.() ?? (isAnswered(step) ? "" : step.dataset.missing);
  }

  show(number) {
    this.#current = number;
    const now = this.#steps[number];
    const group = now.closest("[data-group]");
    for (const other of this.#form.querySelectorAll("[data-group]")) other.hidden = other !== group;
    for (const step of this.#steps) step.hidden = step !== now;
    now.parentElement.append(this.#controls);
    this.#relabel();
    this.back.hidden = number === 0;
    this.problem.hidden = true;
    now.focus({ preventScroll: true });
    now.enter?.();
    bringIntoView(now, group.querySelector("[data-passage]"));
    this.#onShow(now.dataset.name, number);
  }

  complain(message, name = null) {
    const place = this.names.indexOf(name);
    if (place !== -1) this.show(place);
    this.problem.textContent = message;
    this.problem.hidden = false;
    this.problem.scrollIntoView({ block: "nearest" });
  }

  busy(isBusy) {
    this.#sent = isBusy;
    if (isBusy) this.forward.setAttribute("aria-busy", "true");
    else this.forward.removeAttribute("aria-busy");
  }

  goForward({ byKey = false } = {}) {
    if (this.#sent) return;
    const now = this.#steps[this.#current];
    const lack = this.#lacks(now);
    if (lack) {
      if (!now.attend?.(byKey)) this.complain(lack);
    } else if (!this.isLast) this.show(this.#neighbour(this.#current, 1));
    else this.#form.requestSubmit();
  }

  goBack() {
    const before = this.#neighbour(this.#current, -1);
    if (before !== -1) this.show(before);
    else this.complain("This is the first question. An answer that was sent before stays as it is.");
  }

  #relabel() {
    this.forward.textContent = this.isLast ? (this.#form.dataset.last ?? "Send") : "Next";
    const asked = this.#steps.filter((step) => this.#isAsked(step));
    const place = asked.indexOf(this.#steps[this.#current]) + 1;
    this.progress.textContent = asked.length > 1 && place > 0 ? `${place} of ${asked.length}` : "";
  }

  #submit(event) {
    const open = this.#steps.findIndex((step) => this.#isAsked(step) && this.#lacks(step));
    if (this.#sent || !this.isLast || open !== -1) {
      event.preventDefault();
      if (this.#sent) return;
      if (this.isLast && open !== -1 && !this.#lacks(this.#steps[this.#current])) this.show(open);
      else this.goForward();
      return;
    }
    for (const step of this.#steps) if (!this.#isAsked(step)) step.leave?.();
    this.busy(true);
    if (this.#send === null) return;
    event.preventDefault();
    this.#send();
  }

  // "None" and everything else in a step exclude each other.
  #exclude(target) {
    if (target.type !== "checkbox" || !target.checked) return;
    for (const other of target.closest("[data-step]")?.querySelectorAll("input[type=checkbox]") ?? []) {
      if (other !== target && (other.value === "none" || target.value === "none")) other.checked = false;
    }
  }

  #tick(key) {
    const step = this.#steps[this.#current];
    const input = [...step.querySelectorAll(FIELDS)].find((candidate) => candidate.dataset.key === key);
    if (!input || input.disabled || step.disabled) return false;
    input.click();
    input.focus({ preventScroll: true });
    step.ticked?.(input);
    return true;
  }

  #press(event) {
    const key = pressedKey(event);
    if (event.defaultPrevented || event.altKey || !key) return;
    const { target } = event;
    if (event.ctrlKey || event.metaKey) {
      if (key !== "Enter") return;
      this.goForward({ byKey: true });
    } else if (key === "Enter") {
      if (target.closest("a, button, summary, textarea")) return;
      this.goForward({ byKey: true });
    } else if (isTyped(target)) {
      return;
    } else if (key === "Backspace" || key === "b") {
      this.goBack();
    } else if (key === "?") {
      this.keys.open = !this.keys.open;
      if (this.keys.open) this.keys.scrollIntoView({ block: "nearest" });
    } else if (!this.#tick(key)) {
      return;
    }
    event.preventDefault();
  }
}

function isAnswered(step) {
  return [...step.querySelectorAll(FIELDS)].some((input) =>
    isTyped(input) ? input.value.trim() !== "" : input.checked,
  );
}

// Mark the mentions that the question is about, and those alone, in the middle of the document's box.
function bringIntoView(step, passage) {
  const asked = new Set([...step.querySelectorAll("legend b")].map((mention) => mention.className));
  for (const tag of passage.querySelectorAll("[data-tag]")) tag.hidden = !asked.has(tag.dataset.tag);
  const tops = [];
  for (const mention of passage.querySelectorAll("[class*=mention-]")) {
    const isAsked = [...mention.classList].some((name) => asked.has(name));
    mention.classList.toggle("quiet", !isAsked);
    if (isAsked) tops.push(mention.offsetTop);
  }
  const first = Math.min(...tops);
  const height = Math.min(Math.max(...tops) - first, passage.clientHeight / 2);
  passage.scrollTop = first + height / 2 - passage.clientHeight / 2;
}
