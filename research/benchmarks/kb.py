"""A knowledge base of any size, and the corpus that it is about: made up, but of the shape of real ones.

A document has some 2,500 characters, in which each of six entities is mentioned four to eight times; half of
the entities are in four documents each. Some relations are claimed in both directions.
"""

import json
import random
from dataclasses import dataclass
from pathlib import Path

TYPES = ("PER", "PER", "PER", "ORG", "ORG", "GPE")
SHARED = (1, 3, 5)  # these entities are in several documents
DOCUMENTS_OF_SHARED = 4
RELATIONS = (  # predicate, and the places of subject and object in `TYPES`
    ("per:employee_or_member_of", 0, 3),
    ("org:employees_or_members", 3, 0),
    ("per:schools_attended", 1, 4),
    ("per:city_of_birth", 0, 5),
    ("per:cities_of_residence", 1, 5),
    ("per:spouse", 0, 1),
    ("per:spouse", 1, 0),
    ("per:children", 2, 1),
    ("org:city_of_headquarters", 3, 5),
    ("org:subsidiaries", 3, 4),
    ("per:organizations_founded", 2, 4),
)
STEP = 70  # characters from one mention to the next
SYLLABLES = ("ka", "ri", "to", "ven", "del", "mo", "sha", "lin", "ber", "ost", "an", "gu", "ha", "ey")

Mention = tuple[str, int]  # name and start


@dataclass(frozen=True, slots=True)
class Files:
    """A knowledge base, its corpus in JSON Lines, and how large they are."""

    kb: Path
    corpus: Path
    claims: int
    documents: int


def write(folder: Path, claims: int, *, seed: int = 0) -> Files:
    """Write a knowledge base as JSON Lines of this many claims, or a few more."""
    rng = random.Random(seed)
    prose = " ".join(_word(rng) for _ in range(20_000))
    kb_path, corpus_path = folder / f"{claims}.kb.jsonl", folder / f"{claims}.jsonl"
    written = number = 0
    with kb_path.open("w") as kb, corpus_path.open("w") as corpus:
        while written < claims:
            text, mentions = _document(rng, prose, number)
            doc_id = f"DOC_{number:07}"
            corpus.write(json.dumps({"doc_id": doc_id, "text": text}) + "\n")
            for predicate, subject, object_ in RELATIONS:
                for _ in range(2):
                    ends = [_end(rng, place, number, mentions[place]) for place in (subject, object_)]
                    claim = {"doc_id": doc_id, "predicate": predicate, "subject": ends[0], "object": ends[1]}
                    kb.write(json.dumps({**claim, "confidence": round(rng.uniform(0.05, 1), 4)}) + "\n")
                    written += 1
            number += 1
    return Files(kb_path, corpus_path, written, number)


def _end(rng: random.Random, place: int, number: int, mentions: list[Mention]) -> dict[str, object]:
    (name, start), (first, canonical) = rng.choice(mentions), mentions[0]
    return {
        "start": start,
        "end": start + len(name),
        "type": TYPES[place],
        "canonical": {"start": canonical, "end": canonical + len(first)},
        "entity": _entity(place, number),
    }


def _entity(place: int, number: int) -> str:
    return f"E{place}_{number // DOCUMENTS_OF_SHARED if place in SHARED else number:07}"


def _word(rng: random.Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=rng.randint(1, 3)))


def _document(rng: random.Random, prose: str, number: int) -> tuple[str, list[list[Mention]]]:
    """Return a text, and for each entity its mentions."""
    names = [_entity(place, number).replace("_", " ") for place in range(len(TYPES))]
    order = [place for place in range(len(TYPES)) for _ in range(rng.randint(4, 8))]
    rng.shuffle(order)
    mentions: list[list[Mention]] = [[] for _ in TYPES]
    parts = []
    length = 0
    for place in order:
        name = names[place]
        mentions[place].append((name, length))
        start = rng.randrange(len(prose) - STEP)
        filling = prose[start : start + STEP - len(name) - 2].strip()
        parts.append(f"{name} {filling} ")
        length += len(parts[-1])
    return "".join(parts), mentions
