// What has been marked in a document, and every step that changes it. Pure: a step takes a marking and returns
// {marking, say, current}: a new marking, what to say of it aloud, and the mention to go on with; or
// {refusal}, if it cannot be done.
//
// A marking is {mentions, entities, dismissed, checked, next}. Mentions: Map of id to {id, first, last, type,
// entity}, by the numbers of their words; entity is null until it is said. Entities: Map of id to {id, type,
// canonical, isChosen, link}; canonical is a mention's id, link null until it is said. Dismissed are
// suggestions, checked sentences. What has not changed is the same object as in the marking before.

import { likeness, normalise, parseDate } from "./passage.js";

export const MOST_OFFERED = 9;
const NONE = { none: true };

// What people call a type, with an article or without.
export const wordOf = (passage, type) => passage.types.get(type).word;

function withArticle(passage, type) {
  const word = wordOf(passage, type);
  return `${/^[aeiou]/i.test(word) ? "an" : "a"} ${word}`;
}

// What a type is linked to: "page", "date", or null for nothing.
export const linkOf = (passage, type) => passage.types.get(type).link;

export function empty() {
  return { mentions: new Map(), entities: new Map(), dismissed: new Set(), checked: new Set(), next: { mention: 1, entity: 1 } };
}

// Questions ------------------------------------------------------------------------------------------

const size = ({ first, last }) => last - first;
const inText = (one, other) => one.first - other.first || other.last - one.last || one.id - other.id;
const overlaps = (one, first, last) => one.first <= last && first <= one.last;
const contains = (one, first, last) => one.first <= first && last <= one.last;

export function membersOf(marking, entity) {
  return [...marking.mentions.values()].filter((mention) => mention.entity === entity).sort(inText);
}

// The mentions that have a word, the innermost last.
export function mentionsAt(marking, number) {
  return [...marking.mentions.values()]
    .filter((mention) => contains(mention, number, number))
    .sort((one, other) => size(other) - size(one));
}

export function inOrder(marking) {
  return [...marking.mentions.values()].sort(inText);
}

export function nameOf(passage, marking, entity) {
  const { first, last } = marking.mentions.get(entity.canonical);
  return passage.text(first, last);
}

// What stands for a type in a tag: the letter that gives it.
export const letterOf = (passage, type) => passage.types.get(type).key.toUpperCase();

// What a tag says: the type's letter and the entity's number.
export function tagOf(passage, mention) {
  return `${letterOf(passage, mention.type)}${mention.entity ?? "?"}`;
}

export function needsLink(passage, entity) {
  return linkOf(passage, entity.type) !== null && entity.link === null;
}

// The suggestions that still stand: not dismissed, and not in the way of what is marked.
export function pending(marking, suggestions) {
  return suggestions
    .map((suggestion, index) => ({ ...suggestion, index }))
    .filter(({ index, first, last, type }) => {
      if (marking.dismissed.has(index)) return false;
      for (const mention of marking.mentions.values()) {
        if (!overlaps(mention, first, last)) continue;
        const nested = contains(mention, first, last) || contains({ first, last }, mention.first, mention.last);
        const same = mention.first === first && mention.last === last;
        if (same || !nested || mention.type === type) return false;
      }
      return true;
    });
}

// The entities that a mention may be of, likely ones first: of the same words, of a part of them, the last before it.
export function candidates(passage, marking, mention) {
  const words = normalise(passage.text(mention.first, mention.last), passage.language);
  // What is linked to nothing, as a title, has small letters.
  const isNamed = linkOf(passage, mention.type) === null || passage.isName(mention.first, mention.last);
  const likely = [];
  for (const entity of marking.entities.values()) {
    if (entity.type !== mention.type) continue;
    const members = membersOf(marking, entity.id).filter(({ id }) => id !== mention.id);
    if (!members.length) continue;
    const alike = Math.max(...members.map(({ first, last }) => likeness(words, normalise(passage.text(first, last), passage.language))));
    const before = members.filter(({ first }) => first < mention.first).map(({ first }) => first);
    const distance = before.length ? mention.first - Math.max(...before) : 1e6 + members[0].first;
    likely.push({ entity, alike: isNamed ? alike : 0, distance });
  }
  likely.sort((one, other) => other.alike - one.alike || one.distance - other.distance);
  return likely.slice(0, MOST_OFFERED).map(({ entity, alike }) => ({ entity, alike }));
}

// Steps ----------------------------------------------------------------------------------------------

// Mark words as a mention. One of the same type that shares words with it gives way; its entity goes on.
export function mark(passage, marking, first, last, type) {
  const text = passage.text(first, last);
  const touching = [...marking.mentions.values()].filter((mention) => overlaps(mention, first, last)).sort(inText);
  const same = touching.find((mention) => mention.first === first && mention.last === last);
  if (same) return retype(passage, marking, same.id, type);
  const crossing = touching.find(
    (mention) =>
      mention.type !== type && !contains(mention, first, last) && !contains({ first, last }, mention.first, mention.last),
  );
  if (crossing) {
    const other = passage.text(crossing.first, crossing.last);
    return { refusal: `“${text}” would cut through “${other}”, ${withArticle(passage, crossing.type)}. Choose words inside it, around it, or apart from it.` };
  }
  const replaced = touching.filter((mention) => mention.type === type);
  const next = copy(marking);
  const mention = { id: next.next.mention, first, last, type, entity: null };
  next.next.mention += 1;
  const heir = replaced.find(({ entity }) => entity !== null);
  const wasCanonical = replaced.some(({ id, entity }) => entity !== null && marking.entities.get(entity).canonical === id);
  for (const { id } of replaced) next.mentions.delete(id);
  next.mentions.set(mention.id, mention);
  if (heir) {
    next.mentions.set(mention.id, { ...mention, entity: heir.entity });
    if (wasCanonical && marking.entities.get(heir.entity).isChosen) {
      next.entities.set(heir.entity, { ...next.entities.get(heir.entity), canonical: mention.id });
    }
  } else {
    place(passage, next, mention.id);
  }
  tidy(passage, next);
  const instead = replaced.length
    ? ` instead of ${replaced.map((one) => `“${passage.text(one.first, one.last)}”`).join(" and ")}`
    : "";
  return done(passage, next, mention.id, `“${text}” marked as ${wordOf(passage, type)}${instead}`);
}

export function retype(passage, marking, id, type) {
  const mention = marking.mentions.get(id);
  const text = passage.text(mention.first, mention.last);
  if (mention.type === type) return done(passage, marking, id, `“${text}” is ${withArticle(passage, type)}`);
  const same = [...marking.mentions.values()].find(
    (other) => other.id !== id && other.type === type && overlaps(other, mention.first, mention.last),
  );
  if (same) {
    const other = passage.text(same.first, same.last);
    return { refusal: `“${text}” shares words with “${other}”, ${withArticle(passage, type)} already. Take one of them away first.` };
  }
  const next = copy(marking);
  const isAlone = mention.entity !== null && membersOf(marking, mention.entity).length === 1;
  next.mentions.set(id, { ...mention, type, entity: null });
  if (isAlone) next.entities.delete(mention.entity);
  place(passage, next, id);
  tidy(passage, next);
  return done(passage, next, id, `“${text}” marked as ${wordOf(passage, type)}`);
}

export function remove(passage, marking, id) {
  const { first, last } = marking.mentions.get(id);
  const next = copy(marking);
  next.mentions.delete(id);
  tidy(passage, next);
  return { marking: next, say: `“${passage.text(first, last)}” is no mention any more`, current: null };
}

// Make a mention one of an entity, or with null one of a new entity.
export function link(passage, marking, id, entity) {
  const mention = marking.mentions.get(id);
  if (entity === null && mention.entity !== null && membersOf(marking, mention.entity).length === 1) {
    return done(passage, marking, id, "It is an entity of its own");
  }
  const next = copy(marking);
  next.mentions.set(id, { ...mention, entity: entity ?? found(passage, next, mention) });
  tidy(passage, next);
  return done(passage, next, id, `“${passage.text(mention.first, mention.last)}”`);
}

export function setCanonical(passage, marking, id) {
  const mention = marking.mentions.get(id);
  const text = passage.text(mention.first, mention.last);
  if (mention.entity === null) return { refusal: `Say first who or what “${text}” is.` };
  const next = copy(marking);
  next.entities.set(mention.entity, { ...marking.entities.get(mention.entity), canonical: id, isChosen: true });
  return { marking: next, say: `“${text}” is the full name of ${tagOf(passage, mention)}`, current: id };
}

// `to` is {page}, {none: true}, {date}, or null for not said.
export function setLink(passage, marking, id, to) {
  const entity = marking.entities.get(id);
  if (JSON.stringify(entity.link) === JSON.stringify(to)) return { marking, say: "", current: undefined };
  const next = copy(marking);
  next.entities.set(id, { ...entity, link: to });
  return { marking: next, say: `${nameOf(passage, marking, entity)}: ${linkWords(passage, next.entities.get(id))}`, current: undefined };
}

// Make two entities one: the second takes the first one's mentions.
export function merge(passage, marking, from, into) {
  const next = copy(marking);
  for (const mention of membersOf(marking, from)) next.mentions.set(mention.id, { ...mention, entity: into });
  const [gone, stays] = [marking.entities.get(from), marking.entities.get(into)];
  if (stays.link === null && gone.link !== null) next.entities.set(into, { ...stays, link: gone.link });
  tidy(passage, next);
  const say = `${nameOf(passage, marking, gone)} is now the same as ${nameOf(passage, next, next.entities.get(into))}`;
  return { marking: next, say, current: undefined, entity: into };
}

// Mark what is suggested; suggestions with the same canonical mention become one entity.
export function accept(passage, marking, suggestions, index) {
  const { first, last, type, canonical, link: to } = suggestions[index];
  const step = mark(passage, marking, first, last, type);
  if (step.refusal) return step;
  const next = copy(step.marking);
  const mention = next.mentions.get(step.current);
  const before = mention.entity;
  const sibling = [...next.mentions.values()].find(
    (other) =>
      other.id !== mention.id &&
      other.type === type &&
      other.entity !== null &&
      suggestions.some(
        (one) => one.first === other.first && one.last === other.last && one.type === type && String(one.canonical) === String(canonical),
      ),
  );
  if (sibling) next.mentions.set(mention.id, { ...mention, entity: sibling.entity });
  else if (before === null) next.mentions.set(mention.id, { ...mention, entity: found(passage, next, mention) });
  const { entity } = next.mentions.get(mention.id);
  if (to !== null && next.entities.get(entity).link === null) {
    next.entities.set(entity, { ...next.entities.get(entity), link: to });
  }
  tidy(passage, next);
  return done(passage, next, mention.id, `Accepted: “${passage.text(first, last)}”, ${wordOf(passage, type)}`);
}

export function dismiss(passage, marking, suggestions, index) {
  const { first, last } = suggestions[index];
  const next = { ...marking, dismissed: new Set(marking.dismissed).add(index) };
  return { marking: next, say: `Suggestion “${passage.text(first, last)}” dismissed`, current: null };
}

// Say of a sentence that nothing is missing in it, or take that back.
export function check(marking, sentence, isChecked) {
  const checked = new Set(marking.checked);
  if (isChecked) checked.add(sentence);
  else checked.delete(sentence);
  return { marking: { ...marking, checked }, say: "", current: undefined };
}

export function linkWords(passage, entity) {
  const linked = linkOf(passage, entity.type);
  if (linked === null) return "";
  if (entity.link === null) return linked === "date" ? "which date?" : "which page?";
  if (entity.link.page) return entity.link.page;
  if (entity.link.date) return entity.link.date;
  return linked === "date" ? "cannot be told" : "no page";
}

// What steps are made of ------------------------------------------------------------------------------

function copy(marking) {
  return {
    ...marking,
    mentions: new Map(marking.mentions),
    entities: new Map(marking.entities),
    next: { ...marking.next },
  };
}

// Say of which entity a mention is, where that is plain: the same words, or a name that is like no other.
function place(passage, next, id) {
  const mention = next.mentions.get(id);
  const isName = passage.isName(mention.first, mention.last);
  const [likely] = candidates(passage, next, mention);
  if (likely?.alike === 2) {
    next.mentions.set(id, { ...mention, entity: likely.entity.id });
  } else if (linkOf(passage, mention.type) !== "page" || (isName && !likely?.alike)) {
    next.mentions.set(id, { ...mention, entity: found(passage, next, mention) });
  }
}

// Add the entity of a mention that is its first.
function found(passage, next, mention) {
  const id = next.next.entity;
  next.next.entity += 1;
  const date = linkOf(passage, mention.type) === "date" ? parseDate(passage.text(mention.first, mention.last)) : null;
  next.entities.set(id, { id, type: mention.type, canonical: mention.id, isChosen: false, link: date ? { date } : null });
  return id;
}

// Take away entities without mentions, and find new canonical mentions where none was chosen or it is gone.
function tidy(passage, next) {
  const members = new Map();
  for (const mention of next.mentions.values()) {
    if (mention.entity === null) continue;
    if (!members.has(mention.entity)) members.set(mention.entity, []);
    members.get(mention.entity).push(mention);
  }
  for (const entity of next.entities.values()) {
    const mentions = members.get(entity.id);
    if (!mentions) {
      next.entities.delete(entity.id);
      continue;
    }
    const isThere = mentions.some(({ id }) => id === entity.canonical);
    if (isThere && entity.isChosen) continue;
    const canonical = fullest(passage, mentions).id;
    if (canonical !== entity.canonical) next.entities.set(entity.id, { ...entity, canonical, isChosen: false });
  }
}

// The fullest name among mentions: a name before a pronoun, the longest, the first.
function fullest(passage, mentions) {
  const rank = (one) => [passage.isName(one.first, one.last) ? 0 : 1, -passage.text(one.first, one.last).length, one.first];
  return mentions.reduce((best, one) => {
    const [a, b] = [rank(best), rank(one)];
    const differs = a.findIndex((value, index) => value !== b[index]);
    return differs !== -1 && b[differs] < a[differs] ? one : best;
  });
}

function done(passage, marking, id, what) {
  const mention = marking.mentions.get(id);
  if (mention.entity === null) return { marking, say: `${what}. Who or what is it?`, current: id };
  const entity = marking.entities.get(mention.entity);
  const others = membersOf(marking, mention.entity).length - 1;
  const who = others
    ? `the same as ${nameOf(passage, marking, entity)}, with ${others} other mention${others === 1 ? "" : "s"}`
    : "new";
  return { marking, say: `${what}; ${tagOf(passage, mention)}, ${who}`, current: id };
}

// Drafts and answers ----------------------------------------------------------------------------------

// As JSON that `fromDraft` reads back.
export function toDraft(passage, marking) {
  return {
    words: passage.words.length,
    mentions: [...marking.mentions.values()],
    entities: [...marking.entities.values()],
    dismissed: [...marking.dismissed],
    checked: [...marking.checked],
    next: marking.next,
  };
}

// Null for a draft of another document or form.
export function fromDraft(passage, draft) {
  if (draft?.words !== passage.words.length || !Array.isArray(draft.mentions) || !Array.isArray(draft.entities)) return null;
  const mentions = new Map(draft.mentions.map((mention) => [mention.id, mention]));
  const entities = new Map(draft.entities.map((entity) => [entity.id, entity]));
  const isGood =
    Number.isInteger(draft.next?.mention) &&
    Number.isInteger(draft.next.entity) &&
    [...mentions.values()].every(
      ({ first, last, type, entity }) =>
        passage.words[first] && passage.words[last] && first <= last && passage.types.has(type) && (entity === null || entities.has(entity)),
    ) &&
    [...entities.values()].every(({ id, type, canonical }) => passage.types.has(type) && mentions.get(canonical)?.entity === id);
  if (!isGood) return null;
  return { mentions, entities, dismissed: new Set(draft.dismissed), checked: new Set(draft.checked), next: draft.next };
}

// As the server takes it.
export function toAnswer(passage, marking) {
  const span = ({ first, last }) => ({ start: passage.words[first].start, end: passage.words[last].end });
  return {
    version: 1,
    mentions: inOrder(marking).map((mention) => ({ ...span(mention), type: mention.type, entity: mention.entity })),
    entities: [...marking.entities.values()].map(({ id, type, canonical, link: to }) => ({
      id,
      canonical: span(marking.mentions.get(canonical)),
      link: linkOf(passage, type) === null ? NONE : to,
    })),
  };
}

// What stands between a marking and its being sent: what must be said yet, and what may have been overlooked.
export function review(passage, marking, suggestions) {
  const covered = new Uint8Array(passage.words.length);
  for (const { first, last } of marking.mentions.values()) covered.fill(1, first, last + 1);
  const sentences = [];
  passage.sentences.forEach(({ first, last }, index) => {
    const words = [];
    for (let number = first; number <= last; number += 1) {
      if (!covered[number] && passage.isCapitalised(number)) words.push(number);
    }
    if (words.length) sentences.push({ index, words, isChecked: marking.checked.has(index) });
  });
  return {
    unplaced: inOrder(marking).filter(({ entity }) => entity === null),
    unlinked: [...marking.entities.values()].filter((entity) => needsLink(passage, entity)),
    suggestions: pending(marking, suggestions),
    sentences,
  };
}
