"""A document that anybody may mark for a trial, and how what was marked compares with what is right. Pure."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from annotations.kinds.entities import EntitiesQuestion
from annotations.texts.passages import Passage
from annotations.texts.records import MentionRecord
from kbpo_formats.ontologies.builtin import read_builtin
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

ONTOLOGY = "tac-kbp@1"
_FILE = Path(__file__).with_name("trial.toml")
_MARKED = re.compile(r"\[([^|\]]+)\|([^|\]]+)\|([^\]]+)\]")
_TOKEN = re.compile(r"\w+(?:[’'-]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Trial:
    """The document, and what is right in it.

    Attributes
    ----------
    title : str
    passage : Passage
    ontology : Ontology
    mentions : tuple of MentionRecord
        In the order of the text.
    """

    title: str
    passage: Passage
    ontology: Ontology
    mentions: tuple[MentionRecord, ...]

    @property
    def asked(self) -> EntitiesQuestion:
        """Return the question that reads what was marked."""
        return EntitiesQuestion(self.passage, self.ontology)


@dataclass(frozen=True, slots=True)
class Compared:
    """A mention that is right or was marked.

    Attributes
    ----------
    words : str
    right : str
        What it is, for people; empty where it is no mention.
    given : str
        What it was marked as; empty where it was not.
    """

    words: str
    right: str
    given: str

    @property
    def is_right(self) -> bool:
        """Say whether it was marked as what it is."""
        return self.right == self.given


@cache
def read_trial() -> Trial:
    """Return the document."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    text, sentences, found = "", [], []
    for marked in data["sentences"]:
        start = len(text) + bool(text)
        text += " " if text else ""
        end = 0
        for one in _MARKED.finditer(marked):
            text += marked[end : one.start()]
            found.append((Span(len(text), len(text) + len(one[1])), one[2], one[3]))
            text += one[1]
            end = one.end()
        text += marked[end:]
        sentences.append([Span(*token.span()) for token in _TOKEN.finditer(text, start)])
    full: dict[str, Span] = {}
    for span, _, entity in found:
        if text[span.start : span.end] == data["full_names"][entity]:
            full.setdefault(entity, span)
    mentions = tuple(MentionRecord(span, kind, full[entity]) for span, kind, entity in found)
    return Trial(data["title"], Passage(text, sentences), read_builtin(ONTOLOGY), mentions)


def compare(trial: Trial, answer: Mapping[str, Any]) -> list[Compared]:
    """Put what was marked beside what is right, in the order of the text.

    Parameters
    ----------
    trial : Trial
    answer : mapping
        In the normal form of its kind.
    """
    right = {one.span: one for one in trial.mentions}
    given = {one.span: one for one in trial.asked.mentions(answer)}
    return [
        Compared(trial.passage.words(span), _words(trial, right.get(span)), _words(trial, given.get(span)))
        for span in sorted({*right, *given})
    ]


def _words(trial: Trial, mention: MentionRecord | None) -> str:
    """Say what a mention is, in a few words: its type, and whom or what it means if it does not say so."""
    if mention is None:
        return ""
    kind = trial.ontology.find_type(mention.type).word
    words, name = trial.passage.words(mention.span), trial.passage.words(mention.canonical)
    return kind if words == name else f"{kind}, {name}"


def is_all_right(compared: Sequence[Compared]) -> bool:
    """Say whether everything was marked as what it is, and nothing else."""
    return all(one.is_right for one in compared)
