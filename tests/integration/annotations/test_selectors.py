import pytest

from annotations import labels
from annotations.agreements import measure
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Mention, Offer, RelationQuestion
from annotations.responses import record
from annotations.selectors import corpus_by_tag
from kbpo.core.errors import InvalidInput
from tests.factories import ADA, HALLOW, PRESS, CorpusFactory, DocumentFactory, QuestionFactory, UserFactory
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db

BORN, LIVED = Offer("per:place_of_birth", 0), Offer("per:place_of_residence", 0)
RELATION = RelationQuestion.about(Mention(ADA, "PER"), Mention(HALLOW, "GPE"), TAC)
CANONICAL = CanonicalQuestion(PRESS, ADA)


@pytest.fixture
def corpus():
    return CorpusFactory.create()


@pytest.fixture
def vote(corpus):
    crowd = UserFactory.create_batch(5, annotator=True)

    def vote(asked, *said):
        question = QuestionFactory.create(document=DocumentFactory.create(corpus=corpus), asked=asked)
        for worker, says in zip(crowd, said, strict=False):
            record(question=question, worker=worker, answer=asked.answer(says))
        labels.settle_questions()
        return question

    return vote


def of_kind(corpus, kind):
    (found,) = [one for one in measure(corpus) if one.kind == kind]
    return found


def test_there_is_one_line_for_each_kind_of_question_and_three_for_whole_documents(corpus):
    assert [(one.kind, one.aspect) for one in measure(corpus)] == [
        ("relation", "answer"),
        ("canonical", "answer"),
        ("entities", "spans"),
        ("entities", "canonical"),
        ("entities", "links"),
        ("choice", "answer"),
        *(("quality", one) for one in ("overall", "fluency", "redundancy", "edit")),
        *(("correctness", one) for one in ("any", "average")),
    ]


def test_kappa_of_canonical_questions_by_hand(corpus, vote):
    # P̄ = (1 + 1 + 1/3 + 1/3)/4 = 2/3; half of the answers are yes: (2/3 − 1/2)/(1/2).
    for said in ([True] * 3, [False] * 3, [True, True, False], [True, False, False]):
        vote(CANONICAL, *said)
    assert of_kind(corpus, "canonical").kappa.estimate == pytest.approx(1 / 3)


def test_the_whole_answer_is_the_category(corpus, vote):
    # "Born and lived" agrees with itself, and not with "born": P = 1, 1, 1/3; each third of the answers.
    vote(RELATION, *[[BORN, LIVED]] * 3)
    vote(RELATION, *[[]] * 3)
    vote(RELATION, [BORN, LIVED], [BORN], [BORN])
    shares = (4 / 9, 3 / 9, 2 / 9)
    chance = sum(share**2 for share in shares)
    assert of_kind(corpus, "relation").kappa.estimate == pytest.approx((7 / 9 - chance) / (1 - chance))


def test_questions_that_went_to_an_expert_count(corpus, vote):
    vote(RELATION, [BORN], [LIVED], [], [BORN], [LIVED])
    vote(RELATION, [BORN], [BORN], [BORN])
    assert of_kind(corpus, "relation").questions == 2


def test_the_experts_answer_does_not_count(corpus, vote):
    question = vote(RELATION, [BORN], [LIVED], [], [BORN], [LIVED])
    vote(RELATION, [BORN], [BORN], [BORN])
    before = of_kind(corpus, "relation")
    expert = UserFactory.create(operator=True)
    record(question=question, worker=expert, answer=RELATION.answer([BORN]), as_expert=True)
    assert of_kind(corpus, "relation") == before


def test_open_questions_do_not_count(corpus, vote):
    vote(CANONICAL, True, False)
    assert of_kind(corpus, "canonical").questions == 0


def test_refused_answers_do_not_count(corpus, vote):
    question = vote(CANONICAL, True, True, False)
    question.responses.update(is_valid=False)
    assert of_kind(corpus, "canonical").questions == 0


def test_kappa_without_answers_is_not_estimable(corpus):
    assert {one.kappa for one in measure(corpus)} == {None}


def test_kappa_where_all_say_the_same_is_not_estimable_and_the_questions_show(corpus, vote):
    for _ in range(2):
        vote(CANONICAL, True, True, True)
    found = of_kind(corpus, "canonical")
    assert (found.kappa, found.questions) == (None, 2)


def test_the_queries_do_not_grow_with_the_questions(corpus, vote, django_assert_num_queries):
    for _ in range(3):
        vote(CANONICAL, True, True, False)
    # the kinds there are, and one each; votes come as columns, by three more
    with django_assert_num_queries(10):
        measure(corpus)


def test_a_corpus_is_found_by_its_tag(corpus):
    assert corpus_by_tag(corpus.tag) == corpus


def test_an_unknown_tag_lists_the_known_ones(corpus):
    with pytest.raises(InvalidInput, match=corpus.tag):
        corpus_by_tag("no-such-corpus")
