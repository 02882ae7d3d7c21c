// Which key was pressed, whatever the layout of the keyboard.

const DIGIT = /^(?:Digit|Numpad)([0-9])$/;
const LETTER = /^Key([A-Z])$/;

// The key in lower case, or its name. A key whose layout has another script on it counts as the Latin letter or the
// digit that is printed on most keyboards there, and so does a row of digits that needs Shift, as in France. Empty
// while a word is composed: such a key, as Enter that accepts it, is the input method's alone.
export function pressedKey({ key = "", code = "", shiftKey, isComposing, keyCode }) {
  if (isComposing || keyCode === 229) return "";
  if (key.length > 1 && /^[ -~]/.test(key)) return key;
  if (/^[0-9A-Za-z]$/.test(key)) return key.toLowerCase();
  const digit = DIGIT.exec(code);
  if (digit && (!shiftKey || /\p{Nd}/u.test(key))) return digit[1];
  const letter = LETTER.exec(code);
  return letter && key > "~" ? letter[1].toLowerCase() : key.toLowerCase();
}
