import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { History } from "../../../static/js/entities/history.js";

describe("history", () => {
  test("of nothing has nothing to undo or redo", () => {
    const history = new History("start");
    assert.deepEqual([history.canUndo, history.canRedo], [false, false]);
    assert.deepEqual([history.undo(), history.redo()], [null, null]);
    assert.equal(history.marking, "start");
  });

  test("says which step it undid and did again", () => {
    const history = new History("start");
    history.push("one", "first");
    history.push("two", "second");
    assert.equal(history.undo(), "second");
    assert.equal(history.marking, "one");
    assert.equal(history.undo(), "first");
    assert.equal(history.marking, "start");
    assert.deepEqual([history.canUndo, history.canRedo], [false, true]);
    assert.equal(history.redo(), "first");
    assert.equal(history.marking, "one");
    assert.equal(history.redo(), "second");
    assert.equal(history.marking, "two");
    assert.deepEqual([history.canUndo, history.canRedo], [true, false]);
  });

  test("takes a step without words", () => {
    const history = new History("start");
    history.push("one", "");
    assert.equal(history.undo(), ""); // no null: something was undone
  });

  test("forgets what was undone with the next step", () => {
    const history = new History("start");
    history.push("one", "first");
    history.undo();
    history.push("two", "second");
    assert.equal(history.redo(), null);
    assert.equal(history.undo(), "second");
    assert.equal(history.undo(), null);
  });

  test("does not count a step that changes nothing, and keeps what was undone", () => {
    const history = new History("start");
    history.push("one", "first");
    history.undo();
    history.push("start", "nothing");
    assert.equal(history.canUndo, false);
    assert.equal(history.redo(), "first");
  });

  test("goes back a thousand steps and no further", () => {
    const history = new History(0);
    for (let number = 1; number <= 1001; number += 1) history.push(number, String(number));
    let count = 0;
    while (history.undo() !== null) count += 1;
    assert.equal(count, 1000);
    assert.equal(history.marking, 1);
    while (history.redo() !== null) count -= 1;
    assert.equal(count, 0);
    assert.equal(history.marking, 1001);
  });
});
