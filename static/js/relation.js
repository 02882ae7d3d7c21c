// The relation interface: one question at a time, by keyboard. Without this script it is a plain form.

const form = document.querySelector("[data-questions]");
const steps = [...form.querySelectorAll("[data-step]")];
const forward = form.querySelector("[data-forward]");
const back = form.querySelector("[data-back]");
const problem = form.querySelector("[data-problem]");
const progress = form.querySelector("[data-progress]");
const keys = form.querySelector("[data-keys]");
const passage = document.querySelector("[data-passage]");

let current = 0;
let sent = false;

const inputs = (step) => [...step.querySelectorAll("input")];
const isAnswered = (step) => inputs(step).some((input) => input.checked);

function show(number) {
  current = number;
  steps.forEach((step, index) => {
    step.hidden = index !== current;
  });
  const last = current === steps.length - 1;
  forward.textContent = last ? "Send" : "Next";
  back.hidden = current === 0;
  progress.textContent = steps.length > 1 ? `${current + 1} of ${steps.length}` : "";
  problem.hidden = true;
  steps[current].focus({ preventScroll: true });
  bringIntoView();
}

// Mark the mentions that the question is about, and those alone, in the middle of the document's box.
function bringIntoView() {
  const asked = new Set([...steps[current].querySelectorAll("legend b")].map((mention) => mention.className));
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

function complain(message) {
  problem.textContent = message;
  problem.hidden = false;
}

function goForward() {
  if (sent) return;
  if (!isAnswered(steps[current])) {
    complain(
      inputs(steps[current])[0].type === "checkbox"
        ? "Tick what holds, or none of these (0)."
        : "Say whether it is right (y) or wrong (n).",
    );
  } else if (current < steps.length - 1) {
    show(current + 1);
  } else {
    form.requestSubmit();
  }
}

function goBack() {
  if (current > 0) {
    show(current - 1);
  } else {
    complain("This is the first question. An answer that was sent before stays as it is.");
  }
}

function tick(key) {
  const input = inputs(steps[current]).find((candidate) => candidate.dataset.key === key);
  if (input) input.click();
  input?.focus({ preventScroll: true });
  return input !== undefined;
}

// "None of these" and the relations exclude each other.
form.addEventListener("change", ({ target }) => {
  problem.hidden = true;
  if (target.type !== "checkbox" || !target.checked) return;
  for (const other of form.elements[target.name]) {
    if (other !== target && (other.value === "none" || target.value === "none")) other.checked = false;
  }
});

form.addEventListener("submit", (event) => {
  const open = steps.findIndex((step) => !isAnswered(step));
  if (sent || current < steps.length - 1 || open !== -1) {
    event.preventDefault();
    if (!sent) goForward();
    return;
  }
  sent = true;
  forward.setAttribute("aria-busy", "true");
});

back.addEventListener("click", goBack);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const own = event.target.closest("a, button, summary");
  if (event.key === "Enter") {
    if (own) return;
    goForward();
  } else if (event.key === "Backspace" || event.key === "b") {
    goBack();
  } else if (event.key === "?") {
    keys.open = !keys.open;
    if (keys.open) keys.scrollIntoView({ block: "nearest" });
  } else if (!tick(event.key.toLowerCase())) {
    return;
  }
  event.preventDefault();
});

// A page brought back by the browser's own "back" may be sent again: the server knows the same answer.
window.addEventListener("pageshow", () => {
  sent = false;
  forward.removeAttribute("aria-busy");
});

passage.classList.add("boxed");
keys.hidden = false;
show(0);
