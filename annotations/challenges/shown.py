"""What a corpus' pages and the API say of its life."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotations.challenges import news
from annotations.challenges.calendar import Standing, time_left
from annotations.challenges.dates import standing_of
from annotations.challenges.versions import newest
from annotations.models import Corpus, CorpusNews, CorpusPhase, CorpusRules, CorpusTerms, MovedDate
from kbpo.core.database.compiled import Compiled, Given

NEWEST = 3  # posts on a corpus' page

_PHASES = Compiled(lambda: CorpusPhase.objects.filter(corpus=Given("corpus")).order_by("starts_at"))
_MOVED = Compiled(
    lambda: MovedDate.objects.filter(corpus=Given("corpus"), before__isnull=False).order_by(
        "-moved_at", "-pk"
    )
)
_NEWS = Compiled(lambda: news.shown(Given("corpus"))[:NEWEST])


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
    phases = _PHASES.all(corpus=corpus.pk)
    stands = standing_of(corpus, phases, now)
    on = stands.phase.name if stands.phase else ""
    return Life(
        corpus=corpus,
        standing=stands,
        left=left(stands, now),
        phases=phases,
        phase=next((one for one in phases if one.name == on), None),
        moved=_MOVED.all(corpus=corpus.pk),
        rules=newest(CorpusRules, corpus),
        terms=newest(CorpusTerms, corpus),
        news=_NEWS.all(corpus=corpus.pk),
    )


def left(stands: Standing, now: datetime) -> str:
    """Say how long it is until a corpus closes or opens; nothing where that is not foreseen."""
    return "" if stands.changes_at is None else time_left(stands.changes_at - now)
