import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { apart, isDate, likeness, normalise, parseDate, Passage, titleOf } from "../../../static/js/entities/passage.js";
import { passage, sentence } from "./example.js";

const places = (of) => of.words.map(({ text, start, end }) => [text, start, end]);

describe("offsets are characters, as the server counts them", () => {
  test("words of several sentences", () => {
    assert.deepEqual(places(passage).slice(7, 10), [["Hallow", 38, 44], [".", 44, 45], ["She", 46, 49]]);
  });

  test("a character of two UTF-16 units is one", () => {
    assert.deepEqual(places(passage).slice(-2), [["🜚", 104, 105], [".", 105, 106]]);
    assert.deepEqual(places(sentence("𝒜da", "🜚🜚", "x")), [["𝒜da", 0, 3], ["🜚🜚", 4, 6], ["x", 7, 8]]);
  });

  test("a combining mark counts by itself", () => {
    assert.deepEqual(places(sentence("Zoe\u0308", "x")), [["Zoe\u0308", 0, 4], ["x", 5, 6]]);
  });

  test("each joined part of a family counts", () => {
    assert.deepEqual(places(sentence("👩‍👧", "x")), [["👩‍👧", 0, 3], ["x", 4, 5]]);
  });

  test("a gap may hold them as well", () => {
    const odd = new Passage([{ start: 3, words: ["a", "b"], gaps: [" 🜚 "], paragraph: true }]);
    assert.deepEqual(places(odd), [["a", 3, 4], ["b", 7, 8]]);
  });

  test("a document without words has none", () => {
    assert.deepEqual(new Passage([]).words, []);
  });
});

describe("the words from one to another", () => {
  test("stand with what is between them", () => {
    assert.equal(passage.text(14, 17), "3 May 1961.");
    assert.equal(passage.text(3, 3), "Quill");
  });

  test("stand on one line", () => {
    const odd = new Passage([{ start: 0, words: ["Port", "Hallow"], gaps: ["\n\t "], paragraph: true }]);
    assert.equal(odd.text(0, 1), "Port Hallow");
  });

  test("the last word of a sentence brings nothing after it", () => {
    assert.deepEqual(passage.sentenceOf(8), { first: 0, last: 8, paragraph: true });
    assert.deepEqual(passage.sentenceOf(9), { first: 9, last: 17, paragraph: false });
  });
});

describe("what only begins a sentence is no name", () => {
  for (const [words, capitalised] of [
    [["The", "firm", "of", "Ash"], ["Ash"]],
    [["“", "In", "May", "I", "left"], ["May"]],
    [["She", "left"], ["She"]], // a mention, more likely than not
    [["Firm", "by", "firm", "fell"], []],
    [["Ash", "fell"], ["Ash"]],
    [["It’s", "Ash"], ["Ash"]],
    [["Élodie", "met", "Ødegård"], ["Élodie", "Ødegård"]],
    [["𐐀da", "met", "𐐁b"], ["𐐀da", "𐐁b"]], // capitals of two units
    [["1961", "Ash"], ["Ash"]],
  ]) {
    test(words.join(" "), () => {
      const other = sentence(...words);
      assert.deepEqual(words.filter((word, number) => other.isCapitalised(number)), capitalised);
    });
  }
});

describe("whether words name something or stand for it", () => {
  for (const [words, isName] of [
    [["Ada", "Quill"], true],
    [["She"], false],
    [["the", "firm"], false],
    [["The", "firm"], false],
    [["The", "Press"], true],
    [["his", "Press"], true],
    [["3", "may"], true],
    [["president"], false],
  ]) {
    test(words.join(" "), () => assert.equal(sentence(...words).isName(0, words.length - 1), isName));
  }
});

describe("how alike names are", () => {
  for (const [one, other, alike] of [
    ["the Quill Press", "Quill Press’s", 2],
    ["Quill", "Ada Quill", 1],
    ["Ada Quill", "Quill", 1],
    ["UN", "United Nations", 1],
    ["U.N.", "United Nations", 0],
    ["Ash", "Ada Quill", 0],
    ["", "Ada", 0],
    ["the", "the", 2],
    ["?!", "?!", 0], // nothing is left of them
    ["Zoe\u0308 Ash", "Zoë Ash", 2], // written with a combining mark, and with one character
    ["हिन्दी", "ह न द", 0], // its vowel signs are of the word
    ["⭐️", "❤️", 0], // a mark alone, on nothing that is left
    ["𐐀𐐁", "𐐀lo 𐐁la", 1], // initials of two units
  ]) {
    test(`“${one}” and “${other}”`, () => assert.equal(likeness(normalise(one), normalise(other)), alike));
  }
});

describe("a date that is written out is known", () => {
  for (const [text, date] of [
    ["3 May 1961", "1961-05-03"],
    ["May 3rd, 1961", "1961-05-03"],
    ["the 3rd of May 1961", "1961-05-03"],
    ["Nov. 2016", "2016-11"],
    ["Sept 2016", "2016-09"],
    ["1961", "1961"],
    ["2016-11-03", "2016-11-03"],
    ["29 February 2016", "2016-02-29"],
    ["29 February 2015", null],
    ["31 February 1961", null],
    ["0 May 1961", null],
    ["last May", null],
    ["ma 1961", null],
    ["1990s", null],
    ["1961 or 1962", null],
    ["May 1961 1962", null],
    ["3 4 May 1961", null],
    ["3 1961", null],
    ["", null],
  ]) {
    test(`“${text}”`, () => assert.equal(parseDate(text), date));
  }
});

describe("whether there is such a date", () => {
  for (const [text, isThere] of [
    ["2016", true],
    ["2016-11", true],
    ["2016-11-30", true],
    ["2016-11-31", false],
    ["2016-13", false],
    ["2016-00", false],
    ["2016-11-00", false],
    ["1900-02-29", false],
    ["2000-02-29", true],
    ["0004-02-29", true],
    ["0000", false],
    ["216", false],
    ["2016-1-3", false],
    [" 2016", false],
    ["٢٠١٦", false],
  ]) {
    test(`“${text}”`, () => assert.equal(isDate(text), isThere));
  }
});

describe("a page may be given by its address", () => {
  for (const [text, title] of [
    ["https://en.wikipedia.org/wiki/K%C3%B6ln#Name", "Köln"],
    [" Port_Hallow ", "Port Hallow"],
    ["https://en.m.wikipedia.org/wiki/AC/DC", "AC/DC"],
    ["https://en.wikipedia.org/wiki/100%", "100%"],
    ["https://en.wikipedia.org/wiki/Port_Hallow?action=edit", "Port Hallow"],
    ["https://zh-min-nan.wikipedia.org/wiki/Port", "Port"],
    ["https://wikipedia.org/wiki/Port", "Port"],
    ["100% Quill", "100% Quill"],
    ["Port  Hallow", "Port Hallow"],
    ["", ""],
  ]) {
    test(`“${text}”`, () => assert.equal(titleOf(text), title));
  }
});

describe("in other languages", () => {
  const words = (language, ...texts) =>
    new Passage([{ start: 0, words: texts, gaps: texts.slice(1).map(() => " "), paragraph: true }], language);

  test("names are told from pronouns in English alone", () => {
    assert.equal(words("ar", "ليلى").isName(0, 0), true);
    assert.equal(words("zh", "林", "华").isName(0, 1), true);
    assert.equal(words("en", "she").isName(0, 0), false);
  });

  test("a capital tells a name within a Spanish sentence, and nothing in German", () => {
    assert.equal(words("es", "Ayer", "vino", "Ana").isCapitalised(2), true);
    assert.equal(words("es", "Ayer", "vino", "Ana").isCapitalised(0), false);
    assert.equal(words("de", "die", "Stadt").isCapitalised(1), false);
  });

  test("English articles and endings are of English", () => {
    assert.equal(normalise("A Coruña", "es"), "a coruña");
    assert.equal(normalise("The Press’s"), "press");
  });

  test("a Chinese name is a part of a longer one", () => {
    assert.equal(likeness(normalise("林华", "zh"), normalise("林", "zh")), 1);
    assert.equal(likeness(normalise("华光公司", "zh"), normalise("华光 公司", "zh")), 2);
    assert.equal(likeness(normalise("王明", "zh"), normalise("林华", "zh")), 0);
  });

  test("words from right to left are kept apart from English ones", () => {
    assert.equal(apart("ليلى"), "\u2068ليلى\u2069");
    assert.equal(apart("Ada"), "Ada");
  });
});
