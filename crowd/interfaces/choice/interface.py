"""The choice interface, without its pages."""

from datetime import timedelta

from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotations.models import Question
from annotations.templatetags.languages import words_of
from crowd.interfaces.choice import CHOICE, NAME, shown, simulated
from crowd.interfaces.choice.price import ChoicePrice
from crowd.interfaces.choice.tutorial import tutorial
from crowd.interfaces.interface import AskedKind, Interface, Queue, Teaching
from crowd.interfaces.offers import WorkOffer


def _summary(question: Question) -> SafeString:
    document = question.document
    return format_html("the class of {}", words_of(document.title or document.doc_id, document.corpus))


INTERFACE = Interface(
    name=NAME,
    asks=(AskedKind(name=CHOICE, plural="classes", seconds=15.0),),
    title="Classes",
    description="which class a text is of",
    offer=WorkOffer(
        title="Read a short text and say what kind of text it is",
        description="Read a text and choose the one of a few classes that fits it best.",
        keywords="text, reading, classes, language",
        duration=timedelta(minutes=5),
    ),
    teaching=Teaching(
        title="Learn to say what kind of text you read (10 questions, with a bonus)",
        keywords="tutorial, text, reading, classes",
        tutorial=lambda ontology: tutorial(),
        by_ontology=False,
    ),
    price=ChoicePrice(CHOICE),
    queue=Queue(held_for=timedelta(minutes=15)),
    summary=_summary,
    words_shown=shown.words_shown,
    given=shown.given,
    is_sampled=True,
    simulated=simulated,
)
