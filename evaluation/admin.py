"""What operators may look at: submissions, samples and scores. All of it is written by services alone."""

from django.contrib import admin

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
from kbpo.core.admin import ReadOnlyAdmin


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    """Submissions. What may be done with one is on its own page."""

    list_display = ["name", "team", "corpus", "state", "go_ahead", "is_public", "uploaded_at"]
    list_filter = ["state", "corpus", "is_public"]
    list_select_related = ["team", "corpus"]
    search_fields = ["name", "team__name", "digest"]
    date_hierarchy = "uploaded_at"


@admin.register(SubmissionEvent)
class SubmissionEventAdmin(ReadOnlyAdmin):
    """The timelines of all submissions."""

    list_display = ["at", "submission", "state", "detail"]
    list_filter = ["state"]
    list_select_related = ["submission"]


@admin.register(Problem)
class ProblemAdmin(ReadOnlyAdmin):
    """Faults found in files."""

    list_display = ["submission", "line", "severity", "code", "message"]
    list_filter = ["severity", "code"]
    list_select_related = ["submission"]


@admin.register(Upload)
class UploadAdmin(ReadOnlyAdmin):
    """Files on their way in."""

    list_display = ["name", "user", "size", "offset", "created_at", "expires_at"]
    list_select_related = ["user"]


@admin.register(FileCheck)
class FileCheckAdmin(ReadOnlyAdmin):
    """Files that are only checked."""

    list_display = ["upload", "corpus", "state", "attempts", "created_at", "read_at"]
    list_filter = ["state", "corpus"]
    list_select_related = ["upload", "corpus"]


@admin.register(Attachment)
class AttachmentAdmin(ReadOnlyAdmin):
    """Further files of submissions and checks."""

    list_display = ["name", "submission", "file_check", "digest"]
    list_filter = ["name"]
    list_select_related = ["submission", "file_check__upload"]


@admin.register(NormalisedFile)
class NormalisedFileAdmin(ReadOnlyAdmin):
    """Accepted files that were written anew."""

    list_display = ["id", "submission", "file_check", "asked_by", "state", "attempts", "asked_at", "made_at"]
    list_filter = ["state"]
    list_select_related = ["submission", "file_check__upload", "asked_by"]


@admin.register(ProblemFile)
class ProblemFileAdmin(ReadOnlyAdmin):
    """Files of all problems, where rows do not have them all."""

    list_display = ["id", "submission", "file_check", "count"]
    list_select_related = ["submission", "file_check__upload"]


@admin.register(Instance)
class InstanceAdmin(ReadOnlyAdmin):
    """Claims that systems share."""

    list_display = ["document", "predicate", "subject_start", "subject_end", "object_start", "object_end"]
    list_filter = ["unit__corpus", "predicate"]
    list_select_related = ["document"]
    search_fields = ["document__doc_id"]


@admin.register(OutputText)
class OutputTextAdmin(ReadOnlyAdmin):
    """What systems wrote for an input: once, whoever wrote it."""

    list_display = ["unit", "document", "text"]
    list_filter = ["unit__corpus"]
    list_select_related = ["unit", "document"]
    search_fields = ["document__doc_id"]


@admin.register(Output)
class OutputAdmin(ReadOnlyAdmin):
    """Which system wrote what for an input."""

    list_display = ["submission", "document", "place", "unit"]
    list_filter = ["submission__corpus"]
    list_select_related = ["submission", "document", "unit"]
    search_fields = ["submission__name", "document__doc_id"]


@admin.register(MetricColumn)
class MetricColumnAdmin(ReadOnlyAdmin):
    """Metrics of what systems wrote, computed here or submitted."""

    list_display = ["submission", "name", "version", "is_uploaded", "size", "missing", "digest", "stored_at"]
    list_filter = ["is_uploaded", "submission__corpus", "name"]
    list_select_related = ["submission"]
    search_fields = ["submission__name", "name", "digest"]
    exclude = ["data"]


@admin.register(HouseMetric)
class HouseMetricAdmin(ReadOnlyAdmin):
    """What was learnt from published judgements for an epoch."""

    list_display = ["epoch", "outputs", "learnt_from", "digest", "frozen_at"]
    list_filter = ["epoch__corpus"]
    list_select_related = ["epoch__corpus"]


@admin.register(Epoch)
class EpochAdmin(ReadOnlyAdmin):
    """Epochs; the secret of an open one is shown to nobody."""

    list_display = ["corpus", "number", "opened_at", "released_at", "scores_due", "subsets_due"]
    list_filter = ["corpus"]
    fields = [
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
    ]


@admin.register(SampleBatch)
class SampleBatchAdmin(ReadOnlyAdmin):
    """Arrivals of systems in an epoch."""

    list_display = [
        "epoch",
        "number",
        "submission",
        "lam",
        "floor",
        "draws",
        "drawn_at",
        "labelled_at",
        "audited_at",
    ]
    list_filter = ["epoch__corpus"]
    list_select_related = ["epoch__corpus", "submission"]
    exclude = ["questions"]


@admin.register(DocumentSample)
class DocumentSampleAdmin(ReadOnlyAdmin):
    """The exhaustive samples."""

    list_display = ["corpus", "number", "size", "population", "drawn_at", "retired_at"]
    list_filter = ["corpus"]
    exclude = ["seed", "secret"]  # to nobody: they decide what is still to come


@admin.register(Score)
class ScoreAdmin(ReadOnlyAdmin):
    """Scores, with what they rest on."""

    list_display = [
        "submission",
        "part",
        "weighting",
        "estimator",
        "level",
        "rank",
        "labels",
    ]
    list_filter = ["level", "part", "weighting", "estimator", "epoch"]
    list_select_related = ["submission"]
    search_fields = ["submission__name"]


@admin.register(Estimate)
class EstimateAdmin(ReadOnlyAdmin):
    """The measures of scores."""

    list_display = ["score", "measure", "estimate", "low", "high"]
    list_filter = ["measure", "score__level", "score__part", "score__weighting", "score__estimator"]
    list_select_related = ["score__submission"]
    search_fields = ["score__submission__name"]
