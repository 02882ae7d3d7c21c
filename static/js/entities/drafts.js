// Keeps a draft: in this browser at once, on the server as soon as it can be reached. One save at a time, the
// latest state, tried again until it is there.

const REST = 400; // ms after the last step
const PATIENCE = 8000; // ms for an answer
const WAITS = [1, 2, 4, 8, 15]; // s between tries
const KEY = "draft-of-document-";

export class Drafts {
  #key;
  #number;
  #read;
  #post;
  #say;
  #timer = 0;
  #isDirty = false;
  #isSaving = false;
  #tries = 0;
  #isOver = false;

  // `number` is that of the draft that is there; `read` returns the draft as JSON can have it; `post(body,
  // options)` sends it and returns the answer, {saved, number}; `say(words, isBad)` shows how it stands.
  constructor({ name, number, read, post, say }) {
    this.#key = KEY + name;
    this.#number = number;
    this.#read = read;
    this.#post = post;
    this.#say = say;
    window.addEventListener("online", () => this.#isDirty && this.#schedule(0));
    window.addEventListener("pagehide", () => this.flush());
    document.addEventListener("visibilitychange", () => document.hidden && this.flush());
  }

  // What this browser kept that the server does not have: {number, draft}, or null.
  static kept(name, number) {
    try {
      const kept = JSON.parse(window.localStorage.getItem(KEY + name));
      return kept && kept.number > number && !kept.isSaved ? kept : null;
    } catch {
      return null;
    }
  }

  touch() {
    if (this.#isOver) return;
    this.#isDirty = true;
    this.#tries = 0;
    this.#schedule(REST);
  }

  // The last word of a page that goes away.
  flush() {
    if (this.#isOver || !this.#isDirty) return;
    this.#keep(this.#read(), false);
    this.#save({ keepalive: true });
  }

  // Wait for what becomes of the answer: `touch` goes on, `stop` ends it.
  hold() {
    window.clearTimeout(this.#timer);
    this.#keep(this.#read(), false);
  }

  // The answer is in: nothing is kept any more.
  stop() {
    this.#isOver = true;
    window.clearTimeout(this.#timer);
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

  #keep(draft, isSaved) {
    try {
      window.localStorage.setItem(this.#key, JSON.stringify({ number: this.#number + (isSaved ? 0 : 1), draft, isSaved }));
    } catch {
      // a browser that keeps nothing, or is full: the server has it, or will
    }
  }

  async #save({ keepalive = false } = {}) {
    if (this.#isOver || (this.#isSaving && !keepalive)) return; // what is under way looks again when it ends
    const draft = this.#read();
    this.#keep(draft, false);
    this.#isSaving = true;
    this.#isDirty = false;
    this.#number += 1;
    this.#say("Saving…", false);
    try {
      const { status, body } = await this.#post(
        { number: this.#number, draft },
        { keepalive, signal: keepalive ? undefined : AbortSignal.timeout(PATIENCE) },
      );
      if (status === 200) this.#saved(draft, body);
      else if (status >= 500 || status === 429) throw new Error(body?.detail);
      else this.#refused(body?.detail);
    } catch {
      this.#failed();
    }
    this.#isSaving = false;
    if (this.#isDirty && this.#tries === 0) this.#schedule(0);
  }

  #saved(draft, { saved, number }) {
    this.#tries = 0;
    if (!saved) {
      this.#number = number;
      this.#say("Not saved: the document is open in another window too, which saved later. Reload to go on from there.", true);
    } else {
      this.#keep(draft, true);
      if (!this.#isDirty) this.#say("Saved", false);
    }
  }

  // The next step tries again: signing in in another window may have helped.
  #refused(detail) {
    this.#isDirty = false;
    this.#say(`Not saved on the server, kept in this browser. ${detail ?? "Reload the page."}`, true);
  }

  #failed() {
    this.#isDirty = true;
    this.#schedule(1000 * WAITS[Math.min(this.#tries, WAITS.length - 1)]);
    this.#tries += 1;
    this.#say("Not saved on the server yet, kept in this browser. Trying again…", true);
  }
}
