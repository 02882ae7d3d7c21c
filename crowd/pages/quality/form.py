"""How questions for how good a text is are shown and read, wherever they are asked."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from annotations.kinds.quality import RATINGS, QualityQuestion
from annotations.models import Document
from crowd.interfaces.quality.page import build_page, read_answer
from crowd.interfaces.steps import Page
from crowd.pages.fields import Posted
from crowd.pages.text_form import StoredAnswer, TextForm

LONGEST_EDIT = 40_000  # characters: an edit that has more is not saved as one goes


def _build(
    document: Document,
    name: int,
    asked: QualityQuestion,
    posted: Posted,
    votes: Sequence[StoredAnswer] | None,
) -> Page:
    counted = (
        None
        if votes is None
        else {rating: Counter(str(vote[rating]) for vote in votes) for rating in RATINGS}
    )
    return build_page(name, asked, posted, counted)


def _read(name: int, asked: QualityQuestion, posted: Posted) -> dict[str, Any]:
    return read_answer(name, asked, posted)


FORM = TextForm(
    keys="crowd/quality/keys.html", build=_build, read=_read, shows_source=False, longest_field=LONGEST_EDIT
)
