"""Every row of every model, by natural keys: what two histories are compared by."""

import hashlib
import json
import tempfile
from collections.abc import Mapping
from email import message_from_bytes
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import models

from annotations.models import Question
from evaluation.archives.making import FOLDER as ARCHIVES
from evaluation.design import columns
from evaluation.design.evidence import Evidence
from evaluation.models import (
    AuditDrawing,
    Edition,
    Instance,
    PlannedVariance,
    StageWork,
    Submission,
    Unit,
    UnitColumn,
)
from evaluation.submissions import files
from kbpo.core.database.coded import unpack
from kbpo.core.models import AuditEntry
from kbpo.core.storage import store
from kbpo_archive.reading import Archive
from kbpo_archive.recomputing import compare

Row = Mapping[str, Any]

#: Rows that others point to, and what names them instead of their row id.
NATURAL_KEYS: Mapping[str, tuple[str, ...]] = {
    "accounts.User": ("email",),
    "accounts.Team": ("name",),
    "accounts.ApiToken": ("user", "name"),
    "annotations.OntologyVersion": ("name", "version"),
    "annotations.ClassList": ("name", "version"),
    "annotations.CorpusGuidelines": ("corpus", "version"),
    "annotations.Corpus": ("tag",),
    "annotations.CorpusPhase": ("corpus", "name"),
    "annotations.CorpusTerms": ("corpus", "version"),
    "annotations.DataAgreement": ("corpus", "version"),
    "annotations.Document": ("corpus", "doc_id"),
    "annotations.DocumentAnnotation": ("document", "source"),
    "annotations.Question": ("document", "key"),
    "evaluation.Submission": ("corpus", "team", "name"),
    "evaluation.SubmissionEvent": ("submission", "state", "detail"),
    "evaluation.Instance": (
        *("document", "predicate"),
        *("subject_start", "subject_end", "object_start", "object_end"),
    ),
    "evaluation.EntityIndex": ("corpus",),
    "evaluation.Entity": ("index", "key"),
    "evaluation.EntityRelation": ("index", "key"),
    "evaluation.Epoch": ("corpus", "number"),
    "evaluation.SampleBatch": ("epoch", "number"),
    "evaluation.Score": (*("submission", "batch", "standard", "estimator", "weighting", "part", "level"),),
    "evaluation.FittedModel": ("epoch", "part"),
    "evaluation.ArchiveKey": ("epoch",),
    "evaluation.Edition": ("epoch", "edition"),
    "evaluation.DocumentSample": ("corpus", "number"),
    "evaluation.Upload": ("user", "name"),
    "evaluation.FileCheck": ("upload",),
    "contenttypes.ContentType": ("app_label", "model"),
}

#: Fields that are left out, beside row ids. Of a time, whether there is one is compared.
LEFT_OUT: Mapping[str, str] = {
    "accounts.User.password": "made of random letters where nobody can sign in",
    "accounts.ApiToken.digest": "of random letters",
    "annotations.CorpusFiles.state": "has a row id; the digests of what it is of are compared",
    "evaluation.Submission.file": "named anew in a second try; that it is there, and its bytes, are compared",
    "evaluation.StageWork.attempts": "a try that was killed counts",
    "evaluation.FileCheck.attempts": "a try that was killed counts",
    "evaluation.NormalisedFile.attempts": "a try that was killed counts",
    "evaluation.PlannedVariance.digest": "of row ids too; what it is of is compared",
    "evaluation.AuditDrawing.digest": "of row ids too; what it is of is compared",
    "evaluation.ArchiveKey.key": "random",
    "evaluation.Edition.contents_digest": "of row ids too; the scores that it is of are compared",
    "evaluation.Edition.content": "of row ids too; the scores that it is of are compared",
    "evaluation.Edition.state": "of times too; how many figures it states is compared",
    "evaluation.Edition.digest": "of pseudonyms too, which are random; how many figures is compared",
    "evaluation.Edition.size": "of pseudonyms too, which are random; how many figures is compared",
    "evaluation.FittedModel.names": "of teams' row ids too; what goes with them is compared",
    "evaluation.FittedModel.inputs": "of teams' row ids too; what was learnt from it is compared",
    "evaluation.FittedModel.digest": "of teams' row ids too; what it is of is compared",
    "evaluation.ReleasedLabels.answers_digest": "of row ids too; what it is of is compared",
    "evaluation.ReleasedLabels.last_answer": "a row id",
    "keeping.Installation.name": "random",
    "keeping.Installation.mark": "grows as time passes",
    "core.Message.attempts": "a try that was killed counts",
    "core.RequestCount.count": "a try that was killed counts",
}

#: What the audit log calls them, and their models.
KINDS = {str(model._meta.verbose_name): model for model in apps.get_models()}

#: Apps that are left out: kills are what they remember.
APPS_LEFT_OUT = {"health"}


def read_rows() -> dict[str, list[str]]:
    """Return the rows of each model as sorted JSON, and the files: uploads, what was made of them, mail.

    Of the work on stages only that which ended in an error is there: the rest counts tries, and so kills.
    """
    name_of.cache_clear()
    rows = {
        model._meta.label: sorted(
            json.dumps(describe(row), sort_keys=True)
            for row in model._default_manager.all()
            if not isinstance(row, StageWork) or row.errors
        )
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label not in APPS_LEFT_OUT
    }
    rows["timelines"] = [
        json.dumps([str(submission), *submission.events.order_by("id").values_list("state", "detail")])
        for submission in apps.get_model("evaluation.Submission").objects.order_by("name")
    ]
    rows["uploaded files"] = sorted(
        f"{PurePosixPath(folder).name} {hashlib.sha256(_read(place)).hexdigest()}"
        for folder in files.FOLDERS
        for place in _listed(folder)
    )
    archives = Edition.objects.filter(kind=Edition.Kind.EPOCH)
    rows["archives"] = [describe_archive(one) for one in archives.order_by("epoch", "edition")]
    rows["archives without a row"] = sorted(
        {place for place in _listed(ARCHIVES) if place.endswith(".zip")}
        - {one.place for one in Edition.objects.all()}
    )
    rows["mail"] = sorted(
        f"{message['To']}: {message['Subject']}"
        for path in Path(settings.EMAIL_FILE_PATH).glob("*.eml")
        for message in [message_from_bytes(path.read_bytes())]
    )
    return rows


def describe_archive(one: Edition) -> str:
    """Return what an archive comes to: its pseudonyms and times differ, and its figures do not."""
    content = _read(one.place)
    is_whole = hashlib.sha256(content).hexdigest() == one.digest
    with tempfile.NamedTemporaryFile(suffix=".zip") as file:
        file.write(content)
        file.flush()
        with Archive(file.name) as archive:
            again = compare(archive)
    return json.dumps([one.name, is_whole, again.agrees, len(again.scores.stated), again.scores.held_back])


def _listed(folder: str) -> list[str]:
    return [one.place for one in store().listed(folder)]


def _read(place: str) -> bytes:
    with store().open(place) as stream:
        return stream.read()


def describe(row: models.Model) -> Row:
    """Return a row's fields without row ids, times and what `LEFT_OUT` says."""
    described: dict[str, Any] = {}
    for field in row._meta.concrete_fields:
        value = getattr(row, field.attname)
        if f"{row._meta.label}.{field.name}" == "evaluation.Submission.file":
            described["file is there"] = bool(value) and value.storage.exists(value.name)
        elif field.primary_key or f"{row._meta.label}.{field.name}" in LEFT_OUT:
            continue
        elif isinstance(field, models.ForeignKey):
            described[field.name] = None if value is None else name_of(field.related_model, value)
        elif f"{row._meta.label}.{field.name}" == "evaluation.Comparison.submissions":
            described[field.name] = [name_of(Submission, pk) for pk in value]
        elif isinstance(row, AuditEntry) and field.name == "about" and value.isdecimal():
            described[field.name] = name_of(KINDS[row.kind], int(value))
        elif isinstance(row, UnitColumn) and (field.name, row.name) == ("data", columns.UNITS):
            described[field.name] = [name_of(Unit, pk) for pk in unpack(bytes(value)).tolist()]
        elif isinstance(row, PlannedVariance) and field.name == "evidence":
            ids, *rest = unpack(bytes(value)).tolist()
            described[field.name] = [[name_of(Unit, pk) for pk in ids], *rest]
        elif isinstance(row, AuditDrawing) and field.name == "evidence":
            evidence = Evidence.unpack(bytes(value))
            described[field.name] = [
                [
                    [name_of(Question, int(pk)), *rest, prior]
                    for (pk, *rest), prior in zip(one.rows(), one.prior.tolist(), strict=True)
                ]
                for one in (evidence.own, evidence.beside)
            ] + [evidence.predictions.tolist()]
        elif isinstance(row, PlannedVariance) and field.name == "annotations":
            described[field.name] = sorted(digest for _, digest in value)
        elif isinstance(field, models.BinaryField):
            described[field.name] = hashlib.sha256(value).hexdigest()
        elif isinstance(field, models.DateTimeField):
            described[field.name] = value is not None
        elif isinstance(field, models.DateField):
            described[field.name] = None if value is None else value.isoformat()
        else:
            described[field.name] = value
    return described


@cache
def name_of(model: type[models.Model], pk: int) -> tuple[Any, ...]:
    """Return the natural key of a row that others point to."""
    model = Instance if model is Unit else model  # which have the same ids
    label = model._meta.label
    assert label in NATURAL_KEYS, f"{label} needs a natural key"
    row = describe(model._default_manager.get(pk=pk))
    return tuple(row[field] for field in NATURAL_KEYS[label])
