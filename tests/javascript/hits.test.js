import assert from "node:assert/strict";
import { beforeEach, describe, mock, test } from "node:test";

import { Stopwatch } from "../../static/js/hits.js";
import { makePage } from "./page.js";

let page;
let now; // in seconds

beforeEach(() => {
  page = makePage();
  now = 100;
  mock.method(performance, "now", () => 1000 * now);
});

describe("the seconds of each step", () => {
  test("go on from what was spent before", () => {
    const watch = new Stopwatch({ q1: 3.5 });
    watch.turnTo("q1");
    now += 1.25;
    watch.turnTo("q2");
    now += 2;
    assert.deepEqual(watch.read(), { q1: 4.8, q2: 2 });
  });

  test("are counted once, however often they are read", () => {
    const watch = new Stopwatch();
    watch.turnTo("q1");
    for (let time = 0; time < 100; time += 1) {
      now += 0.04; // rounded in what is read alone
      watch.read();
    }
    assert.deepEqual(watch.read(), { q1: 4 });
  });

  test("are none before the first step", () => {
    const watch = new Stopwatch();
    now += 5;
    assert.deepEqual(watch.read(), {});
  });

  test("do not run while the page is hidden", () => {
    const watch = new Stopwatch();
    watch.turnTo("q1");
    now += 1;
    page.hide();
    now += 60;
    assert.deepEqual(watch.read(), { q1: 1 });
    page.hide(false);
    now += 2;
    assert.deepEqual(watch.read(), { q1: 3 });
  });

  test("of a step that comes while the page is hidden begin when it is seen", () => {
    const watch = new Stopwatch();
    page.hide();
    watch.turnTo("q1");
    now += 60;
    page.hide(false);
    now += 2;
    assert.deepEqual(watch.read(), { q1: 2 });
  });

  test("that were given are not changed", () => {
    const spent = { q1: 1 };
    const watch = new Stopwatch(spent);
    watch.turnTo("q1");
    now += 1;
    watch.read();
    assert.deepEqual(spent, { q1: 1 });
  });
});
