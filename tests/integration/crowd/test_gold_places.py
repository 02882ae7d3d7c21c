"""Gold belongs to a HIT: nobody learns by coming, coming again or comparing which question is gold."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Corpus, Question
from crowd.hits import places
from crowd.hits.arrivals import Arrival
from crowd.models import Assignment, Hit
from crowd.page_names import page_names
from crowd.pages.relation.hit_page import questions_of
from tests import arrivals
from tests.crowd import ask_founded
from tests.factories import (
    HALLOW,
    PRESS,
    AssignmentFactory,
    CorpusFactory,
    DocumentFactory,
    HitFactory,
    LabelFactory,
    QuestionFactory,
    ResponseFactory,
    WorkerIdentityFactory,
)
from tests.integration.crowd.test_quality import BORN
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db

OTHER_PAIR = RelationQuestion.about(Mention(HALLOW, "GPE"), Mention(PRESS, "ORG"), TAC)

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
QUESTIONS = 4  # for a newcomer there is always gold beside so many
CHI_SQUARED_4 = 23.5  # exceeded one time in ten thousand, with 4 degrees of freedom


@pytest.fixture
def corpus() -> Corpus:
    return CorpusFactory.create()


@pytest.fixture
def golds(corpus: Corpus) -> list[Question]:
    made = [ask(corpus, settled=True) for _ in range(12)]
    for question in made:
        LabelFactory.create(question=question, posterior=0.999)
    return made


def ask(corpus: Corpus, **fields: object) -> Question:
    return QuestionFactory.create(document=DocumentFactory.create(corpus=corpus), **fields)


def new_hit(corpus: Corpus, questions: int = QUESTIONS) -> Hit:
    return HitFactory.create(batch__corpus=corpus, questions=[ask(corpus) for _ in range(questions)])


def come(hit: Hit, worker: str, assignment: str = "", *, is_verified: bool = True) -> Assignment:
    arrival = Arrival(provider="marketplace", assignment_id=assignment or f"3{worker}", worker_id=worker)
    return arrivals.begin(hit=Hit.objects.get(pk=hit.pk), arrival=arrival, is_verified=is_verified, now=NOW)


def page(hit: Hit, assignment: Assignment) -> tuple[tuple[int, int], ...]:
    """Return what a worker can tell of a page: its questions in order, and what their fields are called."""
    hit.refresh_from_db()
    asked = [question.pk for question in questions_of(hit, assignment)]
    return tuple((pk, page_names(hit, [pk])[pk]) for pk in asked)


@pytest.mark.slow
def test_all_who_come_see_one_page(corpus: Corpus, golds: list[Question]) -> None:
    hit = new_hit(corpus)
    shown = Counter(page(hit, come(hit, f"W{number}")) for number in range(30))
    assert len(shown) == 1
    assert len(next(iter(shown))) == QUESTIONS + 1


@pytest.mark.slow
def test_a_thousand_who_come_see_one_page(corpus: Corpus, golds: list[Question]) -> None:
    hit = new_hit(corpus)
    assert len({page(hit, come(hit, f"W{number}")) for number in range(1000)}) == 1


@pytest.mark.slow
def test_who_comes_first_does_not_matter(corpus: Corpus, golds: list[Question]) -> None:
    """The first has been asked half of the gold before; who comes next is not asked what is left."""
    seen = golds[::2]
    veteran = WorkerIdentityFactory.create()
    for question in seen:
        ResponseFactory.create(question=question, worker=veteran.user, answer=BORN)
    drawn = set()
    for _ in range(12):
        hit = new_hit(corpus)
        assert come(hit, veteran.worker_id).gold not in seen
        newcomer = come(hit, "NEW")
        first = hit.golds.get(position=0).question
        assert newcomer.gold == first
        drawn.add(first in seen)
        Assignment.objects.all().delete()
    assert drawn == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("alone", [0, 2])
def test_gold_is_not_told_by_its_document(corpus: Corpus, golds: list[Question], alone: int) -> None:
    """Each HIT has two questions of a document, or two, and two that are alone of theirs."""
    as_gold, as_others = Counter[int](), Counter[int]()
    for number in range(40):
        documents = [DocumentFactory.create(corpus=corpus) for _ in range(QUESTIONS // 2 - alone // 2)]
        asked = [ask(corpus) for _ in range(alone)]
        for document in documents:
            asked += [QuestionFactory.create(document=document), ask_founded(document)]
            settled = QuestionFactory.create(document=document, asked=OTHER_PAIR, settled=True)
            LabelFactory.create(question=settled, posterior=0.999)
        hit = HitFactory.create(batch__corpus=corpus, questions=asked)
        assignment = come(hit, f"W{number}")
        assert assignment.gold is not None
        shown = Counter(one.document_id for one in [*asked, assignment.gold])
        as_gold[shown[assignment.gold.document_id]] += 1
        as_others.update(shown[one.document_id] for one in asked)
    assert set(as_gold) <= set(as_others)
    if alone:
        assert 8 <= as_gold[1] <= 32  # half of the questions are alone of their document


def test_where_gold_would_be_told_by_its_document_there_is_none(
    corpus: Corpus, golds: list[Question]
) -> None:
    document = DocumentFactory.create(corpus=corpus)
    asked = [QuestionFactory.create(document=document), ask_founded(document)]
    hit = HitFactory.create(batch__corpus=corpus, questions=asked)
    assert come(hit, "W1").gold is None
    assert not hit.golds.exists()


def test_returning_and_accepting_again_shows_the_same(corpus: Corpus, golds: list[Question]) -> None:
    hit = new_hit(corpus)
    once = page(hit, come(hit, "W1", "3A"))
    assert page(hit, come(hit, "W1", "3B")) == once
    assert page(hit, come(hit, "W1", "3A")) == once


def test_gold_that_is_settled_later_is_not_added(corpus: Corpus) -> None:
    hit = new_hit(corpus)
    once = page(hit, come(hit, "W1"))
    late = ask(corpus, settled=True)
    LabelFactory.create(question=late, posterior=0.999)
    assert page(hit, come(hit, "W2")) == once


def test_workers_who_are_right_as_often_have_gold_in_the_same_hits(
    corpus: Corpus, golds: list[Question]
) -> None:
    hits = [new_hit(corpus, questions=1) for _ in range(10)]
    has = [[come(hit, name).gold is not None for hit in hits] for name in ("W1", "W2", "W3")]
    assert has[0] == has[1] == has[2]


def test_who_may_be_anybody_has_none_and_takes_none_away(corpus: Corpus, golds: list[Question]) -> None:
    hit = new_hit(corpus)
    assert come(hit, "W1", is_verified=False).gold is None
    assert come(hit, "W2").gold is not None


def test_gold_that_was_published_since_is_not_asked_any_more(corpus: Corpus, golds: list[Question]) -> None:
    hit = new_hit(corpus)
    first = come(hit, "W1").gold
    assert first is not None
    Question.objects.filter(pk=first.pk).update(published_at=NOW)
    second = come(hit, "W2").gold
    assert second == hit.golds.get(position=1).question


def test_gold_stands_anywhere_as_often(corpus: Corpus, golds: list[Question]) -> None:
    hit, places_of_gold = new_hit(corpus), Counter[int]()
    assignment = AssignmentFactory.create(hit=hit, gold=golds[0])
    for seed in range(400):
        hit.page_seed = seed
        asked = [question.pk for question in questions_of(hit, assignment)]
        places_of_gold[asked.index(golds[0].pk)] += 1
    expected = 400 / (QUESTIONS + 1)
    squares = sum((places_of_gold[place] - expected) ** 2 / expected for place in range(QUESTIONS + 1))
    assert squares < CHI_SQUARED_4, places_of_gold


def test_the_names_of_fields_do_not_tell_which_question_is_old() -> None:
    """The gold question has the least id; what the page calls it is the least one time in five."""
    least = Counter[int]()
    for seed in range(1000):
        names = page_names(Hit(page_seed=seed), [7, 1001, 1002, 1003, 1004])
        least[min(names, key=lambda pk: names[pk])] += 1
    squares = sum((least[pk] - 200) ** 2 / 200 for pk in (7, 1001, 1002, 1003, 1004))
    assert squares < CHI_SQUARED_4, least


@pytest.mark.slow
def test_over_many_hits_each_page_with_gold_looks_like_any_other(
    corpus: Corpus, golds: list[Question]
) -> None:
    """By number, kind and length of text nothing sets the gold question apart from those beside it."""
    kinds: dict[bool, set[tuple[str, int]]] = {True: set(), False: set()}
    for number in range(8):
        hit = new_hit(corpus)
        assignment = come(hit, f"W{number}")
        hit.refresh_from_db()
        for question in questions_of(hit, assignment):
            shape = (question.kind, len(question.document.text))
            kinds[question == assignment.gold].add(shape)
    assert kinds[True] == kinds[False]


def test_a_seed_once_drawn_stays(corpus: Corpus, golds: list[Question]) -> None:
    hit = new_hit(corpus)
    places.settle(hit)
    seed, drawn = hit.page_seed, list(hit.golds.values_list("question", "position"))
    places.settle(Hit.objects.get(pk=hit.pk))
    hit.refresh_from_db()
    assert (hit.page_seed, list(hit.golds.values_list("question", "position"))) == (seed, drawn)
    assert seed is not None
