"""Judging systems: submissions, samples and scores."""

from evaluation.models.sample import (
    ClaimColumn,
    DocumentSample,
    Epoch,
    InclusionProbability,
    SampleBatch,
    SampledClaim,
    SampledDocument,
    SampledInstance,
)
from evaluation.models.score import AdjustedScore, Comparison, Score, SubsetScore
from evaluation.models.submission import (
    Instance,
    Notice,
    Prediction,
    Problem,
    StageWork,
    Submission,
    SubmissionEvent,
)
from evaluation.models.upload import FileCheck, Upload

__all__ = [
    "AdjustedScore",
    "ClaimColumn",
    "Comparison",
    "DocumentSample",
    "Epoch",
    "FileCheck",
    "InclusionProbability",
    "Instance",
    "Notice",
    "Prediction",
    "Problem",
    "SampleBatch",
    "SampledClaim",
    "SampledDocument",
    "SampledInstance",
    "Score",
    "StageWork",
    "Submission",
    "SubmissionEvent",
    "SubsetScore",
    "Upload",
]
