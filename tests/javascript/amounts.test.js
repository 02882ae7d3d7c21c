import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { amount, clock, span } from "../../static/js/amounts.js";

function each(what, compute, examples) {
  describe(what, () => {
    for (const [given, expected] of examples) test(`${given}: ${expected}`, () => assert.equal(compute(given), expected));
  });
}

each("an amount of bytes", amount, [
  [0, "0 kB"],
  [1, "1 kB"],
  [1001, "2 kB"],
  [999_000, "999 kB"],
  [999_999, "1.0 MB"],
  [1_000_000, "1.0 MB"],
  [12_345_678, "12.3 MB"],
]);

each("a span of time", span, [
  [0, "less than a minute"],
  [59.9, "less than a minute"],
  [60, "about 1 min"],
  [89, "about 1 min"],
  [90, "about 2 min"],
  [89 * 60, "about 89 min"],
  [90 * 60, "about 2 hours"],
  [10 * 3600, "about 10 hours"],
]);

each("a clock", clock, [
  [0, "0:00"],
  [5, "0:05"],
  [60, "1:00"],
  [725, "12:05"],
  [3599, "59:59"],
  [3600, "1:00:00"],
  [3605, "1:00:05"],
  [36_061, "10:01:01"],
]);
