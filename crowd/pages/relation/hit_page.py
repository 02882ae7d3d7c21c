"""A HIT of relation questions as a page: each document once, with all that is asked about it beside it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from annotations import ontologies
from annotations.kinds.registry import read_claim_question
from annotations.kinds.relation import RelationQuestion
from annotations.models import Document, Question
from crowd import hit_answers
from crowd.hits import places, sending, tokens, working
from crowd.hits.arrivals import Arrival
from crowd.hits.forms import NotAnswered, posted, wants_json
from crowd.interfaces.relation import RELATION, form
from crowd.interfaces.relation.form import Asked
from crowd.interfaces.relation.page import build_page, spans_of
from crowd.interfaces.steps import Page, field_name
from crowd.models import Assignment, Hit
from crowd.page_names import page_names
from crowd.pages.fields import COMMENT, renumbered, seconds_of, seconds_of_steps, seconds_so_far
from crowd.pages.page import HitPage
from kbpo.core.database.bulk import read_rows
from kbpo.core.errors import InvalidInput, KbpoError
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

Posted = Mapping[str, Sequence[str]]

MOST_TEXT = 60_000  # characters of all documents on a page: packed, it then weighs less than 100 kB
_TOUCHING = """
    SELECT sentence.start, sentence."end" FROM annotations_sentence AS sentence
    WHERE sentence.document_id = %s AND EXISTS (
        SELECT FROM unnest(%s::int[], %s::int[]) AS span ("from", "to")
        WHERE sentence.start < span."to" AND sentence."end" > span."from"
    ) ORDER BY sentence.index
"""


@dataclass(frozen=True, slots=True)
class Group:
    """Questions about one passage.

    Attributes
    ----------
    number : int
        From 1.
    document : Document
    page : Page
    """

    number: int
    document: Document
    page: Page

    @property
    def date(self) -> date | None:
        """Return of which day the document is."""
        return self.document.date

    @property
    def title(self) -> str:
        """Return what stands over the passage."""
        return self.document.title or self.document.doc_id


def show(request: HttpRequest, hit: Hit, arrival: Arrival, assignment: Assignment) -> HttpResponse:
    """Show the page with what has been ticked and typed so far."""
    return _show(request, hit, assignment)


def take(request: HttpRequest, hit: Hit, arrival: Arrival, assignment: Assignment) -> HttpResponse:
    """Take the form: keep the answers, and say how they reach the provider; or show what is missing."""
    questions = questions_of(hit, assignment)
    names = page_names(hit, [question.pk for question in questions])
    sent = renumbered(posted(request), names)
    try:
        ontology = _ontology(hit, assignment)
        data = read_form(questions, sent, names=names, asks_links=hit.batch.asks_links, ontology=ontology)
        answers = hit_answers.to_data(hit_answers.read_answers(data, questions, ontology))
    except InvalidInput as error:
        if wants_json(request):
            raise
        return _show(request, hit, assignment, sent=sent, error=error)
    ids = {name: pk for pk, name in names.items()}
    steps = seconds_of_steps(renumbered(sent, ids))
    handover = sending.keep_and_hand_over(hit, arrival, assignment, answers, steps)
    if wants_json(request):
        return JsonResponse(asdict(handover))
    return render(request, "hits/send.html", {"handover": handover})


def show_passage(request: HttpRequest, hit: Hit, assignment: Assignment, number: int) -> HttpResponse:
    """Show the whole document of one of the page's groups."""
    questions = questions_of(hit, assignment)
    names = page_names(hit, [question.pk for question in questions])
    groups = build_groups(
        questions,
        names=names,
        asks_links=hit.batch.asks_links,
        posted={},
        ontology=_ontology(hit, assignment),
        whole=number,
    )
    if not groups:
        raise Http404
    return render(request, "hits/passage.html", {"group": groups[0]})


def questions_of(hit: Hit, assignment: Assignment) -> list[Question]:
    """List what is asked, in order: the gold question too, at a place that is the same for all who come."""
    questions = list(hit.asked)
    if assignment.gold is not None:
        groups = _group(questions)
        # A page that was begun before HITs had a seed is answered, and not shown again, without one.
        place = len(groups) if hit.page_seed is None else places.rng_of(hit, "place").randint(0, len(groups))
        groups.insert(place, [assignment.gold])
        questions = [question for group in groups for question in group]
    return questions


def build_groups(
    questions: Sequence[Question],
    *,
    names: Mapping[int, int],
    asks_links: bool,
    posted: Mapping[str, Sequence[str]],
    ontology: Ontology,
    whole: int | None = None,
) -> list[Group]:
    """Make what the page shows.

    Parameters
    ----------
    questions : sequence of Question
    names : mapping of int to int
        What the page calls them, by their ids.
    asks_links : bool
    posted : mapping of str to sequence of str
        What has been ticked and typed, by form field.
    ontology : Ontology
        Of their corpus, as the page shows it.
    whole : int, optional
        The number of the one group that is wanted, with all of its document.
    """
    _read_documents(questions)
    groups = _group(questions)
    longest = MOST_TEXT // max(1, len(groups))
    asked = _read(questions, ontology)
    found = []
    for number, group in enumerate(groups, start=1):
        if whole not in (None, number):
            continue
        document = group[0].document
        about = {names[question.pk]: asked[question.pk] for question in group}
        page = build_page(
            document.text,
            _sentences(document, spans_of(about.values())),
            about,
            posted,
            {},
            ontology=ontology,
            linked=about if asks_links else (),
            longest=longest if whole is None else None,
        )
        found.append(Group(number, document, page))
    return found


def read_form(
    questions: Sequence[Question],
    posted: Mapping[str, Sequence[str]],
    *,
    names: Mapping[int, int],
    asks_links: bool,
    ontology: Ontology,
) -> dict[str, Any]:
    """Turn the page's form into what `crowd.hit_answers.read_answers` reads.

    Raises
    ------
    NotAnswered
        At the first step that has no answer, or a wrong one.
    """
    asked = _read(questions, ontology)
    groups = _group(questions)
    answers: list[dict[str, Any]] = []
    for group in groups:
        about = {names[question.pk]: asked[question.pk] for question in group}
        for question in group:
            pk = question.pk
            name = field_name(names[pk])
            where = f"Question {len(answers) + 1} of {len(questions)}" if len(questions) > 1 else ""
            try:
                answer = form.read_answer(asked[pk], posted.get(name, ()))
                answer = asked[pk].read_answer(answer)
            except InvalidInput as error:
                raise NotAnswered(str(error), field=name, where=where) from None
            if asks_links:
                answer |= _links(names[pk], about, posted, where)
            answers.append({"question": pk, "answer": answer, **seconds_of(name, posted)})
    return {
        "version": hit_answers.VERSION,
        "answers": answers,
        "comment": next(iter(posted.get(COMMENT, ())), ""),
    }


def _show(
    request: HttpRequest,
    hit: Hit,
    assignment: Assignment,
    *,
    sent: Posted | None = None,
    error: KbpoError | None = None,
) -> HttpResponse:
    kept = assignment.draft or {"step": 0, "fields": {}}
    questions = questions_of(hit, assignment)
    names = page_names(hit, [question.pk for question in questions])
    shown: Posted = renumbered(kept["fields"], names) if sent is None else sent
    ontology = _ontology(hit, assignment)
    groups = build_groups(
        questions, names=names, asks_links=hit.batch.asks_links, posted=shown, ontology=ontology
    )
    context = {
        "hit": hit,
        "groups": groups,
        "query": request.GET.urlencode(),
        "seconds": seconds_so_far([group.page for group in groups], shown),
        "comment": next(iter(shown.get(COMMENT, ())), ""),
        "longest_comment": hit_answers.LONGEST_COMMENT,
        "token": tokens.issue(assignment),
        "state": {"step": kept["step"], "number": assignment.draft_number},
        "error": error,
    }
    return render(request, "hits/task.html", context, status=error.status if error else 200)


def _links(
    name: int, about: Mapping[int, Asked], posted: Mapping[str, Sequence[str]], where: str
) -> dict[str, Any]:
    try:
        found = form.read_links(name, about, about, posted)
    except form.LinkMissing as error:
        raise NotAnswered(str(error), field=error.field, where=where) from None
    return {"links": found} if found else {}


def _ontology(hit: Hit, assignment: Assignment) -> Ontology:
    """Return the ontology as the page has shown it from the first: with the guidelines of that time."""
    return ontologies.ontology_under(hit.batch.corpus, assignment.guidelines)


def _read(questions: Iterable[Question], ontology: Ontology | None = None) -> dict[int, Asked]:
    return {one.pk: read_claim_question(one.kind, one.payload, ontology) for one in questions}


def _group(questions: Sequence[Question]) -> list[list[Question]]:
    """Put each canonical question with the first relation question about its mention; others stand alone."""
    asked = _read(questions)
    groups: list[list[Question]] = []
    homes: dict[tuple[int, Span], list[Question]] = {}
    for question in sorted(questions, key=lambda one: one.kind != RELATION):
        one = asked[question.pk]
        mentions = one.spans if isinstance(one, RelationQuestion) else one.spans[:1]
        home = None
        if not isinstance(one, RelationQuestion):
            home = homes.get((question.document_id, mentions[0]))
        if home is None:
            home = []
            groups.append(home)
        home.append(question)
        for span in mentions:
            homes.setdefault((question.document_id, span), home)
    position = {question.pk: index for index, question in enumerate(questions)}
    return sorted(groups, key=lambda group: min(position[question.pk] for question in group))


def _read_documents(questions: Iterable[Question]) -> None:
    """Read the documents of questions that have none yet, in one query."""
    lacking = [question for question in questions if not Question.document.is_cached(question)]
    if not lacking:
        return
    documents = Document.objects.in_bulk({question.document_id for question in lacking})
    for question in lacking:
        question.document = documents[question.document_id]


def _sentences(document: Document, spans: Collection[Span]) -> list[Span]:
    """Read where the sentences are that spans touch."""
    given = [document.pk, [span.start for span in spans], [span.end for span in spans]]
    return [Span(start, end) for start, end in read_rows(_TOUCHING, given)]


PAGE = HitPage(show=show, take=take, read_save=working.read_draft, show_passage=show_passage)
