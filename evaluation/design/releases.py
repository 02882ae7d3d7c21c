"""What a released epoch publishes: its labels, and how its sample came about."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.kinds.registry import find_kind, published_columns, read_question
from annotations.models import Corpus, Label
from evaluation.design import columns, sampling
from evaluation.models import Audit, Epoch, ReleasedLabels
from evaluation.submissions.visibility import visible
from evaluation.task import Task
from kbpo.core.database.bulk import array_literal, read_rows
from kbpo.core.errors import NotAllowed

CHUNK = 2_000
"""Questions whose labels are in memory at a time."""


def fields() -> tuple[str, ...]:
    """Return the names of all that `labels` may say of a label, in the order of a table's columns."""
    return ("kind", "doc_id", *published_columns(), "right", "value", "votes_for", "votes", "source", "audit")


def labels(epoch: Epoch) -> Iterator[dict[str, Any]]:
    """List the labels that a released epoch published, a few at a time from the database.

    Parameters
    ----------
    epoch : Epoch

    Yields
    ------
    dict
        Those of `fields` that apply: its document and what its kind says of the claim (`Kind.columns`); the
        value, and of a verdict whether it is right; how many of the votes said so, and who decided; and
        whether it comes of asking again, to audit another label.

    Raises
    ------
    NotAllowed
        The epoch is not released.
    """
    _refuse_sealed(epoch)
    questions = [pk for _, pk in published(epoch)]
    for first in range(0, len(questions), CHUNK):
        yield from _labels_of(questions[first : first + CHUNK])


@dataclass(frozen=True, slots=True)
class LabelPage:
    """Some labels of a released epoch.

    Attributes
    ----------
    questions : sequence of (int, int)
        Document and question, by row id: of those whose labels these are, and of one more if another follows.
    labels : sequence of dict
        As `labels` yields them.
    """

    questions: Sequence[tuple[int, int]]
    labels: Sequence[dict[str, Any]]


def label_page(epoch: Epoch, after: tuple[int, ...] | None, size: int) -> LabelPage:
    """Return the labels of some questions of a released epoch, from where the last page ended.

    Raises
    ------
    NotAllowed
        The epoch is not released.
    """
    _refuse_sealed(epoch)
    every = published(epoch)
    first = 0 if after is None else bisect_right(every, after)
    asked = every[first : first + size + 1]
    return LabelPage(asked, list(_labels_of([pk for _, pk in asked[:size]])))


def labels_state(epoch: Epoch) -> str:
    """Return what changes whenever `labels` of a released epoch does, without reading them into memory."""
    _refuse_sealed(epoch)
    needed = array_literal(pk for _, pk in published(epoch))
    ((found,),) = read_rows(
        "SELECT concat_ws('|', count(*), sum(hashtextextended(concat_ws('|', q.kind, q.payload, q.audits_id,"
        " d.doc_id, l.id, l.claim, l.value, l.votes_for, l.votes, l.source), 0)))"
        " FROM annotations_label l JOIN annotations_question q ON q.id = l.question_id"
        " JOIN annotations_document d ON d.id = q.document_id WHERE q.id = ANY(%s::bigint[])",
        [needed],
    )
    return str(found)


def sample_state(epoch: Epoch) -> str:
    """Return what changes whenever `sample` of a released epoch does: all but names is stored for ever."""
    _refuse_sealed(epoch)
    named = visible(None).filter(batch__epoch=epoch).order_by("pk")
    said = "".join(f"{one.pk}\t{one.shown_team}\t{one.shown_name}\n" for one in named)
    digest = ReleasedLabels.objects.filter(epoch=epoch).values_list("digest", flat=True).first()
    corpus = epoch.corpus
    return f"{epoch.pk}|{epoch.secret}|{digest}|{corpus.ontology_id}|{corpus.classes_id}|{said}"


def _refuse_sealed(epoch: Epoch) -> None:
    if epoch.released_at is None:
        raise NotAllowed(f"The labels of epoch {epoch.number} are sealed until it is released.")


def published(epoch: Epoch) -> list[tuple[int, int]]:
    """Return the published questions of an epoch's batches with their documents, by row ids, in order."""
    # Each table by itself: whatever Postgres believes of their sizes, it cannot join them badly.
    batches = list(epoch.batches.values_list("pk", flat=True))
    asked = read_rows(
        "SELECT question_id FROM evaluation_samplebatch_questions WHERE samplebatch_id = ANY(%s)"
        " UNION SELECT question_id FROM evaluation_epoch_recorded WHERE epoch_id = %s",
        [batches, epoch.pk],
    )
    needed = array_literal(pk for (pk,) in asked)
    published = read_rows(
        "SELECT document_id, id FROM annotations_question"
        " WHERE (id = ANY(%s::bigint[]) OR audits_id = ANY(%s::bigint[])) AND published_at IS NOT NULL",
        [needed, needed],
    )
    return sorted(published)


def _labels_of(questions: Sequence[int]) -> Iterator[dict[str, Any]]:
    found = Label.objects.filter(question__in=questions).order_by(
        "question__document_id", "question_id", "pk"
    )
    for label in found.values_list(
        "question__kind",
        "question__payload",
        "question__document__doc_id",
        "claim",
        "value",
        "votes_for",
        "votes",
        "source",
        "question__audits",
    ):
        kind, payload, doc_id, claim, value, votes_for, votes, source, audits = label
        yield {
            "kind": kind,
            "doc_id": doc_id,
            **read_question(kind, payload).published(claim),
            **({"right": value == 1} if find_kind(kind).is_verdict else {}),
            "value": value,
            "votes_for": votes_for,
            "votes": votes,
            "source": source,
            **({} if audits is None else {"audit": True}),
        }


def sample(epoch: Epoch, task: Task) -> Iterator[dict[str, Any]]:
    """List how a released epoch's sample came about, so that anybody can draw it again.

    Of a system that is not public only the units that were sampled are listed, without its name.

    Parameters
    ----------
    epoch : Epoch
    task : Task
        Its corpus'.

    Yields
    ------
    dict
        First the epoch: its ontology or classes, secret, commitment, design, and the digest of its labels.
        Then each batch in the order of arrival: its number, the system, the target variance V*, λ and the
        floor b, or the number of draws; and after it its system's units: the key, and that of the random
        number where it is another, p, the planned variance s² (null: ¼), π after the batch where the batch
        changed it, whether it was known, and whether, or how often, the batch drew it.
        In the end the audits: the batch as which one was drawn, its question's document and key, the doubt in
        its labels, its probability ρ, and whether it was drawn.

    Raises
    ------
    NotAllowed
        The epoch is not released.
    """
    if epoch.released_at is None:
        raise NotAllowed(f"The sample of epoch {epoch.number} is sealed until it is released.")
    yield {
        "corpus": epoch.corpus.tag,
        "ontology": epoch.corpus.ontology_id if task.has_ontology else None,
        "classes": str(epoch.corpus.classes) if epoch.corpus.classes else None,
        "epoch": epoch.number,
        "design": epoch.corpus.design,
        "growth": epoch.growth if epoch.corpus.design == Corpus.Design.COORDINATED else None,
        "secret": epoch.secret,
        "commitment": epoch.commitment,
        "key_version": epoch.key_version,
        "weighting": epoch.weighting,
        "labels": ReleasedLabels.objects.filter(epoch=epoch).values_list("digest", flat=True).first(),
    }
    for batch in epoch.batches.order_by("number").select_related("submission"):
        public = visible(None).filter(pk=batch.submission_id).first()
        yield {
            "batch": batch.number,
            "system": f"{public.shown_team}: {public.shown_name}" if public else None,
            "target_variance": batch.target_variance,
            "lambda": batch.lam,
            "floor": batch.floor,
            "draws": batch.draws,
        }
        drawn = dict(batch.sampled.values_list("unit_id", "draws"))
        inclusions = {row.unit_id: row for row in batch.inclusions.all()}
        units = task.read_units(batch.submission)
        weights = sampling.design_weights(batch, units, task).tolist()
        planned = columns.read_variance(batch)
        variance = [None] * len(weights) if planned is None else planned.tolist()
        of_random = task.random_keys(units)
        for key, random_key, unit_id, p, s2 in zip(
            units.keys, of_random, units.ids.tolist(), weights, variance, strict=True
        ):
            if not public and unit_id not in drawn:
                continue
            inclusion = inclusions.get(unit_id)
            yield {
                "batch": batch.number,
                "key": key,
                **({} if random_key == key else {"random_key": random_key}),
                "p": p if public else None,
                "variance": s2 if public else None,
                "pi": inclusion and inclusion.probability,
                "known": bool(inclusion and inclusion.is_known),
                "drawn": (drawn[unit_id] or 1) if unit_id in drawn else 0,
            }
    rows = Audit.objects.filter(epoch=epoch).order_by(
        "batch__number", "question__document__doc_id", "question__key"
    )
    for number, doc_id, question, doubt, rho, is_drawn in rows.values_list(
        "batch__number", "question__document__doc_id", "question__key", "doubt", "probability", "is_drawn"
    ):
        yield {
            "batch": number,
            "audit": f"{doc_id}|{question}",
            "doubt": doubt,
            "rho": rho,
            "drawn": is_drawn,
        }
