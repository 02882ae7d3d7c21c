"""From rows to arrays: the systems of an epoch, their sample, and its labels."""

import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from annotations.models import Corpus
from evaluation.design import columns
from evaluation.models import Epoch
from evaluation.units import BoolArray, FloatArray, IntArray, Pool
from kbpo.core.database.bulk import read_columns
from kbpo.core.database.coded import Coded, unpack, unpack_coded
from kbpo_estimators.flat_pi import FlatPi
from kbpo_estimators.judging.sampled import SampleAudit
from kbpo_estimators.resampling import Resampling
from kbpo_estimators.scores import CoordinatedSample, IidSample, System

_GAPS = 8
"""Row ids that lie closer than this on average are looked up in a table of all from the first to the last."""


class _Weights(Mapping[str, FloatArray]):
    """p under each weighting, decoded when it is asked for: four of them would fill the memory."""

    def __init__(self, coded: Mapping[str, Coded]) -> None:
        self._coded = coded

    def __getitem__(self, name: str) -> FloatArray:
        return self._coded[name].column()

    def __iter__(self) -> Iterator[str]:
        return iter(self._coded)

    def __len__(self) -> int:
        return len(self._coded)


def read_pool(epoch: Epoch, through: int, weightings: Iterable[str]) -> Pool:
    """Read the systems of batches 1 to `through`, with p_i under some weightings as it was stored."""
    weightings = list(weightings)
    batches = list(epoch.batches.filter(number__lte=through).order_by("number").select_related("submission"))
    stored = list(columns.read([batch.pk for batch in batches], columns.figures(weightings)))
    own_ids = [unpack(one[columns.UNITS]) for one in stored]
    sorted_ids = _distinct(own_ids)
    found = _finder(sorted_ids)
    position = np.full(sorted_ids.size, -1, dtype=np.int64)
    folds = np.zeros(sorted_ids.size, dtype=np.int64)
    pi = np.full(sorted_ids.size, np.nan)
    flat = FlatPi(sorted_ids.size)
    systems = []
    seen = 0
    for batch, ids, one in zip(batches, own_ids, stored, strict=True):
        at = found(ids)
        new = at[position[at] < 0]
        position[new] = seen + np.arange(new.size)
        seen += new.size
        rows = position[at]
        folds[rows] = unpack(one[columns.FOLDS])
        if columns.PI in one:
            pi[rows] = unpack(one[columns.PI])  # batch after batch: the last that changed it counts
        if columns.FLAT_TERM in one and batch.floor is not None:
            flat.grow(rows, unpack_coded(one[columns.FLAT_TERM]).column(), batch.floor)
        systems.append(
            System(
                rows=rows,
                weights=_Weights({name: unpack_coded(one[columns.weight(name)]) for name in weightings}),
                confidence=unpack_coded(one[columns.CONFIDENCE]).column(),
                team=batch.submission.team_id,
            )
        )
    submissions = [batch.submission for batch in batches]
    return Pool(epoch, batches, submissions, systems, folds, pi, sorted_ids, position, flat.pi())


def _distinct(columns: Sequence[IntArray]) -> IntArray:
    """Return the ids of some columns, each once, ascending."""
    low, high = min(int(ids.min()) for ids in columns), max(int(ids.max()) for ids in columns)
    if high - low >= _GAPS * sum(ids.size for ids in columns):
        ids = np.sort(np.concatenate(columns))  # np.unique takes ten times as long
        return np.asarray(ids[np.append(True, ids[1:] != ids[:-1])])
    there = np.zeros(high - low + 1, dtype=np.bool_)
    for ids in columns:
        there[ids - low] = True
    return np.flatnonzero(there) + low


def _finder(sorted_ids: IntArray) -> Callable[[IntArray], IntArray]:
    """Return what says where each of some of the ids stands among all."""
    low, high = int(sorted_ids[0]), int(sorted_ids[-1])
    if high - low >= _GAPS * sorted_ids.size:
        return partial(_found, sorted_ids)
    place = np.zeros(high - low + 1, dtype=np.int64)
    place[sorted_ids - low] = np.arange(sorted_ids.size)
    return lambda ids: place[ids - low]


def _found(sorted_ids: IntArray, ids: IntArray) -> IntArray:
    """Return where each id stands: in their own order first, five times as fast among millions."""
    order = np.argsort(ids)
    at = np.empty(ids.size, dtype=np.int64)
    at[order] = np.searchsorted(sorted_ids, ids[order])
    return at


def read_sample(pool: Pool) -> CoordinatedSample | IidSample:
    """Read which of the pool's units were drawn, by the design of its corpus."""
    drawn = read_columns(
        "SELECT batch.number, sampled.unit_id, COALESCE(sampled.draws, 1)"
        " FROM evaluation_sampledunit AS sampled"
        " JOIN evaluation_samplebatch AS batch ON batch.id = sampled.batch_id"
        " WHERE sampled.epoch_id = %s AND batch.number <= %s",
        [pool.epoch.pk, len(pool.batches)],
        {"batch": "bigint", "unit": "bigint", "draws": "bigint"},
    )
    positions = pool.positions(drawn["unit"])
    if pool.epoch.corpus.design == Corpus.Design.COORDINATED:
        sampled = np.zeros(pool.size, dtype=np.bool_)
        sampled[positions] = True
        return CoordinatedSample(pool.pi, sampled, pool.folds, pool.flat_pi)
    order = np.lexsort((positions, drawn["batch"]))
    positions, counts = positions[order], drawn["draws"][order]
    ends = np.searchsorted(drawn["batch"][order], np.arange(2, len(pool.batches) + 1))
    by_batch = zip(np.split(positions, ends), np.split(counts, ends), strict=True)
    return IidSample([np.repeat(rows, times) for rows, times in by_batch], pool.epoch.weighting)


def resampling(pool: Pool) -> Resampling:
    """Return how a pool's sample is resampled for bootstrap intervals: the same whenever it is scored."""
    secret, last = bytes.fromhex(pool.epoch.secret), pool.batches[-1].number
    return Resampling(int.from_bytes(hmac.digest(secret, f"bootstrap|{last}".encode(), "sha256"), "big"))


def read_values(pool: Pool) -> FloatArray:
    """Read what the labels say of each sampled unit: of the claim that is about it (`SampledUnit.claim`).

    Returns
    -------
    float[N]
        NaN for a unit that is not in the sample.
    """
    found = read_columns(
        "SELECT sampled.unit_id, label.value FROM evaluation_sampledunit AS sampled"
        " JOIN evaluation_samplebatch AS batch ON batch.id = sampled.batch_id"
        " JOIN annotations_label AS label"
        " ON label.question_id = sampled.question_id AND label.claim = sampled.claim"
        " WHERE sampled.epoch_id = %s AND batch.number <= %s",
        [pool.epoch.pk, len(pool.batches)],
        {"unit": "bigint", "value": "float8"},
    )
    values = np.full(pool.size, np.nan)
    values[pool.positions(found["unit"])] = found["value"]
    return values


AUDITED_VALUE = "CASE WHEN label.source = 'majority' THEN COALESCE(answer.value, 'NaN') ELSE label.value END"
"""What an audit says of the claim of `label`: what others answered again, or what no vote has decided."""


def read_audit(pool: Pool, sampled: BoolArray) -> SampleAudit | None:
    """Read the audit of a pool's sample.

    Parameters
    ----------
    pool : Pool
    sampled : bool[N]

    Returns
    -------
    SampleAudit or None
        None unless it is complete: for each sampled unit it is drawn whether its question is audited, and
        those that are have answers.
    """
    found = read_columns(
        "SELECT sampled.unit_id, sampled.question_id, COALESCE(audit.probability, 'NaN'),"  # noqa: S608 - ours
        f" COALESCE(audit.is_drawn, false), COALESCE(audit.doubt, 'NaN'), {AUDITED_VALUE},"
        ' rank() OVER (PARTITION BY sampled.unit_id ORDER BY label.claim COLLATE "C")'
        " FROM evaluation_sampledunit AS sampled"
        " JOIN evaluation_samplebatch AS batch ON batch.id = sampled.batch_id"
        " JOIN annotations_label AS label"
        " ON label.question_id = sampled.question_id AND sampled.claim IN ('', label.claim)"
        " LEFT JOIN evaluation_audit AS audit"
        " ON audit.epoch_id = sampled.epoch_id AND audit.question_id = sampled.question_id"
        " LEFT JOIN annotations_question AS again ON again.audits_id = sampled.question_id"
        " LEFT JOIN annotations_label AS answer"
        " ON answer.question_id = again.id AND answer.claim = label.claim"
        " WHERE sampled.epoch_id = %s AND batch.number <= %s",
        [pool.epoch.pk, len(pool.batches)],
        {
            "unit": "bigint",
            "question": "bigint",
            "rho": "float8",
            "audited": "bool",
            "doubt": "float8",
            "answer": "float8",
            "number": "bigint",
        },
    )
    positions, first, unit = np.unique(pool.positions(found["unit"]), return_index=True, return_inverse=True)
    answers = np.zeros(positions.size)
    np.maximum.at(answers, unit, found["answer"] * found["number"])  # NaN stays
    if positions.size != int(sampled.sum()):
        return None
    return SampleAudit.of(
        found["question"][first],
        found["rho"][first],
        found["audited"][first],
        found["doubt"][first],
        answers,
    )
