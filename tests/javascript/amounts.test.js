import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { amount, clock, span } from "../../static/js/amounts.js";

function each(what, compute, examples) {
  describe(what, () => {
    for (const [given, expected] of examples) test(`${given}: ${expected}`, () => assert.equal(compute(given), expected));
  });
}

each("an amount of bytes", amount, [
  [0, "0 bytes"],
  [1, "1 byte"],
  [1023, "1023 bytes"],
  [1024, "1.0 KB"],
  [83_456, "81.5 KB"],
  [1024 ** 2, "1.0 MB"],
  [12_345_678, "11.8 MB"],
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
