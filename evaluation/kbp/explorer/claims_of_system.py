"""What a system claims: reads only."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from django.core.paginator import Page, Paginator

from annotations.models import Sentence
from evaluation.kbp.explorer.statements import Piece, mention, state
from evaluation.kbp.explorer.verdicts import Verdict, maybe_published, published_verdicts
from evaluation.models import Prediction, Submission
from kbpo.core.errors import InvalidInput
from kbpo.core.marking import Mark, Segment, cut
from kbpo_formats.blotting import blotted, is_blotted
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

VERDICTS = {"right": "right", "wrong": "wrong", "sealed": "without a published verdict"}
MARGIN = 240  # characters of a sentence shown on either side of its mentions
PAGE = 25  # predictions
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
    is_removed : bool
        Whether the text of its document was removed.
    """

    prediction: Prediction
    label: str
    statement: tuple[Piece, ...]
    snippet: list[Segment]
    subject_canonical: str
    object_canonical: str
    verdict: Verdict
    is_removed: bool


def predicates(submission: Submission, ontology: Ontology) -> list[tuple[str, str]]:
    """List the relations that a submission claims: (name, label), in the ontology's order."""
    # What was counted as the file was read, for what it claims never changes; else all claims are looked at.
    used = set(submission.counts.get("instances_by_predicate") or ())
    if not used:
        used.update(submission.predictions.values_list("instance__predicate", flat=True).distinct())
    return [(one.name, one.label) for one in ontology.relations if one.name in used]


def find_predictions(
    submission: Submission,
    ontology: Ontology,
    *,
    predicate: str = "",
    verdict: str = "",
    verdicts: Mapping[int, Verdict] | None = None,
    page: str | int = 1,
) -> "Page[Prediction]":
    """Find a page of a submission's predictions, in the order of its file.

    Parameters
    ----------
    submission : Submission
    ontology : Ontology
        Its corpus'.
    predicate : str
        A stored relation's name; empty for all.
    verdict : {"", "right", "wrong", "sealed"}
        By what is published of relation and canonical mentions together.
    verdicts : mapping of int to Verdict, optional
        `all_verdicts` of the submission, where they are read already.
    page : int or str
        From 1; what is out of range or no number becomes the nearest page.

    Returns
    -------
    Page of Prediction
        With instances and documents.

    Raises
    ------
    InvalidInput
        An unknown predicate or verdict.
    """
    if predicate and predicate not in ontology.relations_by_name:
        raise InvalidInput(
            f"{predicate!r:.80} is no relation of {ontology}; one is {ontology.relations[0].name}.",
            where="predicate",
        )
    if verdict and verdict not in VERDICTS:
        raise InvalidInput(f"{verdict!r} is none of {', '.join(VERDICTS)}.", where="verdict")
    found = submission.predictions.order_by("line")
    if predicate:
        found = found.filter(instance__predicate=predicate)
    if verdict:
        known = all_verdicts(submission) if verdicts is None else verdicts
        decided = {pk: one.outcome for pk, one in known.items() if one.outcome != "sealed"}
        if verdict == "sealed":
            found = found.exclude(pk__in=decided)
        else:
            found = found.filter(pk__in=[pk for pk, outcome in decided.items() if outcome == verdict])
    pages = Paginator(found.values_list("pk", flat=True), PAGE)
    by_predicate = submission.counts.get("instances_by_predicate")
    if predicate and not verdict and by_predicate:
        # What it claims never changes: it was counted as its file was read.
        pages.count = by_predicate.get(predicate, 0)
    chosen = pages.get_page(page)
    # Texts are read of those alone that are shown: what comes before them is passed over by an index.
    wanted = chosen.object_list  # not read yet: Postgres finds them and what is read of them at once
    shown = Prediction.objects.filter(pk__in=wanted).select_related("instance__document")
    listed = sorted(shown, key=lambda one: one.line)
    return Page(listed, chosen.number, cast("Paginator[Prediction]", chosen.paginator))


def all_verdicts(submission: Submission) -> dict[int, Verdict]:
    """Read the published verdicts on what a submission claims, by the prediction's row id.

    Predictions of which nothing is published are left out.
    """
    return published_verdicts(maybe_published(submission))


def show(
    predictions: Iterable[Prediction],
    ontology: Ontology,
    *,
    with_texts: bool = True,
    verdicts: Mapping[int, Verdict] | None = None,
) -> list[ShownClaim]:
    """Prepare predictions for the explorer, in the order given, with a fixed number of queries.

    Parameters
    ----------
    predictions : iterable of Prediction
        With instances and documents at hand.
    ontology : Ontology
        Their corpus'.
    with_texts : bool
        Whether who looks may read the texts; else each word of them is blotted out.
    verdicts : mapping of int to Verdict, optional
        `all_verdicts` of their submission, where they are read already.
    """
    listed = list(predictions)
    if verdicts is None:
        verdicts = published_verdicts(listed)
    sentences = _sentences({prediction.instance.document_id for prediction in listed})
    return [
        _shown(
            prediction,
            verdicts.get(prediction.pk) or Verdict(has_object=prediction.object_canonical_start is not None),
            sentences.get(prediction.instance.document_id, []),
            ontology,
            with_texts=with_texts,
        )
        for prediction in listed
    ]


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


def _shown(
    prediction: Prediction,
    verdict: Verdict,
    sentences: Sequence[Span],
    ontology: Ontology,
    *,
    with_texts: bool,
) -> ShownClaim:
    instance = prediction.instance
    relation = ontology.relations_by_name[instance.predicate]
    is_removed = is_blotted(instance.document.text)
    text = instance.document.text if with_texts else blotted(instance.document.text)
    subject = Span(instance.subject_start, instance.subject_end)
    obj = Span(instance.object_start, instance.object_end)
    marks = [
        Mark(span, ontology.type_class(kind), f"{role}, {ontology.types_by_name[kind].word}")
        for role, span, kind in (
            ("subject", subject, prediction.subject_type),
            ("object", obj, prediction.object_type),
        )
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
        label=relation.label,
        statement=state(relation.statement, mention(text, subject), mention(text, obj)),
        snippet=snippet,
        subject_canonical=text[prediction.subject_canonical_start : prediction.subject_canonical_end],
        object_canonical=canonical,
        verdict=verdict,
        is_removed=is_removed,
    )


def _sentences(document_ids: Iterable[int]) -> dict[int, list[Span]]:
    found: dict[int, list[Span]] = {}
    rows = Sentence.objects.filter(document__in=list(document_ids)).order_by("document_id", "index")
    for document_id, start, end in rows.values_list("document_id", "start", "end"):
        found.setdefault(document_id, []).append(Span(start, end))
    return found
