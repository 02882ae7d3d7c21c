// Links mentions to pages of Wikipedia: a field that looks pages up while one types. Any interface may use it.
// Without it, or while the search is down, the title is typed.

import { pressedKey } from "./pressed.js";

const REST = 250; // ms after a keystroke
const PATIENCE = 8000; // ms for an answer

// Start every [data-lookup] in `root`: `address` finds pages for ?q=…, under the assignment's token.
export function startLinks(root, { address, token }) {
  for (const place of root.querySelectorAll("[data-lookup]")) new Lookup(place, address, token);
  for (const place of root.querySelectorAll("[data-link]")) startNone(place);
}

// "No page" takes the title away, and gives it back; typing takes the tick away.
function startNone(place) {
  const none = place.parentElement.querySelector("[data-none]");
  const inputs = [...place.querySelectorAll("input")];
  let kept = inputs.map((input) => input.value);
  none.addEventListener("change", () => {
    if (none.checked) kept = inputs.map((input) => input.value);
    inputs.forEach((input, index) => {
      input.value = none.checked ? "" : kept[index];
    });
  });
  for (const input of inputs) {
    input.addEventListener("input", () => {
      if (input.value.trim() === "" || !none.checked) return;
      none.checked = false;
    });
  }
}

export class Lookup {
  #input;
  #list;
  #news;
  #address;
  #token;
  #timer = 0;
  #asked = null;
  #active = -1;

  constructor(place, address, token) {
    this.#input = place.querySelector("input");
    this.#list = place.querySelector("[data-found]");
    this.#news = place.querySelector("[data-news]");
    this.#address = address;
    this.#token = token;
    this.#input.setAttribute("role", "combobox");
    this.#input.setAttribute("aria-autocomplete", "list");
    this.#input.setAttribute("aria-controls", this.#list.id);
    this.#input.setAttribute("aria-expanded", "false");
    this.#input.addEventListener("input", () => this.#ask(this.#input.value, REST));
    this.#input.addEventListener("focus", () => {
      if (!this.#isOpen) this.#ask(this.#input.value || this.#input.dataset.suggestion || "", 0);
    });
    this.#input.addEventListener("blur", () => this.#close());
    this.#input.addEventListener("keydown", (event) => this.#press(event));
    this.#list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
    this.#list.addEventListener("click", ({ target }) => {
      const option = target.closest("[role=option]");
      if (option) this.#choose(option);
    });
  }

  get #isOpen() {
    return !this.#list.hidden;
  }

  get #options() {
    return [...this.#list.children];
  }

  #ask(text, delay) {
    window.clearTimeout(this.#timer);
    this.#asked?.abort();
    if (text.trim() === "") {
      this.#close();
      this.#news.textContent = "";
      return;
    }
    this.#timer = window.setTimeout(() => this.#look(text.trim()), delay);
  }

  async #look(text) {
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    const late = window.setTimeout(() => this.#asked.abort("late"), PATIENCE);
    try {
      const response = await fetch(`${this.#address}?q=${encodeURIComponent(text)}`, {
        headers: { Accept: "application/json", Authorization: `Bearer ${this.#token}` },
        signal,
      });
      const body = await response.json();
      if (!response.ok) throw new Error(body.detail);
      this.#show(body.pages);
    } catch (error) {
      if (signal.aborted && signal.reason !== "late") return; // another search took its place
      const isLost = signal.aborted || error instanceof TypeError;
      this.#close();
      this.#news.textContent = isLost ? DOWN : error.message || DOWN;
    } finally {
      window.clearTimeout(late);
    }
  }

  #show(pages) {
    if (document.activeElement !== this.#input) return;
    this.#list.replaceChildren(...pages.map((page, index) => this.#option(page, index)));
    this.#active = -1;
    this.#open(pages.length > 0);
    this.#news.textContent = pages.length
      ? `${pages.length} page${pages.length === 1 ? "" : "s"} found`
      : "Nothing found: type the title as it stands over the page, or tick “no page”.";
  }

  #option({ title, description }, index) {
    const option = document.createElement("li");
    option.id = `${this.#list.id}-${index}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.dataset.title = title;
    option.append(title);
    if (description) {
      const small = document.createElement("small");
      small.textContent = description;
      option.append(small);
    }
    return option;
  }

  #open(isOpen) {
    this.#list.hidden = !isOpen;
    this.#input.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) this.#input.removeAttribute("aria-activedescendant");
  }

  #close() {
    window.clearTimeout(this.#timer);
    this.#asked?.abort();
    this.#open(false);
    this.#active = -1;
  }

  #press(event) {
    const key = pressedKey(event);
    if (key === "ArrowDown" || key === "ArrowUp") {
      if (!this.#isOpen) {
        this.#ask(this.#input.value || this.#input.dataset.suggestion || "", 0);
      } else {
        this.#move(key === "ArrowDown" ? 1 : -1);
      }
    } else if (key === "Enter" && this.#isOpen && this.#active >= 0) {
      this.#choose(this.#options[this.#active]);
    } else if (key === "Escape" && this.#isOpen) {
      this.#close();
    } else {
      return;
    }
    event.preventDefault();
  }

  #move(by) {
    const options = this.#options;
    options[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = (this.#active + by + options.length + (this.#active < 0 && by < 0 ? 1 : 0)) % options.length;
    const option = options[this.#active];
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    this.#input.setAttribute("aria-activedescendant", option.id);
  }

  #choose(option) {
    this.#input.value = option.dataset.title;
    this.#close();
    this.#news.textContent = `Chosen: ${option.dataset.title}`;
    for (const kind of ["input", "change"]) this.#input.dispatchEvent(new Event(kind, { bubbles: true }));
    window.clearTimeout(this.#timer); // the title that was chosen is not looked up
  }
}

const DOWN = "The search is down: type the page’s title.";
