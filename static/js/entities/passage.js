// A document's words and sentences, by their numbers, and the types of its mentions. Pure.

const MONTHS = "january february march april may june july august september october november december".split(" ");
const FUNCTION_WORDS = new Set(
  (
    "a an the this that these those some any all both each every no none one two three first then there here now " +
    "and or but nor so yet for if when while as because although though since until after before once whether " +
    "in on at by to from with without of off up down over under into onto out about against between during " +
    "through across within along among around near despite since like per via " +
    "i it its they them their theirs we us our you your what which who whom whose where why how " +
    "is are was were be been being has have had do does did will would can could may might must shall should not " +
    "most many much more few fewer less several such other another only also even just still later earlier " +
    "however moreover meanwhile therefore instead perhaps today yesterday tomorrow yes"
  ).split(" "),
);

const ALL_NOUNS = new Set(["de", "lb"]); // languages in which a capital says no more than that
// Characters that are words each, whatever the language: between them no white space stands.
const WORDS_OF_ONE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

const length = (text) => [...text].length; // in characters, as the server counts, not in UTF-16 units

export class Passage {
  // `sentences`: [{start, words, gaps, paragraph}], as the server sends them; `language`: the documents', as "en";
  // `types`: [{name, word, key, link, number}], those that a mention may have.
  constructor(sentences, language = "en", types = []) {
    this.language = language;
    this.types = new Map(types.map((type) => [type.name, type]));
    this.words = [];
    this.sentences = sentences.map(({ start, words, gaps, paragraph }, index) => {
      const first = this.words.length;
      let at = start;
      words.forEach((text, place) => {
        const end = at + length(text);
        this.words.push({ text, start: at, end, sentence: index, gap: gaps[place] ?? "" });
        at = end + length(gaps[place] ?? "");
      });
      return { first, last: this.words.length - 1, paragraph };
    });
    this.lower = new Set(this.words.map(({ text }) => text).filter((text) => text === text.toLowerCase()));
  }

  // What stands from one word to another, on one line.
  text(first, last) {
    let text = "";
    for (let number = first; number <= last; number += 1) {
      text += this.words[number].text;
      if (number < last) text += this.words[number].gap;
    }
    return text.replace(/\s+/g, " ");
  }

  sentenceOf(number) {
    return this.sentences[this.words[number].sentence];
  }

  // Whether a word begins with a capital that a name may explain: not "I", nor one that only begins a sentence.
  isCapitalised(number) {
    const { text } = this.words[number];
    if (!/^\p{Lu}/u.test(text) || ALL_NOUNS.has(this.language)) return false;
    if (text === "I" && this.isEnglish) return false;
    const { first } = this.sentenceOf(number);
    let opens = true;
    for (let before = first; before < number; before += 1) opens &&= !/[\p{L}\p{N}]/u.test(this.words[before].text);
    if (!this.isEnglish) return !opens;
    const lower = text.toLowerCase();
    return !opens || !(FUNCTION_WORDS.has(lower) || this.lower.has(lower) || /['’]/.test(text));
  }

  get isEnglish() {
    return this.language === "en";
  }

  // Whether words name something rather than stand for it: "she", "the firm". In English alone can that be told.
  isName(first, last) {
    if (!this.isEnglish) return true;
    for (let number = first; number <= last; number += 1) {
      const { text } = this.words[number];
      if (/\p{N}/u.test(text)) return true;
      if (/^\p{Lu}/u.test(text) && !isPronoun(text) && !(number === first && FUNCTION_WORDS.has(text.toLowerCase()))) return true;
    }
    return false;
  }
}

const isPronoun = (text) =>
  /^(?:i|me|my|mine|myself|he|him|his|himself|she|her|hers|herself|it|its|itself|we|us|our|they|them|their)$/i.test(text);

// The form in which strings are compared: in English "the Quill Press’s" is "quill press"; each Chinese or Japanese
// character is a word.
export function normalise(text, language = "en") {
  let plain = text.normalize("NFC").toLowerCase();
  if (language === "en") plain = plain.replace(/^(?:the|a|an)\s+/, "").replace(/['’]s?$/, "");
  return plain
    .replace(WORDS_OF_ONE, " $& ")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .replace(/(^| )\p{M}+/gu, "$1") // a mark that is on no letter or digit, as in ⭐️
    .replace(/ +/g, " ")
    .trim();
}

// Words that are written from right to left, kept apart from English words on the same line.
export const apart = (text) => (/[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text) ? `\u2068${text}\u2069` : text);

// How alike two strings are as names of one thing: 2 the same, 1 one is a part or the initials of the other, 0 neither.
export function likeness(one, other) {
  if (one === "" || other === "") return 0;
  if (one === other) return 2;
  const [shorter, longer] = [one.split(" "), other.split(" ")].sort((a, b) => a.length - b.length);
  if (shorter.every((word) => longer.includes(word))) return 1;
  const initials = longer.map(([letter]) => letter).join("");
  return longer.length > 1 && shorter.length === 1 && shorter[0] === initials ? 1 : 0;
}

// A date as written in full, with or without its day or month; null where that does not tell the year.
export function parseDate(text) {
  const words = text.toLowerCase().replace(/[,.]/g, " ").split(/\s+/).filter(Boolean);
  if (words.length === 1 && isDate(words[0])) return words[0];
  const month = words.findIndex((word) => word.length >= 3 && MONTHS.some((name) => name.startsWith(word)));
  const year = words.findIndex((word) => /^[12]\d{3}$/.test(word));
  if (year === -1 || (month === -1 && words.length > 1)) return null;
  const rest = words.filter((word, place) => place !== month && place !== year && !["of", "the"].includes(word));
  const days = rest.map((word) => /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word)?.[1]);
  if (days.length > 1 || days.some((day) => day === undefined) || (days.length && month === -1)) return null;
  const number = MONTHS.findIndex((name) => month !== -1 && name.startsWith(words[month])) + 1;
  const parts = [words[year], ...(number ? [number, ...days] : [])].map((part) => String(part).padStart(2, "0"));
  return isDate(parts.join("-")) ? parts.join("-") : null;
}

// Whether there is such a date: 2016, 2016-11 or 2016-11-03.
export function isDate(text) {
  const found = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text);
  if (!found || found[1] === "0000") return false;
  const [year, month, day] = found.slice(1).map((part) => Number(part ?? 1));
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

// The title of a page that is given by its title or its address.
export function titleOf(text) {
  const found = /^https?:\/\/(?:[a-z-]+\.)*wikipedia\.org\/wiki\/([^?#]+)/i.exec(text.trim());
  let title = found ? found[1] : text;
  try {
    if (found) title = decodeURIComponent(title);
  } catch {
    // an address with a stray per cent sign: as it is
  }
  return title.replace(/_/g, " ").replace(/\s+/g, " ").trim();
}
