// Undo and redo for all that is filled in on a form: ticks, texts, highlights. What has changed is shown.

import { pressedKey } from "./pressed.js";

const REST = 400; // ms after a keystroke: what is typed in one go is undone in one go
const MOST = 500; // steps
const isTicked = ({ type }) => type === "radio" || type === "checkbox";
const isFilledIn = ({ name }) => /^q[0-9]/.test(name);

export function startUndo(form, steps) {
  const past = [];
  const future = [];
  let timer = 0;
  const fields = () => [...form.elements].filter(isFilledIn);
  const read = () => fields().map((field) => (isTicked(field) ? field.checked : field.value));
  let now = read();

  const buttons = { undo: button("Undo"), redo: button("Redo") };
  steps.back.after(buttons.undo, buttons.redo);
  buttons.undo.addEventListener("click", () => turn(past, future));
  buttons.redo.addEventListener("click", () => turn(future, past));

  function note() {
    window.clearTimeout(timer);
    const after = read();
    if (after.every((value, index) => value === now[index])) return;
    past.push(now);
    if (past.length > MOST) past.shift();
    future.length = 0;
    now = after;
    offer();
  }

  function offer() {
    buttons.undo.disabled = past.length === 0;
    buttons.redo.disabled = future.length === 0;
  }

  function turn(from, to) {
    note();
    const state = from.pop();
    if (!state) return;
    to.push(now);
    now = state;
    let first = null;
    fields().forEach((field, index) => {
      const isTick = isTicked(field);
      if ((isTick ? field.checked : field.value) === state[index]) return;
      first ??= field;
      if (isTick) field.checked = state[index];
      else field.value = state[index];
    });
    offer();
    form.dispatchEvent(new Event("restored"));
    form.dispatchEvent(new Event("change", { bubbles: true })); // it is saved as whatever else is changed
    const place = steps.names.indexOf(first?.closest("[data-step]")?.dataset.name);
    if (place !== -1 && place !== steps.current) steps.show(place);
  }

  form.addEventListener("change", ({ target }) => {
    if (target !== form) note();
  });
  form.addEventListener("input", ({ target }) => {
    if (isTicked(target)) return;
    window.clearTimeout(timer);
    timer = window.setTimeout(note, REST);
    buttons.undo.disabled = false;
  });
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    if (event.target.closest?.(".comment")) return;
    const key = pressedKey(event);
    if (key === "z" && !event.shiftKey) turn(past, future);
    else if (key === "y" || key === "z") turn(future, past);
    else return;
    event.preventDefault();
  });
  offer();
}

function button(words) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = words;
  return made;
}
