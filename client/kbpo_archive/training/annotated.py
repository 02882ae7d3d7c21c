"""Examples from documents that were annotated in full and are retired."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kbpo_archive.kbp import CROWD, EACH, MAJORITY
from kbpo_archive.keys import read_pair, relation_of, subject_of
from kbpo_archive.reading import NOTHING, Archive, Columns
from kbpo_archive.training.texts import Span, Text
from kbpo_estimators.document_samples import DocumentSample, SimpleRandom, TwoPhase

Example = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Annotated:
    """The retired documents of an archive.

    Attributes
    ----------
    archive : Archive
    texts : mapping of str to Text
        Of documents; none where somebody has none.
    """

    archive: Archive
    texts: Mapping[str, Text]

    @cached_property
    def table(self) -> Columns:
        """The documents."""
        return self.archive.table("documents") if self.archive.has("documents") else {"doc_id": []}

    def relations(self) -> Iterator[Example]:
        """Yield each document with the relations that hold in it."""
        found: dict[int, list[Example]] = defaultdict(list)
        if self.table["doc_id"]:
            for document, *values in _rows(self.archive, "true_relations", ("document", *_RELATION)):
                votes_for, votes = self._relation_votes.get((document, *values), (0, 0))
                said = {"votes_for": votes_for, "votes": votes}
                found[document].append({**dict(zip(_RELATION, values, strict=True)), **said})
        for document, doc_id in enumerate(self.table["doc_id"]):
            yield {
                **self._head("relations", doc_id),
                "relations": found[document],
                **self._of_document(document),
                "text": self._text(doc_id),
            }

    def coreference(self) -> Iterator[Example]:
        """Yield each document with its mentions, by entity."""
        for document, doc_id in enumerate(self.table["doc_id"]):
            numbers: dict[Span, int] = {}
            people, marked = self._mention_votes[document]
            yield {
                **self._head("coreference", doc_id),
                "mentions": [
                    {
                        "start": span[0],
                        "end": span[1],
                        "type": type_,
                        "entity": numbers.setdefault(name, len(numbers)),
                        "votes_for": marked[span, type_],
                    }
                    for span, type_, name, _ in self._mentions[document]
                ],
                "votes": len(people),
                **self._of_document(document),
                "text": self._text(doc_id),
            }

    def links(self) -> Iterator[Example]:
        """Yield each mention with what it is linked to."""
        for document, doc_id in enumerate(self.table["doc_id"]):
            text = self.texts.get(doc_id)
            for span, type_, name, link in self._mentions[document]:
                passage, start = (None, None) if text is None else text.passage(span)
                yield {
                    "id": f"{self._begin}-link-{doc_id}-{span[0]}-{span[1]}-{type_}",
                    "doc_id": doc_id,
                    "mention_start": span[0],
                    "mention_end": span[1],
                    "type": type_,
                    "mention_text": text and text.words(span),
                    "name_start": name[0],
                    "name_end": name[1],
                    "name_text": text and text.words(name),
                    "link": link,
                    **self._of_document(document),
                    "text": passage,
                    "text_start": start,
                }

    @cached_property
    def _begin(self) -> str:
        return f"{self.archive.manifest['corpus']['tag']}-{self.archive.manifest['epoch']}"

    def _head(self, what: str, doc_id: str) -> Example:
        return {"id": f"{self._begin}-{what}-{doc_id}", "doc_id": doc_id}

    def _text(self, doc_id: str) -> str | None:
        return self.texts[doc_id].text if doc_id in self.texts else None

    def _of_document(self, document: int) -> Example:
        return {"phase": int(self.table["phase"][document]), "weight": self._weights[document]}

    @cached_property
    def _weights(self) -> list[float] | list[None]:
        """How many documents each stands for: of those that are retired, drawn uniformly, N/n."""
        told, n = self.archive.manifest["documents"], len(self.table["doc_id"])
        if "population" not in told or (told["phases"] == 2 and told["told"] != EACH):
            return [None] * n
        if n < 2:
            return [float(told["population"])] * n
        sample: DocumentSample = SimpleRandom(told["population"])
        if told["phases"] == 2:
            first: Any = self.table["phase"] == 1
            sample = TwoPhase(first, self.table["probability"], told["population"], told["planned"])
        return np.asarray(sample.weights(n)).tolist()  # type: ignore[no-any-return]

    @cached_property
    def _mentions(self) -> Mapping[int, list[tuple[Span, str, Span, str]]]:
        found: dict[int, list[tuple[Span, str, Span, str]]] = defaultdict(list)
        if self.table["doc_id"]:
            names = ("document", "start", "end", "type", "canonical_start", "canonical_end", "link")
            for document, start, end, type_, first, last, link in _rows(self.archive, "mentions", names):
                found[document].append(((start, end), type_, (first, last), link))
        return found

    @cached_property
    def _by_experts(self) -> set[int]:
        """The documents that experts annotated."""
        return {document for document, by in enumerate(self.table.get("by", ())) if by != CROWD}

    @cached_property
    def _mention_votes(self) -> Mapping[int, tuple[set[str], Counter[tuple[Span, str]]]]:
        """By document, the people whose votes it follows from, and how many marked what; not of experts'."""
        found: dict[int, tuple[set[str], Counter[tuple[Span, str]]]] = defaultdict(lambda: (set(), Counter()))
        if self.archive.has("mention_votes"):
            names = ("document", "annotator", "expert", "counts", "start", "end", "type")
            rows = list(_rows(self.archive, "mention_votes", names))
            by_experts = {document for document, _, is_expert, *_ in rows if is_expert} | self._by_experts
            for document, annotator, _, is_vote, start, end, type_ in rows:
                if is_vote and document not in by_experts:
                    people, marked = found[document]
                    people.add(annotator)
                    if start != NOTHING:
                        marked[(start, end), type_] += 1
        return found

    @cached_property
    def _relation_votes(self) -> Mapping[tuple[Any, ...], tuple[int, int]]:
        """By document, relation, and where subject and object are: how many say it holds, of how many."""
        if not self.archive.has("document_questions"):
            return {}
        asked = dict(_rows(self.archive, "document_questions", ("question", "document")))
        keys = dict(_rows(self.archive, "questions", ("question", "key")))
        found = {}
        names = ("question", "claim", "votes_for", "votes", "source")
        for question, claim, votes_for, votes, source in _rows(self.archive, "labels", names):
            if question in asked and asked[question] not in self._by_experts and source == MAJORITY:
                places, subject = read_pair(keys[question]), subject_of(claim)
                sides = (*places[subject], *places[1 - subject])
                found[asked[question], relation_of(claim), *sides] = votes_for, votes
        return found


_RELATION = ("relation", "subject_start", "subject_end", "object_start", "object_end")


def _rows(archive: Archive, table: str, names: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    columns = archive.table(table)
    yield from zip(
        *(one if isinstance(one, list) else one.tolist() for one in (columns[name] for name in names)),
        strict=True,
    )
