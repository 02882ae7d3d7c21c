import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { startPointing } from "../../../static/js/entities/pointing.js";

// Words stand side by side, ten pixels each; twenty of them.
const at = (x) => (x >= 0 && x < 200 ? Math.floor(x / 10) : null);

let told;
let root;
let send;

beforeEach(() => {
  told = [];
  root = new EventTarget();
  root.focus = () => {};
  const text = { at, numberOf: () => at(send.x) };
  const hear = (name) => (...given) => told.push([name, ...given]);
  startPointing(root, text, { choose: hear("choose"), select: hear("select"), done: hear("done"), cancel: hear("cancel") });
  send = (kind, x, { y = 0, ...options } = {}) => {
    send.x = x;
    const event = new Event(kind, { cancelable: true });
    const usual = { clientX: x, clientY: y, isPrimary: true, button: 0, pointerId: 1, pointerType: "mouse" };
    for (const [name, value] of Object.entries({ ...usual, ...options })) Object.defineProperty(event, name, { value });
    root.dispatchEvent(event);
    return event.defaultPrevented;
  };
});

describe("a mouse", () => {
  test("chooses the word that it clicks", () => {
    send("pointerdown", 35);
    send("pointermove", 38);
    send("pointerup", 38);
    assert.deepEqual(told, [["choose", 3]]);
  });

  test("selects the words that it drags over, also backwards, each once", () => {
    send("pointerdown", 35);
    send("pointermove", 45);
    send("pointermove", 47);
    send("pointermove", 25);
    send("pointermove", 300); // beside the words
    send("pointerup", 300);
    assert.deepEqual(told, [["select", 3, 4], ["select", 3, 2], ["done"]]);
  });

  test("selects on from where one is with Shift", () => {
    send("pointerdown", 55, { shiftKey: true });
    send("pointerup", 55);
    assert.deepEqual(told, [["select", null, 5], ["done"]]);
  });

  test("selects the one word that it clicks twice", () => {
    send("dblclick", 55);
    assert.deepEqual(told, [["select", 5, 5], ["done"]]);
  });

  test("selects nothing of the browser's own; a finger scrolls", () => {
    assert.equal(send("pointerdown", 35), true);
    assert.equal(send("pointerdown", 35, { pointerType: "touch" }), false);
  });

  test("does nothing with its other buttons, beside the words, or before it is down", () => {
    send("pointerdown", 35, { button: 2 });
    send("pointerdown", 300);
    send("pointermove", 45);
    send("pointerup", 45);
    send("dblclick", 300);
    assert.deepEqual(told, []);
  });
});

describe("a finger", () => {
  const touch = (kind, x, y = 0) => send(kind, x, { y, pointerType: "touch" });

  test("chooses the word that it taps", () => {
    touch("pointerdown", 35);
    touch("pointerup", 35);
    assert.deepEqual(told, [["choose", 3]]);
  });

  test("selects words when it moves across", () => {
    touch("pointerdown", 35);
    touch("pointermove", 55, 10);
    touch("pointerup", 55);
    assert.deepEqual(told, [["select", 3, 5], ["done"]]);
  });

  test("selects nothing when it moves up or down", () => {
    touch("pointerdown", 35);
    touch("pointermove", 45, 30);
    touch("pointercancel", 45);
    assert.deepEqual(told, []);
  });

  test("takes a selection back when the browser begins to scroll", () => {
    touch("pointerdown", 35);
    touch("pointermove", 55);
    touch("pointercancel", 55);
    touch("pointerup", 55);
    assert.deepEqual(told, [["select", 3, 5], ["cancel"]]);
  });

  test("is not disturbed by another", () => {
    touch("pointerdown", 35);
    send("pointerdown", 95, { pointerType: "touch", isPrimary: false, pointerId: 2 });
    send("pointermove", 105, { pointerType: "touch", pointerId: 2 });
    send("pointerup", 105, { pointerType: "touch", pointerId: 2 });
    touch("pointerup", 35);
    assert.deepEqual(told, [["choose", 3]]);
  });
});
