"""What an interface is: how people are asked some kinds of question, wherever that is.

Its pages stand in `crowd.pages.registry`, so that what plans and pays work needs no views.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any, Protocol

from django.db.models import QuerySet
from django.utils.safestring import SafeString

from annotations.models import Question
from annotations.texts.records import AnnotationRecord
from crowd.interfaces.given import GivenAnswer
from crowd.interfaces.offers import WorkOffer
from crowd.interfaces.price import Price
from crowd.lengths import of_documents
from crowd.tutorials.lesson import Tutorial
from kbpo.core.showable import visible
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

TUTORIAL_DESCRIPTION = "A tutorial with explained practice questions. Passing it opens our other work to you."
TUTORIAL_DURATION = timedelta(minutes=60)
SHORTENED = 60  # characters of a text, in a line


def in_a_line(words: str) -> str:
    """Return the beginning of what a question is about, as a summary says it."""
    text = visible(" ".join(words.split()))
    return f"{text[:SHORTENED]}…" if len(text) > SHORTENED else text


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedKind:
    """A kind of question that an interface asks.

    Attributes
    ----------
    name : str
        Of the kind, as `Question.kind` has it.
    plural : str
        What such questions are called in lists.
    seconds : float
        That one takes, or each token of its document if it is about all of that, where nothing was measured.
    is_companion : bool
        Whether it rides along with another question about its first mention.
    """

    name: str
    plural: str
    seconds: float
    is_companion: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Teaching:
    """How an interface is taught.

    Attributes
    ----------
    title, keywords : str
        Of the tutorial as work.
    tutorial : callable
        Returns the tutorial under an ontology.
    by_ontology : bool
        Whether it differs by the ontology: who has passed one tutorial has not passed the others then.
    """

    title: str
    keywords: str
    tutorial: Callable[[Ontology], Tutorial]
    by_ontology: bool = True

    @property
    def offer(self) -> WorkOffer:
        """Return the tutorial as work."""
        return WorkOffer(self.title, TUTORIAL_DESCRIPTION, self.keywords, TUTORIAL_DURATION)


def _alone(question: Question) -> QuerySet[Question]:
    """Select nothing: a question has its page for itself."""
    return Question.objects.none()


def _none(question: Question, free: Sequence[Question]) -> list[Question]:
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """How annotators on the site are given the questions.

    Attributes
    ----------
    held_for : timedelta
        How long somebody has for a question.
    companions : callable
        Selects what may be asked on the page of a question; nothing, where it is left out.
    choose : callable
        Of a question and of those companions that are free, returns what is asked beside it, in order.
    """

    held_for: timedelta
    companions: Callable[[Question], QuerySet[Question]] = _alone
    choose: Callable[[Question, Sequence[Question]], list[Question]] = _none


class Simulated(Protocol):
    """What simulated people answer. Pure."""

    def right(self, asked: Any, gold: AnnotationRecord) -> dict[str, object]:
        """Return the right answer to a question."""

    def given(self, asked: Any, gold: AnnotationRecord, error: float, rng: Random) -> dict[str, object]:
        """Return the answer of somebody who errs with a probability."""


def _about_no_mention(kind: str, payload: Mapping[str, Any]) -> tuple[Span, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """How people are asked some kinds of question.

    Attributes
    ----------
    name : str
        As `HitBatch.kind` has it.
    asks : tuple of AskedKind
        The main kind first.
    title : str
        At the desk.
    description : str
        What it asks, in lists.
    offer : WorkOffer
        Of work, for as much as the duration is for.
    teaching : Teaching or None
        None where it has no tutorial.
    price : Price
    queue : Queue
    mentions : callable
        Of a kind and a payload, the mentions that a question is about; none, where it is left out.
    summary : callable
        Of a question with its document and corpus, what it asks, in a line: as HTML, in which the document's
        words say their language.
    lengths : callable
        Of the ids of questions, how many words each has by which its price goes, if that goes by length:
        where nothing else is said, the tokens of its document.
    bounds_shares : bool
        Whether one person may give but a part of an epoch's judgements (`crowd.shares`).
    words_shown : callable
        Of questions that are asked together, how many words somebody must read to answer them.
    given : callable
        Of a kind, a payload and a stored answer, what the answer looks like.
    is_sampled : bool
        Whether submissions are judged by it: its answers narrow the intervals of their scores.
    simulated : Simulated
    """

    name: str
    asks: tuple[AskedKind, ...]
    title: str
    description: str
    offer: WorkOffer
    teaching: Teaching | None
    price: Price
    queue: Queue
    summary: Callable[[Question], SafeString]
    words_shown: Callable[[Sequence[Question]], int]
    given: Callable[[str, Mapping[str, Any], Mapping[str, Any]], GivenAnswer]
    is_sampled: bool
    simulated: Simulated
    mentions: Callable[[str, Mapping[str, Any]], tuple[Span, ...]] = _about_no_mention
    lengths: Callable[[Iterable[int]], Mapping[int, int]] = of_documents
    bounds_shares: bool = False

    @property
    def main(self) -> str:
        """Return the name of the kind of question that it is for."""
        return self.asks[0].name

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the names of the kinds of question that it asks."""
        return tuple(one.name for one in self.asks)
