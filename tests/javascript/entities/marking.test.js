import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, describe, test } from "node:test";

import { History } from "../../../static/js/entities/history.js";
import * as marks from "../../../static/js/entities/marking.js";
import { Passage } from "../../../static/js/entities/passage.js";
import { passage, sentence, SUGGESTIONS } from "./example.js";

let marking;
let step;

beforeEach(() => {
  marking = marks.empty();
});

// Take a step, unless it is refused.
function take(made) {
  step = made;
  if (made.marking) marking = made.marking;
  return made;
}

const mark = (first, last, type) => take(marks.mark(passage, marking, first, last, type)).current;
const link = (id, entity) => take(marks.link(passage, marking, id, entity));
const named = ({ first, last, type }) => `${passage.text(first, last)} ${type}`;
const spans = () => marks.inOrder(marking).map(named);
const entityOf = (id) => marking.entities.get(marking.mentions.get(id).entity);
const nameOf = (entity) => marks.nameOf(passage, marking, entity);
const canonicalOf = (id) => nameOf(entityOf(id));
const draftOf = (one) => JSON.stringify(marks.toDraft(passage, one));
const pending = () => marks.pending(marking, SUGGESTIONS).map(({ index }) => index);

describe("marking words", () => {
  test("a name is something new", () => {
    mark(0, 1, "PER");
    assert.equal(step.say, "“Ada Quill” marked as person; P1, new");
    mark(3, 4, "ORG");
    mark(20, 21, "PER");
    assert.equal(step.say, "“Ben Ash” marked as person; P3, new");
    assert.deepEqual(spans(), ["Ada Quill PER", "Quill Press ORG", "Ben Ash PER"]);
    assert.equal(marking.entities.size, 3);
  });

  test("the same words again are the same thing", () => {
    const doubled = sentence("Ash", "met", "Ash", "’s", "son");
    const first = marks.mark(doubled, marking, 0, 0, "PER");
    const owner = marks.mark(doubled, first.marking, 2, 3, "PER");
    assert.equal(owner.marking.entities.size, 1);
    const same = marks.mark(doubled, first.marking, 2, 2, "PER");
    assert.equal(same.say, "“Ash” marked as person; P1, the same as Ash, with 1 other mention");
    assert.equal(same.marking.entities.size, 1);
  });

  test("a part of a name found before is asked about", () => {
    mark(0, 1, "PER");
    mark(18, 18, "PER");
    assert.equal(step.say, "“Quill” marked as person. Who or what is it?");
  });

  test("the same words of another type are something else", () => {
    mark(1, 1, "PER");
    mark(3, 3, "ORG");
    assert.equal(marking.entities.size, 2);
  });

  test("a pronoun is asked about, and the last one before it is offered first", () => {
    mark(20, 21, "PER");
    mark(0, 1, "PER");
    const she = mark(9, 9, "PER");
    const offered = marks.candidates(passage, marking, marking.mentions.get(she));
    assert.deepEqual(offered.map(({ entity }) => nameOf(entity)), ["Ada Quill", "Ben Ash"]);
    link(she, offered[0].entity.id);
    assert.equal(marking.mentions.get(she).entity, entityOf(2).id);
    assert.equal(canonicalOf(she), "Ada Quill");
  });

  test("a title is something of its own, and the same title the same", () => {
    const titles = sentence("president", "and", "president");
    const one = marks.mark(titles, marking, 0, 0, "TITLE");
    const two = marks.mark(titles, one.marking, 2, 2, "TITLE");
    assert.equal(two.marking.entities.size, 1);
  });

  test("a date brings its day", () => {
    assert.deepEqual(entityOf(mark(14, 16, "DATE")).link, { date: "1961-05-03" });
  });

  test("one mention may lie in another of another type", () => {
    mark(3, 7, "ORG");
    mark(6, 7, "GPE");
    assert.deepEqual(spans(), ["Quill Press in Port Hallow ORG", "Port Hallow GPE"]);
    assert.deepEqual(marks.mentionsAt(marking, 6).map(named), ["Quill Press in Port Hallow ORG", "Port Hallow GPE"]);
    assert.deepEqual(marks.mentionsAt(marking, 5).map(named), ["Quill Press in Port Hallow ORG"]);
    assert.deepEqual(marks.mentionsAt(marking, 8), []);
  });

  test("one may lie around another of another type", () => {
    mark(6, 7, "GPE");
    mark(3, 7, "ORG");
    assert.deepEqual(spans(), ["Quill Press in Port Hallow ORG", "Port Hallow GPE"]);
  });

  test("one that would cross another of another type is refused, and nothing changes", () => {
    mark(3, 7, "ORG");
    const before = marking;
    assert.equal(
      take(marks.mark(passage, marking, 2, 3, "PER")).refusal,
      "“founded Quill” would cut through “Quill Press in Port Hallow”, an organization. " +
        "Choose words inside it, around it, or apart from it.",
    );
    assert.equal(marking, before);
  });

  test("adjacent mentions stay apart", () => {
    mark(0, 0, "PER");
    mark(1, 1, "PER");
    assert.deepEqual(spans(), ["Ada PER", "Quill PER"]);
  });

  test("one of the same type that shares words gives way, and its entity goes on", () => {
    mark(0, 0, "PER");
    take(marks.setLink(passage, marking, 1, { page: "Ada" }));
    const whole = mark(0, 1, "PER");
    assert.deepEqual(spans(), ["Ada Quill PER"]);
    assert.equal(step.say, "“Ada Quill” marked as person instead of “Ada”; P1, new");
    assert.deepEqual(entityOf(whole).link, { page: "Ada" });
    assert.equal(canonicalOf(whole), "Ada Quill");
    assert.equal(marking.entities.size, 1);
  });

  test("of several that give way the first one's entity goes on", () => {
    mark(0, 0, "PER");
    mark(1, 1, "PER");
    const whole = mark(0, 1, "PER");
    assert.equal(step.say, "“Ada Quill” marked as person instead of “Ada” and “Quill”; P1, new");
    assert.deepEqual([...marking.entities.keys()], [1]);
    assert.equal(entityOf(whole).id, 1);
  });

  test("a full name that was chosen stays chosen when its words grow", () => {
    const ada = mark(0, 0, "PER");
    const ben = mark(20, 21, "PER");
    link(ben, entityOf(ada).id);
    take(marks.setCanonical(passage, marking, ada));
    const whole = mark(0, 1, "PER");
    assert.equal(entityOf(ben).canonical, whole);
    assert.equal(entityOf(ben).isChosen, true);
  });

  test("marking the same words with the same type changes nothing", () => {
    mark(0, 1, "PER");
    const before = marking;
    assert.equal(mark(0, 1, "PER"), 1);
    assert.equal(marking, before);
    assert.equal(step.say, "“Ada Quill” is a person; P1, new");
  });

  test("another type for the same words changes the mention", () => {
    const one = mark(6, 7, "GPE");
    mark(6, 7, "ORG");
    assert.deepEqual(spans(), ["Port Hallow ORG"]);
    assert.equal(entityOf(one).type, "ORG");
    assert.equal(marking.entities.size, 1);
  });

  test("a type that the mention around has is refused", () => {
    mark(3, 7, "ORG");
    const inner = mark(6, 7, "GPE");
    const { refusal } = marks.retype(passage, marking, inner, "ORG");
    assert.match(refusal, /^“Port Hallow” shares words with “Quill Press in Port Hallow”, an organization already/);
  });

  test("a marking that a step began with is as it was", () => {
    mark(0, 1, "PER");
    const before = marking;
    const written = draftOf(before);
    mark(0, 0, "PER");
    mark(9, 9, "PER");
    link(step.current, 1);
    take(marks.remove(passage, marking, step.current));
    assert.equal(draftOf(before), written);
  });
});

describe("which entity a mention is of", () => {
  test("likely ones come first: the same words, then a part of them", () => {
    mark(20, 21, "PER");
    mark(0, 1, "PER");
    const quill = mark(18, 18, "PER");
    const offered = marks.candidates(passage, marking, marking.mentions.get(quill));
    assert.deepEqual(offered.map(({ entity, alike }) => [nameOf(entity), alike]), [["Ada Quill", 1], ["Ben Ash", 0]]);
  });

  test("its own entity is offered where it has other mentions, and those of other types never", () => {
    const ada = mark(0, 1, "PER");
    mark(3, 4, "ORG");
    assert.deepEqual(marks.candidates(passage, marking, marking.mentions.get(ada)), []);
    const she = mark(9, 9, "PER");
    link(she, 1);
    const [offered, ...others] = marks.candidates(passage, marking, marking.mentions.get(ada));
    assert.equal(offered.entity.id, 1);
    assert.deepEqual(others, []);
  });

  test("no more are offered than there are keys", () => {
    const many = sentence(...Array.from({ length: 12 }, (unused, number) => `N${number}`), "she");
    let made = marks.empty();
    for (let number = 0; number < 12; number += 1) made = marks.mark(many, made, number, number, "PER").marking;
    const last = marks.mark(many, made, 12, 12, "PER");
    const offered = marks.candidates(many, last.marking, last.marking.mentions.get(last.current));
    assert.equal(offered.length, marks.MOST_OFFERED);
    assert.deepEqual(offered.slice(0, 2).map(({ entity }) => entity.id), [12, 11]); // the last before it
  });

  test("it may be made an entity of its own", () => {
    mark(0, 1, "PER");
    const she = mark(9, 9, "PER");
    link(she, 1);
    link(she, null);
    assert.equal(entityOf(she).id, 2);
    const before = marking;
    link(she, null);
    assert.equal(marking, before);
    assert.equal(step.say, "It is an entity of its own; P2, new");
  });

  test("an entity goes with its last mention, and its number is not given again", () => {
    const ada = mark(0, 1, "PER");
    take(marks.remove(passage, marking, ada));
    assert.equal(step.say, "“Ada Quill” is no mention any more");
    assert.equal(marking.entities.size, 0);
    assert.equal(entityOf(mark(0, 1, "PER")).id, 2);
  });

  test("the fullest name is canonical until one is chosen, and again when that is gone", () => {
    const quill = mark(18, 18, "PER");
    const she = mark(9, 9, "PER");
    link(she, entityOf(quill).id);
    assert.equal(canonicalOf(she), "Quill"); // no name is as full as a pronoun
    const ada = mark(0, 1, "PER");
    link(ada, entityOf(quill).id);
    assert.equal(canonicalOf(she), "Ada Quill");
    take(marks.setCanonical(passage, marking, quill));
    assert.equal(step.say, "“Quill” is the full name of P1");
    assert.equal(canonicalOf(she), "Quill");
    take(marks.remove(passage, marking, quill));
    assert.equal(canonicalOf(she), "Ada Quill");
    assert.equal(entityOf(she).isChosen, false);
  });

  test("of names of one length the first is canonical", () => {
    const two = sentence("Ben", "or", "Ash");
    const later = marks.mark(two, marking, 2, 2, "PER");
    const both = marks.mark(two, later.marking, 0, 0, "PER");
    const { marking: one } = marks.link(two, both.marking, both.current, 1);
    assert.equal(marks.nameOf(two, one, one.entities.get(1)), "Ben");
  });

  test("what is of nothing yet has no full name to choose", () => {
    const she = mark(9, 9, "PER");
    assert.equal(marks.setCanonical(passage, marking, she).refusal, "Say first who or what “She” is.");
  });

  test("two become one, with the link of either", () => {
    const ada = mark(0, 1, "PER");
    const ben = mark(20, 21, "PER");
    take(marks.setLink(passage, marking, entityOf(ben).id, { none: true }));
    take(marks.merge(passage, marking, entityOf(ben).id, entityOf(ada).id));
    assert.equal(step.say, "Ben Ash is now the same as Ada Quill");
    assert.equal(marking.entities.size, 1);
    assert.deepEqual(entityOf(ben).link, { none: true });
    assert.equal(canonicalOf(ben), "Ada Quill");
  });

  test("of two links that of the entity that stays is kept", () => {
    const ada = mark(0, 1, "PER");
    const ben = mark(20, 21, "PER");
    take(marks.setLink(passage, marking, 1, { page: "Ada" }));
    take(marks.setLink(passage, marking, 2, { page: "Ben" }));
    take(marks.merge(passage, marking, 2, 1));
    assert.deepEqual([entityOf(ada).link, entityOf(ben).link], [{ page: "Ada" }, { page: "Ada" }]);
  });
});

describe("links", () => {
  test("are said in words", () => {
    mark(0, 1, "PER");
    take(marks.setLink(passage, marking, 1, { page: "Ada Quill (founder)" }));
    assert.equal(step.say, "Ada Quill: Ada Quill (founder)");
    take(marks.setLink(passage, marking, 1, { none: true }));
    assert.equal(step.say, "Ada Quill: no page");
    take(marks.setLink(passage, marking, 1, null));
    assert.equal(step.say, "Ada Quill: which page?");
  });

  test("the same again changes nothing", () => {
    mark(0, 1, "PER");
    take(marks.setLink(passage, marking, 1, { none: true }));
    assert.equal(marks.setLink(passage, marking, 1, { none: true }).marking, marking);
  });

  for (const [type, to, words] of [
    ["DATE", null, "which date?"],
    ["DATE", { date: "1961" }, "1961"],
    ["DATE", { none: true }, "cannot be told"],
    ["TITLE", null, ""],
  ]) {
    test(`of a ${type}: ${JSON.stringify(to)}`, () => assert.equal(marks.linkWords(passage, { type, link: to }), words));
  }

  test("a title needs none", () => {
    assert.equal(marks.needsLink(passage, { type: "TITLE", link: null }), false);
    assert.equal(marks.needsLink(passage, { type: "PER", link: null }), true);
    assert.equal(marks.needsLink(passage, { type: "PER", link: { none: true } }), false);
  });
});

describe("suggestions", () => {
  const accept = (index) => take(marks.accept(passage, marking, SUGGESTIONS, index));

  test("bring their entities and links", () => {
    accept(1);
    accept(0);
    assert.equal(step.say, "Accepted: “Ada Quill”, person; P1, the same as Ada Quill, with 1 other mention");
    assert.deepEqual(spans(), ["Ada Quill PER", "She PER"]);
    assert.equal(marking.entities.size, 1);
    assert.deepEqual(entityOf(1).link, { page: "Ada Quill" });
    assert.equal(canonicalOf(1), "Ada Quill");
    assert.deepEqual(pending(), [2]);
  });

  test("keep a link that was said before", () => {
    accept(1);
    take(marks.setLink(passage, marking, 1, { none: true }));
    accept(0);
    assert.deepEqual(entityOf(1).link, { none: true });
  });

  test("of other canonical mentions are other entities", () => {
    accept(0);
    accept(2);
    assert.equal(marking.entities.size, 2);
  });

  test("that were dismissed, or whose words are marked, stand no more", () => {
    mark(0, 0, "PER"); // a part of the first, of its type
    assert.deepEqual(pending(), [1, 2]);
    mark(6, 7, "ORG"); // the words of the third, of another type
    assert.deepEqual(pending(), [1]);
    take(marks.dismiss(passage, marking, SUGGESTIONS, 1));
    assert.equal(step.say, "Suggestion “She” dismissed");
    assert.deepEqual(pending(), []);
  });

  test("stand where what is marked lies in them or around them with another type, and not where it crosses", () => {
    mark(6, 6, "PER");
    assert.deepEqual(pending(), [0, 1, 2]);
    mark(5, 8, "ORG");
    assert.deepEqual(pending(), [0, 1, 2]);
    mark(1, 2, "ORG");
    assert.deepEqual(pending(), [1, 2]);
  });

  test("are refused as other marks are", () => {
    mark(1, 2, "ORG");
    assert.match(accept(0).refusal, /would cut through/);
  });
});

test("every step is undone and done again exactly", () => {
  const history = new History(marking);
  const states = [draftOf(marking)];
  const note = () => {
    history.push(marking, step.say);
    states.push(draftOf(marking));
  };
  for (const act of [
    () => mark(0, 1, "PER"),
    () => mark(9, 9, "PER"),
    () => link(2, 1),
    () => take(marks.setLink(passage, marking, 1, { none: true })),
    () => take(marks.setCanonical(passage, marking, 2)),
    () => take(marks.accept(passage, marking, SUGGESTIONS, 2)),
    () => mark(18, 18, "PER"),
    () => link(step.current, null),
    () => take(marks.merge(passage, marking, marking.mentions.get(step.current).entity, 1)),
    () => take(marks.retype(passage, marking, 1, "ORG")),
    () => take(marks.remove(passage, marking, 1)),
    () => take(marks.dismiss(passage, marking, SUGGESTIONS, 0)),
    () => take(marks.check(marking, 2, true)),
  ]) {
    act();
    note();
  }
  assert.equal(new Set(states).size, 14);
  for (let at = states.length - 2; at >= 0; at -= 1) {
    history.undo();
    assert.equal(draftOf(history.marking), states[at]);
  }
  assert.equal(history.undo(), null);
  for (let at = 1; at < states.length; at += 1) {
    history.redo();
    assert.equal(draftOf(history.marking), states[at]);
  }
  assert.equal(history.redo(), null);
});

describe("a draft", () => {
  const draft = () => JSON.parse(draftOf(marking));

  test("comes back as it was", () => {
    mark(0, 1, "PER");
    mark(9, 9, "PER");
    take(marks.check(marking, 1, true));
    take(marks.dismiss(passage, marking, SUGGESTIONS, 2));
    assert.deepEqual(marks.fromDraft(passage, draft()), marking);
  });

  test("of nothing comes back as nothing", () => {
    assert.deepEqual(marks.fromDraft(passage, draft()), marks.empty());
  });

  for (const [what, changed] of [
    ["null", () => null],
    ["an empty object", () => ({})],
    ["of another document", (one) => ({ ...one, words: 3 })],
    ["without its next numbers", (one) => ({ ...one, next: 1 })],
    ["with half of its next numbers", (one) => ({ ...one, next: { mention: 3 } })],
    ["without an entity", (one) => ({ ...one, entities: [] })],
    ["past the end", (one) => ({ ...one, mentions: [{ id: 1, first: 0, last: 99, type: "PER", entity: null }] })],
    ["turned round", (one) => ({ ...one, entities: [], mentions: [{ id: 1, first: 1, last: 0, type: "PER", entity: null }] })],
    ["of no type", (one) => ({ ...one, mentions: [{ id: 1, first: 0, last: 1, type: "VERB", entity: null }] })],
    ["whose entity has another's name", (one) => ({ ...one, entities: [{ ...one.entities[0], canonical: 2 }] })],
  ]) {
    test(`that is ${what} is left alone`, () => {
      mark(0, 1, "PER");
      mark(9, 9, "PER");
      assert.equal(marks.fromDraft(passage, changed(draft())), null);
    });
  }
});

describe("the review", () => {
  test("lists what must be said and what may be overlooked", () => {
    mark(0, 1, "PER");
    mark(9, 9, "PER");
    mark(12, 12, "TITLE");
    const left = marks.review(passage, marking, SUGGESTIONS);
    const words = (numbers) => numbers.map((number) => passage.words[number].text);
    assert.deepEqual(left.unplaced.map(({ id }) => id), [2]);
    assert.deepEqual(left.unlinked.map(({ id }) => id), [1]);
    assert.deepEqual(left.suggestions.map(({ index }) => index), [2]);
    assert.deepEqual(left.sentences.map((one) => [one.index, words(one.words), one.isChecked]), [
      [0, ["Quill", "Press", "Port", "Hallow"], false],
      [1, ["May"], false],
      [2, ["Quill", "Ben", "Ash"], false],
    ]);
  });

  test("knows the sentences that were checked, until that is taken back", () => {
    const isChecked = () => marks.review(passage, marking, []).sentences.map((one) => one.isChecked);
    take(marks.check(marking, 2, true));
    assert.deepEqual(isChecked(), [false, false, true]);
    take(marks.check(marking, 2, false));
    assert.deepEqual(isChecked(), [false, false, false]);
  });

  test("of an empty document is empty", () => {
    assert.deepEqual(marks.review(new Passage([]), marking, []), {
      unplaced: [], unlinked: [], suggestions: [], sentences: [],
    });
  });
});

// The same file is read by the server's tests.
test("the answer is what the server takes", () => {
  mark(0, 1, "PER");
  mark(9, 9, "PER");
  link(2, 1);
  take(marks.setLink(passage, marking, 1, { page: "Ada Quill" }));
  mark(12, 12, "TITLE");
  mark(14, 16, "DATE");
  mark(6, 7, "GPE");
  take(marks.setLink(passage, marking, 4, { none: true }));
  const expected = JSON.parse(readFileSync(new URL("answer.json", import.meta.url), "utf-8"));
  assert.deepEqual(marks.toAnswer(passage, marking), expected);
});
