// The last look before an answer is sent: what must be said yet, and what may have been overlooked.

import { linkOf, nameOf, review, wordOf } from "./marking.js";
import { apart } from "./passage.js";

export class Review {
  #dialog;
  #passage;
  #suggestions;

  // `act` has go(word, entity), check(sentence, isChecked) and send().
  constructor(root, passage, suggestions, act) {
    this.#dialog = root.querySelector("[data-review]");
    this.#passage = passage;
    this.#suggestions = suggestions;
    this.lists = root.querySelector("[data-review-lists]");
    this.problem = root.querySelector("[data-problem]");
    this.send = root.querySelector("[data-send]");
    this.send.addEventListener("click", () => act.send());
    root.querySelector("[data-review-close]").addEventListener("click", () => this.close());
    this.lists.addEventListener("click", ({ target }) => {
      const button = target.closest("[data-go]");
      if (!button) return;
      this.close();
      act.go(Number(button.dataset.go), button.dataset.entity ? Number(button.dataset.entity) : null);
    });
    this.lists.addEventListener("change", ({ target }) => act.check(Number(target.value), target.checked));
  }

  get isOpen() {
    return this.#dialog.open;
  }

  open(marking) {
    this.show(marking);
    this.problem.hidden = true;
    if (!this.isOpen) this.#dialog.showModal();
    this.#dialog.querySelector("h2").focus();
  }

  close() {
    this.#dialog.close();
  }

  show(marking) {
    const left = review(this.#passage, marking, this.#suggestions);
    const text = ({ first, last }) => apart(this.#passage.text(first, last));
    const first = (entity) => marking.mentions.get(entity.canonical).first;
    const must = [
      ...left.unplaced.map((mention) => ({ word: mention.first, words: `“${text(mention)}”: who or what is it?` })),
      ...left.unlinked.map((entity) => ({
        word: first(entity),
        entity: entity.id,
        words: `“${apart(nameOf(this.#passage, marking, entity))}”: ${linkOf(this.#passage, entity.type) === "date" ? "which date is it?" : "which page has it, if any?"}`,
      })),
    ];
    const parts = [];
    if (must.length) parts.push(section("To be said yet", must.map(goTo)));
    if (left.suggestions.length) {
      const rows = left.suggestions.map((one) => ({ word: one.first, words: `“${text(one)}”, ${wordOf(this.#passage, one.type)}` }));
      parts.push(section("Suggestions neither accepted nor dismissed", rows.map(goTo)));
    }
    if (left.sentences.length) {
      const rows = left.sentences.map((sentence) => this.#sentence(sentence));
      parts.push(section("Sentences with capitalised words that no mention has", rows));
    }
    const { size } = marking.mentions;
    parts.push(paragraph(
      size
        ? `${size} mention${size === 1 ? "" : "s"} of ${marking.entities.size} ${marking.entities.size === 1 ? "thing" : "things"} marked.`
        : "Nothing is marked. Send this only if the document mentions nobody and nothing.",
    ));
    this.lists.replaceChildren(...parts);
    this.send.disabled = must.length > 0;
  }

  #sentence({ index, words, isChecked }) {
    const row = goTo({ word: words[0], words: `Sentence ${index + 1}: ${this.#capitalised(words).join(", ")}` });
    const label = document.createElement("label");
    label.className = "check";
    const box = document.createElement("input");
    Object.assign(box, { type: "checkbox", value: index, checked: isChecked });
    label.append(box, "nothing there");
    row.append(label);
    return row;
  }

  // Words that follow each other are shown together.
  #capitalised(words) {
    const runs = [];
    for (const number of words) {
      const run = runs.at(-1);
      if (run?.last === number - 1) run.last = number;
      else runs.push({ first: number, last: number });
    }
    return runs.map(({ first, last }) => `“${apart(this.#passage.text(first, last))}”`);
  }

  complain(words) {
    this.problem.textContent = words;
    this.problem.hidden = false;
    this.problem.scrollIntoView({ block: "nearest" });
  }

  busy(isBusy) {
    this.send.toggleAttribute("aria-busy", isBusy);
    this.send.textContent = isBusy ? "Sending…" : "Send";
  }
}

function section(heading, rows) {
  const part = document.createElement("section");
  const title = document.createElement("h3");
  title.textContent = `${heading}: ${rows.length}`;
  const list = document.createElement("ul");
  list.append(...rows);
  part.append(title, list);
  return part;
}

function paragraph(words) {
  const part = document.createElement("p");
  part.textContent = words;
  return part;
}

function goTo({ word, entity, words }) {
  const row = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.dataset.go = word;
  if (entity) button.dataset.entity = entity;
  button.textContent = words;
  row.append(button);
  return row;
}
