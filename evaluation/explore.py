"""What a system claims, and what is claimed of a document: reads only."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from annotations.models import Document, Question, Sentence
from evaluation.models import Instance, Prediction, Submission
from evaluation.verdicts import Verdict, published_verdicts
from evaluation.visibility import Viewer, visible
from kbpo.core.errors import InvalidInput
from kbpo.core.marking import Mark, Segment, cut, merge
from kbpo.core.ontology import RELATIONS, TYPE_NAMES
from kbpo.core.spans import Span

VERDICTS = {"right": "right", "wrong": "wrong", "sealed": "without a published verdict"}
MARGIN = 240  # characters of a sentence shown on either side of its mentions
NEAR = 500  # characters between two mentions that are still shown in one stretch


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """A prediction as the explorer shows it.

    Attributes
    ----------
    prediction : Prediction
    label : str
        The relation's name for people.
    statement : tuple of str
        The claim in plain words, cut before and after the mentions: see `state`.
    snippet : list of Segment
        The sentence or sentences with both mentions marked.
    subject_canonical, object_canonical : str
        The canonical mentions' texts; empty for the object of a string or date.
    verdict : Verdict
    """

    prediction: Prediction
    label: str
    statement: tuple["Piece", ...]
    snippet: list[Segment]
    subject_canonical: str
    object_canonical: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a claim in plain words.

    Attributes
    ----------
    text : str
    span : Span or None
        Of the mention that the piece is; None for the words between.
    """

    text: str
    span: Span | None = None

    @property
    def anchor(self) -> str:
        """The name under which a document's page marks the mention."""
        return f"m{self.span}" if self.span else ""


@dataclass(frozen=True, slots=True)
class ClaimedRelation:
    """A relation that systems claim in a document.

    Attributes
    ----------
    label : str
    statement : tuple of Piece
    systems : tuple of Submission
        Who claims it, by name.
    verdict : bool or None
        Whether the relation holds, where that is published.
    """

    label: str
    statement: tuple[Piece, ...]
    systems: tuple[Submission, ...]
    verdict: bool | None


def predicates(submission: Submission) -> list[tuple[str, str]]:
    """List the relations that a submission claims: (name, label), in the ontology's order."""
    used = set(submission.predictions.values_list("instance__predicate", flat=True).distinct())
    return [(name, relation.label) for name, relation in RELATIONS.items() if name in used]


def find_predictions(
    submission: Submission, *, predicate: str = "", verdict: str = "", page: str | int = 1, size: int = 25
) -> "Page[Prediction]":
    """Find a page of a submission's predictions, in the order of its file.

    Parameters
    ----------
    submission : Submission
    predicate : str
        A stored relation's name; empty for all.
    verdict : {"", "right", "wrong", "sealed"}
        By what is published of relation and canonical mentions together.
    page : int or str
        From 1; what is out of range or no number becomes the nearest page.
    size : int
        Predictions a page.

    Returns
    -------
    Page of Prediction
        With instances and documents.

    Raises
    ------
    InvalidInput
        An unknown predicate or verdict.
    """
    if predicate and predicate not in RELATIONS:
        raise InvalidInput(
            f"{predicate!r} is no relation; one is {next(iter(RELATIONS))}.", where="predicate"
        )
    if verdict and verdict not in VERDICTS:
        raise InvalidInput(f"{verdict!r} is none of {', '.join(VERDICTS)}.", where="verdict")
    found = submission.predictions.select_related("instance__document").order_by("line", "pk")
    if predicate:
        found = found.filter(instance__predicate=predicate)
    if verdict:
        decided = {
            pk: one.outcome
            for pk, one in published_verdicts(_maybe_published(found)).items()
            if one.outcome != "sealed"
        }
        if verdict == "sealed":
            found = found.exclude(pk__in=decided)
        else:
            found = found.filter(pk__in=[pk for pk, outcome in decided.items() if outcome == verdict])
    return Paginator(found, size).get_page(page)


def _maybe_published(found: "QuerySet[Prediction]") -> "QuerySet[Prediction]":
    published = Question.objects.filter(published_at__isnull=False).values("document")
    return found.filter(instance__document__in=published).select_related(None).select_related("instance")


def show(predictions: Iterable[Prediction]) -> list[ShownClaim]:
    """Prepare predictions for the explorer, in the order given, with a fixed number of queries.

    Parameters
    ----------
    predictions : iterable of Prediction
        With instances and documents at hand.
    """
    listed = list(predictions)
    verdicts = published_verdicts(listed)
    sentences = _sentences({prediction.instance.document_id for prediction in listed})
    return [
        _shown(prediction, verdicts[prediction.pk], sentences.get(prediction.instance.document_id, []))
        for prediction in listed
    ]


def state(predicate: str, subject: Piece, object: Piece) -> tuple[Piece, ...]:
    """Say a claim in the ontology's plain words.

    Examples
    --------
    >>> "".join(piece.text for piece in state("per:place_of_birth", Piece("Ann"), Piece("Lyon")))
    'Ann was born in Lyon'
    """
    pieces: list[Piece] = []
    rest = RELATIONS[predicate].statement
    while rest:
        places = [(rest.find(field), field) for field in ("{subject}", "{object}") if field in rest]
        if not places:
            pieces.append(Piece(rest))
            break
        place, field = min(places)
        if place:
            pieces.append(Piece(rest[:place]))
        pieces.append(subject if field == "{subject}" else object)
        rest = rest[place + len(field) :]
    return tuple(pieces)


def window(text: str, sentences: Sequence[Span], first: Span, second: Span) -> list[Span]:
    """Choose what to show of a text around two mentions.

    Parameters
    ----------
    text : str
    sentences : sequence of Span
        Of the text, in order.
    first, second : Span
        The mentions, in any order.

    Returns
    -------
    list of Span
        One stretch, or two where the mentions are more than `NEAR` characters apart; each reaches to its
        sentences' ends, at most `MARGIN` characters beyond the mentions.
    """

    def around(span: Span) -> Span:
        start = max((one.start for one in sentences if one.start <= span.start), default=0)
        end = min((one.end for one in sentences if one.end >= span.end), default=len(text))
        return Span(max(start, span.start - MARGIN, 0), min(end, span.end + MARGIN, len(text)))

    left, right = sorted((first, second))
    if right.start - left.end > NEAR:
        return [around(left), around(right)]
    return [around(Span(left.start, max(left.end, right.end)))]


def _shown(prediction: Prediction, verdict: Verdict, sentences: Sequence[Span]) -> ShownClaim:
    instance = prediction.instance
    text = instance.document.text
    subject = Span(instance.subject_start, instance.subject_end)
    obj = Span(instance.object_start, instance.object_end)
    marks = [
        Mark(subject, prediction.subject_type, f"subject, {TYPE_NAMES[prediction.subject_type]}"),
        Mark(obj, prediction.object_type, f"object, {TYPE_NAMES[prediction.object_type]}"),
    ]
    snippet: list[Segment] = []
    for stretch in window(text, sentences, subject, obj):
        if snippet:
            snippet.append(Segment(" … "))
        snippet += cut(text, marks, stretch)
    canonical = ""
    if prediction.object_canonical_start is not None:
        canonical = text[prediction.object_canonical_start : prediction.object_canonical_end]
    return ShownClaim(
        prediction=prediction,
        label=RELATIONS[instance.predicate].label,
        statement=state(instance.predicate, _piece(text, subject), _piece(text, obj)),
        snippet=snippet,
        subject_canonical=text[prediction.subject_canonical_start : prediction.subject_canonical_end],
        object_canonical=canonical,
        verdict=verdict,
    )


def _piece(text: str, span: Span) -> Piece:
    return Piece(" ".join(text[span.start : span.end].split()), span)


def _sentences(document_ids: Iterable[int]) -> dict[int, list[Span]]:
    found: dict[int, list[Span]] = {}
    rows = Sentence.objects.filter(document__in=list(document_ids)).order_by("document_id", "index")
    for document_id, start, end in rows.values_list("document_id", "start", "end"):
        found.setdefault(document_id, []).append(Span(start, end))
    return found


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document with what systems claim of it.

    Attributes
    ----------
    segments : list of Segment
        The text, with the mentions of claimed relations marked by type.
    relations : list of ClaimedRelation
        In the order of their subjects in the text.
    types : list of tuple of str
        (type, name) of the mentions, for the key.
    """

    segments: list[Segment]
    relations: list[ClaimedRelation]
    types: list[tuple[str, str]]


def read_document(document: Document, viewer: Viewer) -> ReadDocument:
    """Read what the systems that the viewer may see claim of a document."""
    predictions = list(
        Prediction.objects.filter(instance__document=document, submission__in=visible(viewer))
        .exclude(submission__state=Submission.State.WITHDRAWN)
        .select_related("instance", "submission__team", "submission__corpus")
        .order_by("submission__name", "submission_id")
    )
    verdicts = published_verdicts(predictions)
    marks: list[Mark] = []
    claimants: dict[Instance, list[Prediction]] = {}
    for prediction in predictions:
        instance = prediction.instance
        for start, end, kind in (
            (instance.subject_start, instance.subject_end, prediction.subject_type),
            (instance.object_start, instance.object_end, prediction.object_type),
        ):
            marks.append(Mark(Span(start, end), kind, TYPE_NAMES[kind]))
        claimants.setdefault(instance, []).append(prediction)
    relations = [
        ClaimedRelation(
            label=RELATIONS[instance.predicate].label,
            statement=state(
                instance.predicate,
                _piece(document.text, Span(instance.subject_start, instance.subject_end)),
                _piece(document.text, Span(instance.object_start, instance.object_end)),
            ),
            systems=tuple(prediction.submission for prediction in claiming),
            verdict=next(
                (
                    verdicts[prediction.pk].relation
                    for prediction in claiming
                    if verdicts[prediction.pk].relation is not None
                ),
                None,
            ),
        )
        for instance, claiming in sorted(claimants.items(), key=lambda item: _order(item[0]))
    ]
    kinds = {mark.kind for mark in marks}
    return ReadDocument(
        segments=cut(document.text, merge(marks)),
        relations=relations,
        types=[(kind, name) for kind, name in TYPE_NAMES.items() if kind in kinds],
    )


def _order(instance: Instance) -> tuple[int, int, str]:
    return (instance.subject_start, instance.object_start, instance.predicate)
