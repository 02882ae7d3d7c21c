"""What is measured of people, and what is gold, where a third vote is asked only of disputed questions."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from annotations import agreements
from annotations.aggregation.agreement import fleiss_kappa
from annotations.kinds.entities import EntitiesQuestion
from annotations.models import Corpus, Question, Response
from crowd.models import Assignment, BatchMeasure, WorkerMeasure
from crowd.quality import checking, measures
from kbpo.accounts.models import User, WorkerIdentity
from tests.factories import (
    AssignmentFactory,
    CorpusFactory,
    DocumentFactory,
    HitBatchFactory,
    HitFactory,
    LabelFactory,
    QuestionFactory,
    ResponseFactory,
    UserFactory,
    WorkerIdentityFactory,
)
from tests.gold import ask_gold

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
BORN = {"version": 1, "relations": [{"predicate": "per:place_of_birth", "subject": 0}], "none": False}
LIVED = {"version": 1, "relations": [{"predicate": "per:place_of_residence", "subject": 0}], "none": False}
NONE = {"version": 1, "relations": [], "none": True}

Ask = Callable[..., Question]


class Chance(Random):
    """Chance that always comes out the same."""

    def __init__(self, value: float) -> None:
        super().__init__(1)
        self.value = value

    def random(self) -> float:
        return self.value


@pytest.fixture
def corpus() -> Corpus:
    return CorpusFactory.create(policy="curtailed")


@pytest.fixture
def ask(corpus: Corpus) -> Ask:
    def ask(**fields: Any) -> Question:
        return QuestionFactory.create(document=DocumentFactory.create(corpus=corpus), **fields)

    return ask


@pytest.fixture
def people() -> list[User]:
    return UserFactory.create_batch(3, annotator=True)


def vote(question: Question, answers: dict[User, Any], seconds: float | None = None) -> None:
    """Vote in the order given."""
    for user, answer in answers.items():
        ResponseFactory.create(question=question, worker=user, answer=answer, seconds=seconds)


def kappa_of(corpus: Corpus) -> tuple[int, float]:
    found = agreements.measure(corpus)[0]
    assert found.kappa is not None
    return found.questions, found.kappa.estimate


# Agreement (κ)


def test_agreement_goes_by_the_first_two_votes(corpus: Corpus, ask: Ask, people: list[User]) -> None:
    one, two, three = people
    vote(ask(settled=True), {one: BORN, two: BORN})
    vote(ask(settled=True), {one: NONE, two: NONE})
    vote(ask(settled=True), {one: BORN, two: NONE, three: NONE})
    expected = fleiss_kappa([[2, 0], [0, 2], [1, 1]])
    assert expected is not None
    assert kappa_of(corpus) == (3, expected.estimate)


def test_agreement_does_not_wait_for_third_votes(corpus: Corpus, ask: Ask, people: list[User]) -> None:
    """Those on which two agree are settled first: they alone would make agreement seem perfect."""
    one, two, _ = people
    vote(ask(settled=True), {one: BORN, two: BORN})
    vote(ask(settled=True), {one: NONE, two: NONE})
    vote(ask(), {one: BORN, two: NONE})
    vote(ask(), {one: BORN})
    expected = fleiss_kappa([[2, 0], [0, 2], [1, 1]])
    assert expected is not None
    assert kappa_of(corpus) == (3, expected.estimate)


def test_under_fixed_agreement_goes_by_all_votes(corpus: Corpus, ask: Ask, people: list[User]) -> None:
    Corpus.objects.update(policy="fixed")
    corpus.refresh_from_db()
    one, two, three = people
    vote(ask(settled=True), {one: BORN, two: BORN, three: NONE})
    vote(ask(settled=True), {one: NONE, two: NONE, three: NONE})
    vote(ask(), {one: BORN, two: NONE})
    expected = fleiss_kappa([[2, 1], [0, 3]])
    assert expected is not None
    assert kappa_of(corpus) == (2, expected.estimate)


def test_agreement_on_documents_goes_by_the_first_two_votes(corpus: Corpus, people: list[User]) -> None:
    one, two, three = people
    ada = {
        "mentions": [{"start": 0, "end": 9, "type": "PER", "entity": 1}],
        "entities": [{"id": 1, "canonical": {"start": 0, "end": 9}, "link": {"none": True}}],
    }
    nothing: dict[str, Any] = {"mentions": [], "entities": []}
    for _ in range(2):
        document = DocumentFactory.create(corpus=corpus, segmented=True)
        question = QuestionFactory.create(document=document, asked=EntitiesQuestion(), settled=True)
        vote(
            question,
            {user: {"version": 1} | said for user, said in ((one, ada), (two, ada), (three, nothing))},
        )
    spans = next(found for found in agreements.measure(corpus) if found.aspect == "spans")
    assert spans.kappa is not None
    assert (spans.questions, spans.kappa.estimate) == (2, 1.0)


def test_a_batch_that_asks_for_third_votes_alone_has_no_agreement(
    corpus: Corpus, ask: Ask, people: list[User]
) -> None:
    one, two, three = people
    disputed = [ask(settled=True), ask(settled=True)]
    for question in disputed:
        vote(question, {one: BORN, two: NONE})
    Response.objects.update(answered_at=NOW - timedelta(hours=1))
    first, third = HitBatchFactory.create_batch(2, corpus=corpus)
    type(first).objects.filter(pk=first.pk).update(created_at=NOW - timedelta(days=1))
    type(first).objects.filter(pk=third.pk).update(created_at=NOW)
    for batch in (first, third):
        HitFactory.create(batch=batch, state="closed", questions=disputed)
    for question in disputed:
        vote(question, {three: NONE})
    measures.measure_work(now=NOW)
    measured = dict(BatchMeasure.objects.values_list("batch", "questions"))
    assert measured == {first.pk: 2, third.pk: 0}


# Agreement with the others


def agreed(user: User | None) -> tuple[int, int, int]:
    found = WorkerMeasure.objects.get(worker=user, kind="relation")
    return found.votes, found.agreed, found.compared


def test_the_first_two_voters_are_compared_as_if_there_always_were_a_third(
    ask: Ask, people: list[User]
) -> None:
    one, two, three = people
    for _ in range(5):
        vote(ask(), {one: BORN, two: BORN})
    vote(ask(), {one: BORN, two: NONE, three: BORN})
    measures.measure_work(now=NOW)
    # One agreed five times; once a third backed One against Two, and as often would have been against both.
    assert agreed(one) == (6, 4, 4)
    assert agreed(two) == (6, 5, 6)
    assert agreed(three) == (1, 0, 0)
    assert agreed(None) == (13, 9, 10)


def test_who_is_backed_by_nobody_is_compared_with_nobody(ask: Ask, people: list[User]) -> None:
    one, two, three = people
    vote(ask(), {one: BORN, two: NONE, three: LIVED})
    vote(ask(), {one: BORN, two: NONE})
    measures.measure_work(now=NOW)
    assert [agreed(user)[1:] for user in people] == [(0, 0)] * 3


def test_more_may_be_taken_back_than_there_is_and_nothing_is_below_zero(ask: Ask, people: list[User]) -> None:
    one, two, three = people
    vote(ask(), {one: BORN, two: NONE, three: BORN})
    measures.measure_work(now=NOW)
    assert [agreed(user)[1:] for user in people] == [(0, 0), (0, 1), (0, 0)]


def test_a_rejected_answer_is_compared_with_the_majority_of_the_votes(ask: Ask, people: list[User]) -> None:
    one, two, three = people
    question = ask()
    vote(question, {one: NONE, two: BORN, three: BORN})
    Response.objects.filter(worker=one).update(is_valid=False)
    measures.measure_work(now=NOW)
    assert agreed(one) == (1, 0, 1)
    assert agreed(two) == (1, 1, 1)


def test_each_corpus_is_compared_by_its_policy(ask: Ask, people: list[User]) -> None:
    one, two, three = people
    vote(ask(), {one: BORN, two: NONE, three: BORN})
    fixed = QuestionFactory.create()
    vote(fixed, {one: BORN, two: NONE, three: BORN})
    measures.measure_work(now=NOW)
    assert agreed(two) == (2, 0, 2)
    assert agreed(one) == (2, 0, 0)


def test_the_time_of_a_third_vote_is_not_measured(ask: Ask, people: list[User]) -> None:
    one, two, three = people
    question = ask()
    vote(question, {one: BORN, two: NONE}, seconds=10.0)
    vote(question, {three: NONE}, seconds=90.0)
    vote(QuestionFactory.create(), {one: BORN, two: NONE, three: NONE}, seconds=10.0)
    measures.measure_work(now=NOW)
    timed = {user: WorkerMeasure.objects.get(worker=user, kind="relation").timed for user in (*people, None)}
    assert timed == {one: 2, two: 2, three: 1, None: 5}


# Gold


@pytest.fixture
def make_gold(ask: Ask) -> Ask:
    """Make a question that two votes have settled, or `labelled` otherwise."""

    def make(**labelled: Any) -> Question:
        question = ask(settled=True)
        LabelFactory.create(question=question, **{"votes": 2, "votes_for": 2, "posterior": 0.98, **labelled})
        return question

    return make


@pytest.fixture
def begin(corpus: Corpus, ask: Ask) -> Callable[..., Assignment]:
    def begin(worker: WorkerIdentity | None = None) -> Assignment:
        hit = HitFactory.create(batch__corpus=corpus, questions=[ask()])
        return AssignmentFactory.create(hit=hit, worker=worker or WorkerIdentityFactory.create())

    return begin


def answer_gold(gold: Question, worker: WorkerIdentity, answer: Any) -> Assignment:
    ResponseFactory.create(question=gold, worker=worker.user, answer=answer, is_valid=False)
    hit = HitFactory.create(batch__corpus=gold.document.corpus)
    return AssignmentFactory.create(hit=hit, worker=worker, gold=gold, submitted_at=NOW, sent=True)


def said_to_gold(worker: WorkerIdentity) -> list[bool]:
    return [one.is_right for one in checking.gold_answers([worker.user_id])]


def test_what_two_agreed_on_may_be_asked_as_gold(begin: Any, make_gold: Ask) -> None:
    gold = make_gold()
    assert ask_gold(begin(), Chance(0.0)) == gold


@pytest.mark.parametrize(
    "labelled",
    [{"posterior": 0.87}, {"posterior": None}, {"votes": 3, "votes_for": 3, "posterior": 0.94}, {"votes": 1}],
    ids=["too little for two", "no posterior", "too little for three", "one vote"],
)
def test_what_is_in_doubt_may_not(begin: Any, make_gold: Ask, labelled: dict[str, Any]) -> None:
    make_gold(**{"votes_for": 1, **labelled} if labelled.get("votes") == 1 else labelled)
    assert ask_gold(begin(), Chance(0.0)) is None


def test_what_two_agreed_on_is_held_against_nobody_until_a_third_agrees(make_gold: Ask) -> None:
    gold = make_gold()
    one, two = WorkerIdentityFactory.create_batch(2)
    first = answer_gold(gold, one, NONE)
    assert said_to_gold(one) == []
    assert checking.flags(assignment=first) == ()
    answer_gold(gold, two, BORN)
    assert said_to_gold(one) == [False]
    assert said_to_gold(two) == []  # One was against it: it is not known without Two


def test_those_who_are_right_make_gold_known_to_each_other(make_gold: Ask) -> None:
    gold = make_gold()
    workers = WorkerIdentityFactory.create_batch(3)
    for worker in workers:
        answer_gold(gold, worker, BORN)
    assert [said_to_gold(worker) for worker in workers] == [[True]] * 3
    measures.measure_work(now=NOW)
    together = WorkerMeasure.objects.get(worker=None, kind="relation")
    assert (together.gold_right, together.gold_asked) == (3, 3)


@pytest.mark.parametrize("labelled", [{"votes": 3, "votes_for": 3}, {"source": "expert", "votes": 1}])
def test_what_three_or_an_expert_said_is_known_at_once(make_gold: Ask, labelled: dict[str, Any]) -> None:
    gold, worker = make_gold(**{"votes_for": 1, **labelled}), WorkerIdentityFactory.create()
    answer_gold(gold, worker, NONE)
    assert said_to_gold(worker) == [False]


@pytest.mark.slow
def test_half_of_the_time_gold_is_what_others_were_asked_already(begin: Any, make_gold: Ask) -> None:
    golds = [make_gold() for _ in range(20)]
    answer_gold(golds[7], WorkerIdentityFactory.create(), BORN)
    assert ask_gold(begin(), Chance(0.24)) == golds[7]
    found = [ask_gold(begin(), Random(seed)) for seed in range(100)]
    chosen = [gold for gold in found if gold]
    assert 5 <= sum(gold == golds[7] for gold in chosen) < len(chosen) - 5


def test_where_all_that_others_were_asked_is_known_to_a_worker_they_are_asked_another(
    begin: Any, make_gold: Ask
) -> None:
    worker, (old, new) = WorkerIdentityFactory.create(), (make_gold(), make_gold())
    answer_gold(old, worker, BORN)
    assert ask_gold(begin(worker), Chance(0.0)) == new
