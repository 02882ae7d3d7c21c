"""From rows to arrays to scores: the only bridge between the database and the estimators."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from django.db import transaction
from django.db.models import F

import kbpo
from annotations import agreements, questions
from annotations.labels import update_posteriors
from annotations.models import AnnotatedMention, AnnotatedRelation, Corpus, DocumentAnnotation, Label
from evaluation import batches, comparing, divisions, estimators, sampling, tiers
from evaluation.estimators import coordinated, matching, weighting
from evaluation.estimators.comparison import comparables
from evaluation.estimators.intervals import Interval
from evaluation.estimators.scores import (
    CoordinatedSample,
    Documents,
    Estimates,
    IidSample,
    Labels,
    System,
    SystemScore,
    coordinated_estimates,
    iid_estimates,
    noise_adjusted_scores,
)
from evaluation.estimators.subsets import Division, Relations, subset_scores
from evaluation.estimators.subsets import SubsetScore as OfSubset
from evaluation.lifecycle import fail, move
from evaluation.models import (
    AdjustedScore,
    Comparison,
    DocumentSample,
    Epoch,
    Prediction,
    SampleBatch,
    SampledInstance,
    Score,
    Submission,
    SubsetScore,
)
from kbpo.core.spans import Span

SCORING_ATTEMPTS = 3

LabelColumn = Literal["value", "corrected"]


@dataclass(frozen=True, eq=False)
class Pool:
    """The systems of an epoch's fully labelled batches and the instances that they predict.

    Attributes
    ----------
    instance_ids : list of int
        Row ids of the N instances, in the order of their keys.
    keys : list of str
        Their keys, ascending.
    submissions : list of Submission
        In the order of their arrival.
    systems : list of System
    claims : list of list of Prediction
        For each system its predictions, in the order of its rows.
    """

    instance_ids: list[int]
    keys: list[str]
    submissions: list[Submission]
    systems: list[System]
    claims: list[list[Prediction]]


@dataclass(frozen=True, eq=False)
class Exhaustive:
    """The exhaustive documents by row id, with what is found in each, and with each true relation."""

    document_ids: list[int]
    documents: Documents
    relations: Relations


def read_pool(submissions: Sequence[Submission]) -> Pool:
    """Read what systems predict, with p_i under every weighting: the default's as stored, others computed."""
    read = [sampling.read_claims(submission) for submission in submissions]
    by_key = {
        key: prediction.instance_id
        for claims in read
        for key, prediction in zip(claims.keys, claims.predictions, strict=True)
    }
    keys = sorted(by_key)
    row_of = {key: row for row, key in enumerate(keys)}
    systems = []
    for submission, claims in zip(submissions, read, strict=True):
        subjects = [row.subject_entity for row in claims.predictions]
        predicates = [row.instance.predicate for row in claims.predictions]
        objects = [row.object_entity for row in claims.predictions]
        systems.append(
            System(
                rows=np.array([row_of[key] for key in claims.keys], dtype=np.int64),
                weights={
                    name: claims.p if name == weighting.DEFAULT else weigh(subjects, predicates, objects)
                    for name, weigh in weighting.WEIGHTINGS.items()
                },
                confidence=np.array([row.confidence for row in claims.predictions]),
                team=submission.team_id,
            )
        )
    return Pool(
        [by_key[key] for key in keys], keys, list(submissions), systems, [c.predictions for c in read]
    )


def read_labels(pool: Pool, epoch: Epoch, through: int, column: LabelColumn = "value") -> Labels:
    """Read the labels of the instances sampled in batches 1 to `through`.

    Parameters
    ----------
    column : {"value", "corrected"}
        The labels as they stand, or corrected for workers' errors; NaN where one was never corrected.
    """
    relation = np.full(len(pool.keys), np.nan)
    row_of = {instance_id: row for row, instance_id in enumerate(pool.instance_ids)}
    settled = SampledInstance.objects.filter(
        epoch=epoch,
        batch__number__lte=through,
        question__labels__predicate=F("instance__predicate"),
        question__labels__subject=F("subject"),
    ).values_list("instance_id", f"question__labels__{column}")
    sampled = np.zeros(len(pool.keys), dtype=bool)
    for instance_id, value in settled:
        sampled[row_of[instance_id]] = True
        relation[row_of[instance_id]] = np.nan if value is None else value
    return Labels(relation, _read_linking(pool, sampled, column))


def _read_linking(pool: Pool, sampled: np.ndarray, column: LabelColumn) -> list[np.ndarray]:
    claimed = [
        {
            position: sampling.canonical_claims(claims[position])
            for position in np.flatnonzero(sampled[system.rows])
        }
        for system, claims in zip(pool.systems, pool.claims, strict=True)
    ]
    asked = questions.find_canonicals(
        {claim for rows in claimed for claims in rows.values() for claim in claims}
    )
    values = dict(
        Label.objects.filter(question__in=[question.pk for question in asked.values()]).values_list(
            "question_id", column
        )
    )
    linking = []
    for system, rows in zip(pool.systems, claimed, strict=True):
        right = np.full(len(system.rows), np.nan)
        for position, claims in rows.items():
            ones = [values[asked[claim].pk] for claim in claims]
            right[position] = np.nan if None in ones else math.prod(ones)
        linking.append(right)
    return linking


def read_coordinated_sample(pool: Pool, epoch: Epoch, through: int) -> CoordinatedSample:
    """Read π after batch `through` and the sample {u < π} as it was drawn."""
    pi = sampling.current_pi(epoch, through)
    drawn = set(
        SampledInstance.objects.filter(epoch=epoch, batch__number__lte=through).values_list(
            "instance_id", flat=True
        )
    )
    return CoordinatedSample(
        pi=np.array([pi[instance_id] for instance_id in pool.instance_ids]),
        sampled=np.array([instance_id in drawn for instance_id in pool.instance_ids], dtype=bool),
        folds=coordinated.folds(bytes.fromhex(epoch.secret), pool.keys),
    )


def read_iid_sample(pool: Pool, epoch: Epoch, through: int) -> IidSample:
    """Read each system's draws."""
    row_of = {instance_id: row for row, instance_id in enumerate(pool.instance_ids)}
    draws: dict[int, list[tuple[int, int]]] = defaultdict(list)
    rows = SampledInstance.objects.filter(epoch=epoch, batch__number__lte=through)
    for submission_id, instance_id, count in rows.values_list("batch__submission_id", "instance_id", "draws"):
        draws[submission_id].append((row_of[instance_id], count or 0))
    return IidSample(
        [
            np.repeat(*np.array(sorted(draws[submission.pk]), dtype=np.int64).T)
            for submission in pool.submissions
        ]
    )


def read_exhaustive(
    pool: Pool, corpus: Corpus, document_ids: Sequence[int] | None = None
) -> Exhaustive | None:
    """Read the exhaustive documents, and what each system finds in them.

    Parameters
    ----------
    document_ids : sequence of int or None
        Which annotated documents, in which order; None for the corpus' exhaustive sample.

    Returns
    -------
    Exhaustive or None
        None where there are none.
    """
    if document_ids is None:
        sample = DocumentSample.objects.filter(corpus=corpus).first()
        if sample is None:
            return None
        document_ids = list(sample.documents.order_by("document_id").values_list("document_id", flat=True))
    column_of = {document_id: column for column, document_id in enumerate(document_ids)}
    relations = _read_true_relations(document_ids)
    columns = np.array([column_of[int(relation.doc_id)] for relation in relations], dtype=np.int64)
    size, population = len(document_ids), corpus.documents.count()
    found: dict[str, np.ndarray] = {}
    correct: dict[str, np.ndarray] = {}
    pool_correct: dict[str, np.ndarray] = {}
    for part in matching.PARTS:
        found[part] = np.zeros((len(pool.systems), len(relations)), dtype=bool)
        correct[part] = np.zeros((len(pool.systems), size), dtype=np.int64)
        anybody: dict[int, int] = {}  # the column of each instance that somebody has right
        for number, predictions in enumerate(pool.claims):
            inside = [row for row in predictions if row.instance.document_id in column_of]
            matched = matching.match([_claim(row) for row in inside], relations, part)
            found[part][number] = matched.found
            of_claims = np.array([column_of[row.instance.document_id] for row in inside], dtype=np.int64)
            correct[part][number] = np.bincount(of_claims[matched.correct], minlength=size)
            anybody |= {
                inside[place].instance_id: int(of_claims[place]) for place in np.flatnonzero(matched.correct)
            }
        pool_correct[part] = np.bincount(np.fromiter(anybody.values(), dtype=np.int64), minlength=size)
    counted = {
        part: np.array([np.bincount(columns[own], minlength=size) for own in by_system])
        for part, by_system in found.items()
    }
    true = np.bincount(columns, minlength=size)
    return Exhaustive(
        list(document_ids),
        Documents(population, true, counted, correct, pool_correct),
        Relations(population, size, columns, found),
    )


def _claim(prediction: Prediction) -> matching.Claim:
    instance = prediction.instance
    canonical = [claim.canonical for claim in sampling.canonical_claims(prediction)]
    return matching.Claim(
        str(instance.document_id),
        instance.predicate,
        Span(instance.subject_start, instance.subject_end),
        Span(instance.object_start, instance.object_end),
        canonical[0],
        canonical[1] if len(canonical) > 1 else None,
    )


def _read_true_relations(document_ids: Sequence[int]) -> list[matching.TrueRelation]:
    mentions: dict[tuple[int, Span], set[Span]] = defaultdict(set)  # of the entity of a mention
    entities: dict[tuple[int, Span], set[Span]] = defaultdict(set)
    rows = list(
        AnnotatedMention.objects.filter(
            annotation__document__in=document_ids, annotation__source=DocumentAnnotation.Source.EXPERT
        ).values_list("annotation_id", "start", "end", "canonical_start", "canonical_end")
    )
    for annotation_id, start, end, canonical_start, canonical_end in rows:
        entities[annotation_id, Span(canonical_start, canonical_end)].add(Span(start, end))
    for annotation_id, start, end, canonical_start, canonical_end in rows:
        mentions[annotation_id, Span(start, end)] |= entities[
            annotation_id, Span(canonical_start, canonical_end)
        ]
    relations = AnnotatedRelation.objects.filter(
        annotation__document__in=document_ids, annotation__source=DocumentAnnotation.Source.EXPERT
    ).order_by("pk")
    values = relations.values_list(
        "annotation__document_id",
        "annotation_id",
        "predicate",
        "subject_start",
        "subject_end",
        "object_start",
        "object_end",
    )
    found = []
    for (
        document_id,
        annotation_id,
        predicate,
        subject_start,
        subject_end,
        object_start,
        object_end,
    ) in values:
        subject, object_ = Span(subject_start, subject_end), Span(object_start, object_end)
        found.append(
            matching.TrueRelation(
                str(document_id),
                predicate,
                subject,
                object_,
                tuple(sorted(mentions[annotation_id, subject])),
                tuple(sorted(mentions[annotation_id, object_])),
            )
        )
    return found


@transaction.atomic
def score_epoch(*, epoch_id: int) -> bool:
    """Measure the labels of an epoch whose inputs have changed, then compute and store its scores.

    Returns
    -------
    bool
        False where there was nothing to do, or somebody is at it.
    """
    # Before its epochs, as everywhere; tiers are those of all of them.
    Corpus.objects.select_for_update(no_key=True, of=("self",)).get(epochs=epoch_id)
    epoch = (
        Epoch.objects.select_for_update(skip_locked=True, of=("self",))
        .select_related("corpus")
        .filter(pk=epoch_id, scores_due=True)
        .first()
    )
    if epoch is None:
        return False
    # Here, under the epoch's lock: no batch whose labels are not measured is closed in between.
    update_posteriors(corpus=epoch.corpus)
    agreements.update_agreement(corpus=epoch.corpus)
    through = batches.last_labelled(epoch)
    if through:
        pool = _score(epoch, through)
        judged = Submission.objects.select_for_update().filter(
            batch__epoch=epoch, batch__number__lte=through, state=Submission.State.JUDGING
        )
        for submission in judged.order_by("pk"):
            move(submission, Submission.State.SCORED, f"{len(pool.submissions)} systems in the pool")
        tiers.update_tiers(corpus=epoch.corpus)
    epoch.scores_due = False
    epoch.scoring_failures = 0
    epoch.save(update_fields=["scores_due", "scoring_failures"])
    return True


@transaction.atomic
def note_failure(*, epoch_id: int) -> None:
    """Record that scoring an epoch raised an error; after three in a row those who wait for it are told."""
    epoch = Epoch.objects.select_for_update().get(pk=epoch_id)
    epoch.scoring_failures += 1
    if epoch.scoring_failures >= SCORING_ATTEMPTS:
        epoch.scores_due = False
        through = batches.last_labelled(epoch)
        waiting = Submission.objects.filter(batch__epoch=epoch, batch__number__lte=through, state="judging")
        for pk in list(waiting.values_list("pk", flat=True)):
            fail(
                submission_id=pk,
                stage=Submission.State.JUDGING,
                detail="Everything is judged, but computing the scores failed. This is our fault; resume it"
                " to have us try again. Nothing that was judged is lost.",
            )
    epoch.save(update_fields=["scores_due", "scoring_failures"])


def _score(epoch: Epoch, through: int) -> Pool:
    """Store whatever can be estimated from batches 1 to `through`, in place of what was."""
    submissions = Submission.objects.filter(batch__epoch=epoch, batch__number__lte=through)
    pool = read_pool(list(submissions.order_by("batch__number")))
    labels = read_labels(pool, epoch, through)
    exhaustive = read_exhaustive(pool, epoch.corpus)
    documents = exhaustive.documents if exhaustive else None
    sample: CoordinatedSample | IidSample
    if epoch.corpus.design == Corpus.Design.COORDINATED:
        sample = read_coordinated_sample(pool, epoch, through)
        estimates = coordinated_estimates(pool.systems, labels, sample, documents)
        corrected = read_labels(pool, epoch, through, "corrected")
        _store_adjusted(epoch, pool, noise_adjusted_scores(pool.systems, corrected, sample, documents))
    else:
        sample = read_iid_sample(pool, epoch, through)
        estimates = iid_estimates(pool.systems, labels, sample, documents)
    _store(epoch, epoch.batches.get(number=through), pool, estimates)
    divided = divisions.divisions(epoch.corpus, pool.claims, exhaustive.document_ids if exhaustive else [])
    relations = exhaustive.relations if exhaustive else None
    SubsetScore.objects.filter(epoch=epoch).delete()
    for kind, division in divided:
        _store_subsets(
            epoch, pool, kind, division, subset_scores(pool.systems, labels, sample, relations, division)
        )
    return pool


def _store(epoch: Epoch, batch: SampleBatch, pool: Pool, estimates: Iterable[Estimates]) -> None:
    documents = DocumentSample.objects.filter(corpus=epoch.corpus).first()
    # The newest scores of an epoch replace the others: m systems would else leave m(m + 1)/2 sets of them.
    Score.objects.filter(epoch=epoch).delete()
    Comparison.objects.filter(epoch=epoch).delete()
    for of_part in estimates:
        Score.objects.bulk_create(
            (
                Score(
                    submission=pool.submissions[score.system],
                    epoch=epoch,
                    batch=batch,
                    estimator=score.estimator,
                    weighting=score.weighting,
                    part=score.part,
                    level=score.level,
                    matching=matching.RULE,
                    **_measured(score),
                    labels=score.labels,
                    counts={
                        "instances": len(pool.systems[score.system].rows),
                        "pool": len(pool.submissions),
                        "documents": documents.size if documents else 0,
                        "true": score.true,
                        "found": score.found,
                    },
                    code_version=code_version(),
                )
                for score in of_part.scores()
            ),
            batch_size=1000,
        )
        Comparison.objects.bulk_create(
            Comparison(
                epoch=epoch,
                estimator=estimator,
                weighting=weighting_name,
                part=of_part.part,
                submissions=[submission.pk for submission in pool.submissions],
                arrays=comparing.pack(comparable),
            )
            for estimator, weighting_name, comparable in comparables(of_part)
        )


def _store_adjusted(epoch: Epoch, pool: Pool, scores: Iterable[SystemScore]) -> None:
    AdjustedScore.objects.filter(epoch=epoch).delete()
    AdjustedScore.objects.bulk_create(
        (
            AdjustedScore(
                submission=pool.submissions[score.system],
                epoch=epoch,
                weighting=score.weighting,
                part=score.part,
                level=score.level,
                **_measured(score),
            )
            for score in scores
        ),
        batch_size=1000,
    )


def _store_subsets(
    epoch: Epoch,
    pool: Pool,
    kind: SubsetScore.Division,
    division: Division,
    scores: Iterable[OfSubset],
) -> None:
    SubsetScore.objects.bulk_create(
        (
            SubsetScore(
                submission=pool.submissions[score.system],
                epoch=epoch,
                division=kind,
                name=division.names[score.subset],
                order=score.subset,
                part=score.part,
                **_measured(score),
                labels=score.labels,
                true=score.true,
            )
            for score in scores
        ),
        batch_size=1000,
    )


def _measured(score: SystemScore | OfSubset) -> dict[str, float | None]:
    return {
        **_columns("precision", score.precision),
        **_columns("recall", score.recall),
        **_columns("f1", score.f1),
    }


def _columns(name: str, interval: Interval | None) -> dict[str, float | None]:
    if interval is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: interval.estimate, f"{name}_low": interval.low, f"{name}_high": interval.high}


@cache
def code_version() -> str:
    """Return the release and a digest of the code that makes scores, so that a score says what made it."""
    digest = hashlib.sha256()
    for path in [*sorted(Path(estimators.__file__).parent.glob("*.py")), Path(__file__)]:
        digest.update(path.read_bytes())
    return f"{kbpo.__version__}+{digest.hexdigest()[:12]}"
