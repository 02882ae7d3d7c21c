import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";

import { Autosave } from "../../static/js/autosave.js";
import { makePage } from "./page.js";

const TAKEN = { status: 200, body: { saved: true } };
const settled = () => new Promise((resolve) => setImmediate(resolve));

let page;
let state;
let sent; // what was posted: {number, state, keepalive, answer, fail}
let said;

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  page = makePage();
  [state, sent, said] = [{ text: "" }, [], []];
});

afterEach(() => mock.timers.reset());

function start({ number = 0, name = "one" } = {}) {
  return new Autosave({
    number,
    name,
    read: () => ({ ...state }),
    post: ({ number: numbered, ...rest }, { keepalive }) =>
      new Promise((resolve, reject) => sent.push({ number: numbered, state: rest, keepalive, answer: resolve, fail: reject })),
    say: (words, isBad) => said.push([words, isBad]),
  });
}

async function pass(milliseconds) {
  mock.timers.tick(milliseconds);
  await settled();
}

async function answer(request, given = TAKEN) {
  request.answer(given);
  await settled();
}

function change(autosave, text, rest) {
  state.text = text;
  autosave.touch(rest);
}

const texts = () => sent.map((one) => one.state.text);
const keeps = () => JSON.parse(page.kept.get("draft-of-one"));

describe("a draft is saved", () => {
  test("half a second after the last change, once", async () => {
    const autosave = start({ number: 7 });
    change(autosave, "a");
    await pass(400);
    change(autosave, "ab");
    await pass(499);
    assert.deepEqual(sent, []);
    await pass(1);
    assert.deepEqual(sent.map((one) => [one.number, one.state.text]), [[8, "ab"]]);
    await answer(sent[0]);
    assert.deepEqual(said.slice(-2), [["Saving…", false], ["Saved", false]]);
    await pass(60_000);
    assert.equal(sent.length, 1);
  });

  test("one save at a time, and what changed meanwhile right after", async () => {
    const autosave = start();
    change(autosave, "a", 0);
    await pass(0);
    change(autosave, "b", 0);
    await pass(0);
    assert.deepEqual(texts(), ["a"]);
    await answer(sent[0]);
    await pass(0);
    assert.deepEqual(texts(), ["a", "b"]);
    assert.deepEqual(sent.map((one) => one.number), [1, 2]);
    assert.notEqual(said.at(-1)[0], "Saved"); // not before the latest is
    await answer(sent[1]);
    assert.deepEqual(said.at(-1), ["Saved", false]);
  });

  test("at once when the page goes away or is hidden, if anything changed", async () => {
    const autosave = start();
    page.hide();
    assert.deepEqual(sent, []);
    change(autosave, "a");
    page.hide();
    assert.deepEqual(sent.map((one) => [one.state.text, one.keepalive]), [["a", true]]);
    await answer(sent[0]);
    page.window.dispatchEvent(new Event("pagehide"));
    assert.equal(sent.length, 1);
  });
});

describe("a save that fails", () => {
  test("is tried again, after longer and longer pauses", async () => {
    change(start(), "a", 0);
    await pass(0);
    for (const seconds of [1, 2, 4, 8, 15, 15]) {
      const count = sent.length;
      sent.at(-1).fail(new TypeError("no line"));
      await settled();
      assert.deepEqual(said.at(-1), ["Not saved on the server yet, kept in this browser. Trying again…", true]);
      await pass(1000 * seconds - 1);
      assert.equal(sent.length, count);
      await pass(1);
      assert.equal(sent.length, count + 1);
    }
    await answer(sent.at(-1));
    assert.deepEqual(said.at(-1), ["Saved", false]);
  });

  for (const status of [500, 503, 429]) {
    test(`with ${status} is tried again`, async () => {
      change(start(), "a", 0);
      await pass(0);
      await answer(sent[0], { status, body: null });
      await pass(1000);
      assert.deepEqual(texts(), ["a", "a"]);
    });
  }

  test("is tried again as soon as there is a line", async () => {
    change(start(), "a", 0);
    await pass(0);
    sent[0].fail(new TypeError("no line"));
    await settled();
    page.window.dispatchEvent(new Event("online"));
    await pass(0);
    assert.equal(sent.length, 2);
  });
});

describe("a save that is refused", () => {
  test("says why, and is tried again with the next change alone", async () => {
    const autosave = start();
    change(autosave, "a", 0);
    await pass(0);
    await answer(sent[0], { status: 403, body: { detail: "You are signed out." } });
    assert.deepEqual(said.at(-1), ["Not saved on the server, kept in this browser. You are signed out.", true]);
    await pass(60_000);
    assert.equal(sent.length, 1);
    change(autosave, "b");
    await pass(500);
    assert.deepEqual(texts(), ["a", "b"]);
  });

  test("does not hold back what changed while it was under way", async () => {
    const autosave = start();
    change(autosave, "a", 0);
    await pass(0);
    change(autosave, "b", 0);
    await pass(0);
    await answer(sent[0], { status: 409, body: null });
    await pass(0);
    assert.deepEqual(texts(), ["a", "b"]);
  });
});

test("a draft that another window saved later is named, and the next change counts from there", async () => {
  const autosave = start();
  change(autosave, "a", 0);
  await pass(0);
  await answer(sent[0], { status: 200, body: { saved: false, number: 5 } });
  assert.match(said.at(-1)[0], /^Not saved: this is open in another window too/);
  change(autosave, "b", 0);
  await pass(0);
  assert.equal(sent[1].number, 6);
});

describe("this browser", () => {
  test("keeps what the server lacks, and knows when it has it", async () => {
    const autosave = start({ number: 3 });
    change(autosave, "a", 0);
    await pass(0);
    assert.deepEqual(keeps(), { number: 4, state: { text: "a" }, isSaved: false });
    assert.deepEqual(Autosave.kept("one", 3).state, { text: "a" });
    await answer(sent[0]);
    assert.equal(keeps().isSaved, true);
    assert.equal(Autosave.kept("one", 3), null);
  });

  test("does not bring back what is older than the server's, or of another draft", () => {
    page.kept.set("draft-of-one", JSON.stringify({ number: 4, state: { text: "a" }, isSaved: false }));
    assert.equal(Autosave.kept("one", 4), null);
    assert.equal(Autosave.kept("two", 0), null);
  });

  for (const [what, kept] of [["broken JSON", "{"], ["null", "null"], ["nothing in it", "{}"], ["a number", "5"]]) {
    test(`brings nothing back of ${what}`, () => {
      page.kept.set("draft-of-one", kept);
      assert.equal(Autosave.kept("one", 0), null);
    });
  }

  test("may keep nothing: then the server alone does", async () => {
    page.window.localStorage.setItem = () => {
      throw new Error("full");
    };
    change(start(), "a", 0);
    await pass(0);
    sent[0].fail(new TypeError("no line"));
    await settled();
    assert.deepEqual(said.at(-1), ["Not saved yet: no connection. Trying again…", true]);
  });

  test("keeps nothing of a draft without a name", async () => {
    change(start({ name: null }), "a", 0);
    await pass(0);
    assert.equal(sent.length, 1);
    assert.equal(page.kept.size, 0);
  });
});

describe("an answer that is sent", () => {
  test("is saved first, should it be refused", () => {
    const autosave = start();
    change(autosave, "a");
    autosave.hold();
    assert.deepEqual(texts(), ["a"]);
  });

  test("ends the saving when it is taken, and nothing is kept", async () => {
    const autosave = start();
    change(autosave, "a");
    autosave.hold();
    autosave.stop();
    await answer(sent[0], { status: 409, body: { detail: "sent already" } });
    change(autosave, "b", 0);
    await pass(60_000);
    page.hide();
    assert.equal(sent.length, 1);
    assert.equal(page.kept.size, 0);
    assert.deepEqual(said.filter(([words, isBad]) => isBad || words === "Saved"), []);
  });
});
