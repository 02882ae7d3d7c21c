"""What operators may look at: submissions, samples and scores. All of it is written by services alone."""

from evaluation.models import (
    Attachment,
    DocumentSample,
    Epoch,
    Estimate,
    FileCheck,
    HouseMetric,
    Instance,
    MetricColumn,
    NormalisedFile,
    Output,
    OutputText,
    Problem,
    ProblemFile,
    SampleBatch,
    Score,
    Submission,
    SubmissionEvent,
    Upload,
)
from kbpo.core.admin import register_read_only

# What may be done with a submission is on its own page.
register_read_only(
    Submission,
    columns="name team corpus state go_ahead is_public uploaded_at",
    filters="state corpus is_public",
    search="name team__name digest",
    date_hierarchy="uploaded_at",
)
register_read_only(SubmissionEvent, columns="at submission state detail", filters="state")
register_read_only(Problem, columns="submission line severity code message", filters="severity code")
register_read_only(Upload, columns="name user size offset created_at expires_at")
register_read_only(
    FileCheck, columns="upload corpus state attempts created_at read_at", filters="state corpus"
)
register_read_only(
    Attachment, columns="name submission file_check digest", filters="name", related="file_check__upload"
)
register_read_only(
    NormalisedFile,
    columns="id submission file_check asked_by state attempts asked_at made_at",
    filters="state",
    related="file_check__upload",
)
register_read_only(ProblemFile, columns="id submission file_check count", related="file_check__upload")
register_read_only(
    Instance,
    columns="document predicate subject_start subject_end object_start object_end",
    filters="unit__corpus predicate",
    search="document__doc_id",
)
register_read_only(
    OutputText, columns="unit document text", filters="unit__corpus", search="document__doc_id"
)
register_read_only(
    Output,
    columns="submission document place unit",
    filters="submission__corpus",
    search="submission__name document__doc_id",
)
register_read_only(
    MetricColumn,
    columns="submission name version is_uploaded size missing digest stored_at",
    filters="is_uploaded submission__corpus name",
    search="submission__name name digest",
    exclude=["data"],
)
register_read_only(
    HouseMetric,
    columns="epoch outputs learnt_from digest frozen_at",
    filters="epoch__corpus",
    related="epoch__corpus",
)
# The secret of an open epoch is shown to nobody.
register_read_only(
    Epoch,
    columns="corpus number opened_at released_at scores_due subsets_due",
    filters="corpus",
    fields=[
        "corpus",
        "number",
        "commitment",
        "key_version",
        "growth",
        "opened_at",
        "released_at",
        "document_sample",
        "scores_due",
        "subsets_due",
    ],
)
register_read_only(
    SampleBatch,
    columns="epoch number submission lam floor draws drawn_at labelled_at audited_at",
    filters="epoch__corpus",
    related="epoch__corpus",
    exclude=["questions"],
)
# Nor are the seed and the secret, which decide the documents to come.
register_read_only(
    DocumentSample,
    columns="corpus number size population drawn_at retired_at",
    filters="corpus",
    exclude=["seed", "secret"],
)
register_read_only(
    Score,
    columns="submission part weighting estimator level rank labels",
    filters="level part weighting estimator epoch",
    search="submission__name",
)
register_read_only(
    Estimate,
    columns="score measure estimate low high",
    filters="measure score__level score__part score__weighting score__estimator",
    search="score__submission__name",
    related="score__submission",
)
