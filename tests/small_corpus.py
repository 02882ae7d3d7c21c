"""Small corpora under any ontology: texts, what is true in them, and files of what systems claim."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kbpo_formats.ontologies.ontology import Ontology

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


def mentions(**of_type: Iterable[str]) -> dict[str, tuple[str, str]]:
    return {words: (kind, words) for kind, all_words in of_type.items() for words in all_words}


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_corpus(path: Path, texts: Sequence[Text]) -> Path:
    return write_lines(path, ({"doc_id": one.doc_id, "text": one.text} for one in texts))


def write_gold(path: Path, texts: Sequence[Text]) -> Path:
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
            for one in texts
        ),
    )


def knowledge_base(
    name: str,
    texts: Sequence[Text],
    ontology: Ontology,
    claims: Iterable[tuple[Text, Fact]],
    *,
    by_inverses: bool = False,
) -> str:
    """Write claims in the format of TAC KBP, by their relations or, where these have any, their inverses."""
    lines = [name]
    for text in texts:
        for words, (kind, named) in text.mentions.items():
            if ontology.types_by_name[kind].is_entity:
                node = _node(text, named)
                if words == named:
                    lines += [f"{node}\ttype\t{kind}", f"{node}\tcanonical_mention\t{_said(text, words)}"]
                lines.append(f"{node}\tmention\t{_said(text, words)}")
    for text, (predicate, subject, object_) in claims:
        kind, named = text.mentions[object_]
        node = _node(text, text.mentions[subject][1])
        places = f"{_place(text, subject)},{_place(text, object_)}"
        inverse = ontology.predicates_by_name[predicate].inverse_for(kind) if by_inverses else None
        if not ontology.types_by_name[kind].is_entity:
            places = f"{_place(text, object_)},{_place(text, subject)}"
            lines.append(f'{node}\t{predicate}\t"{object_}"\t{places}\t0.9')
        elif inverse is not None:
            lines.append(f"{_node(text, named)}\t{inverse}\t{node}\t{places}\t0.7")
        else:
            lines.append(f"{node}\t{predicate}\t{_node(text, named)}\t{places}\t0.8")
    return "\n".join(lines) + "\n"


def right_and_wrong(
    texts: Sequence[Text],
) -> tuple[list[tuple[Text, Fact]], list[tuple[Text, Fact]]]:
    return (
        [(text, fact) for text in texts for fact in text.true],
        [(text, fact) for text in texts for fact in text.wrong],
    )


def _node(text: Text, words: str) -> str:
    return ":" + re.sub(r"\W", "_", f"{text.doc_id}_{words}")


def _place(text: Text, words: str) -> str:
    start, end = text.span(words)
    return f"{text.doc_id}:{start}-{end - 1}"


def _said(text: Text, words: str) -> str:
    return f'"{words}"\t{_place(text, words)}'
