"""The quality interface, without its pages."""

from datetime import timedelta

from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotations.models import Question
from annotations.templatetags.languages import words_of
from crowd.interfaces.interface import AskedKind, Interface, Queue, Teaching, in_a_line
from crowd.interfaces.offers import WorkOffer
from crowd.interfaces.price import LengthPrice, Unit
from crowd.interfaces.quality import NAME, QUALITY, shown, simulated
from crowd.interfaces.quality.tutorial import tutorial


def _summary(question: Question) -> SafeString:
    text = in_a_line(question.payload["text"])
    return format_html("how good this is: “{}”", words_of(text, question.document.corpus))


INTERFACE = Interface(
    name=NAME,
    # Of a word shown: 42 s a text of 53 words, by the median over 5,553 judgements (Chaganty et al. 2018).
    asks=(AskedKind(name=QUALITY, plural="texts that systems wrote", seconds=0.5),),
    title="Texts",
    description="how good a text is",
    offer=WorkOffer(
        title="Rate a short text and improve it",
        description="Read a paragraph, say how good it is in three ways, and correct what is wrong with it.",
        keywords="text, reading, rating, writing, editing, language",
        duration=timedelta(minutes=15),
    ),
    teaching=Teaching(
        title="Learn to rate short texts and to improve them (11 questions, with a bonus)",
        keywords="tutorial, text, reading, rating, editing",
        tutorial=lambda ontology: tutorial(),
        by_ontology=False,
    ),
    price=LengthPrice(QUALITY, Unit("1,000 words", "1,000 words of texts and questions"), {"prolific": 5}),
    queue=Queue(held_for=timedelta(minutes=30)),
    summary=_summary,
    words_shown=shown.words_shown,
    lengths=shown.lengths,
    bounds_shares=True,
    given=shown.given,
    is_sampled=True,
    simulated=simulated,
)
