"""Who gets which question next."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection

from annotations import conflicts, labels, responses
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.entities import EntitiesQuestion
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Corpus, Document, Question, Response, Sentence
from annotations.texts.segmentation import segment
from crowd.annotators import answering, queue
from crowd.interfaces.relation import companions
from crowd.models import Reservation
from kbpo.accounts.models import User
from kbpo.core.errors import InvalidInput, NotAllowed
from tests.factories import (
    ADA,
    HALLOW,
    PRESS,
    SHE,
    THERE,
    YEAR,
    DocumentFactory,
    QuestionFactory,
    ResponseFactory,
    TeamFactory,
    UserFactory,
)
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
HELD_FOR = timedelta(minutes=15)
LATER = NOW + HELD_FOR
NONE = {"none": True}
BORN = {"relations": [{"predicate": "per:place_of_birth", "subject": 0}]}
RIGHT = {"right": True}


@pytest.fixture
def document() -> Document:
    return DocumentFactory.create()


@pytest.fixture
def born(document: Document) -> Question:
    return QuestionFactory.create(document=document)


@pytest.fixture
def founded(document: Document) -> Question:
    asked = RelationQuestion.about(Mention(SHE, "PER"), Mention(PRESS, "ORG"), TAC)
    return QuestionFactory.create(document=document, asked=asked)


@pytest.fixture
def she_is_ada(document: Document) -> Question:
    return QuestionFactory.create(document=document, asked=CanonicalQuestion(SHE, ADA))


@pytest.fixture
def workers() -> list[User]:
    return UserFactory.create_batch(4, annotator=True)


@pytest.fixture
def operator() -> User:
    return UserFactory.create(operator=True)


def compete(worker: User, corpus: Corpus) -> None:
    """Have a team of the worker's compete in a corpus."""
    conflicts.add_competitor(corpus=corpus, team=TeamFactory.create(members=[worker]))


def take(worker: User, now: datetime = NOW, **options: Any) -> Question | None:
    return queue.next_question(worker=worker, now=now, **options)


def held(worker: User) -> set[int]:
    return set(Reservation.objects.filter(worker=worker).values_list("question", flat=True))


def test_the_oldest_question_comes_first(born: Question, founded: Question, workers: list[User]) -> None:
    assert take(workers[0]) == born


def test_asking_again_gives_the_same_question_and_keeps_its_clock(
    born: Question, founded: Question, workers: list[User]
) -> None:
    take(workers[0])
    assert take(workers[0], NOW + timedelta(minutes=5)) == born
    assert Reservation.objects.get().taken_at == NOW


def test_an_answered_question_does_not_come_back(
    born: Question, founded: Question, workers: list[User]
) -> None:
    take(workers[0])
    answering.submit(worker=workers[0], answers={born.pk: NONE}, now=NOW)
    assert take(workers[0]) == founded


def test_no_more_hold_a_question_than_it_needs_votes(
    born: Question, founded: Question, workers: list[User]
) -> None:
    assert [take(worker) for worker in workers] == [born, born, born, founded]


def test_votes_take_places_too(born: Question, workers: list[User]) -> None:
    ResponseFactory.create_batch(2, question=born)
    assert [take(worker) for worker in workers[:2]] == [born, None]


def test_a_question_that_three_votes_did_not_settle_has_one_place_more(
    born: Question, workers: list[User]
) -> None:
    for relations in ([0], [1], []):
        offers = [born.payload["options"][index] for index in relations]
        ResponseFactory.create(
            question=born, answer={"version": 1, "relations": offers, "none": not relations}
        )
    assert take(workers[0]) is None
    labels.settle_questions()
    assert [take(worker) for worker in workers[:2]] == [born, None]


def test_a_vote_that_is_not_valid_leaves_its_place(born: Question, workers: list[User]) -> None:
    ResponseFactory.create_batch(3, question=born)
    Response.objects.filter(pk=Response.objects.earliest("pk").pk).update(is_valid=False)
    assert take(workers[0]) == born


def test_what_is_not_answered_in_time_goes_back(born: Question, workers: list[User]) -> None:
    for worker in workers[:3]:
        take(worker)
    assert take(workers[3], LATER - timedelta(seconds=1)) is None
    assert take(workers[3], LATER) == born


def test_who_was_too_slow_may_take_it_again_with_a_new_clock(born: Question, workers: list[User]) -> None:
    take(workers[0])
    assert take(workers[0], LATER) == born
    assert Reservation.objects.get().taken_at == LATER


def test_a_settled_question_is_not_given(born: Question, workers: list[User]) -> None:
    take(workers[0])
    Question.objects.update(state="settled", settled_at=NOW)
    assert take(workers[0]) is None


def test_competitors_get_questions_of_other_corpora_only(born: Question, workers: list[User]) -> None:
    other = QuestionFactory.create()
    compete(workers[0], born.document.corpus)
    assert take(workers[0]) == other
    assert take(workers[1]) == born


def test_who_joins_a_competing_team_loses_what_they_hold(born: Question, workers: list[User]) -> None:
    take(workers[0])
    compete(workers[0], born.document.corpus)
    assert take(workers[0]) is None


def test_a_corpus_may_be_chosen(born: Question, workers: list[User]) -> None:
    other = QuestionFactory.create()
    assert take(workers[0], corpus=other.document.corpus) == other


def test_only_annotators_and_operators_get_questions(born: Question) -> None:
    with pytest.raises(NotAllowed, match="Only annotators"):
        take(UserFactory.create())


def test_canonical_mentions_of_the_pair_come_with_it(
    founded: Question, she_is_ada: Question, workers: list[User]
) -> None:
    hallow = QuestionFactory.create(document=founded.document, asked=CanonicalQuestion(HALLOW, HALLOW))
    assert take(workers[0]) == founded
    assert held(workers[0]) == {founded.pk, she_is_ada.pk}
    answering.submit(worker=workers[0], answers={founded.pk: NONE, she_is_ada.pk: RIGHT}, now=NOW)
    assert take(workers[0]) == hallow


def test_a_canonical_mention_with_enough_votes_does_not_come_along(
    founded: Question, she_is_ada: Question, workers: list[User]
) -> None:
    ResponseFactory.create_batch(3, question=she_is_ada, answer={"version": 1, "right": True})
    take(workers[0])
    assert held(workers[0]) == {founded.pk}


def test_a_canonical_mention_whose_relation_is_settled_comes_alone(
    founded: Question, she_is_ada: Question, workers: list[User]
) -> None:
    Question.objects.filter(pk=founded.pk).update(state="settled", settled_at=NOW)
    assert take(workers[0]) == she_is_ada


def test_experts_get_what_the_votes_did_not_settle_and_one_at_a_time(
    born: Question, founded: Question, operator: User
) -> None:
    Question.objects.filter(pk=founded.pk).update(state="expert")
    assert take(operator, as_expert=True) == founded
    assert take(UserFactory.create(operator=True), as_expert=True) is None
    assert take(operator) == born


def test_an_expert_does_not_settle_what_they_voted_on(born: Question, operator: User) -> None:
    ResponseFactory.create(question=born, worker=operator)
    Question.objects.update(state="expert")
    assert take(operator, as_expert=True) is None


def test_a_workers_lasting_hold_does_not_keep_the_expert_waiting(
    born: Question, workers: list[User], operator: User
) -> None:
    take(workers[0])
    Question.objects.update(state="expert")
    assert take(operator, as_expert=True) == born


def test_annotators_do_not_see_the_experts_queue(born: Question, workers: list[User]) -> None:
    with pytest.raises(NotAllowed, match="Only operators"):
        take(workers[0], as_expert=True)


def test_waiting_counts_what_one_may_answer(born: Question, founded: Question, workers: list[User]) -> None:
    ResponseFactory.create(question=born, worker=workers[0])
    [row] = queue.waiting(worker=workers[0], now=NOW)
    assert (row.corpus, row.questions, row.barred) == (born.document.corpus, 1, False)
    compete(workers[0], born.document.corpus)
    assert queue.waiting(worker=workers[0], now=NOW)[0].barred


def test_the_queries_do_not_grow_with_the_queue(
    document: Document, workers: list[User], django_assert_num_queries: Callable[[int], Any]
) -> None:
    for start in range(30):
        asked = CanonicalQuestion(SHE, ADA._replace(start=0, end=start + 1))
        QuestionFactory.create(document=document, asked=asked)
    with django_assert_num_queries(9):
        take(workers[0])
    QuestionFactory.create_batch(30)
    with django_assert_num_queries(9):
        take(workers[1])


def test_answers_are_timed_from_the_reservation_and_end_it(born: Question, workers: list[User]) -> None:
    take(workers[0])
    [response] = answering.submit(
        worker=workers[0], answers={born.pk: NONE}, now=NOW + timedelta(seconds=12.5)
    )
    assert response.seconds == 12.5
    assert not Reservation.objects.exists()


def test_an_answer_after_the_time_is_taken_all_the_same(born: Question, workers: list[User]) -> None:
    take(workers[0])
    [response] = answering.submit(worker=workers[0], answers={born.pk: NONE}, now=LATER)
    assert response.seconds == HELD_FOR.total_seconds()


def test_answers_sent_twice_are_the_same_responses(born: Question, workers: list[User]) -> None:
    take(workers[0])
    first = answering.submit(worker=workers[0], answers={born.pk: NONE}, now=NOW)
    assert answering.submit(worker=workers[0], answers={born.pk: NONE}, now=LATER) == first


def test_a_question_that_was_not_given_takes_no_answer(
    born: Question, founded: Question, workers: list[User]
) -> None:
    take(workers[0])
    with pytest.raises(NotAllowed, match="not given to you"):
        answering.submit(worker=workers[0], answers={born.pk: NONE, founded.pk: NONE}, now=NOW)
    assert not Response.objects.exists()


def test_a_page_is_recorded_whole_or_not_at_all(
    founded: Question, she_is_ada: Question, workers: list[User]
) -> None:
    take(workers[0])
    with pytest.raises(InvalidInput):
        answering.submit(worker=workers[0], answers={founded.pk: NONE, she_is_ada.pk: {"right": 1}}, now=NOW)
    assert not Response.objects.exists()
    assert Reservation.objects.count() == 2


def test_a_question_that_becomes_the_experts_keeps_its_late_votes(
    born: Question, workers: list[User]
) -> None:
    take(workers[0])
    Question.objects.update(state="expert")
    answering.submit(worker=workers[0], answers={born.pk: NONE}, now=NOW)
    labels.settle_questions()
    assert Question.objects.get().state == "expert"
    assert Response.objects.count() == 1


def test_an_experts_page_settles(born: Question, operator: User) -> None:
    Question.objects.update(state="expert")
    take(operator, as_expert=True)
    answering.submit(worker=operator, answers={born.pk: NONE}, now=NOW, as_expert=True)
    assert Question.objects.get().state == "settled"


@pytest.fixture
def pairs(document: Document) -> list[Question]:
    """Five questions about the second sentence of a document, and one about its first."""
    one, two = Mention(SHE, "PER"), Mention(PRESS, "ORG")
    there, year = Mention(THERE, "GPE"), Mention(YEAR, "DATE")
    asked = [(one, two), (one, there), (one, year), (two, there), (two, year)]
    asked += [(Mention(ADA, "PER"), Mention(HALLOW, "GPE"))]
    (sentences,) = segment([document.text])
    for index, sentence in enumerate(sentences):
        Sentence.objects.create(
            document=document,
            index=index,
            start=sentence.start,
            end=sentence.end,
            token_starts=sentence.token_starts,
            token_ends=sentence.token_ends,
        )
    return [
        QuestionFactory.create(document=document, asked=RelationQuestion.about(*pair, TAC)) for pair in asked
    ]


def test_the_pairs_of_a_sentence_are_handed_out_together(
    pairs: list[Question], she_is_ada: Question, workers: list[User]
) -> None:
    assert take(workers[0]) == pairs[0]
    assert held(workers[0]) == {*(one.pk for one in pairs[:5]), she_is_ada.pk}


def test_what_of_a_sentence_has_no_place_left_stays_away(pairs: list[Question], workers: list[User]) -> None:
    ResponseFactory.create_batch(3, question=pairs[1])
    take(workers[0])
    assert pairs[1].pk not in held(workers[0])
    assert len(held(workers[0])) == 4


def test_no_more_of_a_sentence_are_handed_out_than_one_reads_at_once(
    pairs: list[Question], she_is_ada: Question, workers: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(companions, "PAIRS_AT_ONCE", 2)
    take(workers[0])
    assert held(workers[0]) == {pairs[0].pk, pairs[1].pk, she_is_ada.pk}


def test_a_document_is_held_for_longer(document: Document, workers: list[User]) -> None:
    QuestionFactory.create(document=document, asked=EntitiesQuestion())
    take(workers[0])
    assert Reservation.objects.get().expires_at == NOW + timedelta(hours=2)


def at_once(acts: list[Callable[[], object]]) -> list[object]:
    """Run acts in threads that start together; return what they return."""
    start = Barrier(len(acts))
    results: list[object] = []

    def run(act: Callable[[], object]) -> None:
        start.wait()
        try:
            results.append(act())
        finally:
            connection.close()

    threads = [Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.django_db(transaction=True)
def test_many_who_ask_at_once_never_hold_more_than_there_are_places(document: Document) -> None:
    for end in range(1, 4):
        asked = RelationQuestion.about(
            Mention(ADA, "PER"), Mention(HALLOW._replace(end=40 + end), "GPE"), TAC
        )
        QuestionFactory.create(document=document, asked=asked)
    crowd = UserFactory.create_batch(12, annotator=True)
    results = at_once([lambda worker=worker: take(worker) for worker in crowd])  # type: ignore[misc]
    given = [result.pk for result in results if isinstance(result, Question)]
    assert sorted(given.count(pk) for pk in Question.objects.values_list("pk", flat=True)) == [3, 3, 3]
    assert len(results) == 12


@pytest.mark.django_db(transaction=True)
def test_one_worker_in_many_windows_holds_one_question(document: Document) -> None:
    QuestionFactory.create_batch(4, document__corpus=document.corpus)
    worker = UserFactory.create(annotator=True)
    assert len(set(at_once([lambda: take(worker)] * 4))) == 1
    assert Reservation.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_an_answer_sent_twice_at_once_is_recorded_once(document: Document) -> None:
    born = QuestionFactory.create(document=document)
    worker = UserFactory.create(annotator=True)
    take(worker)

    def send() -> Response:
        return answering.submit(worker=worker, answers={born.pk: NONE}, now=NOW)[0]

    assert len(set(at_once([send] * 3))) == 1
    assert Response.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_votes_that_come_at_once_are_all_counted(document: Document) -> None:
    born = QuestionFactory.create(document=document)
    crowd = UserFactory.create_batch(3, annotator=True)
    at_once(
        [
            lambda worker=worker: responses.record(question=born, worker=worker, answer=NONE)  # type: ignore[misc]
            for worker in crowd
        ]
    )
    assert labels.settle_questions() == 1
    assert set(born.labels.values_list("votes_for", "votes")) == {(0, 3)}


def test_a_third_vote_is_asked_at_once_of_somebody_who_has_not_voted(workers: list[User]) -> None:
    question = QuestionFactory.create(document__corpus__policy="curtailed")
    for worker, answer in zip(workers, (BORN, NONE), strict=False):
        assert queue.next_question(worker=worker, now=NOW) == question
        responses.record(question=question, worker=worker, answer=answer)
        Reservation.objects.all().delete()
    assert queue.next_question(worker=workers[2], now=NOW) is None  # two are asked, and no more
    labels.settle_questions()
    found = [queue.next_question(worker=worker, now=NOW) for worker in workers]
    assert found == [None, None, question, None]
