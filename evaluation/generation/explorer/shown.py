"""Outputs as pages show them: with what they were written from, their metrics, and what people said."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from annotations.kinds import correctness, quality
from annotations.kinds.correctness import NEITHER, RIGHT, WRONG
from annotations.models import Input, Response, Takedown
from evaluation.generation.choices import NAMES, UNDECIDED
from evaluation.generation.explorer.finding import System, metric_name
from evaluation.generation.explorer.published import Judged, read_means, read_votes
from evaluation.models import Output
from kbpo.core.marking import Mark, Segment, cut
from kbpo.core.showable import visible
from kbpo_formats.spans import Span

LONGEST = 1_200
"""Characters of a text that are shown where many are."""
LEVELS: Mapping[str, Mapping[int, str]] = MappingProxyType(
    {
        "fluency": {1: "reads like a newspaper", 0: "some errors", -1: "hardly understandable"},
        "redundancy": {1: "nothing said twice", 0: "some repetition", -1: "much repetition"},
        "overall": {1: "good", 0: "fair", -1: "poor"},
    }
)

_SAYS = {RIGHT: "shows it to be right", WRONG: "shows it to be wrong", NEITHER: "does not help"}
_MARKS = {RIGHT: "evidence shows-right", WRONG: "evidence shows-wrong"}


@dataclass(frozen=True, slots=True)
class Cut:
    """A text as it is shown: `is_cut` where there is more of it."""

    text: str
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage with the evidence that people highlighted in it, and what each says that it shows."""

    number: int
    segments: Sequence[Segment]
    said: Sequence[str]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class ShownJudgement:
    """What one person said of an output; who that was is not said.

    Attributes
    ----------
    number : int
        From 1, among those who judged this output.
    by_expert : bool
    levels : sequence of (str, int, str)
        What was rated, how, and that in words.
    edit : str or None
        What they made of the text; None where they changed nothing, or the edit is not known.
    hter : float or None
    is_plausible : bool or None
        Whether it could be an answer; None where that was not asked.
    """

    number: int
    by_expert: bool
    levels: Sequence[tuple[str, int, str]] = ()
    edit: str | None = None
    hter: float | None = None
    is_plausible: bool | None = None


@dataclass(frozen=True, slots=True)
class ShownInput:
    """What an output was written from, and what it is compared with."""

    question: str
    passages: Sequence[ShownPassage]
    references: Sequence[Cut]

    @property
    def is_empty(self) -> bool:
        """Say whether there is nothing of it to be shown."""
        return not (self.question or self.passages or self.references)


@dataclass(frozen=True, slots=True)
class ShownOutput:
    """What a system wrote for an input.

    Attributes
    ----------
    doc_id : str
        The input's id.
    number : int
        Its place in the file, from 1.
    raw : str
        The text to the letter, for a word diff; empty where it is not shown.
    text : Cut
    is_removed : bool
        Whether the input was removed.
    given : ShownInput or None
        None where the texts are closed, or the input was removed.
    value : float or None
        Of the metric that is asked for.
    metrics : sequence of (str, float or None)
        All others by their names for people; None where an output has no value.
    means : sequence of (str, float)
        What people said on average, by measure; empty where nothing is published.
    is_undecided : bool
        Whether somebody found it plausible, and no passage decided it.
    judgements : sequence of ShownJudgement
    """

    doc_id: str
    number: int
    raw: str
    text: Cut
    is_removed: bool
    given: ShownInput | None
    value: float | None
    metrics: Sequence[tuple[str, float | None]]
    means: Sequence[tuple[str, float]]
    is_undecided: bool
    judgements: Sequence[ShownJudgement]


def show(
    system: System,
    places: Sequence[int],
    judged: Judged,
    *,
    metric: str,
    is_open: bool,
    is_whole: bool = False,
) -> list[ShownOutput]:
    """Prepare outputs for a page, in the order given, with a fixed number of queries.

    Parameters
    ----------
    system : System
    places : sequence of int
        Where each stands in the file, from 0.
    judged : Judged
        What is published of them.
    metric : str
        The one that stands first; empty: none.
    is_open : bool
        Whether who looks may read the corpus' texts: else nothing of them, of outputs or edits is shown.
    is_whole : bool
        Whether long texts are shown to their ends.
    """
    rows = Output.objects.filter(submission=system.submission, place__in=places)
    found = {row.place: row for row in rows.select_related("document", "unit__output_text")}
    documents = [row.document_id for row in found.values()]
    removed = set(Takedown.objects.filter(document__in=documents).values_list("document", flat=True))
    given = Input.objects.in_bulk(documents) if is_open else {}
    question_of = dict(zip(judged.places.tolist(), judged.questions.tolist(), strict=True))
    questions = [question_of[place] for place in places if place in question_of]
    means, votes = read_means(questions), read_votes(questions)
    longest = None if is_whole else LONGEST
    shown = []
    for row in (found[place] for place in places):
        question = question_of.get(row.place, 0)
        own = votes.get(question, ())
        text = row.unit.output_text.text
        is_shown = is_open and row.document_id not in removed
        of_input = given.get(row.document_id) if is_shown else None
        shown.append(
            ShownOutput(
                doc_id=row.document.doc_id,
                number=row.place + 1,
                raw=text if is_shown else "",
                text=_cut(text if is_shown else "", longest),
                is_removed=row.document_id in removed,
                given=None if of_input is None else _given(of_input, row.document.text, own, longest),
                value=system.columns[metric].at(row.place) if metric else None,
                metrics=[
                    (metric_name(name), column.at(row.place))
                    for name, column in system.columns.items()
                    if name != metric
                ],
                means=_means(system.measures, means.get(question, {})),
                is_undecided=means.get(question, {}).get(UNDECIDED, 0) > 0,
                judgements=[_judgement(*one, is_shown) for one in enumerate(own, 1)],
            )
        )
    return shown


def _cut(text: str, longest: int | None) -> Cut:
    is_cut = longest is not None and len(text) > longest
    return Cut(visible(text[:longest] if is_cut else text), is_cut)


def _means(measures: Collection[str], means: Mapping[str, float]) -> list[tuple[str, float]]:
    return [(NAMES[name], means[name]) for name in measures if name in means]


def _judgement(number: int, row: Response, is_shown: bool) -> ShownJudgement:
    of_answer = correctness.read_said(row.answer)
    if of_answer is not None:
        return ShownJudgement(number, row.is_expert, is_plausible=of_answer.is_plausible)
    said = quality.read_said(row.answer)
    levels = [(NAMES[name], rating, LEVELS[name][rating]) for name, rating in said.ratings.items()]
    return ShownJudgement(number, row.is_expert, levels, said.edit if is_shown else None, said.hter)


def _given(given: Input, text: str, votes: Sequence[Response], longest: int | None) -> ShownInput:
    said = [correctness.read_said(one.answer) for one in votes]
    question = "" if given.question is None else visible(text[slice(*given.question)])
    passages = [_passage(*one, text, said, longest) for one in enumerate(given.passages)]
    return ShownInput(question, passages, [_cut(one, longest) for one in given.references])


def _passage(
    index: int,
    within: Sequence[int],
    text: str,
    said: Sequence[correctness.Said | None],
    longest: int | None,
) -> ShownPassage:
    start, end = within
    marks, words = [], []
    for number, one in enumerate(said, 1):
        if one is None or index >= len(one.verdicts):
            continue
        verdict, span = one.verdicts[index]
        words.append(f"person {number}: {_SAYS[verdict]}")
        if span is not None:
            marks.append(Mark(span, _MARKS[verdict], f"person {number}, {_SAYS[verdict]}"))
    shown_to = end if longest is None else max([start + longest, *(mark.span.end for mark in marks)])
    segments = [
        Segment(visible(segment.text), segment.marks, segment.opens)
        for segment in cut(text, marks, Span(start, min(end, shown_to)))
    ]
    return ShownPassage(index + 1, segments, words, shown_to < end)
