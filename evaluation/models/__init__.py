"""Judging systems: submissions, samples and scores."""

from evaluation.models.archive import ArchiveKey, Edition
from evaluation.models.attachment import Attachment
from evaluation.models.audit import Audit, AuditDrawing
from evaluation.models.class_prediction import ClassPrediction
from evaluation.models.entity import Entity, EntityIndex, EntityName, EntityRelation, RelationSource
from evaluation.models.history import ScoreRecord
from evaluation.models.metric import HouseMetric, MetricColumn
from evaluation.models.name_count import CountedDocument, NameCount
from evaluation.models.normalised import NormalisedFile
from evaluation.models.output import Output, OutputText
from evaluation.models.problem_file import ProblemFile
from evaluation.models.released import ReleasedLabels
from evaluation.models.sample import (
    DocumentSample,
    Epoch,
    InclusionProbability,
    PlannedVariance,
    RetiredDocument,
    SampleBatch,
    SampledClaim,
    SampledDocument,
    SampledUnit,
    SampleName,
    SecondPhaseProbability,
    UnitColumn,
)
from evaluation.models.score import (
    Comparison,
    Estimate,
    FittedModel,
    Ranking,
    Score,
    SubsetScore,
)
from evaluation.models.submission import (
    Instance,
    Prediction,
    Problem,
    StageWork,
    Submission,
    SubmissionEvent,
    Unit,
    Use,
)
from evaluation.models.upload import FileCheck, Upload
from evaluation.models.worth import JudgedVariance, MetricWorth

__all__ = [
    "ArchiveKey",
    "Attachment",
    "Audit",
    "AuditDrawing",
    "ClassPrediction",
    "Comparison",
    "CountedDocument",
    "DocumentSample",
    "Edition",
    "Entity",
    "EntityIndex",
    "EntityName",
    "EntityRelation",
    "Epoch",
    "Estimate",
    "FileCheck",
    "FittedModel",
    "HouseMetric",
    "InclusionProbability",
    "Instance",
    "JudgedVariance",
    "MetricColumn",
    "MetricWorth",
    "NameCount",
    "NormalisedFile",
    "Output",
    "OutputText",
    "PlannedVariance",
    "Prediction",
    "Problem",
    "ProblemFile",
    "Ranking",
    "RelationSource",
    "ReleasedLabels",
    "RetiredDocument",
    "SampleBatch",
    "SampleName",
    "SampledClaim",
    "SampledDocument",
    "SampledUnit",
    "Score",
    "ScoreRecord",
    "SecondPhaseProbability",
    "StageWork",
    "Submission",
    "SubmissionEvent",
    "SubsetScore",
    "Unit",
    "UnitColumn",
    "Upload",
    "Use",
]
