import assert from "node:assert/strict";
import { test } from "node:test";

import { pressedKey } from "../../static/js/pressed.js";

for (const [words, event, expected] of [
  ["a letter", { key: "L", code: "KeyL", shiftKey: true }, "l"],
  ["a letter where the layout has it", { key: "a", code: "KeyQ" }, "a"],
  ["a digit", { key: "1", code: "Digit1" }, "1"],
  ["a digit that needs Shift", { key: "1", code: "Digit1", shiftKey: true }, "1"],
  ["the row of digits without Shift, in France", { key: "&", code: "Digit1" }, "1"],
  ["the row of digits in Czechia", { key: "ě", code: "Digit2" }, "2"],
  ["a sign above a digit", { key: "!", code: "Digit1", shiftKey: true }, "!"],
  ["an Arabic digit", { key: "٣", code: "Digit3" }, "3"],
  ["a Persian digit", { key: "۴", code: "Numpad4" }, "4"],
  ["a wide digit", { key: "５", code: "Digit5" }, "5"],
  ["a Cyrillic letter", { key: "Я", code: "KeyZ" }, "z"],
  ["an Arabic letter", { key: "م", code: "KeyL" }, "l"],
  ["a letter beyond the Latin keys", { key: "ö", code: "Semicolon" }, "ö"],
  ["a sign where others have a letter", { key: "'", code: "KeyQ" }, "'"],
  ["a question mark", { key: "?", code: "Minus", shiftKey: true }, "?"],
  ["a named key", { key: "Enter", code: "NumpadEnter" }, "Enter"],
  ["an arrow", { key: "ArrowLeft", code: "ArrowLeft" }, "ArrowLeft"],
  ["Space", { key: " ", code: "Space" }, " "],
  ["nothing, as when the browser fills a field in", {}, ""],
  ["Enter that accepts a composed word", { key: "Enter", code: "Enter", isComposing: true }, ""],
  ["the same in Safari", { key: "Enter", code: "Enter", keyCode: 229 }, ""],
]) {
  test(words, () => assert.equal(pressedKey({ shiftKey: false, isComposing: false, ...event }), expected));
}
