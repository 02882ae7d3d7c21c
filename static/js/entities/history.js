// Every step can be undone and redone. Pure.

const LONGEST = 1000; // steps

export class History {
  #past = [];
  #future = [];

  constructor(marking) {
    this.marking = marking;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  // `words` say what the step did.
  push(marking, words) {
    if (marking === this.marking) return;
    this.#past.push({ marking: this.marking, words });
    if (this.#past.length > LONGEST) this.#past.shift();
    this.#future = [];
    this.marking = marking;
  }

  // Returns the words of the step that was undone; null if there is none.
  undo() {
    return this.#turn(this.#past, this.#future);
  }

  redo() {
    return this.#turn(this.#future, this.#past);
  }

  #turn(from, to) {
    const step = from.pop();
    if (!step) return null;
    to.push({ marking: this.marking, words: step.words });
    this.marking = step.marking;
    return step.words;
  }
}
