"""What migration 0030 makes of epochs that were released before it: as it was then, whatever the code does since.

It reads tables as they were, and nothing of the project.
"""

import hashlib
import json

LABELS = """
SELECT DISTINCT document.doc_id, question.key, label.claim, label.value, label.votes_for, label.votes, label.source
FROM evaluation_samplebatch_questions AS asked
JOIN evaluation_samplebatch AS batch ON batch.id = asked.samplebatch_id
JOIN annotations_question AS question ON question.id = asked.question_id
JOIN annotations_document AS document ON document.id = question.document_id
JOIN annotations_label AS label ON label.question_id = question.id
WHERE batch.epoch_id = %s
"""
ANSWERS = """
SELECT DISTINCT document.doc_id, question.key, response.worker_id, response.is_expert, response.answer::text,
    response.id
FROM evaluation_samplebatch_questions AS asked
JOIN evaluation_samplebatch AS batch ON batch.id = asked.samplebatch_id
JOIN annotations_question AS question ON question.id = asked.question_id
JOIN annotations_document AS document ON document.id = question.document_id
JOIN annotations_response AS response ON response.question_id = question.id
WHERE batch.epoch_id = %s
"""


def seal_released(apps, schema_editor):
    """Seal the labels of epochs that are released as they stand."""
    released = apps.get_model("evaluation", "Epoch").objects.filter(released_at__isnull=False)
    for pk in released.order_by("pk").values_list("pk", flat=True):
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(LABELS, [pk])
            labels, digest = digested(map(list, cursor.fetchall()))
            cursor.execute(ANSWERS, [pk])
            rows = cursor.fetchall()
        answers, answers_digest = digested([*row[:4], json.loads(row[4])] for row in rows)
        apps.get_model("evaluation", "ReleasedLabels").objects.create(
            epoch_id=pk,
            labels=labels,
            digest=digest,
            answers=answers,
            answers_digest=answers_digest,
            last_answer=max((row[5] for row in rows), default=0),
        )


def digested(rows):
    lines = sorted(json.dumps(row, sort_keys=True) for row in rows)
    return len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()
