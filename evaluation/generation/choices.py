"""What of a score of generated text there is to choose from, under each prompt."""

from collections.abc import Mapping
from types import MappingProxyType

from annotations.texts.inputs import ANSWER, MEASURES, QUALITY
from evaluation.choices import Choices, Counted, Part
from kbpo_estimators import intervals

CORRECTED, PLAIN = "corrected", "plain"
"""Estimators: with the metrics that were fixed beforehand, and from judgements alone."""
THIS_CROWD, ANOTHER_CROWD = "votes", "crowd"
"""Standards, as `evaluation.models.score` has them."""
WEIGHTING = "output"
FEW = 20
"""Outputs that must be judged of a system."""
MOST_EDITED = 100.0
"""Of HTER, which has no end: where its scale ends for ranks."""
NAMES = MappingProxyType(
    {
        "overall": "overall",
        "fluency": "fluency",
        "redundancy": "no redundancy",
        "edit": "edits",
        "edit_capped": "edits, at most 1",
        "any": "correct",
        "average": "correct, by passages",
    }
)
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "overall": "how good people find an output, from −100 to 100",
        "fluency": "how well it is written, from −100 to 100",
        "redundancy": "how little it repeats itself, from −100 to 100",
        "edit": "how much people change to make it good, for each of its words: less is better",
        "edit_capped": "the same, where no output counts more than 100: less is better",
        "any": "how many of the answers people find right",
        "average": "the same, averaged over the passages of an answer",
    }
)
EDITS = ("edit", "edit_capped")
UNDECIDED = "undecided"
"""Of answers: plausible, though no passage shows them to be right or wrong. It counts 0, is no measure."""
_RATING = (-1.0, 1.0)
_SCALES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"overall": _RATING, "fluency": _RATING, "redundancy": _RATING, "edit": (0.0, MOST_EDITED)}
)


_COUNTS: Mapping[str, Counted] = MappingProxyType(
    {
        "judgements": Counted(
            "judgements", "how many times somebody judged one of these outputs", "judgements"
        ),
        "saved": Counted(
            "saved",
            "how many more judgements the same interval would take from judgements alone; below 0 where the"
            " metric does harm",
            "saved",
        ),
        "efficiency": Counted(
            "DE",
            "data efficiency, how many judgements one is worth with the metric: the variance from judgements"
            " alone over that with the metric",
            "efficiency_percent",
            100,
        ),
    }
)
_OF_ANSWERS: Mapping[str, Counted] = MappingProxyType(
    {
        UNDECIDED: Counted(
            "undecided, %",
            "of these judgements, those that found an answer plausible, but no passage that shows it to be"
            " right or wrong; they count 0",
            "undecided_permille",
            10,
        )
    }
)
COUNTS: Mapping[str, Mapping[str, Counted]] = MappingProxyType(
    {QUALITY: _COUNTS, ANSWER: MappingProxyType({**_COUNTS, **_OF_ANSWERS})}
)


def _missing(part: str, measure: str) -> str:
    return f"fewer than {FEW} outputs are judged, or one person judged them all"


def _choices(prompt: str) -> Choices:
    measures = tuple(MEASURES[prompt])
    standards = (THIS_CROWD, ANOTHER_CROWD)
    return Choices(
        unit="output",
        units="outputs",
        measures=MappingProxyType({name: NAMES[name] for name in measures}),
        parts=MappingProxyType({name: Part(NAMES[name], measures, name) for name in measures}),
        weightings=MappingProxyType({WEIGHTING: "each output counts as much as another"}),
        weightings_of=MappingProxyType({"coordinated": (WEIGHTING,), "iid": (WEIGHTING,)}),
        estimators=MappingProxyType(
            {CORRECTED: "judgements, corrected by metrics", PLAIN: "judgements alone"}
        ),
        estimators_of=MappingProxyType({"coordinated": (CORRECTED, PLAIN), "iid": (CORRECTED, PLAIN)}),
        estimators_choose="computed from",
        standards_choose="if judged again",
        standards=MappingProxyType({THIS_CROWD: "with these people", ANOTHER_CROWD: "with other people"}),
        standards_of=MappingProxyType({"coordinated": standards, "iid": standards}),
        estimated=measures[0],
        estimators_of_all=("coordinated", "iid"),
        designed=measures[0],
        of_truth=(),
        few_true="",
        ranked_from=FEW,
        levels=tuple(round(100 * level) for level in intervals.LEVELS),
        level=round(100 * intervals.DEFAULT_LEVEL),
        missing=_missing,
        least_labels=FEW,
        parts_rank_alone=True,
        scales=MappingProxyType({name: _SCALES[name] for name in measures if name in _SCALES}),
        less_is_better=tuple(name for name in measures if name in EDITS),
        standard_words=MappingProxyType(
            {
                THIS_CROWD: "These intervals hold what the sample of outputs leaves open, and that people"
                " differ about one output: other outputs, and other judgements of the same people.",
                ANOTHER_CROWD: "These intervals hold, beside what the sample leaves open, that some people"
                " are lenient and some severe: what other people altogether would have said.",
            }
        ),
        in_hundredths="×\u00a0100",
        measure_words=MappingProxyType({name: _WORDS[name] for name in measures}),
        labelled="judged",
        counts=COUNTS[prompt],
    )


CHOICES: Mapping[str, Choices] = MappingProxyType({prompt: _choices(prompt) for prompt in (QUALITY, ANSWER)})
