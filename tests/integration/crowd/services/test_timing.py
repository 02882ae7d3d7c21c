"""What people took decides what work should pay."""

from datetime import UTC, datetime

import pytest

from annotations.models import Corpus, Question, Sentence
from crowd import lengths, posting
from crowd.pricing import timing
from crowd.pricing.terms import BatchTerms
from tests import crowd
from tests.factories import (
    AssignmentFactory,
    CorpusFactory,
    DocumentFactory,
    QuestionFactory,
    ResponseFactory,
)

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def corpus() -> Corpus:
    return CorpusFactory.create()


def answers(corpus: Corpus, *seconds: float, **fields: object) -> None:
    question = QuestionFactory.create(document__corpus=corpus)
    for taken in seconds:
        ResponseFactory.create(question=question, seconds=taken, **fields)


def suggest(corpus: Corpus, **options: int) -> timing.Suggestion:
    hourly_cents = options.pop("hourly_cents", None)
    terms = BatchTerms(corpus=corpus, kind="relation", provider="marketplace", **options)
    found = posting.free(terms, Question.objects.all(), now=NOW)
    return timing.suggest(terms, found, hourly_cents=hourly_cents)


def test_where_nothing_was_measured_the_defaults_hold(corpus: Corpus) -> None:
    assert timing.measure(corpus) == timing.usual_pace()


def test_a_pace_is_the_median_so_that_a_lunch_does_not_count(corpus: Corpus) -> None:
    answers(corpus, *[10.0] * 11, *[12.0] * 11, 9000.0)
    measured = timing.measure(corpus)
    assert (measured.seconds["relation"], measured.measured) == (12.0, {"relation"})
    assert measured.seconds["canonical"] == 5.0


def test_few_answers_are_not_believed(corpus: Corpus) -> None:
    answers(corpus, *[10.0] * 19)
    assert timing.measure(corpus) == timing.usual_pace()


def test_other_corpora_experts_and_what_was_rejected_do_not_count(corpus: Corpus) -> None:
    answers(CorpusFactory.create(), *[1.0] * 20)
    answers(corpus, *[1.0] * 20, is_expert=True)
    answers(corpus, *[1.0] * 20, is_valid=False)
    assert timing.measure(corpus) == timing.usual_pace()


@pytest.mark.parametrize(("state", "counts"), [("submitted", False), ("approved", True)])
def test_held_work_counts_once_a_person_has_seen_it(corpus: Corpus, state: str, counts: bool) -> None:
    question = QuestionFactory.create(document__corpus=corpus)
    for _ in range(20):
        held = AssignmentFactory.create(sent=True, state=state, hold="New to this.")
        held.responses.add(ResponseFactory.create(question=question, seconds=1.0))
    assert (timing.measure(corpus).measured == {"relation"}) is counts


def test_the_latest_answers_count(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "LATEST", 20)
    answers(corpus, *[60.0] * 30)
    answers(corpus, *[15.0] * 20)
    assert timing.measure(corpus).seconds["relation"] == 15.0


def test_a_reward_is_for_a_hit_with_its_companions(corpus: Corpus) -> None:
    crowd.ask(corpus, 2, companions=True)
    suggestion = suggest(corpus)
    assert suggestion.seconds == 20 + 2 * 5
    assert suggestion.reward_cents == 13  # 30 s of $15 an hour are 12.5 cents


def test_bundles_pay_for_all_that_is_in_them(corpus: Corpus) -> None:
    crowd.ask(corpus, 4)
    assert suggest(corpus, questions_per_hit=4).seconds == 80
    assert suggest(corpus, hourly_cents=3600).reward_cents == 20


def test_no_more_is_suggested_than_can_be_paid(corpus: Corpus) -> None:
    crowd.ask(corpus, 1)
    assert suggest(corpus, hourly_cents=10**6 * 60).reward_cents == 100_00


def test_tokens_are_counted_by_document() -> None:
    one, two = DocumentFactory.create_batch(2)
    for index, size in enumerate((3, 4)):
        Sentence.objects.create(
            document=one,
            index=index,
            start=index * 10,
            end=index * 10 + 9,
            token_starts=list(range(size)),
            token_ends=list(range(1, size + 1)),
        )
    assert lengths.count_tokens({one.pk, two.pk}) == {one.pk: 7}
