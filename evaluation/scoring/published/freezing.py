"""Snapshots: a leaderboard as it stands, kept for good.

A snapshot's file is canonical JSON: keys sorted, no white space, UTF-8, floats with as many digits as tell
them apart; its digest is over those bytes. It has no names: these follow what holds when somebody looks.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.models import Epoch, Estimate, Ranking, ReleasedLabels, Score, Snapshot, SnapshotTable
from evaluation.scoring.estimation import code_version
from evaluation.scoring.stored import shown_standard
from evaluation.submissions.visibility import visible
from evaluation.task import Task
from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.errors import Conflict, InvalidInput

FORMAT = "kbpo-snapshot-1"
LONGEST_NOTE = 200

Key = tuple[str, str, str, str, int]
"""Part, weighting, estimator, standard and level."""


@dataclass(frozen=True, slots=True)
class _Content:
    """What a snapshot is made of: tables by key, in canonical JSON; its systems; and who computed them."""

    tables: dict[Key, str]
    systems: frozenset[int]
    codes: frozenset[str]
    epochs: frozenset[int]


@transaction.atomic
def freeze(
    *,
    corpus: Corpus,
    task: Task,
    now: datetime,
    by: User | None = None,
    note: str = "",
) -> tuple[Snapshot, bool]:
    """Take a snapshot of a corpus' leaderboard, as everybody sees it.

    Where nothing has changed since the newest one, that is returned: a button pressed twice takes one.

    Parameters
    ----------
    corpus : Corpus
    task : Task
        Its.
    now : datetime
    by : User, optional
        Who says so; somebody at the command line if left out.
    note : str
        What it is for, shown beside it.

    Returns
    -------
    (Snapshot, bool)
        And whether it is new.

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
    newest = Snapshot.objects.filter(corpus=locked).first()
    is_same = newest is not None and newest.scores_digest == _digest_of_tables(content)
    if newest is not None and is_same and note in ("", newest.note):
        return newest, False
    taken = _store(locked, epoch, task, content, Snapshot.Reason.ORGANISER, note, now)
    after = {"corpus": locked.tag, "number": taken.number, "digest": taken.digest}
    record(What.SNAPSHOT_TAKEN, by=by, about=taken, after=after)
    return taken, True


def freeze_released(*, epoch: Epoch, task: Task) -> Snapshot | None:
    """Take the snapshot that belongs to a release, in its transaction; None where nobody sees a score."""
    corpus = epoch.corpus
    content = _read(corpus, task.choices)
    if not content.systems or epoch.released_at is None:
        return None
    return _store(corpus, epoch, task, content, Snapshot.Reason.RELEASE, "", epoch.released_at)


def file_of(snapshot: Snapshot) -> Iterator[bytes]:
    """Yield a snapshot's file: the bytes that its digest is over."""
    tables = SnapshotTable.objects.filter(snapshot=snapshot).order_by("pk").values_list("content", flat=True)
    return _file(snapshot.head, tables.iterator(chunk_size=10))


def audit(corpus: Corpus) -> Iterator[str]:
    """Yield which snapshots of a corpus are not what they were when they were taken."""
    for snapshot in Snapshot.objects.filter(corpus=corpus).order_by("number"):
        digest, size = _digest(file_of(snapshot))
        if (digest, size) != (snapshot.digest, snapshot.size):
            yield f"snapshot {snapshot.number}: its rows are not those of its digest"


def canonical(value: object) -> str:
    """Write something as canonical JSON.

    Examples
    --------
    >>> canonical({"b": [0.1, None], "a": "é"})
    '{"a":"é","b":[0.1,null]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _store(
    corpus: Corpus,
    epoch: Epoch,
    task: Task,
    content: _Content,
    reason: str,
    note: str,
    now: datetime,
) -> Snapshot:
    number = 1 + (Snapshot.objects.filter(corpus=corpus).aggregate(last=Max("number"))["last"] or 0)
    choices = task.choices
    code = code_version(task)
    head = canonical(
        {
            "format": FORMAT,
            "corpus": corpus.tag,
            "corpus_name": corpus.name,
            "task": corpus.task,
            "design": corpus.design,
            "number": number,
            "taken_at": now.isoformat(),
            "reason": reason,
            "note": note,
            "epoch": epoch.number,
            "epochs": [_epoch(one) for one in corpus.epochs.filter(pk__in=content.epochs).order_by("number")],
            "code": code,
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
    )
    digest, size = _digest(_file(head, content.tables.values()))
    snapshot = Snapshot.objects.create(
        corpus=corpus,
        number=number,
        epoch=epoch,
        reason=reason,
        note=note,
        taken_at=now,
        code_version=code,
        systems=len(content.systems),
        head=head,
        scores_digest=_digest_of_tables(content),
        digest=digest,
        size=size,
    )
    SnapshotTable.objects.bulk_create(
        (
            SnapshotTable(snapshot=snapshot, **_named(key), content=table)
            for key, table in content.tables.items()
        ),
        batch_size=20,
    )
    return snapshot


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


def _file(head: str, tables: Any) -> Iterator[bytes]:
    yield f'{{"snapshot":{head},"tables":['.encode()
    for place, table in enumerate(tables):
        yield (f",{table}" if place else str(table)).encode()
    yield b"]}"


def _digest(parts: Iterator[bytes]) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    for part in parts:
        digest.update(part)
        size += len(part)
    return digest.hexdigest(), size


def _digest_of_tables(content: _Content) -> str:
    return hashlib.sha256("\n".join(content.tables.values()).encode()).hexdigest()


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
    return _Content(tables, frozenset(systems), frozenset(codes), frozenset(epochs))
