"""Freezing a leaderboard: an archive edition of all scores that everybody sees.

Its tables are canonical JSON: keys sorted, no white space, UTF-8, floats with as many digits as tell them
apart. They hold no names: pages add the names that systems have when somebody looks.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from itertools import groupby
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.models import Edition, Epoch, Estimate, Ranking, ReleasedLabels, Score
from evaluation.scoring.estimation import code_version
from evaluation.scoring.published.files import digest_of
from evaluation.scoring.stored import shown_standard
from evaluation.submissions.visibility import visible
from evaluation.task import Task
from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.errors import Conflict, InvalidInput
from kbpo_archive.tables import FORMAT
from kbpo_archive.writing import Writer

LONGEST_NOTE = 200

Key = tuple[str, str, str, str, int]
"""Part, weighting, estimator, standard and level."""


@dataclass(frozen=True, slots=True)
class _Content:
    """A leaderboard: its tables by key, in canonical JSON, and what they are of."""

    tables: dict[Key, str]
    systems: frozenset[int]
    codes: frozenset[str]
    epochs: frozenset[int]
    figures: int

    @property
    def digest(self) -> str:
        """SHA-256 of the tables."""
        return hashlib.sha256("\n".join(self.tables.values()).encode()).hexdigest()


@transaction.atomic
def freeze(
    *,
    corpus: Corpus,
    task: Task,
    now: datetime,
    by: User | None = None,
    note: str = "",
) -> tuple[Edition, bool]:
    """Freeze the leaderboard of a corpus, as everybody sees it.

    If nothing has changed since the newest leaderboard edition, that is returned, so that a button pressed
    twice makes one edition.

    Parameters
    ----------
    corpus : Corpus
    task : Task
        Its task.
    now : datetime
    by : User, optional
        The organizer; somebody at the command line if left out.
    note : str
        Its purpose, which pages show.

    Returns
    -------
    (Edition, bool)
        The edition, and whether it is new.

    Raises
    ------
    Conflict
        If no system that everybody sees has a score.
    InvalidInput
        If the note is too long.
    """
    note = " ".join(note.split())
    if len(note) > LONGEST_NOTE:
        raise InvalidInput(f"has {len(note)} characters; {LONGEST_NOTE} are possible", where="note")
    locked = Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    epoch = locked.epochs.order_by("-number").first()
    content = _read(locked, task.choices)
    if epoch is None or not content.systems:
        raise Conflict(f"no system of {corpus.tag} that everybody sees has a score: there is nothing to keep")
    newest = leaderboards(locked).first()
    is_same = newest is not None and newest.contents_digest == content.digest
    if newest is not None and is_same and note in ("", newest.note):
        return newest, False
    taken = _store(epoch, task, content, Edition.Reason.ORGANIZER, note, now)
    after = {"corpus": locked.tag, "number": taken.number, "digest": taken.digest}
    record(What.SNAPSHOT_TAKEN, by=by, about=taken, after=after)
    return taken, True


def freeze_released(*, epoch: Epoch, task: Task) -> Edition | None:
    """Freeze the leaderboard at a release, in its transaction; return None if nobody sees a score."""
    content = _read(epoch.corpus, task.choices)
    if not content.systems or epoch.released_at is None:
        return None
    return _store(epoch, task, content, Edition.Reason.RELEASE, "", epoch.released_at)


def leaderboards(corpus: Corpus) -> QuerySet[Edition]:
    """Return the leaderboard editions of a corpus, the newest first."""
    editions = Edition.objects.filter(epoch__corpus=corpus, kind=Edition.Kind.LEADERBOARD)
    return editions.select_related("epoch__corpus").defer("content").order_by("-pk")


def audit(corpus: Corpus) -> Iterator[str]:
    """Yield the leaderboard editions of a corpus whose bytes changed."""
    for edition in leaderboards(corpus).order_by("pk"):
        if digest_of(edition.open()) != edition.digest:
            yield f"edition {edition.number}: its file does not have the stored SHA-256"


def canonical(value: object) -> str:
    """Write something as canonical JSON.

    Examples
    --------
    >>> canonical({"b": [0.1, None], "a": "é"})
    '{"a":"é","b":[0.1,null]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _store(epoch: Epoch, task: Task, content: _Content, reason: str, note: str, now: datetime) -> Edition:
    edition = 1 + (epoch.editions.aggregate(last=Max("edition"))["last"] or 0)
    code = code_version(task)
    file = BytesIO()
    writer = Writer(file)
    tables = []
    for number, (key, table) in enumerate(content.tables.items(), start=1):
        name = f"leaderboard/{number}.json"
        writer.add(name, [table.encode()])
        tables.append({**_named(key), "file": name})
    writer.finish({**_manifest(epoch, task, content, code), "edition": edition, "tables": tables})
    return Edition.objects.create(
        epoch=epoch,
        edition=edition,
        kind=Edition.Kind.LEADERBOARD,
        reason=reason,
        note=note,
        made_at=now,
        code_version=code,
        systems=len(content.systems),
        figures=content.figures,
        contents_digest=content.digest,
        content=file.getvalue(),
        digest=digest_of(file),
        size=len(file.getvalue()),
    )


def _manifest(epoch: Epoch, task: Task, content: _Content, code: str) -> dict[str, Any]:
    corpus, choices = epoch.corpus, task.choices
    return {
        "format": FORMAT,
        "kind": Edition.Kind.LEADERBOARD,
        "corpus": {"tag": corpus.tag, "name": corpus.name, "language": corpus.language},
        "task": task.name,
        "design": corpus.design,
        "epoch": epoch.number,
        "epochs": [_epoch(one) for one in corpus.epochs.filter(pk__in=content.epochs).order_by("number")],
        "code_version": code,
        "codes": sorted(content.codes),
        "systems": len(content.systems),
        "shown": {
            "part": choices.part,
            "weighting": choices.default_weighting(corpus.design),
            "estimator": choices.estimators_of[corpus.design][0],
            "standard": shown_standard(corpus, choices),
            "level": choices.level,
        },
    }


def _epoch(epoch: Epoch) -> Mapping[str, Any]:
    """Return what is public of an epoch: not its secret, and of its labels their digest once released."""
    labels = ReleasedLabels.objects.filter(epoch=epoch).values_list("digest", flat=True).first()
    return {
        "number": epoch.number,
        "commitment": epoch.commitment,
        "weighting": epoch.weighting,
        "opened_at": epoch.opened_at.isoformat(),
        "released_at": None if epoch.released_at is None else epoch.released_at.isoformat(),
        "labels": labels,
    }


def _named(key: Key) -> dict[str, Any]:
    return dict(zip(("part", "weighting", "estimator", "standard", "level"), key, strict=True))


def _read(corpus: Corpus, choices: Choices) -> _Content:
    """Read the scores of the systems that everybody sees, one table at a time."""
    shown = visible(None).filter(corpus=corpus).order_by().values("pk")
    scores = Score.objects.filter(submission__in=shown)
    keys: list[Key] = sorted(
        scores.order_by().values_list("part", "weighting", "estimator", "standard", "level").distinct()
    )
    ranked = {
        row[:5]: row[5:]
        for row in Ranking.objects.filter(corpus=corpus).values_list(
            "part", "weighting", "estimator", "standard", "level", "systems", "apart"
        )
    }
    tables: dict[Key, str] = {}
    systems: set[int] = set()
    codes: set[str] = set()
    epochs: set[int] = set()
    figures = 0
    for key in keys:
        rows: list[dict[str, Any]] = []
        estimates = Estimate.objects.filter(
            score__submission__in=shown, **{f"score__{name}": value for name, value in _named(key).items()}
        ).order_by(
            "score__submission_id", "-score__epoch__number", "-score__batch__number", "score_id", "measure"
        )
        values = estimates.values_list(
            *("score__submission_id", "score_id", "score__epoch_id", "score__epoch__number"),
            *(
                "score__batch__number",
                "score__rank",
                "score__labels",
                "score__matching",
                "score__code_version",
            ),
            *("score__counts", "measure", "estimate", "low", "high"),
        )
        for (pk, _), group in groupby(values.iterator(chunk_size=5000), key=lambda row: row[:2]):
            own = list(group)
            if rows and rows[-1]["system"] == pk:
                continue
            _, _, epoch_id, epoch, batch, rank, labels, matching, code, counts, *_ = own[0]
            codes.add(code)
            epochs.add(epoch_id)
            figures += len(own)
            rows.append(
                {
                    "system": pk,
                    "epoch": epoch,
                    "batch": batch,
                    "rank": rank,
                    "labels": labels,
                    "matching": matching,
                    "code": code,
                    "counts": {name: one.read(counts) for name, one in choices.counts.items()},
                    "measures": {row[10]: list(row[11:]) for row in own},
                }
            )
        systems.update(row["system"] for row in rows)
        ranked_systems, apart = ranked.get(key, (0, 0))
        tables[key] = canonical({**_named(key), "ranked": ranked_systems, "apart": apart, "rows": rows})
    return _Content(tables, frozenset(systems), frozenset(codes), frozenset(epochs), figures)
