"""Judgements of what systems write at the desk, and on the pages of annotators and experts."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotations.kinds.correctness import CorrectnessQuestion
from annotations.kinds.quality import QualityQuestion
from annotations.kinds.registry import read_asked
from annotations.models import Question, Response
from annotations.responses import record
from crowd.annotators import queue
from crowd.grouping import OpenQuestion, group
from crowd.interfaces.registry import find_interface
from crowd.models import Assignment
from crowd.pricing import timing
from crowd.quality import habits
from kbpo_formats.spans import Span
from tests.factories import (
    AssignmentFactory,
    DocumentFactory,
    HitFactory,
    QuestionFactory,
    ResponseFactory,
    UserFactory,
    WorkerIdentityFactory,
)

pytestmark = pytest.mark.django_db

WRITTEN = "the mayor opened the bridge <i>again</i>\u202e"
EDIT = "The mayor opened the bridge again."
POOR = {"fluency": 0, "redundancy": 1, "overall": 0, "edit": EDIT}
ASKS, PASSAGE = "Who built the mill?", "Ada Quill built it in 1802."
TEXT = f"{ASKS}\n\n{PASSAGE}"
RIGHT = {"plausible": True, "passages": [{"verdict": 1, "span": [21, 36]}]}


def ask(kind: str, text: str = WRITTEN) -> Question:
    document = DocumentFactory.create(text=TEXT, title="The source", sentences=True)
    asked = {
        "quality": QualityQuestion(text),
        "correctness": CorrectnessQuestion("Ada Quill", Span(0, 19), (Span(21, len(TEXT)),)),
    }[kind]
    question: Question = QuestionFactory.create(document=document, asked=asked, votes_needed=2)
    return question


def sent(question: Question, answer: Any) -> Assignment:
    hit = HitFactory.create(
        batch__corpus=question.document.corpus, batch__kind=question.kind, questions=[question]
    )
    assignment = AssignmentFactory.create(hit=hit, sent=True)
    asked = read_asked([question])[question.pk]
    user = assignment.worker.user
    assignment.responses.add(
        ResponseFactory.create(question=question, worker=user, answer=asked.read_answer(answer))
    )
    made: Assignment = assignment
    return made


def at_desk(client: Client, assignment: Assignment) -> str:
    client.force_login(UserFactory.create(operator=True))
    answer = client.get(reverse("desk_answer", args=[assignment.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_desk_shows_ratings_and_the_edit_word_by_word(client: Client) -> None:
    question = ask("quality")
    record(
        question=question,
        worker=UserFactory.create(annotator=True),
        answer={**POOR, "fluency": -1, "edit": "The bridge is open."},
    )
    page = at_desk(client, sent(question, POOR))
    assert "With mistakes, but one understands it" in page
    assert '<del><span class="visually-hidden" lang="en">removed: </span>the</del>' in page
    assert "⟨U+202E⟩" in page
    assert "\u202e" not in page
    assert "&lt;i&gt;" in page
    assert "characters changed" in page
    assert "Badly: one hardly understands it" in page


def test_the_desk_shows_verdicts_with_their_evidence(client: Client) -> None:
    page = at_desk(client, sent(ask("correctness"), RIGHT))
    assert "Passage 1 shows it to be right" in page
    assert "Ada Quill built</span>" in page
    assert "Nobody else has answered it." in page


@pytest.mark.parametrize("kind", ["quality", "correctness"])
def test_an_annotator_answers_and_is_told_what_is_missing(client: Client, kind: str) -> None:
    question, worker = ask(kind), UserFactory.create(annotator=True)
    assert queue.next_question(worker=worker, now=timezone.now()) == question
    client.force_login(worker)
    address = reverse("annotate_question", args=[question.pk])
    name = f"q{question.pk}"
    if kind == "quality":
        form = {f"{name}-fluency": "0", f"{name}-redundancy": "1", f"{name}-overall": "0"}
        more = {f"{name}-edit": EDIT}
    else:
        form = {f"{name}-plausible": "yes", f"{name}-p1": "right", f"{name}-p1-words": "0-2"}
        more = {f"{name}-p1-sure": "yes"}
    assert ("The source" in client.get(address).content.decode()) == (kind == "correctness")
    refused = client.post(address, form)
    assert refused.status_code == 400
    assert ("Nothing is changed yet" if kind == "quality" else "confirm it") in refused.content.decode()
    assert client.post(address, {**form, **more}).status_code == 302
    answer = Response.objects.get(question=question).answer
    assert answer["edit"] == EDIT if kind == "quality" else answer["passages"] == RIGHT["passages"]


def test_an_expert_sees_what_others_chose(client: Client) -> None:
    question, expert = ask("quality"), UserFactory.create(operator=True)
    record(question=question, worker=UserFactory.create(annotator=True), answer=POOR)
    Question.objects.filter(pk=question.pk).update(state=Question.State.EXPERT)
    assert queue.next_question(worker=expert, now=timezone.now(), as_expert=True) == question
    client.force_login(expert)
    page = client.get(reverse("annotate_question", args=[question.pk])).content.decode()
    assert "<small>1 vote</small>" in page


def test_work_pays_by_the_words_that_are_shown() -> None:
    short, long = ask("quality", "One two three."), ask("quality", "word " * 153)
    interface = find_interface("quality")
    groups = group(open_questions_of([short, long]))
    rewards = timing.rewards(interface, groups, reward_cents=200, by_sentence=False)
    assert rewards == [10, 40]  # 33 and 183 words at $2 a thousand, in steps of five cents


def open_questions_of(questions: list[Question]) -> list[Any]:
    return [OpenQuestion(one.pk, one.document_id, one.kind, 1) for one in questions]


def test_who_never_changes_five_characters_is_looked_at() -> None:
    identity = WorkerIdentityFactory.create()
    for number in range(10):
        question = ask("quality", f"text number {number}")
        hit = HitFactory.create(
            batch__corpus=question.document.corpus, batch__kind="quality", questions=[question]
        )
        assignment = AssignmentFactory.create(hit=hit, sent=True, worker=identity)
        asked = read_asked([question])[question.pk]
        answer = asked.read_answer({**POOR, "edit": f"Text number {number}."})
        assignment.responses.add(
            ResponseFactory.create(question=question, worker=identity.user, answer=answer)
        )
    assert habits.found(assignment) == ["None of the last 10 edits changed five characters."]


@pytest.mark.parametrize("kind", ["quality", "correctness"])
def test_what_an_annotator_has_filled_in_is_kept(client: Client, kind: str) -> None:
    question, worker = ask(kind), UserFactory.create(annotator=True)
    assert queue.next_question(worker=worker, now=timezone.now()) == question
    client.force_login(worker)
    name = f"q{question.pk}"
    fields = {
        "quality": {f"{name}-fluency": ["0"], f"{name}-edit": ["Better words."]},
        "correctness": {f"{name}-plausible": ["yes"], f"{name}-p1": ["right"], f"{name}-p1-words": ["0-2"]},
    }[kind]
    address = reverse("annotate_draft", args=[question.pk])

    def save(number: int, draft: Any) -> Any:
        data = {"number": number, "draft": draft}
        return client.post(address, data, content_type="application/json")

    assert save(1, {"step": 1, "fields": fields}).json() == {"saved": True, "number": 1}
    for wrong in ({"step": 1}, {"step": 1, "fields": {"q1": "x"}}, [1], None):
        assert save(2, wrong).status_code == 400
    page = client.get(reverse("annotate_question", args=[question.pk])).content.decode()
    assert '{"step": 1, "number": 1}' in page
    assert ("Better words." if kind == "quality" else 'value="0-2"') in page
    other = client.post(reverse("annotate_question", args=[question.pk]), {f"{name}-fluency": "1"})
    assert "Better words." not in other.content.decode()  # what is sent is newer than what was kept
