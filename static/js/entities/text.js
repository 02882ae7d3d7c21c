// The document on the page: one element a word, painted anew only where something has changed.

import { vertically } from "../words.js";
import { letterOf, mentionsAt, pending, tagOf } from "./marking.js";

export class TextView {
  #root;
  #passage;
  #suggestions;
  #words = [];
  #marking = null;
  #suggested = new Map(); // word to suggestion
  #cursor = null;
  #selected = new Set();
  #lit = new Set(); // words that show the current mention or its entity

  constructor(root, passage, suggestions) {
    this.#root = root;
    this.#passage = passage;
    this.#suggestions = suggestions;
    const body = document.createDocumentFragment();
    passage.sentences.forEach((sentence, index) => {
      const line = document.createElement("p");
      line.className = sentence.paragraph ? "sentence paragraph" : "sentence";
      line.setAttribute("role", "group");
      line.setAttribute("aria-label", `Sentence ${index + 1}`);
      line.dataset.number = index + 1;
      for (let number = sentence.first; number <= sentence.last; number += 1) {
        const { text, gap } = passage.words[number];
        const word = document.createElement("span");
        word.className = "w";
        word.id = `w${number}`;
        word.setAttribute("role", "option");
        word.setAttribute("aria-selected", "false");
        word.textContent = text;
        word.number = number;
        this.#words.push(word);
        line.append(word);
        if (gap && number < sentence.last) line.append(gap);
      }
      body.append(line);
    });
    root.replaceChildren(body);
  }

  word(number) {
    return this.#words[number];
  }

  // The word at a point of the window, or null.
  at(x, y) {
    return this.numberOf(document.elementFromPoint(x, y));
  }

  numberOf(element) {
    const word = element?.closest?.(".w");
    return word && this.#root.contains(word) ? word.number : null;
  }

  // Show a marking: words whose mentions, tags or suggestions have changed are painted.
  show(marking) {
    const before = this.#marking;
    if (marking === before) return;
    this.#marking = marking;
    const dirty = new Set();
    const touch = ({ first, last }) => {
      for (let number = first; number <= last; number += 1) dirty.add(number);
    };
    for (const [id, mention] of marking.mentions) {
      const old = before?.mentions.get(id);
      if (old === mention) continue;
      touch(mention);
      if (old) touch(old);
    }
    for (const [id, mention] of before?.mentions ?? []) if (!marking.mentions.has(id)) touch(mention);
    if (this.#suggestions.length && (dirty.size || marking.dismissed !== before?.dismissed)) this.#suggest(dirty);
    for (const number of dirty) this.#paint(number);
  }

  #suggest(dirty) {
    const suggested = new Map();
    for (const one of pending(this.#marking, this.#suggestions)) {
      for (let number = one.first; number <= one.last; number += 1) {
        if (!suggested.has(number)) suggested.set(number, one);
      }
    }
    for (const number of new Set([...suggested.keys(), ...this.#suggested.keys()])) {
      if (suggested.get(number)?.index !== this.#suggested.get(number)?.index) dirty.add(number);
    }
    this.#suggested = suggested;
  }

  suggestionAt(number) {
    return this.#suggested.get(number) ?? null;
  }

  #paint(number) {
    const word = this.#words[number];
    const covering = mentionsAt(this.#marking, number);
    const suggestion = this.#suggested.get(number);
    const beginning = covering.filter(({ first }) => first === number);
    const tags = beginning.map((mention) => tagOf(this.#passage, mention));
    const kept = ["current", "same", "selected", "cursor"].filter((name) => word.classList.contains(name));
    word.className = ["w", ...kept].join(" ");
    if (covering.length) {
      const [outer] = covering;
      const inner = covering.at(-1);
      word.classList.add("outer", `type-${this.#colourOf(outer.type)}`);
      if (outer.last > number) word.classList.add("goes-on");
      if (covering.length > 1) {
        word.classList.add("inner", `inner-${this.#colourOf(inner.type)}`);
        word.classList.toggle("inner-goes-on", inner.last > number);
      }
      const whose = covering.map((one) => `${one.type} ${one.entity ?? "unknown"}`).join(", in ");
      word.setAttribute("aria-description", whose);
    } else {
      word.removeAttribute("aria-description");
    }
    if (suggestion) {
      word.classList.add("suggested");
      if (suggestion.last > number) word.classList.add("suggestion-goes-on");
      if (suggestion.first === number) tags.push(`${letterOf(this.#passage, suggestion.type)} ?`);
      if (!covering.length) word.setAttribute("aria-description", `suggested: ${suggestion.type}`);
    }
    if (tags.length) word.dataset.tag = tags.join(" ");
    else delete word.dataset.tag;
  }

  // The number of a type's colour.
  #colourOf(type) {
    return this.#passage.types.get(type).number;
  }

  // Light up the current mention, and the others of its entity.
  light(current, others) {
    const lit = new Map();
    for (const mention of others) {
      for (let number = mention.first; number <= mention.last; number += 1) lit.set(number, "same");
    }
    if (current) for (let number = current.first; number <= current.last; number += 1) lit.set(number, "current");
    for (const number of this.#lit) if (!lit.has(number)) this.#words[number].classList.remove("same", "current");
    for (const [number, name] of lit) {
      this.#words[number].classList.toggle("current", name === "current");
      this.#words[number].classList.toggle("same", name === "same");
    }
    this.#lit = new Set(lit.keys());
  }

  // Put the cursor on a word, and select from `first` to `last` (null for none).
  point(cursor, range) {
    if (cursor !== this.#cursor) {
      if (this.#cursor !== null) this.#words[this.#cursor].classList.remove("cursor");
      this.#cursor = cursor;
      this.#words[cursor]?.classList.add("cursor");
      this.#root.setAttribute("aria-activedescendant", `w${cursor}`);
    }
    const selected = new Set();
    if (range) for (let number = range.first; number <= range.last; number += 1) selected.add(number);
    for (const number of this.#selected) if (!selected.has(number)) this.#select(number, false);
    for (const number of selected) if (!this.#selected.has(number)) this.#select(number, true);
    this.#selected = selected;
  }

  #select(number, isSelected) {
    this.#words[number].classList.toggle("selected", isSelected);
    this.#words[number].setAttribute("aria-selected", String(isSelected));
  }

  reveal(number, block = "nearest") {
    this.#words[number]?.scrollIntoView({ block });
  }

  // The word above (-1) or below (1) a word, as the lines run; the word itself where there is no other line.
  vertically(number, by) {
    return vertically(this.#words, number, by);
  }
}
