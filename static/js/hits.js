// What the pages of HITs have in common: requests under the assignment's token, time, the way to the provider.

export const PATIENCE = 30_000; // ms for an answer to be stored

export async function post(address, token, body, options = {}) {
  const response = await fetch(address, {
    method: "POST",
    headers: { Accept: "application/json", Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...options,
  });
  return { status: response.status, body: await response.json() };
}

// Hand a stored answer to the provider: by `form`, which is sent to it, or by going back to its site.
export function handOver(form, { action, fields, next }) {
  if (next) {
    window.location.assign(next);
    return;
  }
  form.action = action;
  for (const [name, value] of Object.entries(fields)) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value });
    form.append(field);
  }
  form.submit();
}

// How long each step was in front of the worker: while the page is visible, and no longer.
export class Stopwatch {
  #spent;
  #step = null;
  #since = null;

  // `spent` are the seconds of each step so far.
  constructor(spent = {}) {
    this.#spent = { ...spent };
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#pause() : this.#resume()));
  }

  turnTo(step) {
    this.#pause();
    this.#step = step;
    this.#resume();
  }

  read() {
    this.#pause();
    this.#resume();
    return Object.fromEntries(Object.entries(this.#spent).map(([step, seconds]) => [step, Number(seconds.toFixed(1))]));
  }

  #pause() {
    if (this.#since !== null) this.#spent[this.#step] = (this.#spent[this.#step] ?? 0) + performance.now() / 1000 - this.#since;
    this.#since = null;
  }

  #resume() {
    this.#since = this.#step === null || document.hidden ? null : performance.now() / 1000;
  }
}
