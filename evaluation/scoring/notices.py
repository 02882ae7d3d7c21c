"""That a system is scored for the first time: what it scored, on how many labels, and what it cost."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Count

from evaluation.choices import Choices
from evaluation.design.prices import Source
from evaluation.models import Submission, SubmissionEvent
from evaluation.scoring import finegrained
from evaluation.scoring.stored import Measure, StoredScore, newest_scores, shown_standard
from evaluation.submissions import notices
from kbpo.accounts.mails import kinds
from kbpo.webhooks import events


def tell_scored(submissions: Sequence[Submission], *, choices: Choices, prices: Source | None = None) -> None:
    """Tell that submissions are scored for the first time: not each time their scores are computed anew.

    Call it in the transaction that stores the scores and moves the submissions.

    Parameters
    ----------
    submissions : sequence of Submission
        Of one corpus.
    choices : Choices
        Its task's.
    prices : Source, optional
        Knows what was paid for judging them.
    """
    again = (
        SubmissionEvent.objects.filter(submission__in=submissions, state=Submission.State.SCORED)
        .values("submission")
        .annotate(times=Count("pk"))
        .filter(times__gt=1)
    )
    before = set(again.values_list("submission", flat=True))
    told = [one for one in submissions if one.pk not in before]
    if not told:
        return
    corpus = told[0].corpus
    newest = newest_scores(
        choices,
        submission__in=told,
        part=choices.part,
        weighting=choices.default_weighting(corpus.design),
        estimator=choices.estimators_of[corpus.design][0],
        standard=shown_standard(corpus, choices),
        level=choices.level,
    )
    scores = {one.score.submission_id: one for one in newest}
    costs = finegrained.costs([one for one in told if one.pk in scores], choices)
    cents = prices.paid(list(scores)) if prices else {}
    for submission in told:
        if submission.pk in scores:  # else of a part that nothing can be said of: its page says why
            pk = submission.pk
            _tell(submission, scores[pk], costs.get(pk), cents.get(pk), choices)


def _tell(
    submission: Submission,
    stored: StoredScore,
    cost: finegrained.Cost | None,
    cents: int | None,
    choices: Choices,
) -> None:
    notices.tell(
        submission,
        words="is scored",
        kind=kinds.SCORED,
        context={
            "measures": list(_lines(stored, choices)),
            "how": _how(stored, choices),
            "rests_on": list(_rests_on(stored, choices)),
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
        words = _line(choices.measures[name], measure, choices)
        yield f"{words[0].upper()}{words[1:]}"


def _line(name: str, measure: Measure, choices: Choices) -> str:
    if measure.estimate is None:
        return f"{name}: not known, {measure.reason}"

    def written(value: float) -> str:
        return f"{100 * value:.1f}" if choices.is_share else f"{value:.3f}"

    words = f"{name} {written(measure.estimate)}{'%' * choices.is_share}"
    if measure.low is None or measure.high is None:
        return words
    return f"{words} ({written(measure.low)} to {written(measure.high)})"


def _rests_on(stored: StoredScore, choices: Choices) -> Iterator[str]:
    if choices.labelled == "labels":
        yield f"Labels that it rests on: {stored.score.labels}"
    else:
        yield f"{choices.units.capitalize()} {choices.labelled}: {stored.score.labels}"
    for name, one in choices.counts.items():
        if (value := stored.counts[name]) is not None:
            yield f"{one.heading[0].upper()}{one.heading[1:]}: {value:g}"


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
        **stored.counts,
        "rank": score.rank,
        "sampled": {"all": cost.all, "reused": cost.reused, "published": cost.published, "new": cost.new}
        if cost
        else None,
        "paid_cents": cents,
    }
