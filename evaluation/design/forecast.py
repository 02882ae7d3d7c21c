"""What judging a submission would take, before its claims are sampled.

Everything here is an expected value over the epoch's random numbers: which claims are sampled stays sealed.

Operators are told what the corpus' design makes of a submission (`forecast`). Its team is told less
(`forecast_for_team`): inclusion probabilities rest on systems that are not public and on labels that are
sealed, so a file of a few chosen claims would tell what these are. A team's forecast rests on public systems
alone, takes every label for as uncertain as one can be, is rounded, and is made of larger files only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Min
from numpy.typing import ArrayLike

from annotations.models import Corpus, Question
from evaluation.design import columns, designs, sampling
from evaluation.design.designs import Before
from evaluation.models import Epoch, SampleBatch, Submission
from evaluation.submissions.visibility import SAMPLED
from evaluation.task import Task
from evaluation.units import Alternative, FloatArray, Foreseen
from kbpo.accounts.models import User
from kbpo.core import rate_limits
from kbpo.core.database.coded import unpack, unpack_coded
from kbpo_estimators import coordinated, iid

PACE_WINDOW = timedelta(days=7)
SHORTEST = timedelta(hours=1)  # over which a pace is taken
ENOUGH = 10  # settled questions before a pace says anything
FEWEST_UNITS = 30  # of which a team is told what judging them would take
_NOTHING = "nothing"  # is said of a small file; kept like a forecast
KEPT = 3600  # seconds that a forecast is kept; another arrival in the epoch makes a new one


@dataclass(frozen=True, slots=True)
class Foretold:
    """What one way to judge a submission is expected to take.

    Attributes
    ----------
    name, label, words : str
    judged : float
        Units that must be judged for it.
    questions : mapping of str to float
        By kind.
    judgements : float
        That these take, second opinions among them.
    half_width : float
        What comes of it alone: the target, or the least that there is.
    is_reached, is_taken, is_bound : bool
        As `evaluation.units.Alternative` has them.
    efficiency : float or None
        How many judgements one is worth.
    """

    name: str
    label: str
    words: str
    judged: float
    questions: Mapping[str, float]
    judgements: float
    half_width: float
    is_reached: bool
    is_taken: bool
    is_bound: bool
    efficiency: float | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a sample of a submission's claims is expected to take.

    Attributes
    ----------
    units : int
        Claims in all.
    known : int
        Those whose verdict was published before the upload: they count exactly.
    covered : float
        Those that are judged already, or are being judged for others, `known` among them.
    judged : float
        Those that must be judged for this submission.
    questions : mapping of str to float
        That these make, by kind.
    audits : float
        How many of these are expected to be asked again.
    half_width, level : float
        What the sample aims at: this half-width of the interval of precision, at this level.
    alternatives : sequence of Foretold
        What other ways to judge it would take, and its own among them; empty where there is one way.
    limit_words : str
        What judges allow at best, for people.
    """

    units: int
    known: int
    covered: float
    judged: float
    questions: Mapping[str, float]
    audits: float
    half_width: float
    level: float
    alternatives: Sequence[Foretold] = ()
    limit_words: str = ""

    @property
    def all_questions(self) -> float:
        """Return how many questions these make, of every kind, audits included."""
        return sum(self.questions.values()) + self.audits


@dataclass(frozen=True, slots=True)
class TeamForecast:
    """The expected cost of judging a submission, as its team sees it.

    Attributes
    ----------
    labels : float
        Units that must be judged for it, to two significant digits.
    questions : mapping of str to float
        That these make, by kind, unrounded: for its price, and the time that it takes.
    half_width, level : float
        What the sample aims at: this half-width of the interval of precision, at this level.
    """

    labels: float
    questions: Mapping[str, float]
    half_width: float
    level: float


def forecast_for_team(
    submission: Submission, task: Task, *, asked_by: User, now: datetime
) -> TeamForecast | None:
    """Return what a team sees of the cost of judging its accepted submission; None if there is no forecast.

    Nothing is said of fewer than `FEWEST_UNITS` units.

    Raises
    ------
    TooMany
        If the account has asked for as many forecasts as it may in a day. One that is made already, and still
        kept, is not counted again.
    """
    epoch = Epoch.objects.filter(corpus=submission.corpus_id, released_at=None).first()
    if epoch is None or not task.is_prepared(submission):
        return None
    public = epoch.batches.filter(submission__is_public=True, submission__state__in=SAMPLED)
    batches = list(public.order_by("number").values_list("pk", flat=True))
    key = f"team-forecast.1.{submission.pk}.{epoch.pk}.{hash(tuple(batches))}"
    found: TeamForecast | str | None = cache.get(key)
    if found is None:
        rate_limits.require(rate_limits.FORECASTS, str(asked_by.pk), now=now)
        foreseen = task.foresee(submission, epoch, public)
        is_small = len(foreseen.p) < FEWEST_UNITS
        found = None if is_small else _forecast_for_team(submission, epoch, foreseen, batches, task)
        cache.set(key, _NOTHING if found is None else found, KEPT)
    return found if isinstance(found, TeamForecast) else None


def _forecast_for_team(
    submission: Submission, epoch: Epoch, foreseen: Foreseen, batches: Sequence[int], task: Task
) -> TeamForecast:
    corpus = submission.corpus
    target = coordinated.target_variance(corpus.target_half_width, corpus.target_level)
    before = _public_design(epoch, foreseen, batches, target, task)
    if corpus.design == Corpus.Design.COORDINATED:
        after = designs.arrive(
            epoch.growth,
            before=before,
            p=foreseen.p,
            known=foreseen.known,
            target_variance=target,
            most=task.label_variance,
        ).pi
    else:
        after = np.maximum(before.pi, chance_to_be_drawn(foreseen.p, iid.draws_needed(target)))
    start = np.where(foreseen.known, 1.0, before.pi)
    return TeamForecast(
        labels=two_digits(float((after - start).sum())),
        questions=_questions(foreseen, start, after),
        half_width=corpus.target_half_width,
        level=corpus.target_level,
    )


def _public_design(
    epoch: Epoch, foreseen: Foreseen, batches: Sequence[int], target: float, task: Task
) -> Before:
    """Return the design of a submission's units as public systems alone would have made it, with s² = ¼."""
    wanted = columns.Wanted.of(foreseen.ids)
    order = np.searchsorted(wanted.ids, foreseen.ids)
    if epoch.corpus.design != Corpus.Design.COORDINATED:
        return Before(np.zeros(order.size), np.zeros(order.size))
    if epoch.growth == designs.QUADRATIC:
        squares = np.zeros(wanted.ids.size)
        for kept in columns.read(batches, (columns.UNITS, columns.FLAT_TERM)):
            there, at = wanted.among(unpack(kept[columns.UNITS]))
            squares[at] += unpack_coded(kept[columns.FLAT_TERM]).column()[there] ** 2
        return Before(np.sqrt(np.minimum(1.0, squares))[order], squares[order])
    pi: dict[int, float] = {}
    for kept in columns.read(batches, (columns.UNITS, columns.weight(epoch.weighting))):
        ids = unpack(kept[columns.UNITS]).tolist()
        arrival = designs.arrive(
            epoch.growth,
            before=Before(np.array([pi.get(one, 0.0) for one in ids]), np.zeros(len(ids))),
            p=unpack_coded(kept[columns.weight(epoch.weighting)]).column(),
            known=np.zeros(len(ids), dtype=np.bool_),
            target_variance=target,
            most=task.label_variance,
        )
        pi.update(zip(ids, arrival.pi.tolist(), strict=True))
    now = np.array([pi.get(one, 0.0) for one in wanted.ids.tolist()])
    return Before(now[order], np.zeros(order.size))


def two_digits(value: float) -> float:
    """Round to two significant digits.

    Examples
    --------
    >>> two_digits(1234.0), two_digits(0.5678), two_digits(0.0)
    (1200.0, 0.57, 0.0)
    """
    return float(f"{value:.1e}")


def forecast(submission: Submission, task: Task) -> Forecast | None:
    """Say what judging an accepted submission would take now; None where there is nothing to say yet.

    What other systems claim at newly sampled units is not foreseen, nor are questions that another epoch has
    asked: both are few.
    """
    epoch = Epoch.objects.filter(corpus=submission.corpus_id, released_at=None).first()
    if epoch is None or not task.is_prepared(submission):
        return None
    arrivals = SampleBatch.objects.filter(epoch=epoch).count()
    key = f"forecast.6.{submission.pk}.{epoch.pk}.{arrivals}"
    found: Forecast | None = cache.get(key)
    if found is None:
        foreseen = task.foresee(submission, epoch, epoch.batches.all())
        if foreseen.ids.size:
            found = _forecast(submission, epoch, foreseen, task, arrivals)
            cache.set(key, found, KEPT)
    return found


def _forecast(
    submission: Submission, epoch: Epoch, foreseen: Foreseen, task: Task, arrivals: int
) -> Forecast:
    corpus = submission.corpus
    before, after = _grown(submission, epoch, foreseen, task, arrivals)
    ways = [] if task.alternatives is None else task.alternatives(submission, epoch, foreseen.ids.size)
    questions = _questions(foreseen, before, after)
    return Forecast(
        units=len(foreseen.p),
        known=int(foreseen.known.sum()),
        covered=float(before.sum()),
        judged=float((after - before).sum()),
        questions=questions,
        audits=corpus.audit_share * sum(questions.values()),
        half_width=corpus.target_half_width,
        level=corpus.target_level,
        alternatives=[_foretell(one, submission, epoch, foreseen, task, arrivals) for one in ways],
        limit_words=task.limit_words(submission, epoch, foreseen.ids.size),
    )


def _foretell(
    way: Alternative, submission: Submission, epoch: Epoch, foreseen: Foreseen, task: Task, arrivals: int
) -> Foretold:
    before, after = _grown(submission, epoch, foreseen, task, arrivals, way.variance)
    questions = _questions(foreseen, before, after)
    return Foretold(
        name=way.name,
        label=way.label,
        words=way.words,
        judged=float((after - before).sum()),
        questions=questions,
        judgements=way.votes * sum(questions.values()),
        half_width=way.share * submission.corpus.target_half_width,
        is_reached=way.is_reached,
        is_taken=way.is_taken,
        is_bound=way.is_bound,
        efficiency=way.efficiency,
    )


def _grown(
    submission: Submission,
    epoch: Epoch,
    foreseen: Foreseen,
    task: Task,
    arrivals: int,
    variance: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return each unit's π now and with the submission sampled, by its plan or by another variance."""
    corpus = submission.corpus
    target = coordinated.target_variance(corpus.target_half_width, corpus.target_level)
    p, known = foreseen.p, foreseen.known
    if corpus.design != Corpus.Design.COORDINATED:
        before = np.where(known, 1.0, 0.0)
        return before, np.maximum(before, chance_to_be_drawn(p, iid.draws_needed(target)))
    now = sampling.read_before(epoch, foreseen.ids)
    before = np.where(known, 1.0, now.pi)
    if variance is None and epoch.growth == designs.QUADRATIC and task.plan is not None:
        planned = task.plan(submission, epoch, foreseen.ids, number=arrivals + 1, foreseen=True)
        variance = None if planned is None else planned.variance
    grown = designs.arrive(
        epoch.growth,
        before=now,
        p=p,
        known=known,
        target_variance=target,
        variance=variance,
        most=task.label_variance,
    )
    return before, grown.pi


def _questions(foreseen: Foreseen, before: FloatArray, after: FloatArray) -> dict[str, float]:
    """Return how many questions it makes that π grows, by kind."""
    questions = {}
    for groups in foreseen.questions:
        asked = np.where(groups.is_shared, before[groups.unit], 0.0)
        asked = np.where(foreseen.known[groups.unit], 1.0, asked)
        questions[groups.kind] = expected_questions(groups.group, asked, after[groups.unit])
    return questions


def expected_questions(groups: ArrayLike, before: ArrayLike, after: ArrayLike) -> float:
    """Return how many groups are expected to have their first sampled member because π grows.

    Parameters
    ----------
    groups : int[n]
        Which group, from 0, each instance belongs to: those that one question settles.
    before, after : float[n]
        Each instance's inclusion probability now and then; instances are sampled independently.

    Examples
    --------
    Two instances share a question, and each is to be sampled with probability ½:

    >>> expected_questions([0, 0], [0.0, 0.0], [0.5, 0.5])
    0.75
    """
    members = np.asarray(groups, dtype=np.int64)
    if not members.size:
        return 0.0
    size = int(members.max()) + 1

    def none_of(probabilities: ArrayLike) -> FloatArray:
        with np.errstate(divide="ignore"):
            logs = np.log1p(-np.asarray(probabilities, dtype=np.float64))
        return np.exp(np.bincount(members, logs, size))

    return float((none_of(before) - none_of(after)).sum())


def chance_to_be_drawn(p: FloatArray, draws: int) -> FloatArray:
    """Return the probability that each instance comes at least once in `draws` draws from p."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(draws * np.log1p(-p)), dtype=np.float64)


def time_to_judge(questions: float, now: datetime, *, of_public: bool = False) -> timedelta | None:
    """Return how long until that many more questions are settled, at the pace of the last days.

    Those that wait already come first; of these only those that public systems need, if told so. None where
    too few were settled to tell.
    """
    recent = Question.objects.filter(settled_at__gt=now - PACE_WINDOW, settled_at__lte=now).aggregate(
        n=Count("pk"), first=Min("settled_at")
    )
    if recent["n"] < ENOUGH:
        return None
    unsettled = Question.objects.exclude(state=Question.State.SETTLED)
    if of_public:
        unsettled = unsettled.filter(batches__submission__is_public=True).distinct()
    waiting = unsettled.count()
    elapsed: timedelta = max(now - recent["first"], SHORTEST)
    return (waiting + questions) * elapsed / int(recent["n"])
