"""The ranked systems of a corpus: reads only."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from annotations.models import Corpus
from evaluation.models import AdjustedScore, Score, Submission, SubsetScore
from evaluation.submissions.progress import count_settled
from evaluation.submissions.visibility import Viewer, visible
from kbpo.core.errors import InvalidInput

LEVELS = (80, 90, 95)
PARTS: Mapping[str, str] = MappingProxyType(
    {"all": "whole claims", "relation": "relations alone", "linking": "names alone"}
)
WEIGHTINGS: Mapping[str, str] = MappingProxyType(
    {
        "subject_relation": "entities and relations alike",
        "instance": "every claim alike",
        "subject": "every entity alike",
        "relation": "every relation alike",
    }
)
#: How claims are weighed under each design; the first is what the leaderboard shows.
WEIGHTINGS_OF: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"coordinated": WEIGHTINGS, "iid": {"subject_relation": WEIGHTINGS["subject_relation"]}}
)
#: How recall is estimated under each design; the first is what the leaderboard shows.
ESTIMATORS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"coordinated": ("documents", "labelled", "both"), "iid": ("joint", "simple")}
)
ESTIMATOR_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "documents": "from annotated documents",
        "labelled": "from judged claims",
        "both": "from documents and judged claims",
        "joint": "from all systems' samples",
        "simple": "from its own sample",
    }
)
State = Submission.State
SHOWN_STATES = (State.UPLOADED, State.ACCEPTED, State.JUDGING, State.SCORED)


@dataclass(frozen=True, slots=True)
class Measure:
    """An estimate with its interval, as fractions; all three None where it is not estimable.

    Attributes
    ----------
    estimate, low, high : float or None
    reason : str
        Why there is no estimate; empty where there is one.
    """

    estimate: float | None
    low: float | None
    high: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A system on the leaderboard.

    Attributes
    ----------
    rank : int or None
        Its tier: systems that the data cannot tell from the first of a rank share it. Stored with the scores,
        over all systems of the corpus, so a number is missing where a team hides the only one that has it.
        None where it is not ranked: `why` says the reason.
    submission : int
        The submission's key.
    team, name : str
    precision, recall, f1 : Measure
    labels : int or None
        Labelled instances of the system that the score rests on.
    date : datetime
        When it was uploaded.
    epoch : int or None
        The number of the epoch that its score belongs to.
    state : str
        The submission's state.
    is_public : bool
        False: only its team and the operators see the row.
    why : str
        Why it has no score or no rank, in words; empty for a ranked one.
    """

    rank: int | None
    submission: int
    team: str
    name: str
    precision: Measure
    recall: Measure
    f1: Measure
    labels: int | None
    date: datetime.datetime
    epoch: int | None
    state: str
    is_public: bool
    why: str

    @property
    def is_scored(self) -> bool:
        """Say whether there is a precision, be it ranked or not."""
        return self.precision.estimate is not None


def rows(
    corpus: Corpus,
    *,
    level: int = 95,
    part: str = "all",
    weighting: str = "subject_relation",
    estimator: str | None = None,
    viewer: Viewer = None,
) -> list[Row]:
    """Rank the systems of a corpus.

    Parameters
    ----------
    corpus : Corpus
    level : {80, 90, 95}
        Of the intervals, in per cent.
    part : {"all", "relation", "linking"}
    weighting : str
        One of `WEIGHTINGS`.
    estimator : str, optional
        How recall is estimated: one of `ESTIMATORS` for the corpus' design. By default the first.
    viewer : User, AnonymousUser or None
        None sees what everybody sees.

    Returns
    -------
    list of Row
        By F1 (for `linking`, which has none, by precision), then name; then those whose figure is not
        estimable; then the unscored. Withdrawn, refused and failed ones are left out. Ranks are of that
        figure too; rarely does one stand out of order (`estimators.comparison.tiers`). A system's score is
        the newest: that of the highest batch of its epoch.

    Raises
    ------
    InvalidInput
        An argument is none of those named above, or the estimator belongs to the other design.
    """
    estimator = check_choice(corpus, level=level, part=part, weighting=weighting, estimator=estimator)
    submissions = list(
        visible(viewer).filter(corpus=corpus, state__in=SHOWN_STATES).select_related("team", "batch__epoch")
    )
    newest = (
        Score.objects.filter(
            submission__in=[submission.pk for submission in submissions],
            level=level,
            part=part,
            weighting=weighting,
            estimator=estimator,
        )
        .select_related("epoch")
        .order_by("submission_id", "-epoch__number", "-batch__number")
        .distinct("submission_id")
    )
    scores = {score.submission_id: score for score in newest}
    judging = count_settled([one.pk for one in submissions if one.state == State.JUDGING])
    found = [_row(one, scores.get(one.pk), judging.get(one.pk, (0, 0))) for one in submissions]
    return _in_order(found, part)


def check_choice(corpus: Corpus, *, level: int, part: str, weighting: str, estimator: str | None) -> str:
    """Validate what is to be shown, and return the estimator that this means.

    Raises
    ------
    InvalidInput
        Naming the argument, its value and what would be right.
    """
    for name, value, admitted in (
        ("level", level, LEVELS),
        ("part", part, tuple(PARTS)),
        ("weighting", weighting, tuple(WEIGHTINGS)),
    ):
        if value not in admitted:
            known = ", ".join(str(one) for one in admitted)
            raise InvalidInput(f"{value!r} is none of {known}.", where=name)
    fitting = ESTIMATORS[corpus.design]
    if estimator is None:
        return fitting[0]
    if estimator not in fitting:
        message = f"{estimator!r} is not for the design {corpus.design!r}: choose {' or '.join(fitting)}."
        raise InvalidInput(message, where="estimator")
    return estimator


def measure(
    score: Score | AdjustedScore | SubsetScore, name: Literal["precision", "recall", "f1"]
) -> Measure:
    """Read one measure of a score, with the reason where it is not estimable."""
    estimate = getattr(score, name)
    reason = ""
    if estimate is None:
        if score.part == Score.Part.LINKING and name != "precision":
            reason = "names alone have a precision only"
        elif name == "precision":
            reason = "none of its claims is judged"
        else:
            reason = "too few true relations are known in the documents annotated in full"
    return Measure(estimate, getattr(score, f"{name}_low"), getattr(score, f"{name}_high"), reason)


def _row(submission: Submission, score: Score | None, judging: tuple[int, int]) -> Row:
    nothing = Measure(None, None, None, "not scored yet")
    why = ""
    if score is None:
        why = _why_unscored(submission, judging)
        precision = recall = f1 = nothing
    else:
        precision, recall, f1 = measure(score, "precision"), measure(score, "recall"), measure(score, "f1")
        why = (precision if score.part == Score.Part.LINKING else f1).reason
    return Row(
        rank=score.tier if score else None,
        submission=submission.pk,
        team=submission.team.name,
        name=submission.name,
        precision=precision,
        recall=recall,
        f1=f1,
        labels=score.labels if score else None,
        date=submission.uploaded_at,
        epoch=score.epoch.number if score else None,
        state=submission.state,
        is_public=submission.is_public,
        why=why,
    )


def _why_unscored(submission: Submission, judging: tuple[int, int]) -> str:
    settled, needed = judging
    if submission.state == State.UPLOADED:
        return "Its file is waiting to be read."
    if submission.state == State.ACCEPTED:
        if submission.go_ahead:
            return "Accepted; its claims are sampled as soon as its team's quota allows."
        return "Accepted; nobody judges it until its team says so."
    if submission.state == State.JUDGING and settled < needed:
        return f"People are judging it: {settled} of {needed} questions are settled."
    if submission.state == State.JUDGING:
        return "Every claim is judged; it is scored once the systems that came before it are judged too."
    return "It has no score of this kind."


def _in_order(found: Sequence[Row], part: str) -> list[Row]:
    def order(row: Row) -> tuple[int, float, str, int]:
        value = row.precision.estimate if part == Score.Part.LINKING else row.f1.estimate
        group = 0 if value is not None else 1 if row.is_scored else 2
        return (group, -(value or 0.0), row.name.casefold(), row.submission)

    return sorted(found, key=order)
