"""The systems of one team with their scores, as everybody may see them: reads only."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from annotations.models import Corpus
from evaluation.models import Score, Submission
from evaluation.scoring.stored import Measure, newest_scores, shown_standard
from evaluation.submissions.visibility import shown_of_team
from evaluation.task import FindTask, Task
from kbpo.accounts.models import Team

State = Submission.State


@dataclass(frozen=True, slots=True)
class TeamSystem:
    """A system with what it is ranked by.

    Attributes
    ----------
    submission : Submission
    score : Score or None
        The newest one; None where there is none yet.
    measure : Measure or None
        What the board of its corpus ranks by.
    """

    submission: Submission
    score: Score | None
    measure: Measure | None


@dataclass(frozen=True, slots=True)
class TeamCorpus:
    """What a team has in a corpus.

    Attributes
    ----------
    corpus : Corpus
    task : Task
    ranked_by : str
        What its board ranks by, in words.
    level : int
        Of the intervals, in per cent.
    systems : sequence of TeamSystem
        The newest first.
    """

    corpus: Corpus
    task: Task
    ranked_by: str
    level: int
    systems: Sequence[TeamSystem]


def read_team(team: Team, *, find_task: FindTask) -> list[TeamCorpus]:
    """Return what everybody may see of a team's systems, by corpus in the order of these."""
    shown = shown_of_team(team).select_related("corpus").order_by("corpus__created_at", "corpus_id", "-pk")
    return [
        _of_corpus(corpus, list(group), find_task(corpus))
        for corpus, group in groupby(shown, key=lambda one: one.corpus)
    ]


def _of_corpus(corpus: Corpus, submissions: Sequence[Submission], task: Task) -> TeamCorpus:
    choices = task.choices
    part = choices.part
    stored = newest_scores(
        choices,
        submission__in=[one.pk for one in submissions],
        level=choices.level,
        part=part,
        weighting=choices.default_weighting(corpus.design),
        estimator=next(iter(choices.named_estimators(corpus.design, part))),
        standard=shown_standard(corpus, choices),
    )
    scores = {one.score.submission_id: one for one in stored}
    ranked_by = choices.parts[part].ranked_by
    systems = []
    for one in submissions:
        found = scores.get(one.pk)
        measure = found.measures[ranked_by] if found else None
        systems.append(TeamSystem(one, found.score if found else None, measure))
    return TeamCorpus(corpus, task, choices.measures[ranked_by], choices.level, systems)
