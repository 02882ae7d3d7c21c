"""What migration 0024 makes of instances and samples that were there before.

It reads historical models, and of the project the name keys alone: those of a version never change.
"""

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


def keep_names(apps, schema_editor):
    """Keep the keys of what was sampled by which its claims are divided, instead of texts.

    Its weights stay what its systems' clusters made of them: samples were drawn by them.
    """
    with connection.cursor() as cursor:
        cursor.execute(UNSAMPLED)
    column = apps.get_model("evaluation", "UnitColumn").objects
    for batch in apps.get_model("evaluation", "SampleBatch").objects.order_by("pk").iterator():
        own = column.filter(batch=batch)
        if own.filter(name="subject name").exists():
            subjects = names_of(unpack(own.get(name="unit").data))
            column.create(batch=batch, name="subject key", data=coded(subjects))
            own.filter(name="subject name").delete()


def names_of(ids):
    """Return the digests of the subjects of some instances, in their order."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT instance.subject_name FROM unnest(%s::bigint[]) WITH ORDINALITY AS own (id, place)"
            " JOIN evaluation_instance AS instance ON instance.id = own.id ORDER BY own.place",
            [ids.tolist()],
        )
        return np.array([name for (name,) in cursor.fetchall()], dtype=np.int64)


def unpack(data):
    return np.load(BytesIO(bytes(data)), allow_pickle=False)


def coded(column):
    values, codes = np.unique(column, return_inverse=True)
    return packed(values) + packed(codes.astype(np.min_scalar_type(int(codes.max(initial=0)))))


def packed(array):
    stream = BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()
