import pytest
from django.db import IntegrityError, transaction

from annotations import labels
from annotations.kinds.canonical import CLAIM, CanonicalQuestion
from annotations.kinds.relation import Mention, Offer, RelationQuestion
from annotations.models import Label, Question
from annotations.responses import record
from tests.factories import ADA, HALLOW, PRESS, CorpusFactory, DocumentFactory, QuestionFactory, UserFactory
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db

BORN = Offer("per:place_of_birth", 0)
RELATION = RelationQuestion.about(Mention(ADA, "PER"), Mention(HALLOW, "GPE"), TAC)
CANONICAL = CanonicalQuestion(PRESS, ADA)


@pytest.fixture
def corpus():
    return CorpusFactory.create()


@pytest.fixture
def crowd():
    return UserFactory.create_batch(4, annotator=True)


@pytest.fixture
def expert():
    return UserFactory.create(operator=True)


def ask(corpus, asked=RELATION):
    return QuestionFactory.create(document=DocumentFactory.create(corpus=corpus), asked=asked)


def answer(question, worker, says, **options):
    asked = RELATION if question.kind == "relation" else CANONICAL
    return record(question=question, worker=worker, answer=asked.answer(says), **options)


def vote(question, crowd, *said):
    for worker, says in zip(crowd, said, strict=False):
        answer(question, worker, says)


def posterior(question, claim=BORN.claim):
    return Label.objects.get(question=question, claim=claim).posterior


def settle_and_update(corpus):
    labels.settle_questions()
    return labels.update_posteriors(corpus=corpus)


def test_a_label_has_no_posterior_until_it_is_computed(corpus, crowd):
    question = ask(corpus)
    vote(question, crowd, [BORN], [BORN], [BORN])
    labels.settle_questions()
    assert posterior(question) is None


def test_every_claim_that_was_offered_gets_a_posterior(corpus, crowd):
    question = ask(corpus)
    vote(question, crowd, [BORN], [BORN], [BORN])
    assert settle_and_update(corpus) == len(RELATION.offered)


def test_what_all_ticked_is_probable_and_what_none_ticked_is_not(corpus, crowd):
    for said in ([BORN], []) * 5:
        question = ask(corpus)
        vote(question, crowd, said, said, said)
    settle_and_update(corpus)
    values = {
        value: list(Label.objects.filter(value=value).values_list("posterior", flat=True))
        for value in (True, False)
    }
    assert min(values[True]) > 0.5 > max(values[False])


def test_two_of_three_are_less_sure_than_three(corpus, crowd):
    unanimous, split = ask(corpus), ask(corpus)
    vote(unanimous, crowd, [BORN], [BORN], [BORN])
    vote(split, crowd, [BORN], [BORN], [])
    for _ in range(5):
        vote(ask(corpus), crowd, [], [], [])
    settle_and_update(corpus)
    assert posterior(split) < posterior(unanimous)


def test_votes_alone_never_make_certainty(corpus, crowd):
    for said in ([BORN], []) * 5:
        vote(ask(corpus), crowd, said, said, said)
    settle_and_update(corpus)
    assert not Label.objects.filter(posterior__in=[0, 1]).exists()


def test_an_expert_who_settles_a_question_makes_certainty(corpus, expert):
    question = ask(corpus)
    answer(question, expert, [BORN], as_expert=True)
    labels.update_posteriors(corpus=corpus)
    assert {label.posterior == float(label.value) for label in Label.objects.all()} == {True}


def test_an_expert_who_comes_later_makes_certainty_and_leaves_the_label(corpus, crowd, expert):
    question = ask(corpus)
    vote(question, crowd, [BORN], [BORN], [])
    labels.settle_questions()
    answer(question, expert, [], as_expert=True)
    labels.update_posteriors(corpus=corpus)
    label = Label.objects.get(claim=BORN.claim)
    assert (label.value, label.posterior) == (1.0, 0.0)


def test_what_people_dispute_counts_for_less_than_what_they_agree_on(corpus, crowd):
    for said in ([BORN], []) * 5:
        vote(ask(corpus), crowd, said, said, said)
    split = ask(corpus)
    vote(split, crowd, [BORN], [BORN], [])
    settle_and_update(corpus)
    sure = Label.objects.filter(value=True).exclude(question=split).values_list("posterior", flat=True)
    assert posterior(split) < min(sure)


def test_canonical_questions_get_posteriors(corpus, crowd):
    right, wrong = ask(corpus, CANONICAL), ask(corpus, CANONICAL)
    vote(right, crowd, True, True, True)
    vote(wrong, crowd, False, False, False)
    settle_and_update(corpus)
    assert posterior(wrong, CLAIM) < 0.5 < posterior(right, CLAIM)


def test_kinds_of_question_do_not_touch_each_other(corpus, crowd):
    question = ask(corpus)
    vote(question, crowd, [BORN], [BORN], [])
    settle_and_update(corpus)
    before = posterior(question)
    vote(ask(corpus, CANONICAL), crowd, False, True, True)
    settle_and_update(corpus)
    assert posterior(question) == before


def test_corpora_do_not_touch_each_other(corpus, crowd):
    other = ask(CorpusFactory.create())
    vote(other, crowd, [BORN], [BORN], [BORN])
    settle_and_update(corpus)
    assert posterior(other) is None


def test_running_twice_changes_nothing(corpus, crowd):
    for said in ([BORN], []) * 2:
        vote(ask(corpus), crowd, said, said, [])
    settle_and_update(corpus)
    assert labels.update_posteriors(corpus=corpus) == 0


def test_a_question_that_is_not_settled_has_no_part(corpus, crowd):
    vote(ask(corpus), crowd, [BORN], [BORN])
    assert settle_and_update(corpus) == 0


def test_a_refused_vote_no_longer_counts(corpus, crowd):
    question = ask(corpus)
    vote(question, crowd, [BORN], [BORN], [])
    for _ in range(5):
        vote(ask(corpus), crowd, [], [], [])
    settle_and_update(corpus)
    before = posterior(question)
    question.responses.filter(worker=crowd[2]).update(is_valid=False)
    labels.update_posteriors(corpus=corpus)
    assert posterior(question) > before


def test_a_claim_whose_votes_were_all_refused_has_no_posterior(corpus, crowd):
    question, other = ask(corpus), ask(corpus)
    for one in (question, other):
        vote(one, crowd, [BORN], [BORN], [BORN])
    settle_and_update(corpus)
    question.responses.update(is_valid=False)
    labels.update_posteriors(corpus=corpus)
    assert (posterior(question), posterior(other) is None) == (None, False)


def test_the_label_stays_what_the_majority_made_it(corpus, crowd):
    question = ask(corpus)
    vote(question, crowd, [BORN], [BORN], [])
    labels.settle_questions()
    before = list(Label.objects.order_by("pk").values("value", "votes", "votes_for", "source"))
    labels.update_posteriors(corpus=corpus)
    assert list(Label.objects.order_by("pk").values("value", "votes", "votes_for", "source")) == before


def test_a_corpus_without_answers_has_nothing_to_do(corpus):
    assert labels.update_posteriors(corpus=corpus) == 0


def test_the_queries_do_not_grow_with_the_questions(corpus, crowd, django_assert_num_queries):
    for _ in range(3):
        vote(ask(corpus), crowd, [BORN], [BORN], [])
    labels.settle_questions()
    # The transaction's two and the lock; the kinds there are; which relation questions are settled, and the
    # update; which canonical ones are, and which choices: none. Labels and votes come as columns: four more.
    with django_assert_num_queries(12):
        labels.update_posteriors(corpus=corpus)


@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_the_database_refuses_what_is_no_probability(corpus, crowd, value):
    vote(ask(corpus), crowd, [BORN], [BORN], [])
    labels.settle_questions()
    with pytest.raises(IntegrityError, match="label_posterior"), transaction.atomic():
        Label.objects.update(posterior=value)


def test_the_questions_are_settled(corpus, crowd):
    """What the tests above stand on."""
    question = ask(corpus)
    vote(question, crowd, [BORN], [BORN], [])
    labels.settle_questions()
    assert Question.objects.get(pk=question.pk).state == Question.State.SETTLED
