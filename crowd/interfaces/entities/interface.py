"""The entity interface, without its pages."""

from datetime import timedelta

from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotations.models import Question
from annotations.templatetags.languages import words_of
from crowd.interfaces.entities import ENTITIES, NAME, shown, simulated
from crowd.interfaces.entities.price import DocumentPrice
from crowd.interfaces.entities.tutorial import tutorial
from crowd.interfaces.interface import AskedKind, Interface, Queue, Teaching
from crowd.interfaces.offers import WorkOffer


def _summary(question: Question) -> SafeString:
    return format_html("every name in {}", words_of(question.document.title, question.document.corpus))


INTERFACE = Interface(
    name=NAME,
    # 13 minutes a document of 1,000 tokens: Chaganty et al. 2017
    asks=(AskedKind(name=ENTITIES, plural="whole documents", seconds=0.78),),
    title="Documents",
    description="all mentions of a document",
    offer=WorkOffer(
        title="Mark every {types} in a text",
        description="Read a document, mark every name in it, and say which names mean the same.",
        keywords="text, reading, names, language",
        duration=timedelta(hours=2),
    ),
    teaching=Teaching(
        title="Learn to mark names in a text (10 questions, with a bonus)",
        keywords="tutorial, text, reading, names",
        tutorial=tutorial,
    ),
    price=DocumentPrice(ENTITIES),
    # each save starts the time anew
    queue=Queue(held_for=timedelta(hours=2)),
    summary=_summary,
    words_shown=shown.words_shown,
    given=shown.given,
    is_sampled=False,
    simulated=simulated,
)
