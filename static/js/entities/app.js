// The entity interface: a document that is marked, by whoever includes it.

import { Autosave } from "../autosave.js";
import { Lookup } from "../links.js";
import { History } from "./history.js";
import { startKeys } from "./keys.js";
import * as marks from "./marking.js";
import { Panel } from "./panel.js";
import { Passage } from "./passage.js";
import { startPointing } from "./pointing.js";
import { Review } from "./review.js";
import { TextView } from "./text.js";

// Start it in an element that holds the template part crowd/parts/marking.html.
//
// `data` is what the server made of the document ({types, sentences, suggestions, name, number, draft}). `pages` says
// where pages of Wikipedia are found ({address, token}); without it titles are typed. `save(body, options)` keeps
// a draft and returns {status, body: {saved, number}}; `send(answer, forget)` sends the answer, calls `forget`
// when it was taken, and returns an empty string, or why it was not. `more` returns what is kept beside the
// marking, and `onStep` hears what the worker is at: "mark" or "check".
//
// Returns `kept`, what this browser had kept that the server has not (or null), and `touch`, to be called when
// what `more` returns has changed.
export function startMarking(root, { data, pages = null, save, send, more = () => ({}), onStep = () => {} }) {
  const find = (name) => root.querySelector(`[data-${name}]`);
  if (pages) new Lookup(find("lookup"), pages.address, pages.token); // before the panel: its keys come first
  const passage = new Passage(data.sentences, data.language, data.types);
  const { suggestions } = data;
  const kept = Autosave.kept(data.name, data.number);
  const draft = marks.fromDraft(passage, kept?.state.draft ?? data.draft);
  const history = new History(draft ?? marks.empty());
  const words = find("text");
  const text = new TextView(words, passage, suggestions);
  const aloud = find("aloud");
  const last = passage.words.length - 1;
  const onward = words.dir === "rtl" ? -1 : 1; // where the next word is: to the right, if 1

  // Where the worker is: the word with the cursor, where a selection began (null: none), the mention and the
  // entity at hand.
  let cursor = 0;
  let anchor = null;
  let current = null;
  let entity = null;
  let isSending = false;

  const autosave = new Autosave({
    name: data.name,
    number: Math.max(data.number, kept?.number ?? 0),
    read: () => ({ draft: marks.toDraft(passage, history.marking), ...more() }),
    post: save,
    say: (what, isBad) => {
      const saved = find("saved");
      if (isBad && saved.textContent !== what) say(what); // aloud only what is out of the ordinary
      saved.textContent = what;
      saved.classList.toggle("bad", isBad);
    },
  });

  const act = {
    move, word, type, offer, next, end, accept, dismiss, canonical, remove, link, merge, undo, redo, pick, read, help,
    write: () => panel.writeLink(),
    none: () => setNone(),
    drop: () => point(cursor, null),
    back: () => words.focus({ preventScroll: true }),
    review: () => openReview(),
  };
  const panel = new Panel(root, passage, act);
  const check = new Review(root, passage, suggestions, { go, check: checkSentence, send: submit });
  startKeys(root, words, act, passage.types);
  startPointing(words, text, {
    choose: (number) => point(number, null, { inPlace: true }),
    select: (from, to) => point(to, from ?? anchor ?? cursor, { quietly: true, inPlace: true }),
    done: () => say(chosenWords()),
    cancel: () => point(cursor, null, { quietly: true, inPlace: true }),
  });
  find("review-open").addEventListener("click", openReview);
  find("review").addEventListener("close", () => onStep("mark"));
  onStep("mark");
  if (kept && draft) autosave.touch(); // the server lacks it
  text.show(history.marking);
  point(0, null, { quietly: true, inPlace: true });
  return { kept: kept?.state ?? null, touch: () => autosave.touch() };

  // Showing -------------------------------------------------------------------------------------------

  function say(what) {
    if (what) aloud.textContent = aloud.textContent === what ? `${what}\u00a0` : what;
  }

  function range() {
    const mention = history.marking.mentions.get(current);
    if (anchor !== null) return { first: Math.min(anchor, cursor), last: Math.max(anchor, cursor), isNew: !isMention() };
    if (mention) return { first: mention.first, last: mention.last, isNew: false };
    return last < 0 ? null : { first: cursor, last: cursor, isNew: true };
  }

  // Whether the selection is the mention at hand.
  function isMention() {
    const mention = history.marking.mentions.get(current);
    return mention !== undefined && Math.min(anchor, cursor) === mention.first && Math.max(anchor, cursor) === mention.last;
  }

  function refresh() {
    const { marking } = history;
    const mention = marking.mentions.get(current) ?? null;
    text.show(marking);
    text.point(cursor, anchor === null ? null : range());
    text.light(mention, entity === null ? [] : marks.membersOf(marking, entity));
    panel.show({
      marking,
      range: range(),
      mention,
      suggestion: anchor === null && !mention ? text.suggestionAt(cursor) : null,
      entity,
      canUndo: history.canUndo,
      canRedo: history.canRedo,
    });
  }

  // Go to a word; `from` is where a selection begins, null for none. `inPlace`: nothing scrolls.
  function point(number, from, { quietly = false, inPlace = false } = {}) {
    cursor = Math.max(0, Math.min(last, number));
    anchor = from;
    if (from === null) current = marks.mentionsAt(history.marking, cursor).at(-1)?.id ?? null;
    else current = mentionOf(range());
    entity = history.marking.mentions.get(current)?.entity ?? null;
    refresh();
    if (!inPlace) text.reveal(cursor);
    if (!quietly) say(chosenWords());
  }

  function mentionOf(chosen) {
    for (const one of history.marking.mentions.values()) {
      if (one.first === chosen.first && one.last === chosen.last) return one.id;
    }
    return null;
  }

  function chosenWords() {
    const chosen = range();
    if (!chosen) return "";
    const mention = history.marking.mentions.get(current);
    if (anchor !== null && !mention) return `Selected: ${passage.text(chosen.first, chosen.last)}`;
    if (!mention) {
      const suggestion = text.suggestionAt(cursor);
      return suggestion ? `Suggested: ${passage.text(suggestion.first, suggestion.last)}, ${marks.wordOf(passage, suggestion.type)}` : "";
    }
    const of = history.marking.entities.get(mention.entity);
    return `${passage.text(mention.first, mention.last)}: ${marks.wordOf(passage, mention.type)}, ${
      of ? `${marks.tagOf(passage, mention)} ${marks.nameOf(passage, history.marking, of)}` : "not said who or what"
    }`;
  }

  // Take a step: show it, keep it, and go on with the mention that it is about.
  function take(step) {
    if (step.refusal) {
      say(step.refusal);
      panel.refuse(step.refusal);
      return false;
    }
    history.push(step.marking, step.say);
    if (step.current !== undefined) {
      current = step.current;
      anchor = null;
      const mention = history.marking.mentions.get(current);
      if (mention) cursor = mention.last;
    }
    entity = step.entity ?? history.marking.mentions.get(current)?.entity ?? (history.marking.entities.has(entity) ? entity : null);
    refresh();
    say(step.say);
    autosave.touch();
    return true;
  }

  // Acts ----------------------------------------------------------------------------------------------

  function move(where, isSelecting) {
    const { sentence } = passage.words[cursor];
    const here = passage.sentences[sentence];
    const to = {
      left: () => cursor - onward,
      right: () => cursor + onward,
      up: () => text.vertically(cursor, -1),
      down: () => text.vertically(cursor, 1),
      first: () => here.first,
      last: () => here.last,
      start: () => 0,
      end: () => last,
      "sentence before": () => (cursor > here.first ? here.first : passage.sentences[Math.max(0, sentence - 1)].first),
      "sentence after": () => passage.sentences[sentence + 1]?.first ?? here.last,
    }[where]();
    point(to, isSelecting ? (anchor ?? cursor) : null);
  }

  // Select the word with the cursor alone, even if it is in a mention.
  function word() {
    point(cursor, anchor === cursor ? null : cursor);
  }

  function type(name) {
    const chosen = range();
    if (!chosen) return;
    const { marking } = history;
    take(
      current !== null && !chosen.isNew
        ? marks.retype(passage, marking, current, name)
        : marks.mark(passage, marking, chosen.first, chosen.last, name),
    );
  }

  // Move an end of the selection, or of the mention at hand.
  function end(which, by) {
    const chosen = range();
    if (!chosen) return;
    const moved = { first: chosen.first, last: chosen.last };
    moved[which] += by;
    if (moved.first < 0 || moved.last > last || moved.first > moved.last) return;
    const mention = history.marking.mentions.get(current);
    if (mention && !chosen.isNew) {
      take(marks.mark(passage, history.marking, moved.first, moved.last, mention.type));
    } else {
      [anchor, cursor] = [moved.first, moved.last];
      point(cursor, anchor);
    }
  }

  function offer(key) {
    const to = panel.offered(key);
    if (current === null || to === undefined) return;
    take(marks.link(passage, history.marking, current, to));
  }

  function accept() {
    const suggestion = text.suggestionAt(cursor);
    if (!suggestion || current !== null) {
      next("suggestion", 1);
    } else if (take(marks.accept(passage, history.marking, suggestions, suggestion.index))) {
      next("suggestion", 1, { quietly: true });
    }
  }

  function dismiss() {
    const suggestion = text.suggestionAt(cursor);
    if (suggestion && take(marks.dismiss(passage, history.marking, suggestions, suggestion.index))) {
      next("suggestion", 1, { quietly: true });
    }
  }

  function canonical() {
    if (current !== null) take(marks.setCanonical(passage, history.marking, current));
  }

  function remove() {
    if (current !== null) take(marks.remove(passage, history.marking, current));
    else if (anchor === null) dismiss();
    else point(cursor, null);
  }

  function link(id, to) {
    take(marks.setLink(passage, history.marking, id, to));
  }

  function setNone() {
    const at = history.marking.entities.get(entity);
    if (!at || marks.linkOf(passage, at.type) === null) return;
    link(entity, at.link?.none ? null : { none: true });
  }

  function merge(from, into) {
    take(marks.merge(passage, history.marking, from, into));
  }

  function undo() {
    turn("undo", "Undone");
  }

  function redo() {
    turn("redo", "Done again");
  }

  function turn(way, what) {
    const done = history[way]();
    if (done === null) {
      say(`Nothing to ${way}`);
      return;
    }
    const { marking } = history;
    if (!marking.mentions.has(current)) current = null;
    entity = marking.mentions.get(current)?.entity ?? (marking.entities.has(entity) ? entity : null);
    refresh();
    if (check.isOpen) check.show(marking);
    say(done ? `${what}: ${done}` : what);
    autosave.touch();
  }

  // Choose an entity in the list: its mentions light up, the first comes into view.
  function pick(id) {
    const [first] = marks.membersOf(history.marking, id);
    current = first.id;
    [cursor, anchor, entity] = [first.first, null, id];
    refresh();
    text.reveal(cursor, "center");
    say(chosenWords());
  }

  // Go to the next or the last mention, suggestion, or place where something lacks.
  function next(what, by, { quietly = false } = {}) {
    const { marking } = history;
    let places;
    if (what === "mention") places = marks.inOrder(marking);
    else if (what === "suggestion") places = marks.pending(marking, suggestions);
    else places = lacks();
    const at = places.map(({ first }) => first).sort((one, other) => one - other);
    if (!at.length) {
      if (!quietly) say(`No ${{ mention: "mention", suggestion: "suggestion", lack: "such place" }[what]} left`);
      return;
    }
    const from = what === "mention" ? (marking.mentions.get(current)?.first ?? cursor) : cursor;
    const to = by > 0 ? (at.find((first) => first > from) ?? at[0]) : (at.findLast((first) => first < from) ?? at.at(-1));
    const previous = aloud.textContent;
    point(to, null, { quietly });
    if (quietly && text.suggestionAt(to)) say(`${previous.trim()}. ${chosenWords()}`);
  }

  function lacks() {
    const { marking } = history;
    const left = marks.review(passage, marking, suggestions);
    return [
      ...left.unplaced,
      ...left.unlinked.map((one) => marking.mentions.get(one.canonical)),
      ...left.sentences.filter(({ isChecked }) => !isChecked).flatMap((one) => one.words.map((first) => ({ first }))),
    ];
  }

  function help() {
    const how = root.closest("form").querySelector(".how");
    how.open = !how.open;
    if (how.open) how.scrollIntoView({ block: "nearest" });
  }

  function read() {
    const sentence = passage.sentenceOf(cursor);
    say(passage.text(sentence.first, sentence.last));
  }

  // Checking and sending ------------------------------------------------------------------------------

  function openReview() {
    onStep("check");
    check.open(history.marking);
  }

  function go(number, of) {
    words.focus({ preventScroll: true });
    point(number, null);
    text.reveal(number, "center");
    if (of !== null) {
      entity = of;
      refresh();
    }
  }

  function checkSentence(sentence, isChecked) {
    take(marks.check(history.marking, sentence, isChecked));
  }

  async function submit() {
    if (isSending) return;
    isSending = true;
    check.busy(true);
    autosave.hold();
    const problem = await send(marks.toAnswer(passage, history.marking), () => autosave.stop());
    isSending = false;
    check.busy(false);
    if (problem) {
      autosave.touch();
      check.complain(problem);
      say(problem);
    }
  }
}
