"""The correctness interface, without its pages."""

from datetime import timedelta

from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotations.models import Question
from annotations.templatetags.languages import words_of
from crowd.interfaces.correctness import CORRECTNESS, NAME, shown, simulated
from crowd.interfaces.correctness.tutorial import tutorial
from crowd.interfaces.interface import AskedKind, Interface, Queue, Teaching, in_a_line
from crowd.interfaces.offers import WorkOffer
from crowd.interfaces.price import LengthPrice, Unit


def _summary(question: Question) -> SafeString:
    text = in_a_line(question.payload["answer"])
    return format_html("whether this answer is right: “{}”", words_of(text, question.document.corpus))


INTERFACE = Interface(
    name=NAME,
    # Of a word shown: 69 s an answer, by the median over 4,126 judgements (Chaganty et al. 2018), with 648
    # words of question and passages.
    asks=(AskedKind(name=CORRECTNESS, plural="answers that systems gave", seconds=0.1),),
    title="Answers",
    description="whether an answer is right",
    offer=WorkOffer(
        title="Say whether an answer is right, and highlight what shows it",
        description="Read a question, an answer and passages, and find what shows the answer right or wrong.",
        keywords="question, answer, reading, evidence, language",
        duration=timedelta(minutes=20),
    ),
    teaching=Teaching(
        title="Learn to say whether answers are right (8 questions, with a bonus)",
        keywords="tutorial, question, answer, reading, evidence",
        tutorial=lambda ontology: tutorial(),
        by_ontology=False,
    ),
    price=LengthPrice(
        CORRECTNESS, Unit("1,000 words", "1,000 words of answers, passages and questions"), {"prolific": 3}
    ),
    queue=Queue(held_for=timedelta(minutes=30)),
    summary=_summary,
    words_shown=shown.words_shown,
    lengths=shown.lengths,
    bounds_shares=True,
    given=shown.given,
    is_sampled=True,
    simulated=simulated,
)
