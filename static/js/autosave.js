// Keeps a draft on the server: the latest state, one save at a time, tried again until it is there. With a name
// it is kept in this browser too, at once.

const REST = 500; // ms after the last change
const PATIENCE = 8000; // ms for an answer
const WAITS = [1, 2, 4, 8, 15]; // s between tries
const KEY = "draft-of-";

export class Autosave {
  #key;
  #number;
  #read;
  #post;
  #say;
  #timer = 0;
  #isDirty = false;
  #isSaving = false;
  #isHere = false; // whether this browser has the latest state
  #tries = 0;
  #isOver = false;

  // `number` is that of the draft that is there; `read` returns what is to be kept, an object as JSON can have it;
  // `post(body, options)` sends that with its number, and returns {status, body: {saved, number}}; `say(words,
  // isBad)` shows how it stands. `name` tells the draft from every other in this browser.
  constructor({ number, read, post, say, name = null }) {
    this.#key = name === null ? null : KEY + name;
    this.#number = number;
    this.#read = read;
    this.#post = post;
    this.#say = say;
    window.addEventListener("online", () => this.#isDirty && this.#schedule(0));
    // The last word of a page that goes away; a reload asks for it a moment later.
    window.addEventListener("pagehide", () => this.flush());
    document.addEventListener("visibilitychange", () => document.hidden && this.flush());
  }

  // What this browser kept that the server does not have: {number, state}, or null.
  static kept(name, number) {
    try {
      const kept = JSON.parse(window.localStorage.getItem(KEY + name));
      return kept?.state && kept.number > number && !kept.isSaved ? kept : null;
    } catch {
      return null;
    }
  }

  // Something has changed: it is saved after a rest, of none where waiting brings nothing.
  touch(rest = REST) {
    if (this.#isOver) return;
    if (!this.#isDirty && !this.#isSaving) this.#say("", false); // what was said of an earlier state is not true of this
    this.#isDirty = true;
    this.#tries = 0;
    this.#schedule(rest);
  }

  flush() {
    if (this.#isDirty && !this.#isOver) this.#save({ keepalive: true });
  }

  // The answer is on its way: what is not saved yet is saved at once, should it be refused. `stop` ends it.
  hold() {
    window.clearTimeout(this.#timer);
    if (this.#isDirty) this.#save();
    else this.#keep(this.#read(), false);
  }

  // The answer is in: nothing is kept any more.
  stop() {
    this.#isOver = true;
    window.clearTimeout(this.#timer);
    if (this.#key === null) return;
    try {
      window.localStorage.removeItem(this.#key);
    } catch {
      // a browser that keeps nothing
    }
  }

  #schedule(delay) {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#save(), delay);
  }

  #keep(state, isSaved) {
    if (this.#key === null) return;
    try {
      const number = this.#number + (isSaved ? 0 : 1);
      window.localStorage.setItem(this.#key, JSON.stringify({ number, state, isSaved }));
      this.#isHere = true;
    } catch {
      this.#isHere = false; // a browser that keeps nothing, or is full: the server has it, or will
    }
  }

  async #save({ keepalive = false } = {}) {
    if (this.#isOver) return;
    const state = this.#read();
    this.#keep(state, false);
    if (this.#isSaving && !keepalive) return; // what is under way looks again when it ends
    this.#isSaving = true;
    this.#isDirty = false;
    this.#number += 1;
    if (!keepalive) this.#say("Saving…", false);
    try {
      const { status, body } = await this.#post(
        { number: this.#number, ...state },
        { keepalive, signal: keepalive ? undefined : AbortSignal.timeout(PATIENCE) },
      );
      if (this.#isOver) return;
      if (status === 200) this.#saved(state, body);
      else if (status >= 500 || status === 429) throw new Error(body?.detail);
      else this.#refused(body?.detail);
    } catch {
      this.#failed();
    }
    this.#isSaving = false;
    if (this.#isDirty && this.#tries === 0) this.#schedule(0);
  }

  #saved(state, { saved, number }) {
    this.#tries = 0;
    if (saved) {
      if (this.#isDirty) return;
      this.#keep(state, true);
      this.#say("Saved", false);
    } else {
      this.#number = number;
      this.#say("Not saved: this is open in another window too, which saved later. Reload to go on from there.", true);
    }
  }

  // The next change tries again: something done in another window may have helped.
  #refused(detail) {
    this.#say(`${this.#isHere ? "Not saved on the server, kept in this browser." : "Not saved."} ${detail ?? "Reload the page."}`, true);
  }

  #failed() {
    if (this.#isOver) return;
    this.#isDirty = true;
    this.#schedule(1000 * WAITS[Math.min(this.#tries, WAITS.length - 1)]);
    this.#tries += 1;
    this.#say(
      this.#isHere
        ? "Not saved on the server yet, kept in this browser. Trying again…"
        : "Not saved yet: no connection. Trying again…",
      true,
    );
  }
}
