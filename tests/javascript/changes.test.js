import assert from "node:assert/strict";
import { test } from "node:test";

import { changes, countChanged } from "../../static/js/changes.js";

const said = (text, edit) => changes(text, edit).map(({ kind, words }) => `${kind[0]}:${words}`);

test("words are kept, removed and added in order", () => {
  assert.deepEqual(said("the cat sat on the the mat", "The cat sat on the mat today"), [
    "r:the",
    "a:The",
    "k:cat sat on the",
    "r:the",
    "k:mat",
    "a:today",
  ]);
});

test("what is the same, but for white space, is kept in one piece", () => {
  assert.deepEqual(said("one  two\nthree", "one two three "), ["k:one two three"]);
});

test("from nothing all is added, to nothing all is removed", () => {
  assert.deepEqual(said("", "one two"), ["a:one two"]);
  assert.deepEqual(said("one two", ""), ["r:one two"]);
});

test("kept and added words make the edit, kept and removed ones the text", () => {
  const [text, edit] = ["a b c a b d e a", "b c c a d d a e a"];
  const of = (...kinds) =>
    changes(text, edit)
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ words }) => words)
      .join(" ");
  assert.equal(of("kept", "added"), edit);
  assert.equal(of("kept", "removed"), text);
});

test("changed characters are counted, a character outside the first plane as one", () => {
  assert.equal(countChanged("kitten", "sitting"), 3);
  assert.equal(countChanged("same", "same"), 0);
  assert.equal(countChanged("", "abc"), 3);
  assert.equal(countChanged("a😀b", "ab"), 1);
});

test("very long texts are counted as a whole, and soon", () => {
  const [one, other] = ["a".repeat(9000), "b".repeat(8000)];
  assert.equal(countChanged(one, other), 9000);
  assert.equal(said(`x ${one.split("").join(" ")}`, `x ${other.split("").join(" ")}`).length, 3);
});
