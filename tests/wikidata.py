"""A small corpus under the example of Wikidata: texts, what is true in them, and two systems."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.ontologies import DOCS, WIKIDATA

TOML = DOCS / "wikidata.toml"

Fact = tuple[str, str, str]  # relation, subject and object by their words


@dataclass(frozen=True)
class Text:
    """A text, in which all words that are mentioned stand once, or are meant where they stand first.

    `mentions` has the type of each, and whom it stands for where that is said by other words.
    """

    doc_id: str
    text: str
    mentions: dict[str, tuple[str, str]]
    true: Sequence[Fact]
    wrong: Sequence[Fact]

    def span(self, words: str) -> list[int]:
        start = self.text.index(words)
        return [start, start + len(words)]


def _mentions(**of_type: Iterable[str]) -> dict[str, tuple[str, str]]:
    return {words: (kind, words) for kind, all_words in of_type.items() for words in all_words}


TEXTS = (
    Text(
        "edda",
        "Edda Strand was born in Malmö in 1951, the child of Olle Strand, a baker. In 1984 she wrote"
        " The Salt Road in a winter.",
        _mentions(
            PERSON=["Edda Strand", "Olle Strand"], PLACE=["Malmö"], DATE=["1951"], WORK=["The Salt Road"]
        )
        | {"she": ("PERSON", "Edda Strand")},
        [
            ("P19", "Edda Strand", "Malmö"),
            ("P569", "Edda Strand", "1951"),
            ("P40", "Olle Strand", "Edda Strand"),
            ("P50", "The Salt Road", "she"),
        ],
        [("P40", "Edda Strand", "Olle Strand"), ("P19", "Olle Strand", "Malmö")],
    ),
    Text(
        "press",
        "Norrsken Press was founded in 1970 by Ida Falk. It belongs to Falk Holding, for which Nils Brandt"
        " worked.",
        _mentions(ORG=["Norrsken Press", "Falk Holding"], PERSON=["Ida Falk", "Nils Brandt"], DATE=["1970"])
        | {"It": ("ORG", "Norrsken Press")},
        [
            ("P571", "Norrsken Press", "1970"),
            ("P112", "Norrsken Press", "Ida Falk"),
            ("P749", "It", "Falk Holding"),
            ("P108", "Nils Brandt", "Falk Holding"),
        ],
        [("P112", "Falk Holding", "Ida Falk"), ("P108", "Ida Falk", "Norrsken Press")],
    ),
    Text(
        "town",
        "Malmö has 350,000 inhabitants. Ida Falk and Karl Falk, who are married, studied there, at Lund"
        " University.",
        _mentions(
            PLACE=["Malmö"], NUMBER=["350,000"], PERSON=["Ida Falk", "Karl Falk"], ORG=["Lund University"]
        ),
        [
            ("P1082", "Malmö", "350,000"),
            ("P26", "Ida Falk", "Karl Falk"),
            ("P69", "Ida Falk", "Lund University"),
            ("P69", "Karl Falk", "Lund University"),
        ],
        [("P3373", "Ida Falk", "Karl Falk"), ("P108", "Karl Falk", "Lund University")],
    ),
)


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_corpus(path: Path) -> Path:
    return write_lines(path, ({"doc_id": one.doc_id, "text": one.text} for one in TEXTS))


def write_gold(path: Path) -> Path:
    return write_lines(
        path,
        (
            {
                "doc_id": one.doc_id,
                "mentions": [
                    {"start": start, "end": end, "type": kind, "canonical": one.span(named), "link": None}
                    for (start, end), kind, named in sorted(
                        (one.span(words), kind, named) for words, (kind, named) in one.mentions.items()
                    )
                ],
                "relations": [
                    {"predicate": predicate, "subject": one.span(subject), "object": one.span(object_)}
                    for predicate, subject, object_ in one.true
                ],
            }
            for one in TEXTS
        ),
    )


def knowledge_base(name: str, claims: Iterable[tuple[Text, Fact]], *, by_inverses: bool = False) -> str:
    """Write claims in the format of TAC KBP, by their relations or, where these have any, their inverses."""
    lines = [name]
    for text in TEXTS:
        for words, (kind, named) in text.mentions.items():
            if WIKIDATA.types_by_name[kind].is_entity:
                node = _node(text, named)
                if words == named:
                    lines += [f"{node}\ttype\t{kind}", f"{node}\tcanonical_mention\t{_said(text, words)}"]
                lines.append(f"{node}\tmention\t{_said(text, words)}")
    for text, (predicate, subject, object_) in claims:
        kind, named = text.mentions[object_]
        node = _node(text, text.mentions[subject][1])
        places = f"{_place(text, subject)},{_place(text, object_)}"
        inverse = WIKIDATA.predicates_by_name[predicate].inverse_for(kind) if by_inverses else None
        if not WIKIDATA.types_by_name[kind].is_entity:
            places = f"{_place(text, object_)},{_place(text, subject)}"
            lines.append(f'{node}\t{predicate}\t"{object_}"\t{places}\t0.9')
        elif inverse is not None:
            lines.append(f"{_node(text, named)}\t{inverse}\t{node}\t{places}\t0.7")
        else:
            lines.append(f"{node}\t{predicate}\t{_node(text, named)}\t{places}\t0.8")
    return "\n".join(lines) + "\n"


def right_and_wrong() -> tuple[list[tuple[Text, Fact]], list[tuple[Text, Fact]]]:
    return (
        [(text, fact) for text in TEXTS for fact in text.true],
        [(text, fact) for text in TEXTS for fact in text.wrong],
    )


def _node(text: Text, words: str) -> str:
    return f":{text.doc_id}_{words.replace(' ', '_')}"


def _place(text: Text, words: str) -> str:
    start, end = text.span(words)
    return f"{text.doc_id}:{start}-{end - 1}"


def _said(text: Text, words: str) -> str:
    return f'"{words}"\t{_place(text, words)}'
