"""What a knowledge base claims, stored: instances that systems share, and a submission's use of each."""

from collections.abc import Iterator

from django.db import connection

from annotations.models import Document
from annotations.ontologies import plain_ontology_of
from evaluation.kbp.files.sent import Predictions
from evaluation.kbp.name_keys import digest
from evaluation.models import Instance, Prediction, Submission, Unit
from kbpo.core.database.analysing import analyse
from kbpo.core.errors import InvalidInput
from kbpo_estimators import weighting
from kbpo_formats.kbp.predictions import OFFSETS
from kbpo_formats.ontologies.ontology import Ontology


def store_predictions(submission: Submission, predictions: Predictions) -> None:
    """Store the predictions of a submission, and the instances that are new.

    Raises
    ------
    InvalidInput
        If one is of a relation that its corpus' ontology has not, or that does not admit its types.
    """
    _refuse_others(predictions, plain_ontology_of(submission.corpus))
    probabilities = weighting.WEIGHTINGS[weighting.DEFAULT](
        predictions.names("subject_name"),
        predictions.names("predicate"),
        predictions.names("object_name"),
    )
    documents = dict(Document.objects.filter(corpus=submission.corpus).values_list("doc_id", "id"))
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMPORARY TABLE read_prediction ("
            " document_id bigint, predicate text, subject_start int, subject_end int, object_start int,"
            " object_end int, confidence float8, subject_type text, object_type text, subject_entity text,"
            " object_entity text, subject_canonical_start int, subject_canonical_end int,"
            " object_canonical_start int, object_canonical_end int, probability float8, line int,"
            " subject_name bigint, object_name bigint"
            ")"
        )
        with cursor.copy("COPY read_prediction FROM STDIN") as copy:
            for row in zip(
                [documents[doc_id] for doc_id in predictions.names("doc_id")],
                predictions.names("predicate"),
                *map(predictions.offsets, OFFSETS[:4]),
                predictions.confidences,
                *map(predictions.names, ("subject_type", "object_type", "subject_entity", "object_entity")),
                *map(predictions.offsets, OFFSETS[4:]),
                probabilities.tolist(),
                predictions.integers["line"],
                *(_digests(predictions, column) for column in ("subject_name", "object_name")),
                strict=True,
            ):
                copy.write_row(row)
        key = "document_id, predicate, subject_start, subject_end, object_start, object_end"
        cursor.execute("ANALYZE read_prediction")
        # Ordered: submissions that are stored at the same time lock the instances they share in one order.
        cursor.execute(
            f"WITH new AS (INSERT INTO evaluation_instance (id, {key}, subject_name, object_name)"  # noqa: S608
            f" SELECT nextval(pg_get_serial_sequence('evaluation_unit', 'id')), {key}, subject_name,"
            f" object_name FROM read_prediction ORDER BY {key} ON CONFLICT DO NOTHING RETURNING id)"
            " INSERT INTO evaluation_unit (id, corpus_id) SELECT id, %s FROM new",
            [submission.corpus_id],
        )
        # before it is joined, and foreign keys to it are checked
        analyse(dict.fromkeys((Unit, Instance), cursor.rowcount))
        rest = (
            "confidence, subject_type, object_type, subject_entity, object_entity, subject_canonical_start,"
            " subject_canonical_end, object_canonical_start, object_canonical_end, probability, line"
        )
        cursor.execute(
            f"INSERT INTO evaluation_prediction (submission_id, instance_id, {rest})"  # noqa: S608 (constants)
            f" SELECT %s, instance.id, {rest} FROM read_prediction"
            f" JOIN evaluation_instance AS instance USING ({key})",
            [submission.pk],
        )
        cursor.execute("DROP TABLE read_prediction")
    analyse({Prediction: len(predictions)})


def _refuse_others(predictions: Predictions, ontology: Ontology) -> None:
    columns = (predictions.integers[name] for name in ("predicate", "subject_type", "object_type"))
    for codes in set(zip(*columns, strict=True)):
        predicate, *types = (predictions.strings[code] for code in codes)
        if not ontology.find_relation(predicate).admits(*types):
            raise InvalidInput(
                f"{predicate} of {ontology} does not admit {' and '.join(types):.40}", where="predicate"
            )


def _digests(predictions: Predictions, column: str) -> Iterator[int]:
    codes = predictions.integers[column]
    known = {code: digest(predictions.strings[code]) for code in set(codes)}
    return map(known.__getitem__, codes)
