"""How questions for whether an answer is right are shown and read, wherever they are asked."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from annotations.kinds.correctness import CorrectnessQuestion
from annotations.models import Document
from crowd.interfaces.correctness.page import NO, VERDICTS, YES, build_page, read_answer
from crowd.interfaces.steps import Page
from crowd.pages.fields import Posted
from crowd.pages.text_form import StoredAnswer, TextForm


def _build(
    document: Document,
    name: int,
    asked: CorrectnessQuestion,
    posted: Posted,
    votes: Sequence[StoredAnswer] | None,
) -> Page:
    return build_page(name, asked, posted, None if votes is None else count_votes(votes))


def count_votes(votes: Sequence[StoredAnswer]) -> dict[str, Counter[str]]:
    """Count how often each value was chosen: whether it is plausible, and of each passage by its number."""
    values = {verdict: value for value, verdict in VERDICTS.items()}
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for vote in votes:
        counted["plausible"][YES if vote["plausible"] else NO] += 1
        for number, one in enumerate(vote["passages"], 1):
            counted[str(number)][values[one["verdict"]]] += 1
    return counted


def _read(name: int, asked: CorrectnessQuestion, posted: Posted) -> dict[str, Any]:
    return read_answer(name, asked, posted)


FORM = TextForm(keys="crowd/correctness/keys.html", build=_build, read=_read)
