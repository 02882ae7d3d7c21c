"""A memory: what it has read once, it believes wherever the same names meet again.

From annotated documents it keeps the facts, by name, and what each name usually is to a person: a school, an
employer, a home. It understands nothing of the sentence before it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from demo.markup import Document, Gold
from demo.systems.pairs import pairs
from demo.systems.reading import ONTOLOGY, Claim, Extraction, Sentence, extract_each

REACH = 120


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered.

    Attributes
    ----------
    facts : set of (relation, subject name, object name)
    habits : dict
        (subject type, object name) to the relation in which that object most often stood, and its share.
    """

    facts: frozenset[tuple[str, str, str]]
    habits: dict[tuple[str, str], tuple[str, float]]


def remember(examples: Sequence[tuple[Document, Gold]]) -> Memory:
    """Collect the facts and habits of annotated documents."""
    facts: set[tuple[str, str, str]] = set()
    seen: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for document, gold in examples:
        names = {}
        for mention in gold["mentions"]:
            start, end = mention["canonical"]
            names[mention["start"], mention["end"]] = mention["type"], document["text"][start:end]
        for relation in gold["relations"]:
            subject_type, subject = names[relation["subject"][0], relation["subject"][1]]
            _, obj = names[relation["object"][0], relation["object"][1]]
            facts.add((relation["predicate"], subject, obj))
            seen[subject_type, obj][relation["predicate"]] += 1
    habits = {}
    for key, counts in sorted(seen.items()):
        relation_name, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
        habits[key] = relation_name, count / counts.total()
    return Memory(frozenset(facts), habits)


def extract(documents: Sequence[Document], memory: Memory) -> list[Extraction]:
    """Say what is remembered of the names that meet in a sentence."""
    return extract_each(documents, lambda sentence: _claims(sentence, memory))


def _claims(sentence: Sentence, memory: Memory) -> Iterator[Claim]:
    for pair in pairs(sentence, reach=REACH):
        for relation, subject, obj in pair.choices:
            told = {(relation, subject.name, obj.name)}
            if ONTOLOGY.relations_by_name[relation].is_symmetric:
                told.add((relation, obj.name, subject.name))
            habit, share = memory.habits.get((subject.type, obj.name), ("", 0.0))
            if told & memory.facts:
                yield Claim(relation, subject, obj, 0.95)
            elif habit == relation and obj.type != "PER":
                yield Claim(relation, subject, obj, round(0.6 * share, 4))
