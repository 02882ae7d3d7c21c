"""An ontology of another shape than TAC's: two types of entities, one of strings; and a corpus under it."""

import json
from pathlib import Path
from typing import Any

from annotations import corpora, ontologies
from annotations.models import Corpus
from evaluation.design.loading import load_texts
from evaluation.registry import task_of
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.ontologies.reading import read_ontology
from kbpo_formats.spans import Span

TOML = """
name = "boats-2"
version = 3
title = "Boats and their crews"

[[types]]
name = "CREW"
word = "sailor"
kind = "entity"
key = "k"
guideline = "Whoever sails a boat, by name, and words that stand for one."

[[types]]
name = "BOAT_2"
word = "boat"
kind = "entity"
key = "b"
guideline = "Boats by their names, without what they are."

[[types]]
name = "RIG"
word = "rig"
kind = "string"
key = "i"
guideline = "What kind of boat one is by its sails: ketch, cutter."

[[relations]]
name = "crew:sails-on_1"
subject = "CREW"
objects = ["BOAT_2"]
label = "sails"
statement = "{subject} sails on {object}"
reverse = "{object} has {subject} on board"
guideline = "In any position, now or once."
inverse = "boat_2:Carries"

[[relations]]
name = "Sister-Ship"
subject = "BOAT_2"
objects = ["BOAT_2"]
label = "sister ship"
statement = "{subject} and {object} were built alike"
symmetric = true
guideline = "Built after the same drawings."

[[relations]]
name = "X__rigged-as"
subject = "BOAT_2"
objects = ["RIG"]
label = "rig"
statement = "{subject} is rigged as {object}"
reverse = "{object} is the rig of {subject}"
guideline = "As the text says that she sails now."

[[examples]]
text = "[Odd Lie|CREW] came home on the [Petrel|BOAT_2], which he had sailed for twenty years."
holds = ["crew:sails-on_1 1"]
explanation = "He sailed her for twenty years; that he is at home now changes nothing."

[[examples]]
text = "Nobody would have taken the [Skua|BOAT_2] for a twin of the [Dunlin|BOAT_2], and rightly so."
holds = []
explanation = "The text says that they are no twins, so they were not built alike."
practice = true

[[examples]]
text = "The old [Dunlin|BOAT_2] has been a [cutter|RIG] since her last refit, and is faster for it."
holds = ["X__rigged-as 1"]
explanation = "A cutter is what she is by her sails since the refit."
practice = true
"""

BOATS: Ontology = read_ontology(TOML.encode())

TEXT = "Ada Quill sails the Gull, a ketch. The Gull and the Tern are twins."
ADA, GULL, KETCH, GULL_AGAIN, TERN = (
    Span(TEXT.index(words), TEXT.index(words) + len(words))
    for words in ("Ada Quill", "Gull", "ketch", "Gull and", "Tern")
)
GULL_AGAIN = Span(GULL_AGAIN.start, GULL_AGAIN.start + 4)


def mention(span: Span, kind: str, canonical: Span | None = None) -> dict[str, Any]:
    return {**span._asdict(), "type": kind, "canonical": list(canonical or span), "link": None}


GOLD: dict[str, Any] = {
    "doc_id": "B1",
    "mentions": [
        mention(ADA, "CREW"),
        mention(GULL, "BOAT_2"),
        mention(KETCH, "RIG"),
        mention(GULL_AGAIN, "BOAT_2", GULL),
        mention(TERN, "BOAT_2"),
    ],
    "relations": [
        {"predicate": "crew:sails-on_1", "subject": list(ADA), "object": list(GULL)},
        {"predicate": "X__rigged-as", "subject": list(GULL), "object": list(KETCH)},
        {"predicate": "Sister-Ship", "subject": list(GULL_AGAIN), "object": list(TERN)},
    ],
}


def write(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def load_boats(folder: Path) -> Corpus:
    """Load the ontology, and a corpus of one text under it, as the commands do."""
    (folder / "boats.toml").write_text(TOML, encoding="utf-8")
    ontologies.load_ontology(path=folder / "boats.toml")
    text = {"doc_id": "B1", "title": "The twins", "text": TEXT, "suggestions": [mention(TERN, "BOAT_2")]}
    path = write(folder / "texts.jsonl", text)
    return load_texts(path=path, tag="boats", find_task=task_of, ontology="boats-2").corpus


def load_boats_gold(folder: Path, corpus: Corpus) -> Path:
    """Load what experts say of it; return the file."""
    path = write(folder / "gold.jsonl", GOLD)
    corpora.load_annotations(path=path, corpus=corpus)
    return path
