"""That a system is scored for the first time: what it scored, on how many labels, and what it cost."""

from collections.abc import Iterator
from typing import Any

from evaluation.choices import Choices
from evaluation.design.prices import Source
from evaluation.models import Submission
from evaluation.scoring import finegrained
from evaluation.scoring.stored import Measure, StoredScore, newest_scores, shown_standard
from evaluation.submissions import notices
from kbpo.accounts.mails import kinds
from kbpo.webhooks import events


def tell_scored(submission: Submission, *, choices: Choices, prices: Source | None = None) -> None:
    """Tell that a submission is scored, unless it was before: not each time its scores are computed anew.

    Call it in the transaction that stores the scores and moves the submission.

    Parameters
    ----------
    submission : Submission
    choices : Choices
        Its task's.
    prices : Source, optional
        Knows what was paid for judging it.
    """
    if submission.events.filter(state=Submission.State.SCORED).count() > 1:
        return
    corpus = submission.corpus
    found = newest_scores(
        choices,
        submission=submission,
        part=choices.part,
        weighting=choices.default_weighting(corpus.design),
        estimator=choices.estimators_of[corpus.design][0],
        standard=shown_standard(corpus, choices),
        level=choices.level,
    )
    if not found:
        return  # of a part that nothing can be said of: its page says why
    [stored] = found
    cents = prices.paid([submission.pk]).get(submission.pk) if prices else None
    cost = finegrained.cost(submission, choices)
    notices.tell(
        submission,
        words="is scored",
        kind=kinds.SCORED,
        context={
            "measures": list(_lines(stored, choices)),
            "how": _how(stored, choices),
            "labels": stored.score.labels,
            "rank": stored.score.rank,
            "cost": cost,
            "units": choices.units,
            "paid": f"${cents / 100:,.2f}" if cents else "",
        },
        event=events.SCORED,
        data={"numbers": _numbers(stored, cost, cents)},
    )


def _lines(stored: StoredScore, choices: Choices) -> Iterator[str]:
    for name, measure in stored.measures.items():
        words = _line(choices.measures[name], measure)
        yield f"{words[0].upper()}{words[1:]}"


def _line(name: str, measure: Measure) -> str:
    if measure.estimate is None:
        return f"{name}: not known, {measure.reason}"
    words = f"{name} {100 * measure.estimate:.1f}%"
    if measure.low is None or measure.high is None:
        return words
    return f"{words} ({100 * measure.low:.1f} to {100 * measure.high:.1f})"


def _how(stored: StoredScore, choices: Choices) -> str:
    score = stored.score
    return (
        f"Of {choices.parts[score.part].name}, {choices.weightings[score.weighting]}, with {score.level}%"
        f" intervals; {choices.standards[score.standard]}"
    )


def _numbers(stored: StoredScore, cost: finegrained.Cost | None, cents: int | None) -> dict[str, Any]:
    score = stored.score
    return {
        "part": score.part,
        "weighting": score.weighting,
        "standard": score.standard,
        "level": score.level,
        "measures": {
            name: {"estimate": one.estimate, "low": one.low, "high": one.high}
            for name, one in stored.measures.items()
        },
        "labels": score.labels,
        "rank": score.rank,
        "sampled": {"all": cost.all, "reused": cost.reused, "published": cost.published, "new": cost.new}
        if cost
        else None,
        "paid_cents": cents,
    }
