"""The ranked systems of a corpus: reads only."""

import datetime
from collections.abc import Sequence
from typing import NamedTuple

from django.utils import timezone

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.models import Submission
from evaluation.scoring.stored import (
    Counts,
    Measures,
    Standing,
    not_estimable,
    shown_standard,
    standings,
)
from evaluation.submissions.progress import count_settled
from evaluation.submissions.visibility import SAMPLED, Viewer, changeable, is_own, visible
from kbpo.core.database.bulk import read_rows
from kbpo_estimators.scores import VOTES

State = Submission.State
SHOWN_STATES = (State.UPLOADED, State.ACCEPTED, State.JUDGING, State.SCORED)


class Row(NamedTuple):
    """A system on the leaderboard.

    Attributes
    ----------
    rank : int or None
        1 and how many systems are significantly above it, over all pairs at once, at the level. Stored with
        the scores, over all systems of the corpus, those included that a team hides. None where it is not
        ranked: `why` says the reason.
    submission : int
        The submission's key.
    team, name : str
    measures : mapping of str to Measure
        All of the task's.
    labels : int or None
        Labelled units of the system that the score rests on.
    counts : mapping of str to float or None
        What else `Choices.counts` says of what it rests on.
    date : datetime
        When it was uploaded.
    epoch : int or None
        The number of the epoch that its score belongs to.
    state : str
        The submission's state.
    is_public : bool
        False: only its team and the operators see the row.
    is_own : bool
        Whether its team is one of the viewer's.
    is_baseline : bool
        Something to compare with, not a team's attempt.
    chosen_after : int or None
        Of a run that its team chose to stand for it: how many of the team's runs had scores then. None for
        others.
    why : str
        Why it has no score or no rank, in words; empty for a ranked one.
    standard : str
        What counts as right.
    team_page : int or None
        The key of its team, where the team's public page has the system. None where it is anonymous to
        anybody, or not published.
    anonymous_until : datetime or None
        Until when others see it without its name, for a viewer of its team; None for others.
    """

    rank: int | None
    submission: int
    team: str
    name: str
    measures: Measures
    labels: int | None
    counts: Counts
    date: datetime.datetime
    epoch: int | None
    state: str
    is_public: bool
    is_own: bool
    is_baseline: bool
    chosen_after: int | None
    why: str
    standard: str
    team_page: int | None = None
    anonymous_until: datetime.datetime | None = None

    @property
    def is_scored(self) -> bool:
        """Say whether anything was estimated, be it ranked or not: the first measure always is."""
        for measure in self.measures.values():
            return measure.estimate is not None
        return False


def rows(
    corpus: Corpus,
    choices: Choices,
    *,
    level: int | None = None,
    part: str | None = None,
    weighting: str | None = None,
    estimator: str | None = None,
    standard: str | None = None,
    viewer: Viewer = None,
) -> list[Row]:
    """Rank the systems of a corpus.

    Parameters
    ----------
    corpus : Corpus
    choices : Choices
        Its task's.
    level : int, optional
        Of the intervals, in per cent.
    part : str, optional
    weighting, estimator : str, optional
        Of those for the corpus' design. By default the first.
    standard : str, optional
        By default what `stored.shown_standard` says.
    viewer : User, AnonymousUser or None
        None sees what everybody sees.

    Returns
    -------
    list of Row
        By the measure that ranks the part, the best first, then name; then those of whom it is not
        estimable; then the unscored. Withdrawn, refused and failed ones are left out. Ranks are of that
        measure too; one stands out of order where little is known of a system, so that few are significantly
        above it. A system's score is the newest: that of the highest batch of its epoch.

    Raises
    ------
    InvalidInput
        An argument is none of the task's choices, or the estimator belongs to the other design.
    """
    level = choices.level if level is None else level
    part, weighting = part or choices.part, weighting or choices.default_weighting(corpus.design)
    standard = shown_standard(corpus, choices) if standard is None else standard
    estimator = choices.check(
        corpus.design, level=level, part=part, weighting=weighting, estimator=estimator, standard=standard
    )
    asked = (
        visible(viewer)
        .filter(corpus=corpus, state__in=SHOWN_STATES)
        .annotate(is_own=is_own(viewer))
        .order_by()
    )
    listed = [
        _Listed(*values) for values in read_rows(*asked.values_list(*_Listed._fields).query.sql_with_params())
    ]
    scores = standings(
        choices, corpus, part=part, level=level, weighting=weighting, estimator=estimator, standard=standard
    )
    judging = [one.pk for one in listed if one.state == State.JUDGING and one.pk not in scores]
    # How much is sampled is a team's to know while its epoch is open.
    known = list(changeable(viewer).filter(pk__in=judging).values_list("pk", flat=True)) if judging else []
    settled = count_settled(known) if known else {}
    ranked_by = choices.parts[part].ranked_by
    now = timezone.now()
    found = [
        _row(one, choices, scores.get(one.pk), settled.get(one.pk), standard, ranked_by, now)
        for one in listed
    ]
    return _in_order(found, ranked_by, is_less_better=ranked_by in choices.less_is_better)


class _Listed(NamedTuple):
    """What is read of a submission, by the names of its fields: a thousand need no models."""

    pk: int
    known_name: str
    known_team: str
    state: str
    go_ahead: bool
    is_public: bool
    is_baseline: bool
    is_own: bool
    chosen_after: int | None
    uploaded_at: datetime.datetime
    team_id: int
    anonymous_until: datetime.datetime | None

    def team_page(self, now: datetime.datetime) -> int | None:
        """Return the key of its team, if everybody may know that it is this one's."""
        is_coming = self.state == State.ACCEPTED and self.go_ahead
        is_published = self.is_public and (self.state in SAMPLED or is_coming)
        return self.team_id if is_published and not self.is_anonymous(now) else None

    def is_anonymous(self, now: datetime.datetime) -> bool:
        """Say whether others see it without its name."""
        return self.anonymous_until is not None and self.anonymous_until > now


def _row(
    listed: _Listed,
    choices: Choices,
    score: Standing | None,
    settled: tuple[int, int] | None,
    standard: str,
    ranked_by: str,
    now: datetime.datetime,
) -> Row:
    if score is None:
        why = _why_unscored(listed, settled, standard, choices)
        measures = not_estimable("not scored yet", choices)
    else:
        measures = score.measures
        why = measures[ranked_by].reason or _why_unranked(score, choices)
    return Row(
        rank=score.rank if score else None,
        submission=listed.pk,
        team=listed.known_team,
        name=listed.known_name,
        measures=measures,
        labels=score.labels if score else None,
        counts=score.counts if score else dict.fromkeys(choices.counts),
        date=listed.uploaded_at,
        epoch=score.epoch if score else None,
        state=listed.state,
        is_public=listed.is_public,
        is_own=listed.is_own,
        is_baseline=listed.is_baseline,
        chosen_after=listed.chosen_after,
        why=why,
        standard=standard,
        team_page=listed.team_page(now),
        anonymous_until=listed.anonymous_until if listed.is_own and listed.is_anonymous(now) else None,
    )


def _why_unranked(score: Standing, choices: Choices) -> str:
    if score.rank is not None:
        return ""
    return choices.unranked(score.labels) or "Its rank comes with the next scores."


def _why_unscored(
    submission: _Listed, settled: tuple[int, int] | None, standard: str, choices: Choices
) -> str:
    if submission.state == State.UPLOADED:
        return "Its file is waiting to be read."
    if submission.state == State.ACCEPTED:
        if submission.go_ahead:
            return f"Accepted; its {choices.units} are sampled as soon as its team's quota allows."
        return "Accepted; nobody judges it until its team says so."
    if submission.state == State.JUDGING and settled is None:
        return "People are judging it."
    if submission.state == State.JUDGING and settled is not None and settled[0] < settled[1]:
        return f"People are judging it: {settled[0]} of {settled[1]} questions are settled."
    if submission.state == State.JUDGING:
        return (
            f"Every {choices.unit} is judged; it is scored once the systems that came before it are judged"
            " too."
        )
    if standard != VOTES:
        return "Its labels were not audited: its scores take the votes for the truth."
    return "It has no score of this kind."


def _in_order(found: Sequence[Row], measure: str, *, is_less_better: bool) -> list[Row]:
    def order(row: Row) -> tuple[int, float, str, int]:
        value = row.measures[measure].estimate
        if value is None:
            return (1 if row.is_scored else 2, 0.0, row.name.casefold(), row.submission)
        return (0, value if is_less_better else -value, row.name.casefold(), row.submission)

    return sorted(found, key=order)
