// Passages whose words are highlighted, as evidence for a verdict, and then confirmed. By mouse, by touch, by keyboard.

import { startPointing } from "./entities/pointing.js";
import { pressedKey } from "./pressed.js";
import { vertically } from "./words.js";

const MISSING = "Highlight the words of the passage that show it.";
const UNSURE = "Read the sentence again, and confirm it.";
const HOW = "Now highlight the words of the passage that show it: drag over them, or tap the first and the last. By keyboard: arrow keys, with Shift.";

export function startEvidence(form) {
  for (const place of form.querySelectorAll("[data-evidence]")) new Evidence(form, place);
}

class Evidence {
  #place;
  #step;
  #root;
  #words;
  #field; // which words: first-last
  #sure;
  #quote;
  #range = null;
  #anchor = 0;
  #cursor = 0;
  #verdict;

  constructor(form, place) {
    this.#place = place;
    this.#step = place.closest("[data-step]");
    this.#root = this.#step.querySelector("[data-words]");
    this.#words = cut(this.#root);
    const { name } = place.dataset;
    this.#field = form.elements[`${name}-words`];
    this.#sure = form.elements[`${name}-sure`];
    this.#quote = place.querySelector("[data-quote]");
    this.#quote.hidden = true;
    this.#quote.querySelector("input").value = ""; // its words would stand beside those that are highlighted

    this.#words.forEach((word, number) => {
      word.id = `${name}-w${number}`;
      word.setAttribute("role", "option");
      word.setAttribute("aria-selected", "false");
    });
    this.#root.setAttribute("role", "listbox");
    this.#root.setAttribute("aria-multiselectable", "true");
    this.#root.setAttribute("aria-label", "The passage, word by word. Arrow keys move, Shift highlights, Delete takes it away.");
    this.#root.addEventListener("keydown", (event) => this.#press(event));
    const words = { numberOf: (element) => this.#numberOf(element), at: (x, y) => this.#numberOf(document.elementFromPoint(x, y)) };
    let before = null;
    startPointing(this.#root, words, {
      choose: (number) => this.#choose(number),
      select: (start, number) => {
        before ??= { range: this.#range };
        this.#paint(span(start ?? this.#anchor, number));
      },
      done: () => {
        before = null;
        this.#keep(this.#range);
      },
      cancel: () => {
        this.#paint(before?.range ?? null);
        before = null;
      },
    });

    this.#step.lacks = () => this.#lacks();
    this.#step.attend = (byKey) => this.#attend(byKey);
    this.#step.ticked = (input) => {
      if (input !== this.#sure && this.#needed && this.#range === null) this.#root.focus();
    };
    this.#step.addEventListener("change", ({ target }) => {
      if (target.type === "radio") this.#turn();
    });
    form.addEventListener("restored", () => this.#read());
    this.#read();
  }

  get #chosen() {
    return this.#step.querySelector("input[type=radio]:checked")?.value ?? null;
  }

  // Whether the verdict needs evidence: then there is a sentence to be confirmed.
  get #needed() {
    return this.#chosen in this.#place.dataset && this.#chosen !== "name";
  }

  // Show what the form's fields say.
  #read() {
    this.#verdict = this.#chosen;
    const [first, last] = this.#field.value.split("-").map(Number);
    this.#paint(this.#words[first] && this.#words[last] ? { first, last } : null);
    this.#show();
  }

  // Another verdict takes away what was highlighted for the one before.
  #turn() {
    if (this.#verdict === this.#chosen) return;
    this.#verdict = this.#chosen;
    if (this.#range === null) this.#show();
    else this.#keep(null);
  }

  #lacks() {
    if (this.#chosen === null) return this.#step.dataset.missing;
    if (!this.#needed) return "";
    if (this.#range === null) return MISSING;
    return this.#sure.checked ? "" : UNSURE;
  }

  // Go where something is lacking; returns whether that says enough.
  #attend(byKey) {
    if (this.#chosen === null) return false;
    if (this.#range === null) {
      this.#root.focus();
      return false;
    }
    const isNew = document.activeElement !== this.#sure;
    this.#sure.focus();
    return byKey && isNew;
  }

  #numberOf(element) {
    const number = this.#words.indexOf(element?.closest?.("[data-words] > span"));
    return number === -1 ? null : number;
  }

  // A tap: the first word, then the last; inside what is highlighted, that word alone.
  #choose(number) {
    if (!this.#needed) return;
    const { first, last } = this.#range ?? {};
    const isOutside = this.#range !== null && (number < first || number > last);
    this.#cursor = number;
    if (!isOutside) this.#anchor = number;
    this.#keep(isOutside ? span(number < first ? last : first, number) : span(number, number));
  }

  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#needed) return;
    const key = pressedKey(event);
    const to = this.#goal(key);
    if (to !== null) {
      if (!event.shiftKey) this.#anchor = to;
      this.#cursor = to;
      if (event.shiftKey) this.#keep(span(this.#anchor, to));
      else this.#paint(this.#range);
      this.#words[to].scrollIntoView({ block: "nearest" });
    } else if (key === " ") {
      this.#anchor = this.#cursor;
      this.#keep(span(this.#cursor, this.#cursor));
    } else if (key === "Delete" || key === "Backspace" || key === "Escape") {
      this.#keep(null);
    } else {
      return;
    }
    event.preventDefault();
  }

  // The word that a key goes to, or null.
  #goal(key) {
    const last = this.#words.length - 1;
    const isRightToLeft = window.getComputedStyle(this.#root).direction === "rtl";
    const by = (number) => Math.max(0, Math.min(last, this.#cursor + number));
    switch (key) {
      case "ArrowLeft":
        return by(isRightToLeft ? 1 : -1);
      case "ArrowRight":
        return by(isRightToLeft ? -1 : 1);
      case "ArrowUp":
        return vertically(this.#words, this.#cursor, -1);
      case "ArrowDown":
        return vertically(this.#words, this.#cursor, 1);
      case "Home":
        return 0;
      case "End":
        return last;
      default:
        return null;
    }
  }

  // Highlight words, or none; what was confirmed of others is to be confirmed again.
  #keep(range) {
    if (range !== null && !this.#needed) {
      this.#paint(null);
      return;
    }
    const value = range === null ? "" : `${range.first}-${range.last}`;
    this.#paint(range);
    if (value !== this.#field.value) {
      this.#field.value = value;
      this.#sure.checked = false;
      for (const kind of ["input", "change"]) this.#field.dispatchEvent(new Event(kind, { bubbles: true }));
    }
    this.#show();
  }

  #paint(range) {
    this.#range = range;
    this.#words.forEach((word, number) => {
      const isLit = range !== null && number >= range.first && number <= range.last;
      word.classList.toggle("lit", isLit);
      word.classList.toggle("goes-on", isLit && number < range.last);
      word.classList.toggle("cursor", number === this.#cursor);
      word.setAttribute("aria-selected", String(isLit));
    });
    if (this.#words.length) this.#root.setAttribute("aria-activedescendant", this.#words[this.#cursor].id);
  }

  #show() {
    const how = this.#place.querySelector("[data-how]");
    const confirm = this.#place.querySelector("[data-confirm]");
    const isMarked = this.#needed && this.#range !== null;
    this.#root.tabIndex = this.#needed ? 0 : -1;
    this.#root.classList.toggle("open", this.#needed);
    how.hidden = !this.#needed || isMarked;
    how.textContent = HOW;
    confirm.hidden = !isMarked;
    this.#sure.disabled = !isMarked;
    if (!isMarked) return;
    const said = this.#words.slice(this.#range.first, this.#range.last + 1).map((word) => word.textContent);
    confirm.querySelector("[data-statement]").textContent = this.#place.dataset[this.#chosen].replace("{words}", () => joined(said));
  }
}

// Make an element of each word: the page says how long each is, with + where nothing stands before it.
function cut(root) {
  const characters = [...root.textContent];
  const made = document.createDocumentFragment();
  let at = 0;
  const take = (number) => {
    at += number;
    return characters.slice(at - number, at).join("");
  };
  for (const one of root.dataset.cuts.split(" ").filter(Boolean)) {
    const [gap, length] = one.startsWith("+") ? [0, one.slice(1)] : one.includes(":") ? one.split(":") : [1, one];
    const word = document.createElement("span");
    made.append(take(Number(gap)), word);
    word.textContent = take(Number(length));
  }
  made.append(take(characters.length - at));
  root.replaceChildren(made);
  return [...root.children];
}

function span(one, other) {
  return { first: Math.min(one, other), last: Math.max(one, other) };
}

// Punctuation has words of its own, which stand close.
function joined(words) {
  return words.join(" ").replace(/ ([.,;:!?)\]%’”])/g, "$1").replace(/([([“‘$]) /g, "$1");
}
