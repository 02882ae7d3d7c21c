"""What is kept about a person here: their answers, which stay when they go."""

from collections.abc import Mapping

from annotations.models import Response
from kbpo.accounts.models import User
from kbpo.accounts.personal.parts import Part, Rows

AT_ONCE = 500  # rows that are in memory


def _export(user: User) -> Mapping[str, Rows]:
    # Not which of them count: that would say what was asked only to learn of the worker.
    answers = Response.objects.filter(worker=user).order_by("pk")
    fields = ("question__document__corpus__tag", "question__document__doc_id", "question__kind")
    return {
        "answers": answers.values(*fields, "answer", "seconds", "is_expert", "answered_at").iterator(
            chunk_size=AT_ONCE
        )
    }


PART = Part("answers", _export)
