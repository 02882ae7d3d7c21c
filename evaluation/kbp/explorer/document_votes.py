"""Where the people who marked a document differed, and what became of it: reads only."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from annotations.aggregation.tokens import Marked, Outcome, SettledMention, Tally
from annotations.kinds import entities
from annotations.marked import page_name, words_of
from annotations.models import Document, DocumentAnnotation, Question
from evaluation.kbp.explorer.document_claims import Annotation
from evaluation.submissions.visibility import Viewer, is_operator
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

SHOWN = 100  # words on which people differ
LONGEST = 80  # characters of them that are shown
Choice = TypeVar("Choice")


@dataclass(frozen=True, slots=True)
class Difference:
    """Words on which not all say the same.

    Attributes
    ----------
    span : Span
    words, type_name : str
    is_mention : bool
        Whether they are one by the votes.
    notes : tuple of str
        What was said, by how many.
    """

    span: Span
    words: str
    type_name: str
    is_mention: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Votes:
    """How far those agree who marked a document.

    Attributes
    ----------
    voters : int
    mentions : int
        By their votes.
    alike : int
        Those of which all say the same.
    differences : tuple of Difference
        In the order of the text, the first `SHOWN`.
    more : int
        How many others there are.
    """

    voters: int
    mentions: int
    alike: int
    differences: tuple[Difference, ...]
    more: int


def read_votes(
    document: Document, annotation: Annotation | None, viewer: Viewer, ontology: Ontology
) -> Votes | None:
    """Read how far people agree on a document's mentions.

    Returns
    -------
    Votes or None
        None where fewer than two voted, experts speak instead, or the viewer may not see it: for others than
        operators the votes must be published, and not the annotation alone.
    """
    if annotation is None or annotation.row.source != DocumentAnnotation.Source.CROWD:
        return None
    asked = Question.objects.filter(document=document, kind=entities.NAME)
    if not is_operator(viewer):
        asked = asked.filter(published_at__isnull=False)
    question = asked.select_related("document").first()
    outcome = entities.outcome(question) if question is not None else None
    if outcome is None or outcome.voters < 2:
        return None
    differences = sorted(_differences(document.text, outcome, ontology), key=lambda one: one.span)
    return Votes(
        outcome.voters,
        len(outcome.mentions),
        len(outcome.mentions) - len(outcome.disputed),
        tuple(differences[:SHOWN]),
        len(differences[SHOWN:]),
    )


def _differences(text: str, outcome: Outcome, ontology: Ontology) -> Iterator[Difference]:
    for mention in outcome.disputed:
        record = mention.record
        yield Difference(
            record.span,
            _words(text, record.span),
            ontology.types_by_name[record.type].word,
            True,
            tuple(_notes(text, mention, outcome.voters)),
        )
    for found, what in ((outcome.rejected, "marked so"), (outcome.ties, "in a mention of this type")):
        yield from _left_out(text, found, what, outcome.voters, ontology)


def _notes(text: str, mention: SettledMention, voters: int) -> Iterator[str]:
    if mention.votes < voters:
        yield f"marked so by {mention.votes} of {voters}"
    if not mention.canonical.is_unanimous:
        yield f"stands for {_said(mention.canonical, lambda span: f'“{_words(text, span)}”')}"
    if not mention.link.is_unanimous:
        yield f"linked to {_said(mention.link, lambda link: page_name(link) or 'nothing')}"


def _left_out(
    text: str, found: Iterable[Marked], what: str, voters: int, ontology: Ontology
) -> Iterator[Difference]:
    for span, kind, votes in found:
        note = f"{what} by {votes} of {voters}"
        word = ontology.types_by_name[kind].word
        yield Difference(span, _words(text, span), word, False, (note,))


def _said(tally: Tally[Choice], words: Callable[[Choice], str]) -> str:
    said = ", ".join(f"{words(choice)} ({votes})" for choice, votes in tally.votes)
    return f"{said}: a tie" if tally.is_tie else said


def _words(text: str, span: Span) -> str:
    words = words_of(text, span)
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
