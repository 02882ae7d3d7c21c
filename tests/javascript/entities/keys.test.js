import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { passage } from "./example.js";
import { startKeys } from "../../../static/js/entities/keys.js";

// Elements as far as the keyboard looks at them.
const element = (matches, isInDialog = false) => ({
  matches: (selector) => selector.split(", ").includes(matches),
  closest: (selector) => (selector === "dialog" && isInDialog ? {} : null),
});
const WORDS = element("div");
const BUTTON = element("button");
const FIELD = element("input");
const IN_DIALOG = element("button", true);

let press;

beforeEach(() => {
  let listener;
  const acts = [];
  const act = new Proxy({}, { get: (target, name) => (...given) => acts.push([name, ...given]) });
  startKeys({ addEventListener: (kind, heard) => (listener = heard) }, WORDS, act, passage.types);
  // What a key does, and whether the browser is kept from its own.
  press = (key, { target = WORDS, ...options } = {}) => {
    acts.length = 0;
    let isTaken = false;
    listener({ key, target, ...options, preventDefault: () => (isTaken = true) });
    return [...acts, isTaken];
  };
});

describe("in the document", () => {
  for (const [key, ...act] of [
    ["p", "type", "PER"],
    ["o", "type", "ORG"],
    ["g", "type", "GPE"],
    ["d", "type", "DATE"],
    ["t", "type", "TITLE"],
    ["0", "offer", 0],
    ["9", "offer", 9],
    ["m", "next", "mention", 1],
    ["s", "next", "suggestion", 1],
    ["f", "next", "lack", 1],
    ["l", "write"],
    ["n", "none"],
    ["c", "canonical"],
    ["x", "remove"],
    ["Delete", "remove"],
    ["Backspace", "remove"],
    ["r", "read"],
    ["?", "help"],
    ["Escape", "drop"],
    [" ", "word"],
    ["Enter", "accept"],
    ["ArrowLeft", "move", "left", undefined],
    ["ArrowDown", "move", "down", undefined],
    ["Home", "move", "first", undefined],
    ["PageUp", "move", "sentence before", undefined],
  ]) {
    test(`“${key}” means ${act.join(" ")}`, () => assert.deepEqual(press(key), [act, true]));
  }

  test("capitals mean the same, and Shift turns the way round", () => {
    assert.deepEqual(press("P", { shiftKey: true }), [["type", "PER"], true]);
    assert.deepEqual(press("P"), [["type", "PER"], true]); // Caps Lock
    assert.deepEqual(press("M", { shiftKey: true }), [["next", "mention", -1], true]);
    assert.deepEqual(press("M"), [["next", "mention", 1], true]);
  });

  test("Shift with an arrow selects", () => {
    assert.deepEqual(press("ArrowRight", { shiftKey: true }), [["move", "right", true], true]);
  });

  for (const key of ["a", "Tab", "F5", "٣", "é", "Shift", "Unidentified"]) {
    test(`“${key}” is the browser's`, () => assert.deepEqual(press(key), [false]));
  }
});

describe("with Control or Command", () => {
  for (const held of ["ctrlKey", "metaKey"]) {
    for (const [key, shiftKey, ...act] of [
      ["z", false, "undo"],
      ["Z", true, "redo"],
      ["y", false, "redo"],
      ["Home", false, "move", "start", false],
      ["End", true, "move", "end", true],
      ["Enter", false, "review"],
    ]) {
      test(`${held}: ${shiftKey ? "Shift and " : ""}“${key}” means ${act.join(" ")}`, () => {
        assert.deepEqual(press(key, { [held]: true, shiftKey }), [act, true]);
      });
    }
  }

  test("letters are the browser's: it copies, finds, closes", () => {
    for (const key of ["c", "f", "p", "t", "0"]) assert.deepEqual(press(key, { ctrlKey: true }), [false]);
  });
});

describe("elsewhere", () => {
  test("on a button beside the document letters count, and keys that move or press do not", () => {
    assert.deepEqual(press("p", { target: BUTTON }), [["type", "PER"], true]);
    for (const key of ["Enter", " ", "ArrowDown", "Home"]) {
      assert.deepEqual(press(key, { target: BUTTON }), [false]);
    }
  });

  test("in a field everything is typed, but what sends the reader to the review", () => {
    for (const key of ["p", "0", "Backspace", "Escape", "?"]) assert.deepEqual(press(key, { target: FIELD }), [false]);
    assert.deepEqual(press("z", { target: FIELD, ctrlKey: true }), [false]);
    assert.deepEqual(press("Enter", { target: FIELD, ctrlKey: true }), [["review"], true]);
  });

  test("in a dialog letters mean nothing, and a step can be undone", () => {
    assert.deepEqual(press("p", { target: IN_DIALOG }), [false]);
    assert.deepEqual(press("z", { target: IN_DIALOG, ctrlKey: true }), [["undo"], true]);
  });

  test("what Alt writes, an input method composes, or somebody else took, means nothing", () => {
    assert.deepEqual(press("p", { altKey: true }), [false]);
    assert.deepEqual(press("p", { isComposing: true }), [false]);
    assert.deepEqual(press("p", { defaultPrevented: true }), [false]);
    assert.deepEqual(press("Enter", { defaultPrevented: true, ctrlKey: true }), [false]);
  });
});
