"""How the submissions of somebody's teams stand, many at once: reads only.

The number of queries depends on how many corpora they are in, not on how many submissions there are.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from annotations.models import Corpus
from evaluation.models import Submission
from evaluation.scoring.stored import Measure, newest_scores, shown_standard
from evaluation.submissions import quota
from evaluation.submissions.progress import count_settled, heading, next_step
from evaluation.task import Task
from kbpo.core.errors import InvalidInput

State = Submission.State
#: What is said in a list, where the page of a submission says what is below it.
IN_LISTS: Mapping[str, str] = MappingProxyType(
    {
        State.REFUSED: "Nothing was judged, no quota used. Its page names what is wrong, line by line.",
        State.FAILED: "It was not your file's fault. Its page says why, and lets you try again.",
    }
)


@dataclass(frozen=True, slots=True)
class OwnScore:
    """The score of a submission that its corpus' leaderboard shows first.

    Attributes
    ----------
    name : str
        Of the measure by which systems are ranked.
    measure : Measure
    level : int
        Of the interval, in per cent.
    rank : int or None
        None where it has none.
    is_share : bool
        Whether the figures are in per cent; else they are times 100.
    """

    name: str
    measure: Measure
    level: int
    rank: int | None
    is_share: bool


@dataclass(frozen=True, slots=True)
class Own:
    """A submission as its team follows it.

    Attributes
    ----------
    submission : Submission
    heading, next_step : str
        Where it stands, and what happens next: until when it waits, and why.
    progress : tuple of int or None
        While it is judged: how many of the questions asked for it are settled, and how many there are.
    score : OwnScore or None
    waits_for_team : bool
        Whether it goes on only once its team says so.
    """

    submission: Submission
    heading: str
    next_step: str
    progress: tuple[int, int] | None
    score: OwnScore | None

    @property
    def waits_for_team(self) -> bool:
        """Whether nothing happens until its team does something."""
        waits = self.submission.state == State.ACCEPTED and not self.submission.go_ahead
        return waits or self.submission.state == State.FAILED


def read_own(
    submissions: Sequence[Submission], *, find_task: Callable[[Corpus], Task], now: datetime
) -> list[Own]:
    """Read how submissions stand, in their order.

    Parameters
    ----------
    submissions : sequence of Submission
        With ``team``, ``corpus`` and ``batch__epoch``.
    find_task : callable
        Finds a corpus' task; `InvalidInput` where it is unknown here.
    now : datetime
        Aware.
    """
    corpora = {one.corpus_id: one.corpus for one in submissions}
    tasks = _tasks(corpora, find_task)
    by_corpus: dict[int, list[Submission]] = defaultdict(list)
    for one in submissions:
        by_corpus[one.corpus_id].append(one)
    scores: dict[int, OwnScore] = {}
    places: dict[int, datetime] = {}
    for pk, own in by_corpus.items():
        if pk in tasks and any(one.state in (State.JUDGING, State.SCORED) for one in own):
            scores |= _scores(corpora[pk], tasks[pk], own)
        if any(_waits_for_place(one) for one in own):
            places |= quota.planned(corpus=corpora[pk], now=now)
    settled = count_settled([one.pk for one in submissions if one.state == State.JUDGING])
    return [
        Own(
            one,
            *_words(one, tasks, places, now),
            settled.get(one.pk),
            scores.get(one.pk),
        )
        for one in submissions
    ]


def _tasks(corpora: Mapping[int, Corpus], find_task: Callable[[Corpus], Task]) -> dict[int, Task]:
    found = {}
    for pk, corpus in corpora.items():
        with suppress(InvalidInput):  # made where there are other tasks: its submissions stand without scores
            found[pk] = find_task(corpus)
    return found


def _waits_for_place(submission: Submission) -> bool:
    return submission.state == State.ACCEPTED and submission.go_ahead and submission.quota_taken_at is None


def _words(
    submission: Submission, tasks: Mapping[int, Task], places: Mapping[int, datetime], now: datetime
) -> tuple[str, str]:
    place = places.get(submission.pk)
    free_at = place if place is not None and place > now else None
    may_compete = quota.may_compete(submission.team)
    task = tasks.get(submission.corpus_id)
    units = task.choices.units if task else "predictions"
    return (
        heading(submission, free_at, may_compete=may_compete),
        IN_LISTS.get(submission.state)
        or next_step(submission, free_at, may_compete=may_compete, units=units),
    )


def _scores(corpus: Corpus, task: Task, submissions: Sequence[Submission]) -> dict[int, OwnScore]:
    choices = task.choices
    newest = newest_scores(
        choices,
        submission__in=[one.pk for one in submissions if one.state in (State.JUDGING, State.SCORED)],
        level=choices.level,
        part=choices.part,
        weighting=choices.default_weighting(corpus.design),
        estimator=choices.estimators_of[corpus.design][0],
        standard=shown_standard(corpus, choices),
    )
    name = choices.parts[choices.part].ranked_by
    return {
        one.score.submission_id: OwnScore(
            choices.measures[name],
            one.measures[name],
            choices.level,
            one.score.rank,
            choices.is_share,
        )
        for one in newest
    }
