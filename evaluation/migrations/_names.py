"""What migration 0020 makes of instances and samples that were there before.

It reads historical models, and of the project the name keys alone: those of a version never change.
"""

import math
from io import BytesIO

import numpy as np
from django.db import connection

from evaluation.kbp.name_keys import Names, digest

DOCUMENTS = 500  # whose texts are in memory at a time
SPANS = ("subject_start", "subject_end", "object_start", "object_end")

FILL = """
UPDATE evaluation_instance AS instance SET subject_name = new.subject_name, object_name = new.object_name
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS new (id, subject_name, object_name)
WHERE new.id = instance.id
"""
# What was not sampled yet is weighed by the default, which is the micro-average.
UNSAMPLED = """
UPDATE evaluation_prediction AS prediction SET probability = 1.0::float8 / own.number
FROM (
    SELECT submission_id, count(*) AS number FROM evaluation_prediction AS counted
    WHERE NOT EXISTS (SELECT FROM evaluation_samplebatch AS batch WHERE batch.submission_id = counted.submission_id)
    GROUP BY submission_id
) AS own
WHERE own.submission_id = prediction.submission_id
"""


def name_instances(apps, schema_editor):
    """Give every instance the name keys of its mentions."""
    instances = apps.get_model("evaluation", "Instance").objects.all()
    documents = apps.get_model("annotations", "Document").objects
    ids = sorted(instances.order_by().values_list("document", flat=True).distinct())
    for first in range(0, len(ids), DOCUMENTS):
        some = ids[first : first + DOCUMENTS]
        texts = documents.filter(pk__in=some).values_list("pk", "doc_id", "text")
        names = {pk: Names(doc_id, text) for pk, doc_id, text in texts}
        rows = instances.filter(document__in=some).values_list("pk", "document", *SPANS)
        named = [
            (pk, digest(names[document].key(a, b)), digest(names[document].key(c, d)))
            for pk, document, a, b, c, d in rows.iterator()
        ]
        with connection.cursor() as cursor:
            cursor.execute(FILL, [list(column) for column in zip(*named, strict=True)])


def weigh_anew(apps, schema_editor):
    """Weigh what open epochs estimate by name keys; every probability that a sample was drawn by stays.

    An `iid` estimate rests on the very weights that were drawn by, and a released epoch is closed: both keep
    what the systems' clusters made of them.
    """
    with connection.cursor() as cursor:
        cursor.execute(UNSAMPLED)
    column = apps.get_model("evaluation", "UnitColumn").objects
    batches = apps.get_model("evaluation", "SampleBatch").objects.select_related("epoch")
    for batch in batches.order_by("pk").iterator():
        own = column.filter(batch=batch)
        subjects, objects = names_of(unpack(own.get(name="unit").data))
        column.create(batch=batch, name="subject key", data=coded(subjects))
        own.filter(name="subject name").delete()
        if batch.lam is None or batch.epoch.released_at is not None:
            continue
        predicates = codes_of(own.get(name="predicate").data)
        own.filter(name="p subject").update(data=coded(by_subject(subjects)))
        p = by_subject_and_relation(subjects, predicates, objects)
        own.filter(name="p subject_relation").update(data=coded(p))
        batches.filter(pk=batch.pk).update(weights_version="names v1")
        type(batch.epoch).objects.filter(pk=batch.epoch_id).update(scores_due=True)


def names_of(ids):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT instance.subject_name, instance.object_name"
            " FROM unnest(%s::bigint[]) WITH ORDINALITY AS own (id, place)"
            " JOIN evaluation_instance AS instance ON instance.id = own.id ORDER BY own.place",
            [ids.tolist()],
        )
        return np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 2).T


def by_subject(subjects):
    return shares(1.0 / sizes(subjects))


def by_subject_and_relation(subjects, predicates, objects):
    subject, predicate, object_ = (np.unique(one, return_inverse=True)[1] for one in (subjects, predicates, objects))
    triples = np.unique(np.stack([subject, predicate, object_]), axis=1)
    relations = np.bincount(triples[0], minlength=int(subject.max()) + 1)
    return shares(relations[subject] / (sizes(subject) * sizes(predicate)))


def sizes(values):
    _, codes = np.unique(values, return_inverse=True)
    return np.bincount(codes)[codes]


def shares(weights):
    return weights / math.fsum(weights.tolist())


def unpack(data):
    return np.load(BytesIO(bytes(data)), allow_pickle=False)


def codes_of(data):
    """Return the second of two arrays: which of the values stands at each place."""
    stream = BytesIO(bytes(data))
    np.load(stream, allow_pickle=False)
    return np.load(stream, allow_pickle=False)


def coded(column):
    values, codes = np.unique(column, return_inverse=True)
    return packed(values) + packed(codes.astype(np.min_scalar_type(int(codes.max(initial=0)))))


def packed(array):
    stream = BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()
