"""The relation interface, without its pages."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotations.kinds.registry import read_claim_question
from annotations.kinds.relation import RelationQuestion
from annotations.models import Question
from annotations.templatetags.languages import words_of
from crowd.interfaces.interface import AskedKind, Interface, Queue, Teaching
from crowd.interfaces.offers import WorkOffer
from crowd.interfaces.relation import CANONICAL, NAME, RELATION, companions, shown, simulated
from crowd.interfaces.relation.price import RelationPrice
from crowd.interfaces.relation.tutorial import tutorial
from kbpo_formats.spans import Span


def _mentions(kind: str, payload: Mapping[str, Any]) -> tuple[Span, ...]:
    """Return both mentions of a pair, and of a canonical question the one that it is about."""
    asked = read_claim_question(kind, payload)
    return asked.spans if isinstance(asked, RelationQuestion) else (asked.mention,)


def _summary(question: Question) -> SafeString:
    asked, document = read_claim_question(question.kind, question.payload), question.document

    def words(span: Span) -> SafeString:
        return words_of(document.text[slice(*span)], document.corpus)

    if isinstance(asked, RelationQuestion):
        return format_html_join(" and ", "{}", ((words(span),) for span in asked.spans))
    return format_html("whether {} is called {}", words(asked.mention), words(asked.canonical))


INTERFACE = Interface(
    name=NAME,
    asks=(
        # 20 s a relation question: Chaganty et al. 2017
        AskedKind(name=RELATION, plural="relations", seconds=20.0),
        AskedKind(name=CANONICAL, plural="full names", seconds=5.0, is_companion=True),
    ),
    title="Relations",
    description="relations between two mentions",
    offer=WorkOffer(
        title="How are two names related in a text?",
        description="Read a short passage and say how two marked names are related, if at all.",
        keywords="text, reading, relations, language",
        duration=timedelta(minutes=5),
    ),
    teaching=Teaching(
        title="Learn to say how two names are related in a text (10 questions, with a bonus)",
        keywords="tutorial, text, reading, relations",
        tutorial=tutorial,
    ),
    price=RelationPrice(RELATION),
    queue=Queue(held_for=timedelta(minutes=15), companions=companions.companions, choose=companions.choose),
    mentions=_mentions,
    summary=_summary,
    words_shown=shown.words_shown,
    given=shown.given,
    is_sampled=True,
    simulated=simulated,
)
