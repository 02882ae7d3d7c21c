"""The corpus, and what people say of it."""

from annotations.models.annotation import AnnotatedMention, AnnotatedRelation, DocumentAnnotation
from annotations.models.challenge import (
    AcceptedTerms,
    CorpusNews,
    CorpusPhase,
    CorpusRules,
    CorpusTerms,
    MovedDate,
)
from annotations.models.class_list import ClassList
from annotations.models.competitor import Competitor
from annotations.models.corpus import Corpus, Document, Sentence
from annotations.models.data import AcceptedAgreement, CorpusFiles, DataAgreement
from annotations.models.guidelines import CorpusGuidelines
from annotations.models.input import Input, Prompt
from annotations.models.label import Label
from annotations.models.ontology import OntologyVersion
from annotations.models.question import Question, Response
from annotations.models.role import CorpusMaker, CorpusRole
from annotations.models.statistics import KindAgreement
from annotations.models.takedown import Takedown

__all__ = [
    "AcceptedAgreement",
    "AcceptedTerms",
    "AnnotatedMention",
    "AnnotatedRelation",
    "ClassList",
    "Competitor",
    "Corpus",
    "CorpusFiles",
    "CorpusGuidelines",
    "CorpusMaker",
    "CorpusNews",
    "CorpusPhase",
    "CorpusRole",
    "CorpusRules",
    "CorpusTerms",
    "DataAgreement",
    "Document",
    "DocumentAnnotation",
    "Input",
    "KindAgreement",
    "Label",
    "MovedDate",
    "OntologyVersion",
    "Prompt",
    "Question",
    "Response",
    "Sentence",
    "Takedown",
]
