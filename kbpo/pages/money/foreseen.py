"""What judging a submission would take, with what that costs, as programs are told it."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from evaluation.design import forecast
from evaluation.design.forecast import two_digits
from evaluation.models import Submission
from evaluation.registry import task_of
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict
from kbpo.pages.money import costs

DAY = timedelta(days=1)


def forecast_of(submission: Submission, *, viewer: User | None, now: datetime) -> Mapping[str, Any]:
    """Return what judging a submission would take.

    Parameters
    ----------
    viewer : User or None
        Who asks; None at the command line. Operators are told the details, and exact figures.

    Raises
    ------
    Conflict
        If it is not accepted, has too few units to say anything to its team, or nothing can be foreseen yet.
    TooMany
        If its team asks for too many forecasts.
    """
    if submission.state != Submission.State.ACCEPTED:
        raise Conflict(
            f"{submission} is {submission.state}: a forecast is made of an accepted one, before it is sampled"
        )
    task = task_of(submission.corpus)
    if viewer is None or viewer.is_operator:
        found = forecast.forecast(submission, task)
        if found is None:
            raise Conflict(f"{submission} is not prepared yet: ask again in a minute")
        return {
            "labels": found.judged,
            **_days_and_cents(submission, found.questions, found.all_questions, now, of_public=False),
            **{name: getattr(found, name) for name in ("half_width", "level")},
            "details": {
                **{name: getattr(found, name) for name in ("units", "known", "covered")},
                "questions": found.all_questions,
                "limit": found.limit_words,
                "ways": [
                    {
                        **{name: getattr(one, name) for name in _OF_WAY},
                        "cents": _cents(submission, one.questions),
                    }
                    for one in found.alternatives
                ],
            },
        }
    for_team = forecast.forecast_for_team(submission, task, asked_by=viewer, now=now)
    if for_team is None:
        raise Conflict(
            f"nothing is foreseen for {submission}: it is not prepared yet, or has fewer than"
            f" {forecast.FEWEST_UNITS} {task.choices.units}"
        )
    every = sum(for_team.questions.values())
    of_questions = _days_and_cents(submission, for_team.questions, every, now, of_public=True)
    return {
        "labels": for_team.labels,
        **{name: None if value is None else two_digits(value) for name, value in of_questions.items()},
        **{name: getattr(for_team, name) for name in ("half_width", "level")},
        "details": None,
    }


_OF_WAY = (
    *("name", "label", "words", "judged", "judgements", "half_width", "is_reached", "is_taken"),
    "efficiency",
)


def _days_and_cents(
    submission: Submission, questions: Mapping[str, float], every: float, now: datetime, *, of_public: bool
) -> dict[str, float | None]:
    left = forecast.time_to_judge(every, now, of_public=of_public)
    return {"days": None if left is None else left / DAY, "cents": _cents(submission, questions)}


def _cents(submission: Submission, questions: Mapping[str, float]) -> int | None:
    price = costs.expected(submission, questions)
    return None if price is None else price.cents
