// What stands beside the document: the selection and what can be done with it, and the list of entities.

import { candidates, letterOf, linkOf, linkWords, MOST_OFFERED, membersOf, nameOf, needsLink, tagOf, wordOf } from "./marking.js";
import { apart, isDate, titleOf } from "./passage.js";
import { pressedKey } from "../pressed.js";

export class Panel {
  #root;
  #passage;
  #own; // language and direction of the document's words
  #act;
  #rows = new Map(); // entity id to its row
  #shown = null; // the marking on the page
  #entity = null; // whose fields are shown
  #offered = [];

  // `act` has what the buttons do: type, end, offer, canonical, remove, accept, dismiss, pick, link, merge, back.
  constructor(root, passage, act) {
    this.#root = root;
    this.#passage = passage;
    this.#act = act;
    const find = (name) => root.querySelector(`[data-${name}]`);
    for (const name of [
      "chosen", "ends", "suggestion", "suggestion-words", "who", "offers", "of-mention", "canonical", "entities",
      "count", "nothing", "fields", "page", "date", "date-field", "none", "none-words", "same", "same-field",
      "lookup", "link-problem", "undo", "redo", "saved",
    ]) {
      this[name] = find(name);
    }
    this.types = [...root.querySelectorAll("[data-type]")];
    const { lang, dir } = find("text");
    this.#own = { lang, dir };
    this.#makeOffers();
    this.#listen();
  }

  #makeOffers() {
    for (let number = 1; number <= MOST_OFFERED + 1; number += 1) {
      const key = number % (MOST_OFFERED + 1);
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.offer = key;
      button.append(element("kbd", key), Object.assign(element("span", ""), { dir: "auto" }), element("small", ""));
      button.firstChild.setAttribute("aria-hidden", "true");
      this.offers.append(button);
    }
  }

  #listen() {
    const act = this.#act;
    this.#root.querySelector(".workbench").addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (!button) return;
      const { dataset } = button;
      if (dataset.type) act.type(dataset.type);
      else if (dataset.end) act.end(dataset.end, Number(dataset.by));
      else if (dataset.offer !== undefined) act.offer(Number(dataset.offer));
      else if (dataset.entity) act.pick(Number(dataset.entity));
      else if ("canonical" in dataset) act.canonical();
      else if ("remove" in dataset) act.remove();
      else if ("accept" in dataset) act.accept();
      else if ("dismiss" in dataset) act.dismiss();
      else if ("undo" in dataset) act.undo();
      else if ("redo" in dataset) act.redo();
    });
    this.none.addEventListener("change", () => this.#say(this.none.checked ? { none: true } : null));
    this.page.addEventListener("change", () => this.#typed());
    this.date.addEventListener("change", () => this.#typed());
    for (const input of [this.page, this.date]) {
      input.addEventListener("keydown", (event) => {
        const key = pressedKey(event);
        if (event.defaultPrevented || (key !== "Enter" && key !== "Escape")) return;
        event.preventDefault();
        if (key === "Escape") this.#fill();
        else if (!this.#typed()) return;
        act.back();
      });
    }
    this.same.addEventListener("change", () => {
      if (this.same.value) act.merge(this.#entity, Number(this.same.value));
    });
  }

  // Take what stands in the field; say whether it can be taken.
  #typed() {
    if (this.#entity === null) return true;
    const isDated = !this["date-field"].hidden;
    const text = isDated ? this.date.value.trim() : titleOf(this.page.value);
    if (text === "") {
      if (!this.none.checked) this.#say(null);
      return true;
    }
    if (isDated && !isDate(text)) return this.#complain("Write a date like 2016-11-03, 2016-11 or 2016.");
    if (!isDated && /[#<>[\]{|}]/.test(text)) return this.#complain("No page has such a title: # < > [ ] { | } cannot be in one.");
    this.#say(isDated ? { date: text } : { page: text[0].toUpperCase() + text.slice(1) });
    return true;
  }

  #complain(words) {
    this["link-problem"].textContent = words;
    this["link-problem"].hidden = false;
    return false;
  }

  #say(link) {
    this["link-problem"].hidden = true;
    if (this.#entity !== null) this.#act.link(this.#entity, link);
  }

  // The entity that a number key means for the mention at hand: undefined for none, null for a new one.
  offered(key) {
    return key === 0 ? null : this.#offered[key - 1]?.entity.id;
  }

  // Show where things stand: {marking, range, mention, suggestion, entity, canUndo, canRedo}.
  show(now) {
    const { marking, mention } = now;
    this.undo.disabled = !now.canUndo;
    this.redo.disabled = !now.canRedo;
    this.#showChosen(now);
    this.#showOffers(marking, mention);
    if (marking !== this.#shown) this.#showEntities(marking);
    this.#shown = marking;
    this.#showFields(marking, now.entity);
  }

  #showChosen({ marking, range, mention, suggestion }) {
    const text = range ? this.#passage.text(range.first, range.last) : "";
    const tag = mention && !range.isNew ? ` ${tagOf(this.#passage, mention)}` : "";
    write(this.chosen, text ? `“${apart(text)}”${tag}` : "");
    this.chosen.classList.remove("bad");
    const type = mention && !range.isNew ? mention.type : null;
    for (const button of this.types) button.setAttribute("aria-pressed", String(button.dataset.type === type));
    this.ends.hidden = !range;
    const isSuggested = suggestion !== null;
    this.suggestion.hidden = !isSuggested;
    if (isSuggested) {
      const { first, last } = suggestion;
      write(this["suggestion-words"], `“${apart(this.#passage.text(first, last))}”, ${wordOf(this.#passage, suggestion.type)}`);
    }
    this["of-mention"].hidden = !mention || range.isNew;
    if (mention) {
      const isCanonical = marking.entities.get(mention.entity)?.canonical === mention.id;
      this.canonical.setAttribute("aria-pressed", String(isCanonical));
    }
  }

  #showOffers(marking, mention) {
    this.#offered = mention ? candidates(this.#passage, marking, mention) : [];
    this.who.hidden = !mention;
    if (!mention) return;
    [...this.offers.children].forEach((button, index) => {
      const isNew = index === MOST_OFFERED;
      const offer = this.#offered[index];
      button.hidden = !offer && !isNew;
      if (button.hidden) return;
      const [, words, detail] = button.children;
      const isAlone = mention.entity !== null && !this.#offered.some(({ entity }) => entity.id === mention.entity)
        && membersOf(marking, mention.entity).length === 1;
      write(words, isNew ? `New${isAlone ? `: ${this.#tag(marking.entities.get(mention.entity))}` : ""}` : nameOf(this.#passage, marking, offer.entity));
      write(detail, isNew ? "" : `${this.#tag(offer.entity)} ${["", "similar", "same words"][offer.alike]}`);
      button.setAttribute("aria-pressed", String(isNew ? isAlone : offer.entity.id === mention.entity));
    });
  }

  #showEntities(marking) {
    const before = this.#shown;
    const counts = new Map();
    for (const { entity } of marking.mentions.values()) counts.set(entity, (counts.get(entity) ?? 0) + 1);
    for (const [id, row] of this.#rows) {
      if (marking.entities.has(id)) continue;
      if (row.contains(this.fields)) this.#root.append(this.fields);
      row.remove();
      this.#rows.delete(id);
    }
    let open = 0;
    for (const entity of [...marking.entities.values()].sort((one, other) => one.id - other.id)) {
      if (needsLink(this.#passage, entity)) open += 1;
      const count = counts.get(entity.id);
      let row = this.#rows.get(entity.id);
      const canonical = marking.mentions.get(entity.canonical);
      const isSame = row && before?.entities.get(entity.id) === entity
        && before.mentions.get(entity.canonical) === canonical && row.count === count;
      if (isSame) continue;
      row ??= this.#addRow(entity.id);
      this.#writeRow(row, entity, nameOf(this.#passage, marking, entity), count);
    }
    const number = marking.entities.size;
    this.nothing.hidden = number > 0;
    write(this.count, number ? `${number}${open ? `, ${open} without page or date` : ""}` : "");
  }

  #tag({ type, id }) {
    return `${letterOf(this.#passage, type)}${id}`;
  }

  // Rows stand in the order of their numbers.
  #addRow(id) {
    const row = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.entity = id;
    button.append(element("span", "", "tag"), Object.assign(element("b", ""), this.#own), element("span", "", "times"), element("span", "", "to"));
    row.append(button);
    const after = [...this.#rows.keys()].filter((other) => other > id).sort((one, other) => one - other)[0];
    this.entities.insertBefore(row, this.#rows.get(after) ?? null);
    this.#rows.set(id, row);
    return row;
  }

  #writeRow(row, entity, name, count) {
    row.count = count;
    const [mark, words, times, to] = row.firstChild.children;
    row.className = `type-${this.#passage.types.get(entity.type).number}`;
    write(mark, this.#tag(entity));
    write(words, name);
    write(times, count > 1 ? `× ${count}` : "");
    write(to, linkWords(this.#passage, entity));
    to.classList.toggle("open", needsLink(this.#passage, entity));
  }

  #showFields(marking, id) {
    const entity = marking.entities.get(id);
    const isOther = this.#entity !== (entity?.id ?? null);
    if (isOther) {
      this.#rows.get(this.#entity)?.firstChild.removeAttribute("aria-current");
      this.#entity = entity?.id ?? null;
      this["link-problem"].hidden = true;
    }
    this.fields.hidden = !entity;
    if (!entity) return;
    const row = this.#rows.get(id);
    if (isOther || !row.contains(this.fields)) {
      row.append(this.fields);
      row.firstChild.setAttribute("aria-current", "true");
      reveal(row, this.entities);
      this.page.dataset.suggestion = nameOf(this.#passage, marking, entity);
    }
    if (isOther || entity !== this.filled) this.#fill(entity);
    this.#showSame(marking, entity);
  }

  #fill(entity = this.filled) {
    this.filled = entity;
    if (!entity) return;
    const linked = linkOf(this.#passage, entity.type);
    const isDated = linked === "date";
    this["date-field"].hidden = !isDated;
    this.lookup.hidden = linked !== "page";
    this.none.closest("label").hidden = linked === null;
    write(this["none-words"], isDated ? "It cannot be told" : "It has no page");
    this.page.value = entity.link?.page ?? "";
    this.date.value = entity.link?.date ?? "";
    this.none.checked = Boolean(entity.link?.none);
    this["link-problem"].hidden = true;
  }

  #showSame(marking, entity) {
    const others = [...marking.entities.values()].filter(({ id, type }) => type === entity.type && id !== entity.id);
    this["same-field"].hidden = others.length === 0;
    const signature = others.map((other) => `${other.id}:${other.canonical}`).join() + entity.id;
    if (this.same.dataset.of === signature) return;
    this.same.dataset.of = signature;
    this.same.replaceChildren(
      new Option("…", ""),
      ...others.map((other) => new Option(`${this.#tag(other)} ${apart(nameOf(this.#passage, marking, other))}`, other.id)),
    );
  }

  // Say why a step cannot be done, until the next.
  refuse(words) {
    this.chosen.textContent = words;
    this.chosen.classList.add("bad");
  }

  // Go to the field of the entity at hand; say whether there is one.
  writeLink() {
    if (this.fields.hidden || this.none.closest("label").hidden) return false;
    (this["date-field"].hidden ? this.page : this.date).focus();
    return true;
  }
}

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

// Text is written only where it differs: nothing is laid out anew for nothing.
function write(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

// Bring a row into its list's view without moving the page.
function reveal(row, list) {
  const [outer, inner] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) list.scrollTop += Math.min(inner.bottom - outer.bottom, inner.top - outer.top);
}
