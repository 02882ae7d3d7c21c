"""Hidden gold questions, what is measured of workers, and when a person is asked to look."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection

from annotations.kinds import registry
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.entities import EntitiesQuestion
from annotations.models import Corpus, Question, Response
from crowd.models import Assignment, BatchMeasure, HitBatch, WorkerMeasure
from crowd.quality import checking, measures
from kbpo.accounts.models import User, WorkerIdentity
from tests.factories import (
    ADA,
    SHE,
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
from tests.statistics_of_tables import forget

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
BORN = {"version": 1, "relations": [{"predicate": "per:place_of_birth", "subject": 0}], "none": False}
NONE = {"version": 1, "relations": [], "none": True}


class Always(Random):
    """Chance that always has a gold question."""

    def random(self) -> float:
        return 0.0


@pytest.fixture
def corpus() -> Corpus:
    return CorpusFactory.create()


@pytest.fixture
def ask(corpus: Corpus) -> Callable[..., Question]:
    def ask(**fields: Any) -> Question:
        return QuestionFactory.create(document=DocumentFactory.create(corpus=corpus), **fields)

    return ask


@pytest.fixture
def make_gold(ask: Callable[..., Question]) -> Callable[..., Question]:
    """Make a settled question on which all three agreed, or `labelled` otherwise."""

    def make(**labelled: Any) -> Question:
        question = ask(settled=True)
        LabelFactory.create(question=question, **{"posterior": 0.999, **labelled})
        return question

    return make


@pytest.fixture
def worker() -> WorkerIdentity:
    return WorkerIdentityFactory.create()


@pytest.fixture
def begin(corpus: Corpus, ask: Callable[..., Question], worker: WorkerIdentity) -> Callable[..., Assignment]:
    """Let the worker begin a HIT with one open question of the corpus."""

    def begin(**fields: Any) -> Assignment:
        hit = HitFactory.create(batch__corpus=corpus, questions=[ask()])
        return AssignmentFactory.create(hit=hit, **{"worker": worker, **fields})

    return begin


def chosen(assignment: Assignment) -> Question | None:
    return ask_gold(assignment, Always(1))


def answer_gold(gold: Question, worker: WorkerIdentity, answer: Any, at: datetime = NOW) -> Assignment:
    ResponseFactory.create(question=gold, worker=worker.user, answer=answer, is_valid=False)
    hit = HitFactory.create(batch__corpus=gold.document.corpus)
    return AssignmentFactory.create(hit=hit, worker=worker, gold=gold, submitted_at=at, sent=True)


def test_gold_is_a_question_on_which_all_agreed(begin: Any, make_gold: Any) -> None:
    gold = make_gold()
    assert chosen(begin()) == gold


def test_gold_may_be_what_an_expert_settled_before_anybody_voted(begin: Any, make_gold: Any) -> None:
    gold = make_gold(source="expert", votes=1, votes_for=1, posterior=None)
    assert chosen(begin()) == gold


def test_what_the_votes_left_to_an_expert_is_hard_and_no_gold(begin: Any, make_gold: Any) -> None:
    question = make_gold(source="expert", votes=1, votes_for=1)
    ResponseFactory.create(question=question)
    assert chosen(begin()) is None


@pytest.mark.parametrize(
    "labelled",
    [{"votes_for": 2}, {"posterior": 0.9}, {"posterior": None}, {"votes": 1, "votes_for": 1}],
    ids=["not all agreed", "low posterior", "no posterior", "one vote"],
)
def test_what_is_in_doubt_is_no_gold(begin: Any, make_gold: Any, labelled: dict[str, Any]) -> None:
    make_gold(**labelled)
    assert chosen(begin()) is None


def test_one_doubtful_claim_is_enough_to_be_no_gold(begin: Any, make_gold: Any) -> None:
    LabelFactory.create(
        question=make_gold(), claim="per:place_of_death|0", value=0, votes_for=1, posterior=0.01
    )
    assert chosen(begin()) is None


def test_questions_that_wait_for_votes_are_no_gold(begin: Any, ask: Any) -> None:
    ask()
    assert chosen(begin()) is None


def test_published_questions_are_no_gold(begin: Any, make_gold: Any) -> None:
    gold = make_gold()
    Question.objects.filter(pk=gold.pk).update(published_at=NOW)
    assert chosen(begin()) is None


def test_gold_is_of_the_same_corpus_and_kind(begin: Any, ask: Any) -> None:
    LabelFactory.create(posterior=0.999)
    canonical = ask(asked=CanonicalQuestion(SHE, ADA), settled=True)
    LabelFactory.create(question=canonical, claim="right", posterior=0.999)
    assert chosen(begin()) is None


def test_no_worker_sees_gold_that_they_have_answered(
    begin: Any, make_gold: Any, worker: WorkerIdentity
) -> None:
    gold = make_gold()
    ResponseFactory.create(question=gold, worker=worker.user, answer=BORN)
    assert chosen(begin()) is None
    assert chosen(begin(worker=WorkerIdentityFactory.create())) == gold


def test_no_worker_sees_gold_twice_be_it_sent_or_not(begin: Any, make_gold: Any) -> None:
    begin(gold=make_gold())
    assert chosen(begin()) is None


def test_a_worker_of_whom_nothing_but_a_name_is_known_does_not_see_gold_twice(
    begin: Any, make_gold: Any
) -> None:
    nameless = {"worker": None, "provider_worker_id": "STRANGER"}
    begin(gold=make_gold(), **nameless)
    assert chosen(begin(**nameless)) is None


def test_no_worker_sees_as_gold_what_was_a_question_of_theirs(
    begin: Any, make_gold: Any, corpus: Corpus
) -> None:
    gold = make_gold()
    assignment = begin()
    hit = HitFactory.create(batch__corpus=corpus, state="closed", questions=[gold])
    AssignmentFactory.create(hit=hit, worker=assignment.worker)
    assert chosen(assignment) is None


@pytest.mark.slow
def test_every_gold_question_can_come(begin: Any, make_gold: Any) -> None:
    golds = {make_gold().pk for _ in range(3)}
    assignment = begin()
    found = [ask_gold(assignment, Random(seed)) for seed in range(60)]
    assert {gold.pk for gold in found if gold} == golds


@pytest.mark.slow
def test_a_newcomer_is_given_gold_one_time_in_four(begin: Any, make_gold: Any) -> None:
    make_gold()
    assignment = begin()
    found = [ask_gold(assignment, Random(seed)) for seed in range(200)]
    assert abs(sum(gold is not None for gold in found) - 50) < 4 * 6.1


def test_who_was_right_is_given_gold_less_often_and_who_was_wrong_as_at_first(
    begin: Any, make_gold: Any, worker: WorkerIdentity
) -> None:
    class Sixth(Random):
        def random(self) -> float:
            return 1 / 6 - 0.001

    assignment = begin()
    for number in range(2):
        answer_gold(make_gold(), worker, BORN, NOW + timedelta(minutes=number))
    make_gold()
    assert ask_gold(assignment, Sixth()) is None
    answer_gold(make_gold(), worker, NONE, NOW + timedelta(hours=1))
    assert ask_gold(assignment, Sixth()) is not None


def test_a_tutorial_and_documents_have_no_gold(begin: Any, make_gold: Any) -> None:
    make_gold()
    assignment = begin()
    HitBatch.objects.update(kind="entities")
    assert chosen(Assignment.objects.get(pk=assignment.pk)) is None


def test_gold_costs_few_queries(begin: Any, make_gold: Any, django_assert_max_num_queries: Any) -> None:
    make_gold()
    assignment = Assignment.objects.select_related("hit__batch", "worker").get(pk=begin().pk)
    # What is drawn once for a HIT, in the shape of one of its questions, and what is asked for each worker.
    with django_assert_max_num_queries(13):
        chosen(assignment)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (BORN, True),
        (NONE, False),
        (
            {**BORN, "relations": [*BORN["relations"], {"predicate": "per:place_of_death", "subject": 0}]},
            False,
        ),
        ({**BORN, "links": {"0": {"page": "Ada Quill"}}}, True),
    ],
    ids=["all of it", "nothing", "more than it", "with links"],
)
def test_a_gold_answer_is_right_if_it_is_all_of_the_label_and_nothing_else(
    make_gold: Any, worker: WorkerIdentity, answer: Any, right: bool
) -> None:
    answer_gold(make_gold(), worker, answer)
    assert [one.is_right for one in checking.gold_answers([worker.user_id])] == [right]


def test_work_as_usual_is_not_flagged(begin: Any, make_gold: Any, worker: WorkerIdentity) -> None:
    assert checking.flags(assignment=answer_gold(make_gold(), worker, BORN)) == ()


def test_wrong_gold_again_is_flagged_and_wrong_gold_once_is_not(
    make_gold: Any, worker: WorkerIdentity
) -> None:
    first = answer_gold(make_gold(), worker, NONE)
    assert checking.flags(assignment=first) == ()
    second = answer_gold(make_gold(), worker, NONE, NOW + timedelta(hours=1))
    assert checking.flags(assignment=second) == (
        "Right on 0 of 2 questions whose answer is known (0% to 66% at 95%).",
    )


def test_right_gold_is_not_flagged_whatever_came_before(make_gold: Any, worker: WorkerIdentity) -> None:
    for number in range(3):
        answer_gold(make_gold(), worker, NONE, NOW + timedelta(hours=number))
    assert checking.flags(assignment=answer_gold(make_gold(), worker, BORN)) == ()


@pytest.fixture
def sent(begin: Any, worker: WorkerIdentity) -> Assignment:
    """Work on one question that was accepted a minute before it was sent."""
    assignment = begin()
    began = NOW - timedelta(minutes=1)
    Assignment.objects.filter(pk=assignment.pk).update(
        state="submitted", accepted_at=began, begun_at=began, submitted_at=NOW, counted_at=NOW
    )
    WorkerMeasure.objects.create(kind="relation", timed=100, seconds=20.0, measured_at=NOW)
    return Assignment.objects.get(pk=assignment.pk)


@pytest.mark.parametrize("seconds", [0.1, 5.0, None])
def test_who_took_a_minute_is_not_flagged_whatever_the_page_says(
    sent: Assignment, seconds: float | None, worker: WorkerIdentity
) -> None:
    question = sent.hit.questions.get()
    ResponseFactory.create(question=question, worker=worker.user, answer=BORN, seconds=seconds)
    assert checking.flags(assignment=sent) == ()


@pytest.fixture
def reading(settings: Any, sent: Assignment) -> Assignment:
    """Work that shows 8 words of a question and no sentence, at 2 words a second; nothing is measured."""
    settings.CROWD_FASTEST_READING = 2.0
    WorkerMeasure.objects.all().delete()
    return sent


@pytest.mark.parametrize(
    ("accepted", "begun", "kept", "is_flagged"),
    [
        (60, 50, 0, False),
        (3, None, 0, True),  # by the provider's clock
        (60, 3, 0, True),  # by ours, however long ago it was accepted
        (60, 50, 48, True),  # all that we kept came within two seconds
        (4, 4, 0, False),
    ],
)
def test_work_sent_before_it_can_have_been_read_by_either_clock_is_flagged(
    reading: Assignment, accepted: int, begun: int | None, kept: int, is_flagged: bool
) -> None:
    reading.accepted_at = NOW - timedelta(seconds=accepted)
    reading.begun_at = None if begun is None else NOW - timedelta(seconds=begun)
    reading.draft_at = NOW - timedelta(seconds=kept)
    assert bool(checking.flags(assignment=reading)) == is_flagged
    assert reading.least_seconds == 4.0


def test_what_was_begun_and_sent_together_must_have_been_read_together(
    reading: Assignment, worker: WorkerIdentity
) -> None:
    reading.accepted_at = reading.begun_at = NOW - timedelta(seconds=10)
    for _ in range(2):
        AssignmentFactory.create(
            worker=worker,
            sent=True,
            accepted_at=NOW - timedelta(seconds=10),
            begun_at=NOW - timedelta(seconds=10),
            submitted_at=NOW - timedelta(seconds=1),
            least_seconds=4.0,
        )
    assert checking.flags(assignment=reading) == (
        "Sent with 2 other pieces of work within 10.0 s of beginning; reading what they show takes 12.0 s at"
        " the least.",
    )


def test_a_page_that_says_more_time_than_the_provider_is_not_believed(
    sent: Assignment, worker: WorkerIdentity
) -> None:
    ResponseFactory.create(question=sent.hit.questions.get(), worker=worker.user, answer=BORN, seconds=600.0)
    sent.accepted_at = NOW - timedelta(seconds=2)
    assert checking.flags(assignment=sent) == (
        "Done in 2.0 s; for the like of it workers take 20 s, by the median.",
    )


@pytest.mark.parametrize(("words", "is_flagged"), [(100, False), (1000, True)])
def test_the_time_for_a_document_is_measured_by_its_words(
    corpus: Corpus, worker: WorkerIdentity, words: int, is_flagged: bool
) -> None:
    """Others take half a second a word; this worker took a minute."""

    def ask(number: int) -> Question:
        document = DocumentFactory.create(corpus=corpus, text=("Nobody " * number).strip(), segmented=True)
        return QuestionFactory.create(document=document, asked=EntitiesQuestion())

    empty = {"version": 1, "mentions": [], "entities": []}
    others = ask(200)
    ResponseFactory.create_batch(30, question=others, answer=empty, seconds=100.0)
    WorkerMeasure.objects.create(kind="entities", timed=30, seconds=100.0, measured_at=NOW)
    hit = HitFactory.create(batch__corpus=corpus, batch__kind="entities", questions=[ask(words)])
    assignment = AssignmentFactory.create(
        hit=hit,
        worker=worker,
        sent=True,
        accepted_at=NOW - timedelta(minutes=1),
        begun_at=NOW - timedelta(minutes=1),
        submitted_at=NOW,
    )
    assert bool(checking.flags(assignment=assignment)) == is_flagged


def test_far_from_the_others_is_flagged(sent: Assignment, worker: WorkerIdentity) -> None:
    WorkerMeasure.objects.filter(worker=None).update(votes=1000, compared=1000, agreed=860)
    own = WorkerMeasure.objects.create(
        worker=worker.user, kind="relation", votes=40, compared=40, agreed=12, measured_at=NOW
    )
    assert "Agrees with the majority of the others on 12 of 40" in checking.flags(assignment=sent)[0]
    WorkerMeasure.objects.filter(pk=own.pk).update(agreed=36)
    assert checking.flags(assignment=sent) == ()


# What is measured


def vote(question: Question, answers: dict[User, Any], seconds: float | None = None) -> None:
    for user, answer in answers.items():
        ResponseFactory.create(question=question, worker=user, answer=answer, seconds=seconds)


def measured(user: User | None, kind: str = "relation") -> WorkerMeasure:
    return WorkerMeasure.objects.get(worker=user, kind=kind)


def test_agreement_is_with_the_majority_of_the_others(ask: Any) -> None:
    one, two, three = UserFactory.create_batch(3, annotator=True)
    vote(ask(), {one: BORN, two: BORN, three: NONE})
    vote(ask(), {one: BORN, two: BORN, three: BORN})
    assert measures.measure_work(now=NOW) > 0
    # On the first question the others of One and of Two are divided; those of Three are not.
    found = {user: (measured(user).agreed, measured(user).compared) for user in (one, two, three, None)}
    assert found == {one: (1, 1), two: (1, 1), three: (1, 2), None: (3, 4)}


def test_one_other_vote_is_a_majority(ask: Any) -> None:
    one, two = UserFactory.create_batch(2, annotator=True)
    vote(ask(), {one: BORN, two: NONE})
    measures.measure_work(now=NOW)
    assert (measured(one).agreed, measured(one).compared) == (0, 1)


def test_a_lone_vote_is_compared_with_nothing(ask: Any) -> None:
    one = UserFactory.create(annotator=True)
    vote(ask(), {one: BORN})
    measures.measure_work(now=NOW)
    assert (measured(one).votes, measured(one).compared) == (1, 0)


def test_links_do_not_tell_votes_apart(ask: Any) -> None:
    one, two = UserFactory.create_batch(2, annotator=True)
    vote(ask(), {one: BORN, two: {**BORN, "links": {"0": {"none": True}}}})
    measures.measure_work(now=NOW)
    assert measured(one).agreed == 1


def test_answers_of_another_kind_are_alike_where_that_kind_says_so(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, three = UserFactory.create_batch(3, annotator=True)
    choice = SimpleNamespace(category="answer ->> 'choice'")
    monkeypatch.setattr(registry, "KINDS", {**registry.KINDS, "choice": choice})
    monkeypatch.setattr(measures, "ASKED_KINDS", {**measures.ASKED_KINDS, "choice": None})
    for said in ("ABC", "AAB"):
        question = ask()
        vote(
            question, {user: {"choice": letter} for user, letter in zip((one, two, three), said, strict=True)}
        )
        Question.objects.filter(pk=question.pk).update(kind="choice")
    measures.measure_work(now=NOW)
    found = {
        user: (measured(user, "choice").agreed, measured(user, "choice").compared) for user in (one, three)
    }
    assert found == {one: (0, 0), three: (0, 1)}


def test_what_is_no_vote_and_what_experts_say_is_not_measured(ask: Any) -> None:
    one, two, three = UserFactory.create_batch(3, annotator=True)
    question = ask()
    vote(question, {one: BORN, two: NONE, three: NONE}, seconds=5.0)
    Response.objects.filter(worker=two).update(is_valid=False)
    Response.objects.filter(worker=three).update(is_expert=True)
    measures.measure_work(now=NOW)
    assert (measured(None).votes, measured(None).compared, measured(None).timed) == (1, 0, 1)


def test_flagged_work_makes_nobody_else_look_slow_even_if_it_was_approved(ask: Any) -> None:
    one, two = WorkerIdentityFactory.create_batch(2)
    question = ask()
    vote(question, {one.user: BORN}, seconds=30.0)
    vote(question, {two.user: BORN}, seconds=1.0)
    flagged = AssignmentFactory.create(worker=two, sent=True, flag="Far too fast.")
    flagged.responses.set(Response.objects.filter(worker=two.user))
    measures.measure_work(now=NOW)
    assert (measured(None).timed, measured(None).seconds) == (1, 30.0)
    assert measured(two.user).seconds == 1.0


def test_time_is_a_median_with_an_interval_by_kind(ask: Any) -> None:
    one = UserFactory.create(annotator=True)
    for seconds in (6.0, 1.0, 5.0, 2.0, 4.0, 3.0):
        vote(ask(), {one: BORN}, seconds)
    vote(ask(asked=CanonicalQuestion(SHE, ADA)), {one: {"version": 1, "right": True}}, 40.0)
    measures.measure_work(now=NOW)
    found = measured(one)
    assert (found.timed, found.seconds, found.seconds_low, found.seconds_high) == (6, 3.5, 1.0, 6.0)
    assert measured(None, "canonical").seconds == 40.0


def test_gold_is_counted_for_a_worker_and_for_all(make_gold: Any, worker: WorkerIdentity) -> None:
    answer_gold(make_gold(), worker, BORN)
    answer_gold(make_gold(), worker, NONE)
    answer_gold(make_gold(), WorkerIdentityFactory.create(), BORN)
    measures.measure_work(now=NOW)
    found = {user: (measured(user).gold_right, measured(user).gold_asked) for user in (worker.user, None)}
    assert found == {worker.user: (1, 2), None: (2, 3)}


def test_nothing_is_measured_before_anybody_answered() -> None:
    assert measures.measure_work(now=NOW) == 0


def test_it_is_measured_again_when_something_was_answered_and_a_minute_has_passed(ask: Any) -> None:
    one = UserFactory.create(annotator=True)
    vote(ask(), {one: BORN})
    start = Response.objects.get().answered_at + timedelta(seconds=1)
    assert measures.measure_work(now=start) > 0
    assert measures.measure_work(now=start + timedelta(hours=1)) == 0  # nothing is new
    vote(ask(), {one: BORN})
    Response.objects.update(answered_at=start + timedelta(seconds=1))
    assert measures.measure_work(now=start + timedelta(seconds=59)) == 0
    assert measures.measure_work(now=start + timedelta(seconds=60)) > 0
    assert measured(one).votes == 2


def test_the_agreement_on_a_batchs_questions_is_measured(ask: Any, corpus: Corpus) -> None:
    questions = [ask(settled=True) for _ in range(4)]
    batch = HitBatchFactory.create(corpus=corpus)
    people = UserFactory.create_batch(3, annotator=True)
    for question, said in zip(
        questions, ([BORN] * 3, [NONE] * 3, [BORN, BORN, NONE], [NONE, NONE, BORN]), strict=True
    ):
        HitFactory.create(batch=batch, state="closed", questions=[question])
        vote(question, dict(zip(people, said, strict=True)))
    vote(ask(settled=True), dict.fromkeys(people, BORN))  # of no batch
    measures.measure_work(now=NOW)
    found = BatchMeasure.objects.get(batch=batch)
    assert (found.questions, round(found.kappa or 0, 4)) == (4, 0.3333)


def test_marked_documents_are_timed_and_not_compared(corpus: Corpus) -> None:
    one, two = UserFactory.create_batch(2, annotator=True)
    document = DocumentFactory.create(corpus=corpus, sentences=True)
    question = QuestionFactory.create(document=document, asked=EntitiesQuestion(), settled=True)
    nothing = {"version": 1, "mentions": [], "entities": []}
    vote(question, {one: nothing, two: nothing}, 300.0)
    HitFactory.create(batch__corpus=corpus, batch__kind="entities", state="closed", questions=[question])
    measures.measure_work(now=NOW)
    found = measured(one, "entities")
    assert (found.votes, found.compared, found.seconds) == (1, 0, 300.0)
    assert BatchMeasure.objects.get().kappa is None


def test_measuring_costs_as_many_queries_for_many_votes(ask: Any, django_assert_max_num_queries: Any) -> None:
    people = UserFactory.create_batch(3, annotator=True)
    for _ in range(12):
        vote(ask(), dict.fromkeys(people, BORN), seconds=3.0)
    with django_assert_max_num_queries(16):
        measures.measure_work(now=NOW)


def test_answers_are_compared_in_one_pass_whatever_the_planner_knows(ask: Any) -> None:
    question = ask()
    for _ in range(3):
        ResponseFactory.create(question=question, answer=BORN)
    forget(Response, Question)
    plans = []

    def explain(execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if "row_number()" in sql and "is_compared" in sql:
            execute(f"EXPLAIN {sql}", params, many, context)
            plans.append("\n".join(line for (line,) in context["cursor"].fetchall()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        measures.measure_work(now=NOW)
    assert plans
    # Scans of what the query itself has made are what a nested loop repeats for each answer.
    assert not [plan for plan in plans if "CTE Scan" in plan]
