"""The built-in metrics: which there are, what they are called, and how each is computed of one text.

A metric whose values change gets a new version, and stands beside what was stored of the old one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from annotations.texts.ter import ter
from evaluation.generation.metrics import overlap, rouge, wmt
from evaluation.generation.metrics.ngrams import repeated
from evaluation.generation.metrics.words import count_unknown, sentences, spaced, words
from kbpo_formats.normal import nfc


@dataclass(frozen=True)
class Text:
    """An output and the texts that it is compared with, in NFC."""

    output: str
    references: tuple[str, ...] = ()
    question: str | None = None
    passages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        question = None if self.question is None else nfc(self.question)
        for name, value in (
            ("output", nfc(self.output)),
            ("references", tuple(map(nfc, self.references))),
            ("question", question),
            ("passages", tuple(map(nfc, self.passages))),
        ):
            object.__setattr__(self, name, value)

    @cached_property
    def words(self) -> list[str]:
        """Return the words of what it wrote."""
        return words(self.output)

    @cached_property
    def reference_words(self) -> list[list[str]]:
        """Return the words of each reference."""
        return [words(reference) for reference in self.references]


class Needs(StrEnum):
    """What a metric needs of an input, beside the output."""

    NOTHING = "nothing"
    REFERENCES = "references"
    QUESTION = "question"
    PASSAGES = "passages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric that is computed here.

    Attributes
    ----------
    name : str
        As it stands in the database, in files and addresses.
    label : str
        For people.
    words : str
        What it says, in a sentence without its end.
    scale : str
        From where to where it goes, for people.
    most : float or None
        The highest value there can be; None where there is none. The lowest is 0.
    higher_is_better : bool or None
        None where neither is meant to be.
    needs : Needs
    compute : callable
        Its value for one text that has what it needs.
    version : int
    """

    name: str
    label: str
    words: str
    compute: Callable[[Text], float] = field(repr=False)
    scale: str = "0 to 1"
    most: float | None = 1.0
    higher_is_better: bool | None = True
    needs: Needs = Needs.REFERENCES
    version: int = 1


def _ter(text: Text) -> float:
    return min(ter(spaced(text.output), spaced(reference)) for reference in text.references)


def _unknown(text: Text) -> float:
    unknown, every = count_unknown(text.output)
    return unknown / every if every else 0.0


def _in_question(text: Text) -> float:
    return overlap.share_of(text.words, words(text.question or ""))


def _in_passages(text: Text) -> float:
    return max(overlap.share_of(text.words, words(passage)) for passage in text.passages)


def _repeated(n: int) -> Metric:
    runs = "words" if n == 1 else f"runs of {n} words"
    return Metric(
        name=f"repeated-{n}",
        label=f"Repeated {runs}",
        words=f"The share of its {runs} that stand earlier in it already",
        compute=lambda text: repeated(text.words, n),
        higher_is_better=False,
        needs=Needs.NOTHING,
    )


def _bleu(order: int) -> Metric:
    return Metric(
        name=f"bleu-{order}",
        label=f"BLEU-{order}",
        words=f"Runs of up to {order} words that a reference has too, with a penalty for brevity",
        compute=lambda text: wmt.bleu(text.output, text.references, order),
    )


#: The package rouge-score drops other letters than those of ASCII, and can cut words to their stems.
_NO_STEMS = (
    "words are not cut to their stems, and letters of all scripts count, so values for texts beyond ASCII can"
    " differ by .05 from those of the package rouge-score"
)


def _rouge(n: int) -> Metric:
    runs = "words" if n == 1 else f"runs of {n} words"
    return Metric(
        name=f"rouge-{n}",
        label=f"ROUGE-{n}",
        words=f"What it has in common with a reference, in {runs}; {_NO_STEMS}",
        compute=lambda text: rouge.rouge_n(text.words, text.reference_words, n),
    )


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        _bleu(2),
        _bleu(4),
        Metric(
            name="chrf",
            label="chrF",
            words="What it has in common with a reference, in runs of up to 6 characters",
            compute=lambda text: wmt.chrf(text.output, text.references),
        ),
        Metric(
            name="ter",
            label="TER",
            words="Words to insert, delete, replace or move until it is a reference, for each word of that",
            compute=_ter,
            scale="0 and more",
            most=None,
            higher_is_better=False,
        ),
        _rouge(1),
        _rouge(2),
        Metric(
            name="rouge-l",
            label="ROUGE-L",
            words=f"The words that it has in common with a reference, in the same order; {_NO_STEMS}",
            compute=lambda text: rouge.rouge_l(text.words, text.reference_words),
        ),
        Metric(
            name="length",
            label="Length",
            words="How many words it has",
            compute=lambda text: float(len(text.words)),
            scale="words",
            most=None,
            higher_is_better=None,
            needs=Needs.NOTHING,
        ),
        *map(_repeated, (1, 2, 3, 4)),
        Metric(
            name="overlap",
            label="Overlap of sentences",
            words="The share of words that its two most similar sentences have in common",
            compute=lambda text: overlap.between_sentences(sentences(text.output)),
            higher_is_better=False,
            needs=Needs.NOTHING,
        ),
        Metric(
            name="unknown",
            label="Unknown words",
            words="The share of its words that stand for one which the system did not know (▃, <unk>)",
            compute=_unknown,
            higher_is_better=False,
            needs=Needs.NOTHING,
        ),
        Metric(
            name="question-overlap",
            label="Overlap with the question",
            words="The share of its words that stand in the question",
            compute=_in_question,
            higher_is_better=None,
            needs=Needs.QUESTION,
        ),
        Metric(
            name="passage-overlap",
            label="Overlap with a passage",
            words="The share of its words that stand in the passage that has most of them",
            compute=_in_passages,
            needs=Needs.PASSAGES,
        ),
    )
}
"""All of them, by name, in the order of pages."""
