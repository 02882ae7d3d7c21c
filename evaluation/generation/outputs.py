"""Outputs: what systems write for inputs. The same text for the same input is one unit, whoever wrote it."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from django.db.models import QuerySet

from annotations import prompts, questions
from annotations.models import Corpus, Document
from annotations.policies import single
from evaluation.generation import published
from evaluation.generation.asking import asked_of, asking_of
from evaluation.generation.choices import WEIGHTING
from evaluation.generation.metrics import freezing
from evaluation.generation.metrics import stored as metrics
from evaluation.models import Epoch, Output, OutputText, SampleBatch, SampledUnit, Submission, Unit
from evaluation.units import BoolArray, FloatArray, Foreseen, Groups, IntArray
from kbpo.core.database.analysing import analyse
from kbpo.core.database.bulk import array_literal, read_rows
from kbpo.core.database.coded import pack
from kbpo_estimators import coordinated
from kbpo_formats.generation.outputs import tidy

KEY_VERSION = "output 1"
"""An output's key is its input's id, a bar, and a digest of its text."""
INPUTS, PLACES = "input", "place"


class Submitted(Protocol):
    """What a system wrote, as its reader hands it over."""

    @property
    def outputs(self) -> Sequence[tuple[str, str]]:
        """Return an input's id and the text for each, in the order of the file."""

    @property
    def metrics(self) -> Mapping[str, Sequence[float]]:
        """Return the values of each metric that was submitted, in the same order."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """What a submission wrote, in the order of the units' keys.

    Attributes
    ----------
    keys : sequence of str
    ids, documents, places : int[n]
        Row ids of units and of inputs; and where each stood in the file.
    p, confidence : float[n]
    """

    keys: Sequence[str]
    ids: IntArray
    documents: IntArray
    places: IntArray
    p: FloatArray
    confidence: FloatArray


def key_of(doc_id: str, text: str) -> str:
    """Return an output's key.

    Examples
    --------
    >>> key_of("D1", "Yes.")
    'D1|5f9a2b795615ba6a3d5455fd5624d773'
    """
    return f"{doc_id}|{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def random_key(key: str) -> str:
    """Return the id of the input of an output's key: all outputs for it have one random number, and fold."""
    return key.rpartition("|")[0]


def store_predictions(submission: Submission, handed: Submitted) -> None:
    """Store what a submission wrote, and the texts that are new."""
    documents = dict(Document.objects.filter(corpus=submission.corpus).values_list("doc_id", "pk"))
    texts = [(doc_id, tidy(text)) for doc_id, text in handed.outputs]
    keys = [key_of(doc_id, text) for doc_id, text in texts]
    Unit.objects.bulk_create(
        (Unit(corpus=submission.corpus, key=key) for key in sorted(set(keys))),
        ignore_conflicts=True,
        batch_size=5000,
    )
    units = _unit_ids(submission.corpus, keys)
    by_unit = sorted({units[key]: one for key, one in zip(keys, texts, strict=True)}.items())
    OutputText.objects.bulk_create(
        (OutputText(unit_id=pk, document_id=documents[doc_id], text=text) for pk, (doc_id, text) in by_unit),
        ignore_conflicts=True,
        batch_size=5000,
    )
    stored = Output.objects.bulk_create(
        (
            Output(
                submission=submission,
                unit_id=units[key],
                document_id=documents[doc_id],
                place=place,
                confidence=1.0,
                probability=1 / len(keys),
            )
            for place, (key, (doc_id, _)) in enumerate(zip(keys, texts, strict=True))
        ),
        batch_size=5000,
    )
    analyse(dict.fromkeys((Unit, OutputText, Output), len(stored)))
    for name, values in handed.metrics.items():
        metrics.store(submission=submission, name=name, values=values, uploaded=True)


def _unit_ids(corpus: Corpus, keys: Iterable[str]) -> dict[str, int]:
    rows = read_rows(
        "SELECT unit.key, unit.id FROM unnest(%s::text[]) AS wanted (key)"
        " JOIN evaluation_unit AS unit ON unit.corpus_id = %s AND unit.key = wanted.key",
        [list(keys), corpus.pk],
    )
    return dict(rows)


def read_outputs(submission: Submission) -> Outputs:
    """Read what a submission wrote, without the texts."""
    rows = read_rows(
        "SELECT unit.key, unit.id, output.document_id, output.place, output.probability, output.confidence"
        " FROM evaluation_output AS output JOIN evaluation_unit AS unit ON unit.id = output.unit_id"
        " WHERE output.submission_id = %s",
        [submission.pk],
    )
    keys, *columns = zip(*sorted(rows), strict=True) if rows else [()] * 6
    ids, documents, places = (np.array(column, dtype=np.int64) for column in columns[:3])
    p, confidence = (np.array(column, dtype=np.float64) for column in columns[3:])
    return Outputs(keys, ids, documents, places, p, confidence)


def weights(outputs: Outputs, version: str) -> Mapping[str, FloatArray]:
    """Return p: an output counts as much as another."""
    return {WEIGHTING: outputs.p}


def columns(outputs: Outputs) -> Mapping[str, bytes]:
    """Return the input of each output, and where it stood in the file, packed."""
    return {INPUTS: pack(outputs.documents), PLACES: pack(outputs.places)}


def second_votes(epoch: Epoch, keys: Sequence[str]) -> BoolArray:
    """Say which outputs are asked about with two votes: a random share, by their keys."""
    u = coordinated.uniforms(bytes.fromhex(epoch.secret), [f"second|{key}" for key in keys])
    return np.asarray(u < single.SECOND_SHARE)


def read_texts(ids: Iterable[int]) -> dict[int, tuple[int, str]]:
    """Read the row id of the input, and the text, of units by their row ids."""
    rows = read_rows(
        "SELECT unit_id, document_id, text FROM evaluation_outputtext WHERE unit_id = ANY(%s::bigint[])",
        [array_literal(ids)],
    )
    return {unit: (document, text) for unit, document, text in rows}


def known(submission: Submission, outputs: Outputs) -> BoolArray:
    """Say which outputs' judgements were published before the upload, or those of what looks the same."""
    texts = read_texts(outputs.ids.tolist())
    places = [texts[pk] for pk in outputs.ids.tolist()]
    found = published.find(submission.corpus, places, before=submission.uploaded_at)
    return np.array([place in found for place in places], dtype=np.bool_)


def ask(batch: SampleBatch, outputs: Outputs, sampled: Mapping[int, int | None]) -> Collection[int]:
    """Store the sampled outputs and ask about them, a random share with two votes; return the questions."""
    rows = list(sampled)
    texts = read_texts(outputs.ids[rows].tolist())
    units = [int(outputs.ids[row]) for row in rows]
    corpus, before = batch.submission.corpus, batch.submission.uploaded_at
    known = published.find(corpus, [texts[pk] for pk in units], before=before)
    new = [(row, pk) for row, pk in zip(rows, units, strict=True) if texts[pk] not in known]
    contents = asked_of(corpus, [texts[pk] for _, pk in new])
    places = [(texts[pk][0], content) for (_, pk), content in zip(new, contents, strict=True)]
    twice = second_votes(batch.epoch, [outputs.keys[row] for row, _ in new])
    votes = {place: single.SECOND for place, two in zip(places, twice, strict=True) if two}
    asked = questions.ask(places, votes)
    settling = {pk: known[texts[pk]] for pk in units if texts[pk] in known}
    settling.update((pk, asked[place].pk) for (_, pk), place in zip(new, places, strict=True))
    SampledUnit.objects.bulk_create(
        (
            SampledUnit(
                batch=batch, epoch=batch.epoch, unit_id=pk, question_id=settling[pk], draws=sampled[row]
            )
            for row, pk in zip(rows, units, strict=True)
        ),
        batch_size=5000,
    )
    analyse({SampledUnit: len(rows)})
    return set(settling.values())


def audit(corpus: Corpus) -> list[str]:
    """Say which inputs and metrics are not as they were stored, and which outputs have too few votes."""
    findings = metrics.audit(corpus) + freezing.audit(corpus.pk)
    changed = prompts.changed_inputs(corpus)
    if changed:
        findings.append(f"{len(changed)} inputs are not as they were loaded, the first {changed[0]}")
    for epoch in corpus.epochs.order_by("number"):
        sampled = SampledUnit.objects.filter(epoch=epoch).exclude(question__published_at__lt=epoch.opened_at)
        keyed = sampled.order_by("unit__key").values_list("unit__key", "question__votes_needed")
        rows = [(key or "", votes) for key, votes in keyed]
        twice = second_votes(epoch, [key for key, _ in rows])
        few = [key for (key, votes), two in zip(rows, twice, strict=True) if votes < 1 + two]
        if few:
            findings.append(
                f"epoch {epoch.number}: {len(few)} outputs were to have two votes, and were asked with one,"
                f" the first {few[0]}"
            )
    return findings


def foresee(submission: Submission, epoch: Epoch, batches: QuerySet[SampleBatch]) -> Foreseen:
    """Read a submission's outputs: one question each, for all systems that wrote the same."""
    outputs = read_outputs(submission)
    kind = asking_of(submission.corpus).kind
    every = np.arange(len(outputs.keys))
    groups = Groups(kind, every, every, np.ones(every.size, dtype=np.bool_))
    return Foreseen(outputs.ids, outputs.p, known(submission, outputs), (groups,))
