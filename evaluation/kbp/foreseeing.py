"""What a forecast of the judging of a knowledge base rests on."""

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet

from annotations.models import Question
from annotations.models.kind_names import CANONICAL, RELATION
from evaluation.kbp.claims import COLUMNS, ClaimRow, known_rows
from evaluation.models import Epoch, Prediction, SampleBatch, Submission
from evaluation.units import Foreseen, Groups
from kbpo_estimators import weighting


def foresee(submission: Submission, epoch: Epoch, batches: QuerySet[SampleBatch]) -> Foreseen:
    """Read a submission's claims, and which question would settle each of their parts.

    A canonical mention that another system, of one of the epoch's batches that are given, claims at the same
    instance is asked wherever that instance is sampled; the relation of a pair is asked wherever any instance
    of it is.
    """
    others = Prediction.objects.filter(instance=OuterRef("instance"), submission__batch__in=batches)
    rows = submission.predictions.annotate(
        subject_shared=Exists(
            others.filter(
                subject_canonical_start=OuterRef("subject_canonical_start"),
                subject_canonical_end=OuterRef("subject_canonical_end"),
            )
        ),
        object_shared=Exists(
            others.filter(
                object_canonical_start=OuterRef("object_canonical_start"),
                object_canonical_end=OuterRef("object_canonical_end"),
            )
        ),
    ).values_list(
        "instance_id",
        "instance__subject_name",
        "instance__predicate",
        "instance__object_name",
        "instance__document_id",
        "instance__subject_start",
        "instance__subject_end",
        "instance__object_start",
        "instance__object_end",
        "subject_canonical_start",
        "subject_canonical_end",
        "object_canonical_start",
        "object_canonical_end",
        "subject_shared",
        "object_shared",
    )
    published = _known(submission)
    pair_ids: dict[object, int] = {}
    canonical_ids: dict[object, int] = {}
    ids, known, pairs = [], [], []
    weighed: list[tuple[str, str, str]] = []
    canonicals, owners, shared = [], [], []
    for row, (instance, subject_name, predicate, object_name, document, *spans) in enumerate(rows):
        *spans, subject_shared, object_shared = spans
        subject, object_, canonical, object_canonical = zip(spans[::2], spans[1::2], strict=True)
        ids.append(instance)
        weighed.append((str(subject_name), predicate, str(object_name)))
        known.append(instance in published)
        pair = (document, *sorted((subject, object_)))
        pairs.append(pair_ids.setdefault(pair, len(pair_ids)))
        claims = [(subject, canonical, subject_shared), (object_, object_canonical, object_shared)]
        for mention, named, is_shared in claims:
            if named[0] is not None:
                key = document, mention, named
                canonicals.append(canonical_ids.setdefault(key, len(canonical_ids)))
                owners.append(row)
                shared.append(is_shared)
    of_pairs = Groups(
        RELATION, np.array(pairs, dtype=np.int64), np.arange(len(ids)), np.ones(len(ids), dtype=np.bool_)
    )
    of_canonicals = Groups(
        CANONICAL,
        np.array(canonicals, dtype=np.int64),
        np.array(owners, dtype=np.int64),
        np.array(shared, dtype=np.bool_),
    )
    return Foreseen(
        np.array(ids, dtype=np.int64),
        weighting.WEIGHTINGS[epoch.weighting](*zip(*weighed, strict=True)) if weighed else np.empty(0),
        np.array(known, dtype=np.bool_),
        (of_pairs, of_canonicals),
    )


def _known(submission: Submission) -> set[int]:
    """Return the instances that are known to a submission, looking only where something was published."""
    documents = Question.objects.filter(
        document__corpus=submission.corpus_id, published_at__lt=submission.uploaded_at
    ).values("document")
    rows = [
        ClaimRow._make(values)
        for values in submission.predictions.filter(instance__document__in=documents).values_list(*COLUMNS)
    ]
    known = known_rows(submission, rows)
    return {row.instance_id for row, is_known in zip(rows, known, strict=True) if is_known}
