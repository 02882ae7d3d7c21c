// A document to be marked: its words as the server sends them.

import { Passage } from "../../../static/js/entities/passage.js";

// "Ada Quill founded Quill Press in Port Hallow. She was its president until 3 May 1961. Quill met Ben Ash 🜚."
export const SENTENCES = [
  {
    start: 0,
    words: ["Ada", "Quill", "founded", "Quill", "Press", "in", "Port", "Hallow", "."],
    gaps: [" ", " ", " ", " ", " ", " ", " ", ""],
    paragraph: true,
  },
  {
    start: 46,
    words: ["She", "was", "its", "president", "until", "3", "May", "1961", "."],
    gaps: [" ", " ", " ", " ", " ", " ", " ", ""],
    paragraph: false,
  },
  { start: 86, words: ["Quill", "met", "Ben", "Ash", "🜚", "."], gaps: [" ", " ", " ", " ", ""], paragraph: false },
];

export const SUGGESTIONS = [
  { first: 0, last: 1, type: "PER", canonical: [0, 1], link: { page: "Ada Quill" } },
  { first: 9, last: 9, type: "PER", canonical: [0, 1], link: null },
  { first: 6, last: 7, type: "GPE", canonical: [6, 7], link: null },
];

// TAC's, as the server sends them.
export const TYPES = [
  { name: "PER", word: "person", key: "p", link: "page", number: 1 },
  { name: "ORG", word: "organization", key: "o", link: "page", number: 2 },
  { name: "GPE", word: "place", key: "g", link: "page", number: 3 },
  { name: "DATE", word: "date", key: "d", link: "date", number: 4 },
  { name: "TITLE", word: "title", key: "t", link: null, number: 5 },
];

export const passage = new Passage(SENTENCES, "en", TYPES);

// One sentence of these words.
export function sentence(...words) {
  return new Passage([{ start: 0, words, gaps: words.slice(1).map(() => " "), paragraph: true }], "en", TYPES);
}
