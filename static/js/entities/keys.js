// The keyboard: what each key means. Letters count while the document or a button beside it has the focus.

// `types`: those of the passage, each with its key.
export function startKeys(root, words, act, types) {
  const byKey = new Map([...types.values()].map(({ key, name }) => [key, name]));
  root.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const isTyping = event.target.matches("input, select, textarea");
    if (event.ctrlKey || event.metaKey) {
      if (control(event, isTyping, act)) event.preventDefault();
      return;
    }
    if (event.altKey || isTyping || event.target.closest("dialog")) return;
    const isInText = event.target === words;
    if ((isInText && move(event, act)) || letter(event, act, isInText, byKey)) event.preventDefault();
  });
}

function control({ key, shiftKey }, isTyping, act) {
  const pressed = key.toLowerCase();
  if (pressed === "enter") act.review();
  else if (isTyping) return false;
  else if (pressed === "z") (shiftKey ? act.redo : act.undo)();
  else if (pressed === "y") act.redo();
  else if (pressed === "home") act.move("start", shiftKey);
  else if (pressed === "end") act.move("end", shiftKey);
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

function move({ key, shiftKey }, act) {
  if (MOVES[key]) act.move(MOVES[key], shiftKey);
  else if (key === " ") act.word();
  else if (key === "Enter") act.accept();
  else return false;
  return true;
}

function letter({ key, shiftKey, repeat }, act, isInText, byKey) {
  const pressed = key.toLowerCase();
  const by = shiftKey ? -1 : 1;
  if (byKey.has(pressed)) act.type(byKey.get(pressed));
  else if (/^\d$/.test(key)) act.offer(Number(key));
  else if (pressed === "m") act.next("mention", by);
  else if (pressed === "s") act.next("suggestion", by);
  else if (pressed === "f") act.next("lack", by);
  else if (pressed === "l") act.write();
  else if (pressed === "n") act.none();
  else if (pressed === "c") act.canonical();
  else if (pressed === "x" || key === "Delete" || key === "Backspace") act.remove();
  else if (pressed === "r") act.read();
  else if (key === "?") act.help();
  else if (key === "Escape") act.drop();
  else return false;
  return !repeat || isInText;
}
