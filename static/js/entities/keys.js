// The keyboard: what each key means. Letters count while the document or a button beside it has the focus.

import { pressedKey } from "../pressed.js";

// `types`: those of the passage, each with its key.
export function startKeys(root, words, act, types) {
  const byKey = new Map([...types.values()].map(({ key, name }) => [key, name]));
  root.addEventListener("keydown", (event) => {
    const key = pressedKey(event);
    if (event.defaultPrevented || !key) return;
    const isTyping = event.target.matches("input, select, textarea");
    if (event.ctrlKey || event.metaKey) {
      if (control(key, event.shiftKey, isTyping, act)) event.preventDefault();
      return;
    }
    if (event.altKey || isTyping || event.target.closest("dialog")) return;
    const isInText = event.target === words;
    if ((isInText && move(key, event.shiftKey, act)) || letter(key, event, act, isInText, byKey)) {
      event.preventDefault();
    }
  });
}

function control(key, shiftKey, isTyping, act) {
  if (key === "Enter") act.review();
  else if (isTyping) return false;
  else if (key === "z") (shiftKey ? act.redo : act.undo)();
  else if (key === "y") act.redo();
  else if (key === "Home") act.move("start", shiftKey);
  else if (key === "End") act.move("end", shiftKey);
  else return false;
  return true;
}

const MOVES = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
  Home: "first",
  End: "last",
  PageUp: "sentence before",
  PageDown: "sentence after",
};

function move(key, shiftKey, act) {
  if (MOVES[key]) act.move(MOVES[key], shiftKey);
  else if (key === " ") act.word();
  else if (key === "Enter") act.accept();
  else return false;
  return true;
}

function letter(key, { shiftKey, repeat }, act, isInText, byKey) {
  const by = shiftKey ? -1 : 1;
  if (byKey.has(key)) act.type(byKey.get(key));
  else if (/^\d$/.test(key)) act.offer(Number(key));
  else if (key === "m") act.next("mention", by);
  else if (key === "s") act.next("suggestion", by);
  else if (key === "f") act.next("lack", by);
  else if (key === "l") act.write();
  else if (key === "n") act.none();
  else if (key === "c") act.canonical();
  else if (key === "x" || key === "Delete" || key === "Backspace") act.remove();
  else if (key === "r") act.read();
  else if (key === "?") act.help();
  else if (key === "Escape") act.drop();
  else return false;
  return !repeat || isInText;
}
