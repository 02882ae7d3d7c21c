// Keeps what is typed on the server: the latest state, one save at a time, tried again until it is there.

const TYPING = 500; // ms of rest after a keystroke
const PATIENCE = 8000; // ms for an answer
const WAITS = [1, 2, 4, 8, 15]; // s between tries

export class Autosave {
  #address;
  #token;
  #number;
  #read;
  #say;
  #timer = 0;
  #isDirty = false;
  #isSaving = false;
  #tries = 0;
  #isOver = false;

  // `read` returns what is to be kept; `say(words, isBad)` shows how it stands.
  constructor({ address, token, number, read, say }) {
    this.#address = address;
    this.#token = token;
    this.#number = number;
    this.#read = read;
    this.#say = say;
    window.addEventListener("online", () => this.#isDirty && this.#schedule(0));
    // The last word of a page that goes away; a reload asks for it a moment later.
    window.addEventListener("pagehide", () => this.flush());
    document.addEventListener("visibilitychange", () => document.hidden && this.flush());
  }

  // Something has changed; typing is waited for, a tick is kept at once.
  touch({ isTyping = false } = {}) {
    if (this.#isOver) return;
    this.#isDirty = true;
    this.#tries = 0;
    this.#schedule(isTyping ? TYPING : 0);
  }

  flush() {
    if (this.#isDirty && !this.#isOver) this.#save({ keepalive: true });
  }

  stop() {
    this.#isOver = true;
    window.clearTimeout(this.#timer);
  }

  #schedule(delay) {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#save(), delay);
  }

  async #save({ keepalive = false } = {}) {
    if (this.#isOver || (this.#isSaving && !keepalive)) return; // what is under way looks again when it ends
    this.#isSaving = true;
    this.#isDirty = false;
    this.#number += 1;
    if (!keepalive) this.#say("Saving…", false);
    try {
      const response = await fetch(this.#address, {
        method: "POST",
        headers: {
          Accept: "application/json",
          Authorization: `Bearer ${this.#token}`,
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ number: this.#number, ...this.#read() }),
        keepalive,
        signal: keepalive ? undefined : AbortSignal.timeout(PATIENCE),
      });
      const body = await response.json();
      if (response.ok) this.#kept(body);
      else if (response.status >= 500 || response.status === 429) throw new Error(body.detail);
      else this.#refused(body.detail);
    } catch {
      this.#failed();
    }
    this.#isSaving = false;
    if (this.#isDirty && this.#tries === 0) this.#schedule(0);
  }

  #kept({ saved, number }) {
    this.#tries = 0;
    if (saved) {
      if (!this.#isDirty) this.#say("Saved", false);
    } else {
      this.#number = number;
      this.#say("Not saved: this task is open in another window too, which saved later. Reload to go on there.", true);
    }
  }

  #refused(detail) {
    this.#isOver = true;
    this.#say(`Not saved: ${detail}`, true);
  }

  #failed() {
    this.#isDirty = true;
    this.#schedule(1000 * WAITS[Math.min(this.#tries, WAITS.length - 1)]);
    this.#tries += 1;
    this.#say("Not saved yet: no connection. Trying again…", true);
  }
}
