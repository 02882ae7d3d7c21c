"""What a corpus' pages and the API say of its life."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotations.challenges import news
from annotations.challenges.calendar import Standing, time_left
from annotations.challenges.dates import standing_of
from annotations.challenges.versions import newest
from annotations.models import Corpus, CorpusNews, CorpusPhase, CorpusRules, CorpusTerms, MovedDate

NEWEST = 3  # posts on a corpus' page


@dataclass(frozen=True, slots=True)
class Life:
    """The life of a corpus at a moment.

    Attributes
    ----------
    corpus : Corpus
    standing : Standing
    left : str
        How long until `standing.changes_at`, in words; empty where that is not foreseen.
    phases : sequence of CorpusPhase
        In their order.
    phase : CorpusPhase or None
        The one that is on.
    moved : sequence of MovedDate
        Dates that were moved after they had been set, the newest first.
    rules : CorpusRules or None
    terms : CorpusTerms or None
    news : sequence of CorpusNews
        The newest.
    """

    corpus: Corpus
    standing: Standing
    left: str
    phases: Sequence[CorpusPhase]
    phase: CorpusPhase | None
    moved: Sequence[MovedDate]
    rules: CorpusRules | None
    terms: CorpusTerms | None
    news: Sequence[CorpusNews]

    @property
    def is_dated(self) -> bool:
        """Whether it has any date: a corpus without is open."""
        return bool(self.phases or self.corpus.opens_at or self.corpus.closes_at)


def read_life(corpus: Corpus, now: datetime) -> Life:
    """Read the life of a corpus."""
    phases = list(CorpusPhase.objects.filter(corpus=corpus).order_by("starts_at"))
    moved = MovedDate.objects.filter(corpus=corpus, before__isnull=False)
    stands = standing_of(corpus, phases, now)
    on = stands.phase.name if stands.phase else ""
    return Life(
        corpus=corpus,
        standing=stands,
        left=left(stands, now),
        phases=phases,
        phase=next((one for one in phases if one.name == on), None),
        moved=list(moved.order_by("-moved_at", "-pk")),
        rules=newest(CorpusRules, corpus),
        terms=newest(CorpusTerms, corpus),
        news=list(news.shown(corpus)[:NEWEST]),
    )


def left(stands: Standing, now: datetime) -> str:
    """Say how long it is until a corpus closes or opens; nothing where that is not foreseen."""
    return "" if stands.changes_at is None else time_left(stands.changes_at - now)
