"""What a system gives the items, and what people say where that is published: reads only."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, QuerySet

from annotations.models import Label, Question
from evaluation.classification.items import question_of
from evaluation.models import ClassPrediction, Submission
from kbpo.core.errors import InvalidInput
from kbpo_formats.blotting import is_blotted

VERDICTS = {"right": "right", "wrong": "wrong", "sealed": "without a published label"}
LONGEST = 400  # characters of a text that are shown
NONE = "none of them"
PAGE = 25  # predictions


@dataclass(frozen=True, slots=True)
class ShownItem:
    """A prediction as the explorer shows it: `label` is what is published, None where nothing is."""

    prediction: ClassPrediction
    text: str
    is_cut: bool
    is_removed: bool
    label: str | None

    @property
    def is_right(self) -> bool | None:
        """Say whether the class is right; None while that is not published."""
        return None if self.label is None else self.label == self.prediction.label


@dataclass(frozen=True, slots=True)
class ConfusionRow:
    """How many published items that a system gives a class are of each; `right` is the class' own place."""

    given: str
    counts: Sequence[int]
    right: int


def find_predictions(
    submission: Submission, *, label: str = "", verdict: str = "", page: str | int = 1
) -> "Page[ClassPrediction]":
    """Find a page of what a submission gives the items, in the order of its file.

    Parameters
    ----------
    submission : Submission
    label : str
        The class that it gives; empty for all.
    verdict : {"", "right", "wrong", "sealed"}
    page : int

    Raises
    ------
    InvalidInput
        If there is no such class or verdict.
    """
    classes = question_of(submission.corpus).claims
    if label and label not in classes:
        raise InvalidInput(f"{label!r:.80} is none of the classes {', '.join(classes)}", where="class")
    if verdict and verdict not in VERDICTS:
        raise InvalidInput(f"{verdict!r:.80} is none of {', '.join(VERDICTS)}", where="verdict")
    found = submission.classpredictions.select_related("document").order_by("line")
    if label:
        found = found.filter(label=label)
    if verdict:
        published = _published(submission).filter(document=OuterRef("document"))
        own = Label.objects.filter(
            question__in=_published(submission), question__document=OuterRef("document"), value=1
        )
        found = found.annotate(
            is_known=Exists(published), is_right=Exists(own.filter(claim=OuterRef("label")))
        )
        found = found.filter(is_known=verdict != "sealed")
        if verdict != "sealed":
            found = found.filter(is_right=verdict == "right")
    return Paginator(found, PAGE).get_page(page)


def show(
    submission: Submission, predictions: Iterable[ClassPrediction], *, with_texts: bool = True
) -> list[ShownItem]:
    """Put predictions beside what is published of their items, and their texts if who looks may read them."""
    listed = list(predictions)
    labels = labelled(submission, [one.document_id for one in listed])
    return [
        ShownItem(
            one,
            one.document.text[:LONGEST] if with_texts else "",
            len(one.document.text) > LONGEST,
            is_blotted(one.document.text),
            labels.get(one.document_id),
        )
        for one in listed
    ]


def labelled(submission: Submission, documents: Collection[int]) -> dict[int, str]:
    """Return the published label of each document of some, by row id; of the others nothing is published."""
    return _labels(_published(submission).filter(document__in=documents))


def confusion(submission: Submission) -> tuple[list[str], list[ConfusionRow]]:
    """Count the published items by the class that a system gives them and by their label.

    Returns
    -------
    list of str
        The columns: the classes, and none of them where people could say that they cannot tell.
    list of ConfusionRow
        By the class that it gives; empty where nothing is published.
    """
    question = question_of(submission.corpus)
    columns = [*question.claims, *([NONE] if question.cannot_tell else [])]
    labels = _labels(_published(submission))
    given = submission.classpredictions.filter(document__in=labels).values_list("label", "document")
    counted = Counter((label, labels[document]) for label, document in given)
    if not counted:
        return columns, []
    return columns, [
        ConfusionRow(name, [counted[name, column] for column in columns], number)
        for number, name in enumerate(question.claims, 1)
    ]


def _published(submission: Submission) -> QuerySet[Question]:
    key = question_of(submission.corpus).key
    return Question.objects.filter(document__corpus=submission.corpus_id, key=key, published_at__isnull=False)


def _labels(questions: QuerySet[Question]) -> dict[int, str]:
    """Return the published label of each document: `NONE` where it is of no class."""
    documents = dict.fromkeys(questions.values_list("document_id", flat=True), NONE)
    true = Label.objects.filter(question__in=questions, value=1)
    return documents | dict(true.values_list("question__document_id", "claim"))
