"""How questions for a class are shown and read, wherever they are asked."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from annotations.kinds.choice import ChoiceQuestion
from annotations.models import Document
from crowd.interfaces.choice.page import build_page, read_answer, ticked_value
from crowd.interfaces.steps import Page, StepOpen, field_name
from crowd.pages.fields import Posted
from crowd.pages.text_form import StoredAnswer, TextForm
from kbpo.core.errors import InvalidInput


def _build(
    document: Document, name: int, asked: ChoiceQuestion, posted: Posted, votes: Sequence[StoredAnswer] | None
) -> Page:
    counted = None if votes is None else Counter(ticked_value(asked, vote) for vote in votes)
    return build_page(document.text, name, asked, posted, counted)


def _read(name: int, asked: ChoiceQuestion, posted: Posted) -> dict[str, Any]:
    field = field_name(name)
    try:
        return read_answer(asked, posted.get(field, ()))
    except InvalidInput as error:
        raise StepOpen(str(error), step=field) from None


FORM = TextForm(keys="crowd/choice/keys.html", build=_build, read=_read)
