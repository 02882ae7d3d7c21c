"""What of a KBP score there is to choose from: measures, parts, weightings, estimators of recall, levels.

Whatever names one of them, ranks by one or offers them takes it from here. How each is computed is in
`kbpo_estimators`.
"""

from types import MappingProxyType

from evaluation.choices import Choices, Part
from kbpo_estimators import intervals


def _missing(part: str, measure: str) -> str:
    if measure not in CHOICES.parts[part].measures:
        return f"{CHOICES.parts[part].name} has a precision only"
    if measure == "precision":
        return "none of its claims is judged"
    return "too few true relations are known in the documents annotated in full"


CHOICES = Choices(
    unit="claim",
    units="claims",
    measures=MappingProxyType({"precision": "precision", "recall": "recall", "f1": "F1"}),
    parts=MappingProxyType(
        {
            "all": Part("relation and linking", ("precision", "recall", "f1"), "f1"),
            "relation": Part("relation", ("precision", "recall", "f1"), "f1"),
            "linking": Part("linking", ("precision",), "precision"),
        }
    ),
    weightings=MappingProxyType(
        {
            "instance": "micro-average",
            "relation": "macro-average over relations",
            "subject": "macro-average over subjects",
            "subject_relation": "macro-average over subjects and relations",
        }
    ),
    weightings_of=MappingProxyType(
        {
            "coordinated": ("instance", "relation", "subject", "subject_relation"),
            "iid": ("subject_relation", "instance", "relation", "subject"),
        }
    ),
    estimators=MappingProxyType(
        {
            "documents": "from annotated documents",
            "labelled": "joint, from judged claims",
            "both": "joint, from documents and judged claims",
            "joint": "joint, from all systems' samples",
            "simple": "from its own sample",
            "joint_bootstrap": "joint, bootstrap intervals",
            "simple_bootstrap": "from its own sample, bootstrap intervals",
        }
    ),
    estimators_of=MappingProxyType(
        {
            "coordinated": ("documents", "both", "labelled"),
            "iid": ("joint", "simple", "joint_bootstrap", "simple_bootstrap"),
        }
    ),
    estimators_of_all=("iid",),
    resampled=("joint_bootstrap", "simple_bootstrap"),
    standards=MappingProxyType(
        {"audit": "corrected for judges’ errors", "votes": "votes taken for the truth"}
    ),
    standards_of=MappingProxyType({"coordinated": ("audit", "votes"), "iid": ("votes",)}),
    estimated="recall",
    designed="precision",
    of_truth=("recall", "f1"),
    few_true="fewer than {} true relations of this kind are known",
    ranked_from=30,
    levels=tuple(round(100 * level) for level in intervals.LEVELS),
    level=round(100 * intervals.DEFAULT_LEVEL),
    missing=_missing,
    measure_words=MappingProxyType(
        {
            "precision": "how much of what a system claims is right",
            "recall": "how much of what is true it finds",
            "f1": "the harmonic mean of the two",
        }
    ),
    plane=("recall", "precision"),
    has_equal_f1=True,
)
