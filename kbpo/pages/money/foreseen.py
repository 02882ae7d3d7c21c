"""What judging a submission would take, with what that costs, as programs are told it."""

from collections.abc import Mapping
from typing import Any

from evaluation.design import forecast
from evaluation.models import Submission
from evaluation.registry import task_of
from kbpo.core.errors import Conflict
from kbpo.pages.money import costs


def forecast_of(submission: Submission) -> Mapping[str, Any]:
    """Return what judging a submission would take.

    Raises
    ------
    Conflict
        If it is not accepted, or nothing can be foreseen yet.
    """
    found = None
    if submission.state == Submission.State.ACCEPTED:
        found = forecast.forecast(submission, task_of(submission.corpus))
    if found is None:
        raise Conflict(
            f"{submission} is {submission.state}, or is not prepared: a forecast is made of what is accepted,"
            " before it is sampled"
        )

    def cents(questions: Mapping[str, float]) -> int | None:
        price = costs.expected(submission, questions)
        return None if price is None else price.cents

    return {
        **{name: getattr(found, name) for name in ("units", "known", "covered", "judged", "half_width")},
        "level": found.level,
        "questions": found.all_questions,
        "cents": cents(found.questions),
        "limit": found.limit_words,
        "ways": [
            {
                **{
                    name: getattr(one, name)
                    for name in ("name", "label", "words", "judged", "judgements", "half_width", "is_reached")
                },
                "is_taken": one.is_taken,
                "efficiency": one.efficiency,
                "cents": cents(one.questions),
            }
            for one in found.alternatives
        ],
    }
