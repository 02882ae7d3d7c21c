"""Look again at what was loaded, asked and settled: it says what it said then, or a finding."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef

from annotations import selectors
from annotations.kinds.registry import find_kind, read_question
from annotations.models import Corpus, Document, DocumentAnnotation, Label, Question, Response, Takedown
from annotations.models.question import AUDIT_PREFIX
from annotations.texts.records import DocumentRecord, MentionRecord
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span

CHUNK = 2_000
"""Questions, or documents, that are in memory at a time."""


def changed_documents(corpus: Corpus) -> list[str]:
    """Return the ids of documents that do not say what their digests do; of removed ones nobody knows."""
    rows = Document.objects.filter(corpus=corpus, takedown=None).order_by("pk")
    return [
        doc_id
        for doc_id, title, date, text, suggestions, digest in rows.values_list(
            "doc_id", "title", "date", "text", "suggestions", "digest"
        ).iterator(chunk_size=CHUNK)
        if DocumentRecord(doc_id, title, date, text, tuple(map(_mention, suggestions))).digest != digest
    ]


def changed_annotations(document_ids: Iterable[int]) -> list[str]:
    """Return the ids of documents of which a complete annotation does not say what its digest does."""
    complete = DocumentAnnotation.objects.filter(document__in=document_ids, completed_at__isnull=False)
    return [
        one.document.doc_id
        for one in complete.select_related("document").order_by("document_id", "pk")
        if selectors.read_record(one).digest != one.digest
    ]


class _Said(NamedTuple):
    value: float
    votes_for: int
    votes: int
    source: str


class _Vote(NamedTuple):
    answer: Mapping[str, Any]
    is_expert: bool
    is_valid: bool


def changed_questions(question_ids: Iterable[int]) -> Mapping[str, set[int]]:
    """Find the settled questions that are not what was asked, or whose labels are not what was answered.

    Labels are those of all claims of their question. Where every vote from before a question was settled
    still counts, they follow from these votes: what was rejected or accepted since may have made others.

    Parameters
    ----------
    question_ids : iterable of int

    Returns
    -------
    mapping of str to set of int
        By what differs, in words, the ids of the questions.
    """
    ids = sorted(set(question_ids))
    found: dict[str, set[int]] = defaultdict(set)
    for first in range(0, len(ids), CHUNK):
        some = ids[first : first + CHUNK]
        labels: dict[int, dict[str, _Said]] = defaultdict(dict)
        for pk, claim, *said in Label.objects.filter(question__in=some).values_list(
            "question", "claim", *_Said._fields
        ):
            labels[pk][claim] = _Said._make(said)
        votes: dict[int, list[_Vote]] = defaultdict(list)
        before = Response.objects.filter(question__in=some, answered_at__lte=F("question__settled_at"))
        for pk, *vote in before.order_by("pk").values_list("question", *_Vote._fields):
            votes[pk].append(_Vote._make(vote))
        removed = Exists(Takedown.objects.filter(document=OuterRef("document")))
        settled = Question.objects.filter(pk__in=some, state=Question.State.SETTLED)
        for question in settled.annotate(is_removed=removed).only("kind", "key", "payload"):
            what = _differing(question, labels[question.pk], votes[question.pk])
            if what is not None:
                found[what].add(question.pk)
    return found


def _differing(question: Any, labels: Mapping[str, _Said], votes: Sequence[_Vote]) -> str | None:
    """Return what differs of a question, in words."""
    try:
        content = read_question(question.kind, question.payload)
    except InvalidInput:
        return "cannot be read"
    if content.key != question.key.removeprefix(AUDIT_PREFIX):
        return "ask for something else than their keys say"
    if find_kind(question.kind).reads_passage:
        return None
    if set(content.claims) != set(labels):
        return "have labels of other claims than they ask about"
    sources = {said.source for said in labels.values()}
    experts = [one for one in votes if one.is_expert and one.is_valid]
    people = [one for one in votes if not one.is_expert]
    if Label.Source.REMOVED in sources:
        return None if question.is_removed else "are said to be of a removed document, and are not"
    if Label.Source.EXPERT in sources:
        if not experts:
            return "have labels of an expert who gave no answer"
        people = experts[:1]
    if any(said.votes > len(people) for said in labels.values()):
        return "have labels of more votes than were given"
    if not all(one.is_valid for one in people) or any(said.votes < len(people) for said in labels.values()):
        return None
    again = content.settle([one.answer for one in people])
    if again is None or any(
        (again[claim].value, again[claim].votes_for) != said[:2] for claim, said in labels.items()
    ):
        return "have labels that are not what was answered"
    return None


def _mention(value: Mapping[str, Any]) -> MentionRecord:
    span = Span(value["start"], value["end"])
    return MentionRecord(span, value["type"], Span(*value["canonical"]), value["link"])
