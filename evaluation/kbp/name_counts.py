"""In how many documents of a corpus each name stands: counted as documents come, so that no score waits.

A name is known by the digest of its key (`evaluation.kbp.name_keys`).
"""

from collections import Counter
from collections.abc import Collection, Mapping

from django.db import connection, transaction

from annotations.models import Corpus
from evaluation.kbp.name_keys import Names, digest
from evaluation.models import CountedDocument, NameCount
from kbpo.core.database.analysing import analyse
from kbpo.core.database.bulk import array_literal, read_rows

DOCUMENTS = 500
"""Whose texts are in memory at a time, and counted in one transaction."""

_NEW = """
SELECT document.id FROM annotations_document AS document
WHERE document.corpus_id = %s AND NOT EXISTS (
    SELECT FROM evaluation_counteddocument AS counted WHERE counted.document_id = document.id
)
ORDER BY document.id LIMIT %s
"""
# Who counts the same at once waits here, and then has nothing left to count.
_TAKE = """
INSERT INTO evaluation_counteddocument (document_id) SELECT unnest(%s::bigint[])
ON CONFLICT DO NOTHING RETURNING document_id
"""
_ADD = """
INSERT INTO evaluation_namecount (corpus_id, name, documents)
SELECT %s, new.name, new.documents FROM unnest(%s::bigint[], %s::int[]) AS new (name, documents)
ON CONFLICT (corpus_id, name) DO UPDATE SET documents = evaluation_namecount.documents + excluded.documents
"""


def count_new(corpus: Corpus) -> int:
    """Count the names of the documents that are not counted yet; return how many these were."""
    done = 0
    while waiting := [pk for (pk,) in read_rows(_NEW, [corpus.pk, DOCUMENTS])]:
        done += _count(corpus, waiting)
    if done:
        analyse(dict.fromkeys((NameCount, CountedDocument), done))
    return done


def read_counts(corpus: Corpus, names: Collection[int]) -> Mapping[int, int]:
    """Return in how many documents of a corpus each of some names stands, as far as they are counted."""
    found = read_rows(
        "SELECT name, documents FROM evaluation_namecount WHERE corpus_id = %s AND name = ANY(%s::bigint[])",
        [corpus.pk, array_literal(names)],
    )
    return dict.fromkeys(names, 0) | dict(found)


@transaction.atomic
def _count(corpus: Corpus, document_ids: list[int]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, [document_ids])
        taken = [pk for (pk,) in cursor.fetchall()]
        texts = read_rows("SELECT doc_id, text FROM annotations_document WHERE id = ANY(%s)", [taken])
        counts: Counter[int] = Counter()
        for doc_id, text in texts:
            counts.update({digest(key) for key in Names(doc_id, text).all()})
        # In one order, so that two who add to the same names do not wait for each other.
        names = sorted(counts)
        cursor.execute(_ADD, [corpus.pk, names, [counts[name] for name in names]])
    return len(taken)
