"""Opening a batch: what it asks, costs and buys is shown before anything is posted."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotations import questions
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Corpus, Question
from crowd.models import Hit, HitBatch, LedgerEntry
from crowd.providers.mturk import MTurk
from evaluation.models import Submission
from kbpo.core.errors import InvalidInput
from tests import crowd
from tests.factories import (
    PRESS,
    SHE,
    THERE,
    CorpusFactory,
    DocumentFactory,
    QuestionFactory,
    ResponseFactory,
    SampleBatchFactory,
    SubmissionFactory,
)
from tests.integration.desk.conftest import text_of
from tests.ontologies import TAC

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("account")]

ADDRESS = "/desk/open/"


@pytest.fixture
def asked(corpus: Corpus) -> list[Question]:
    return crowd.ask(corpus, 4)


@pytest.fixture
def wanted(corpus: Corpus) -> dict[str, str]:
    return {
        "corpus": corpus.tag,
        "kind": "relation",
        "provider": "marketplace",
        "reward_cents": "0.15",
        "lifetime_hours": "168",
        "auto_approval_hours": "72",
    }


@pytest.fixture
def judged(corpus: Corpus, asked: list[Question]) -> Submission:
    """A submission for which two of the four questions are asked."""
    submission = SubmissionFactory.create(corpus=corpus, state="judging", name="northlight")
    SampleBatchFactory.create(submission=submission).questions.set(asked[:2])
    return submission


def look(desk: Client, wanted: dict[str, str], **changes: str) -> Any:
    return desk.get(ADDRESS, wanted | changes)


def confirm(desk: Client, wanted: dict[str, str], cents: int, **changes: str) -> Any:
    return desk.post(ADDRESS, wanted | changes | {"agreed_cents": str(cents)})


def test_price_cost_and_interval_are_shown_and_nothing_is_written(
    desk: Client, wanted: dict[str, str], judged: Submission, purse: Any
) -> None:
    text = text_of(look(desk, wanted))
    assert "4 questions of Lowmarch news, in 4 HITs (human intelligence tasks) with 12 assignments" in text
    # by default a question takes 20 s: 15 cents are $27 an hour
    assert (
        "$0.15 for an assignment of about 20 s, an estimate by what is known of such work elsewhere: $27.00"
        in text
    )
    assert "the fee is $0.03 beside it" in text
    assert "$2.16 rewards and fees, if every place is filled and paid" in text
    assert f"Corpus {purse.key}: $1,000.00 left" in text
    assert "northlight, " in text
    assert "precision within ±3.0 points at 80% once its 2 open questions are settled" in text
    assert "Post it for $2.16" in text
    assert not HitBatch.objects.exists()
    assert not LedgerEntry.objects.exists()


@pytest.mark.parametrize("name", ["desk_open", "desk_tutorial"])
def test_an_address_that_names_a_corpus_alone_is_a_form_to_fill_in(
    desk: Client, corpus: Corpus, name: str
) -> None:
    page = desk.get(reverse(name), {"corpus": corpus.tag})
    assert (page.status_code, page.context["form"]["corpus"].value()) == (200, corpus.tag)
    assert "This field is required" not in page.content.decode()


def test_what_was_agreed_to_is_posted(
    desk: Client, wanted: dict[str, str], asked: list[Question], purse: Any
) -> None:
    response = confirm(desk, wanted, 216)
    batch = HitBatch.objects.get()
    assert response.url == reverse("desk_batch", args=[batch.pk])
    assert (batch.reward_cents, batch.created_by.name, batch.hits.count()) == (15, "Olga Operator", 4)
    purse.refresh_from_db()
    assert purse.reserved_cents == 216


def test_if_it_costs_more_by_now_it_is_shown_again(
    desk: Client, corpus: Corpus, wanted: dict[str, str], asked: list[Question], purse: Any
) -> None:
    crowd.ask(corpus)
    response = confirm(desk, wanted, 216)
    assert response.status_code == 409
    text = text_of(response)
    assert "it would cost $2.70, not $2.16" in text
    assert "Post it for $2.70" in text
    assert not HitBatch.objects.exists()


def test_without_a_price_the_time_that_it_takes_is_paid(
    desk: Client, wanted: dict[str, str], asked: list[Question], purse: Any
) -> None:
    # 20 s at $15 an hour are 8.33 cents
    text = text_of(look(desk, wanted, reward_cents=""))
    assert "$0.09 for an assignment" in text
    assert "$16.20 an hour" in text
    confirm(desk, wanted, 10_000, reward_cents="")
    assert HitBatch.objects.get().reward_cents == 9


def test_a_reward_that_cannot_be_posted_is_refused_before_it_is_shown(
    desk: Client, wanted: dict[str, str], asked: Any, purse: Any
) -> None:
    assert "Post it for" in text_of(look(desk, wanted, reward_cents="30.00"))
    response = look(desk, wanted, reward_cents="100.01")
    assert response.status_code == 400
    assert "less than or equal to 100" in text_of(response)


def test_pay_below_the_wage_is_named(desk: Client, wanted: dict[str, str], asked: Any, purse: Any) -> None:
    text = text_of(look(desk, wanted, reward_cents="0.02"))
    assert "$3.60 an hour, less than the $15.00 aimed at" in text


def test_pay_that_the_provider_would_not_take_is_named_before_it_is_posted(
    desk: Client, wanted: dict[str, str], asked: Any, purse: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check_pay(self: MTurk, *, reward_cents: int, seconds: int) -> None:
        raise InvalidInput(f"{reward_cents} cents for {seconds} s are too few")

    monkeypatch.setattr(MTurk, "check_pay", check_pay)
    text = text_of(look(desk, wanted))
    assert "15 cents for 20 s are too few" in text
    assert "Post it" not in text
    assert confirm(desk, wanted, 216).status_code == 400
    assert not HitBatch.objects.exists()


def test_the_votes_that_questions_needed_so_far_are_expected_again(
    desk: Client, corpus: Corpus, wanted: dict[str, str], asked: list[Question], purse: Any
) -> None:
    settled = crowd.ask(corpus, 2)
    Question.objects.filter(pk=settled[0].pk).update(state="expert", votes_needed=5)
    Question.objects.filter(pk=settled[1].pk).update(state="expert", votes_needed=4)
    text = text_of(look(desk, wanted))
    assert "about $3.20 in the end: a question takes 4.50 votes on average" in text  # 2.16 x 1.5


def test_of_a_curtailed_corpus_two_votes_are_set_aside_and_more_expected(
    desk: Client, corpus: Corpus, wanted: dict[str, str], purse: Any
) -> None:
    Corpus.objects.filter(pk=corpus.pk).update(policy="curtailed")
    corpus.refresh_from_db()
    crowd.ask(corpus, 4)
    text = text_of(look(desk, wanted))
    assert "$1.44 rewards and fees, if every place is filled and paid" in text  # 4 x 2 x 18 cents
    assert "about $1.60 in the end: a question takes 2.19 votes on average" in text
    assert "since some need more than two" in text


def test_a_submissions_questions_alone_are_asked(
    desk: Client, wanted: dict[str, str], judged: Submission, asked: list[Question], purse: Any
) -> None:
    submission = str(judged.pk)
    assert "2 questions of Lowmarch news that northlight needs" in text_of(
        look(desk, wanted, submission=submission)
    )
    confirm(desk, wanted, 108, submission=submission)
    assert set(Question.objects.filter(hits__isnull=False)) == set(asked[:2])
    assert HitBatch.objects.get().submission_id == judged.pk


def test_votes_that_are_in_are_not_asked_for_again(
    desk: Client, wanted: dict[str, str], asked: list[Question], purse: Any
) -> None:
    ResponseFactory.create_batch(2, question=asked[0])
    assert (
        "4 questions of Lowmarch news, in 4 HITs (human intelligence tasks) with 10 assignments"
        in text_of(look(desk, wanted))
    )


def test_without_a_budget_it_says_what_is_missing(desk: Client, wanted: dict[str, str], asked: Any) -> None:
    text = text_of(look(desk, wanted))
    assert "No budget matches" in text
    assert "Post it" not in text
    assert confirm(desk, wanted, 216).status_code == 409
    assert not Hit.objects.exists()


def test_too_small_a_budget_is_named(
    desk: Client, corpus: Corpus, wanted: dict[str, str], asked: list[Question]
) -> None:
    crowd.fund(corpus, 100)
    text = text_of(look(desk, wanted))
    assert "$1.00 left, too little" in text
    assert "It costs $2.16, more than the budget for" in text
    assert confirm(desk, wanted, 216).status_code == 409


def test_a_budget_without_the_further_votes_that_are_expected_is_named_but_it_can_be_posted(
    desk: Client, corpus: Corpus, wanted: dict[str, str]
) -> None:
    Corpus.objects.filter(pk=corpus.pk).update(policy="curtailed")
    corpus.refresh_from_db()
    crowd.ask(corpus, 4)
    crowd.fund(corpus, 157)
    text = text_of(look(desk, wanted))
    assert "$1.57 left, too little for the further votes that are expected" in text
    assert "It is expected to cost about $1.58 in the end, more than the budget for" in text
    assert "Post it for $1.44" in text


def test_a_budget_with_room_for_what_is_expected_warns_of_nothing(
    desk: Client, corpus: Corpus, wanted: dict[str, str]
) -> None:
    Corpus.objects.filter(pk=corpus.pk).update(policy="curtailed")
    corpus.refresh_from_db()
    crowd.ask(corpus, 4)
    crowd.fund(corpus, 158)
    assert "too little" not in text_of(look(desk, wanted))


def test_where_nothing_is_to_be_asked_it_says_so(desk: Client, wanted: dict[str, str], purse: Any) -> None:
    assert "No question lacks votes" in text_of(look(desk, wanted))
    assert confirm(desk, wanted, 216).status_code == 409


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"corpus": "nowhere"}, "Select a valid choice"),
        ({"provider": "prolific"}, "Select a valid choice"),
        ({"kind": "none"}, "Select a valid choice"),
        ({"reward_cents": "0"}, "greater than or equal to 0.01"),
        ({"reward_cents": "0.001"}, "2 decimal places"),
        ({"questions_per_hit": "101"}, "less than or equal to 100"),
        ({"lifetime_hours": "0"}, "greater than or equal to 1"),
        ({"auto_approval_hours": "x"}, "Enter a whole number"),
        ({"submission": "987654"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_posted_is_refused_on_the_page(
    desk: Client, wanted: dict[str, str], asked: Any, purse: Any, changes: dict[str, str], words: str
) -> None:
    for response in (look(desk, wanted, **changes), confirm(desk, wanted, 216, **changes)):
        assert response.status_code == 400
        assert words in text_of(response)
    assert not HitBatch.objects.exists()


def test_a_submission_of_another_corpus_is_refused(
    desk: Client, wanted: dict[str, str], judged: Submission, purse: Any
) -> None:
    other = CorpusFactory.create()
    response = look(desk, wanted, corpus=other.tag, submission=str(judged.pk))
    assert "northlight is not of the corpus" in text_of(response)


@pytest.mark.parametrize("agreed", ["", "x", "-5", "9" * 30])
def test_a_sum_that_is_none_agrees_to_nothing(
    desk: Client, wanted: dict[str, str], asked: Any, purse: Any, agreed: str
) -> None:
    assert desk.post(ADDRESS, wanted | {"agreed_cents": agreed}).status_code == 409
    assert not HitBatch.objects.exists()


def test_without_keys_nothing_can_be_opened(desk: Client, wanted: dict[str, str], settings: Any) -> None:
    settings.MTURK_KEYS = None
    assert "no account with a provider" in text_of(desk.get(ADDRESS))
    assert confirm(desk, wanted, 216).status_code == 400


@pytest.fixture
def documents(corpus: Corpus) -> None:
    """A document of 100 words, and one of 1,000."""
    for words in (100, 1000):
        document = DocumentFactory.create(corpus=corpus, text=("Nobody " * words).strip(), segmented=True)
        questions.ask_entities([document.pk])


@pytest.mark.usefixtures("documents", "purse")
def test_the_range_of_what_documents_pay_is_shown_before_they_are_posted(
    desk: Client, wanted: dict[str, str]
) -> None:
    text = text_of(look(desk, wanted, kind="entities", reward_cents="3.25"))
    assert "2 questions of Lowmarch news, in 2 HITs (human intelligence tasks) with 6 assignments" in text
    assert "$3.25 for 1,000 words of about 780 s" in text
    assert "$15.00 an hour" in text
    assert "An assignment $0.35 to $3.25 by the document’s length, in steps of $0.05" in text
    assert "Post it for $12.96" in text  # three times 35 and 7, three times 325 and 65
    confirm(desk, wanted, 1296, kind="entities", reward_cents="3.25")
    hits = HitBatch.objects.get().hits.order_by("reward_cents")
    assert list(hits.values_list("reward_cents", flat=True)) == [35, 325]


@pytest.mark.usefixtures("documents", "purse")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"questions_per_hit": "2"}, "A HIT has one document"),
        ({"by_sentence": "on"}, "Only questions about relations"),
    ],
)
def test_what_documents_cannot_be_is_said(
    desk: Client, wanted: dict[str, str], changes: dict[str, str], words: str
) -> None:
    response = look(desk, wanted, kind="entities", **changes)
    assert response.status_code == 400
    assert words in text_of(response)


def test_by_sentence_the_price_is_for_a_question(
    desk: Client, wanted: dict[str, str], corpus: Corpus, purse: Any
) -> None:
    document = DocumentFactory.create(corpus=corpus, segmented=True)
    for asked in (
        RelationQuestion.about(Mention(SHE, "PER"), Mention(PRESS, "ORG"), TAC),
        RelationQuestion.about(Mention(SHE, "PER"), Mention(THERE, "GPE"), TAC),
    ):
        QuestionFactory.create(document=document, asked=asked)
    text = text_of(look(desk, wanted, by_sentence="on", reward_cents="0.05"))
    assert "$0.05 for a question of about 20 s" in text
    assert "An assignment $0.10 by its questions, at most 10" in text
    confirm(desk, wanted, 36, by_sentence="on", reward_cents="0.05")
    assert HitBatch.objects.get().hits.get().reward_cents == 10
