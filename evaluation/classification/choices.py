"""What of a classification's score there is to choose from."""

from types import MappingProxyType

from evaluation.choices import Choices, Part
from kbpo_estimators import intervals
from kbpo_estimators.classification.estimates import FEW, MEASURES
from kbpo_estimators.scores import AUDIT, VOTES

PART, ESTIMATOR, WEIGHTING = "class", "sampled", "class"


def _missing(part: str, measure: str) -> str:
    if measure == "accuracy":
        return "of one class it is its recall"
    return f"fewer than {FEW} judged items are of this class, or of one of the classes averaged"


CHOICES = Choices(
    unit="item",
    units="items",
    measures=MappingProxyType(
        {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "f1": "F1"}
    ),
    parts=MappingProxyType({PART: Part("class", MEASURES, "accuracy")}),
    weightings=MappingProxyType({WEIGHTING: "macro-average over classes, and accuracy over items"}),
    weightings_of=MappingProxyType({"coordinated": (WEIGHTING,), "iid": (WEIGHTING,)}),
    estimators=MappingProxyType({ESTIMATOR: "from judged items"}),
    estimators_of=MappingProxyType({"coordinated": (ESTIMATOR,), "iid": (ESTIMATOR,)}),
    standards=MappingProxyType({AUDIT: "corrected for judges’ errors", VOTES: "votes taken for the truth"}),
    standards_of=MappingProxyType({"coordinated": (AUDIT, VOTES), "iid": (VOTES,)}),
    estimated="accuracy",
    designed="accuracy",
    of_truth=("recall", "f1"),
    few_true=f"fewer than {FEW} judged items are of this class",
    ranked_from=30,
    levels=tuple(round(100 * level) for level in intervals.LEVELS),
    level=round(100 * intervals.DEFAULT_LEVEL),
    missing=_missing,
    true_units="judged items of it",
    least_labels=FEW,
    measure_words=MappingProxyType(
        {
            "accuracy": "how many of the items are given their right class",
            "precision": "how many of the items that are given a class are of it, averaged over classes",
            "recall": "how many of the items of a class are given it, averaged over classes",
            "f1": "the harmonic mean of these two, averaged over classes",
        }
    ),
    plane=("recall", "precision"),
)
