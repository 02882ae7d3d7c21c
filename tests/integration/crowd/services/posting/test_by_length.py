"""HITs that pay by what is in them: documents by their words, sentences by their questions."""

import pytest

from annotations import questions
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Corpus, Document, Question
from crowd import posting
from crowd.models import HitBatch
from crowd.posting import publishing
from crowd.pricing import timing
from crowd.pricing.terms import BatchTerms
from kbpo.core.errors import InvalidInput
from tests import crowd
from tests.factories import ADA, HALLOW, PRESS, SHE, THERE, DocumentFactory, QuestionFactory
from tests.integration.crowd.services.conftest import Desk
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db

WORD = "Nobody "


def document_of(corpus: Corpus, words: int) -> Document:
    """A document of so many tokens, and the question for its mentions."""
    document = DocumentFactory.create(corpus=corpus, text=(WORD * words).strip(), segmented=True)
    questions.ask_entities([document.pk])
    return document


def preview(desk: Desk, reward_cents: int, **options: object) -> posting.Preview:
    given = {"corpus": desk.corpus, "provider": "marketplace", "reward_cents": reward_cents}
    return crowd.preview(Question.objects.all(), desk.now, **given | options)


def test_a_document_is_a_hit_that_pays_by_its_words(desk: Desk) -> None:
    for words in (100, 300, 310):
        document_of(desk.corpus, words)
    seen = preview(desk, 300, kind="entities")
    batch = desk.open(kind="entities", reward_cents=300)
    hits = list(batch.hits.order_by("reward_cents"))
    assert [hit.reward_cents for hit in hits] == [30, 90, 95]
    assert [hit.questions.count() for hit in hits] == [1, 1, 1]
    cost = sum(hit.places * (hit.reward_cents + hit.fee_cents) for hit in hits)
    assert (seen.least_cents, seen.most_cents, seen.hits) == (30, 95, 3)
    desk.budget.refresh_from_db()
    assert seen.cost_cents == desk.budget.reserved_cents == cost
    crowd.check_books()


def test_a_provider_hears_what_each_document_pays_and_takes(desk: Desk) -> None:
    for words in (100, 1000):
        document_of(desk.corpus, words)
    batch = desk.open(kind="entities", reward_cents=300)
    assert batch.estimated_seconds == 780  # for a thousand words, at .78 s each
    offers = [publishing._offer(hit) for hit in batch.hits.order_by("reward_cents")]
    assert [(offer.reward_cents, offer.estimated_seconds) for offer in offers] == [(30, 78), (300, 780)]


def test_what_is_asked_again_pays_the_same(desk: Desk) -> None:
    document_of(desk.corpus, 300)
    batch = desk.open(kind="entities", reward_cents=300)
    batch.hits.get().hit_questions.update(is_active=False)
    batch.hits.update(state="cancelled")
    assert posting.plan_more(batch_id=batch.pk, now=desk.now) == 1
    assert set(batch.hits.values_list("reward_cents", flat=True)) == {90}


def test_the_price_that_is_suggested_is_for_a_thousand_words(desk: Desk) -> None:
    document_of(desk.corpus, 100)
    terms = BatchTerms(corpus=desk.corpus, kind="entities", provider="marketplace")
    found = posting.free(terms, Question.objects.all(), now=desk.now)
    suggestion = timing.suggest(terms, found, hourly_cents=1500)
    assert (suggestion.seconds, suggestion.reward_cents) == (pytest.approx(780), 325)


def test_several_documents_in_a_hit_are_refused(desk: Desk) -> None:
    document_of(desk.corpus, 100)
    with pytest.raises(InvalidInput, match="one document"):
        desk.open(kind="entities", reward_cents=300, questions_per_hit=2)


def test_a_tutorial_of_documents_pays_what_is_said(desk: Desk) -> None:
    given = {"corpus": desk.corpus, "kind": "entities", "provider": "marketplace", "by": desk.operator}
    batch = crowd.open_tutorial(**given, reward_cents=7, places=2, now=desk.now)
    assert batch.hits.get().reward_cents == 7


@pytest.fixture
def pairs(desk: Desk) -> list[Question]:
    """Two questions about the first sentence, three about the second."""
    document = DocumentFactory.create(corpus=desk.corpus, segmented=True)
    she, press, there = Mention(SHE, "PER"), Mention(PRESS, "ORG"), Mention(THERE, "GPE")
    asked = [
        RelationQuestion.about(Mention(ADA, "PER"), Mention(HALLOW, "GPE"), TAC),
        RelationQuestion.about(she, press, TAC),
        RelationQuestion.about(she, there, TAC),
        RelationQuestion.about(press, there, TAC),
    ]
    return [QuestionFactory.create(document=document, asked=one) for one in asked]


def test_a_hit_asks_about_one_sentence_and_pays_by_the_question(desk: Desk, pairs: list[Question]) -> None:
    seen = preview(desk, 5, kind="relation", by_sentence=True)
    batch = desk.open(by_sentence=True, reward_cents=5)
    hits = [(hit.reward_cents, set(hit.questions.all())) for hit in batch.hits.order_by("reward_cents")]
    assert hits == [(5, {pairs[0]}), (15, set(pairs[1:]))]
    assert (seen.least_cents, seen.most_cents) == (5, 15)
    assert batch.estimated_seconds == 20
    assert {publishing._offer(hit).estimated_seconds for hit in batch.hits.all()} == {20, 60}


def test_what_lacks_votes_is_asked_again_by_sentence(desk: Desk, pairs: list[Question]) -> None:
    batch = desk.open(by_sentence=True, reward_cents=5)
    for hit in batch.hits.all():
        hit.hit_questions.update(is_active=False)
    batch.hits.update(state="cancelled")
    assert posting.plan_more(batch_id=batch.pk, now=desk.now) == 2
    assert sorted(batch.hits.values_list("reward_cents", flat=True)) == [5, 5, 15, 15]


def test_documents_are_not_asked_about_by_sentence(desk: Desk) -> None:
    document_of(desk.corpus, 100)
    with pytest.raises(InvalidInput, match="by sentence"):
        desk.open(kind="entities", reward_cents=300, by_sentence=True)
    assert not HitBatch.objects.exists()
