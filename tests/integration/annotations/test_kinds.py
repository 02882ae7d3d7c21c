"""What every kind says agrees with itself, and a kind that is not known is refused wherever it comes in."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from annotations import agreements, labels, questions, responses
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.registry import KINDS, find_kind, read_question
from annotations.kinds.relation import Mention, Offer, RelationQuestion
from annotations.models import Corpus, Label, Question
from crowd.quality import checking
from kbpo.core.errors import InvalidInput
from tests.factories import (
    ADA,
    HALLOW,
    PRESS,
    CorpusFactory,
    DocumentFactory,
    LabelFactory,
    QuestionFactory,
    ResponseFactory,
    UserFactory,
)
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db

REFUSED = "unknown kind of question 'taste'; known are relation, canonical, entities"
RELATION = RelationQuestion.about(Mention(ADA, "PER"), Mention(HALLOW, "GPE"), TAC)
BORN, LIVED = Offer("per:place_of_birth", 0), Offer("per:place_of_residence", 0)


class Quality(CanonicalQuestion):
    """A question of a kind that nobody has registered."""

    kind = "taste"


@pytest.fixture
def corpus() -> Corpus:
    return CorpusFactory.create()


@pytest.fixture
def make_unknown(corpus: Corpus) -> Callable[..., Question]:
    def make(**fields: Any) -> Question:
        document = DocumentFactory.create(corpus=corpus)
        return QuestionFactory.create(document=document, asked=Quality(PRESS, ADA), **fields)

    return make


def test_the_registry_names_each_kind_as_it_names_itself() -> None:
    assert {name: kind.name for name, kind in KINDS.items()} == {name: name for name in KINDS}
    assert all(kind.label for kind in KINDS.values())


@pytest.mark.parametrize("name", ["taste", "", "RELATION"])
def test_an_unknown_kind_is_not_found(name: str) -> None:
    with pytest.raises(InvalidInput, match="known are relation, canonical, entities"):
        find_kind(name)


def test_a_stored_question_of_an_unknown_kind_is_not_read_as_another() -> None:
    with pytest.raises(InvalidInput, match=REFUSED):
        read_question("taste", CanonicalQuestion(PRESS, ADA).payload())


def test_a_question_of_an_unknown_kind_is_not_asked(corpus: Corpus) -> None:
    document = DocumentFactory.create(corpus=corpus)
    with pytest.raises(InvalidInput, match=REFUSED):
        questions._ask({(document.pk, "quality|1"): Quality(PRESS, ADA)})
    assert not Question.objects.exists()


def test_a_question_of_an_unknown_kind_is_not_answered(make_unknown: Callable[..., Question]) -> None:
    worker = UserFactory.create(annotator=True)
    with pytest.raises(InvalidInput, match=REFUSED):
        responses.record(question=make_unknown(), worker=worker, answer={"right": True})


def test_a_question_of_an_unknown_kind_is_not_settled(make_unknown: Callable[..., Question]) -> None:
    question = make_unknown()
    ResponseFactory.create_batch(3, question=question, answer={"version": 1, "right": True})
    assert labels.settle_questions() == 0
    assert not Label.objects.exists()


def test_a_question_of_an_unknown_kind_has_no_posteriors(
    make_unknown: Callable[..., Question], corpus: Corpus
) -> None:
    make_unknown(settled=True)
    with pytest.raises(InvalidInput, match=REFUSED):
        labels.update_posteriors(corpus=corpus)


def test_agreement_on_an_unknown_kind_is_not_measured(
    make_unknown: Callable[..., Question], corpus: Corpus
) -> None:
    make_unknown(settled=True)
    with pytest.raises(InvalidInput, match=REFUSED):
        agreements.measure(corpus)
    with pytest.raises(InvalidInput, match=REFUSED):
        agreements.measure_on(Question.objects.all(), "taste", first=None)


def test_an_answer_to_a_question_of_an_unknown_kind_is_neither_right_nor_wrong(
    make_unknown: Callable[..., Question],
) -> None:
    with pytest.raises(InvalidInput, match=REFUSED):
        checking.is_right(make_unknown(settled=True), {"version": 1, "right": True}, [])


@pytest.mark.parametrize("said", [[], [BORN], [LIVED], [BORN, LIVED], list(RELATION.offered)])
def test_the_database_reads_what_a_relation_answer_affirms_as_the_question_does(said: list[Offer]) -> None:
    assert affirmed(RELATION, RELATION.answer(said)) == RELATION.values(RELATION.answer(said))


@pytest.mark.parametrize("right", [True, False])
def test_the_database_reads_what_a_canonical_answer_affirms_as_the_question_does(right: bool) -> None:
    asked = CanonicalQuestion(PRESS, ADA)
    assert affirmed(asked, asked.answer(right)) == asked.values(asked.answer(right))


def affirmed(asked: RelationQuestion | CanonicalQuestion, answer: dict[str, Any]) -> dict[str, float]:
    """Return for each claim whether the SQL of the kind says that the answer affirms it."""
    question = QuestionFactory.create(asked=asked, settled=True)
    ResponseFactory.create(question=question, answer=answer)
    for claim in asked.claims:
        LabelFactory.create(question=question, claim=claim)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT label.claim, ({KINDS[asked.kind].affirms})::int FROM annotations_label AS label"
            " JOIN annotations_response AS response USING (question_id) WHERE question_id = %s",
            [question.pk],
        )
        return {claim: float(held) for claim, held in cursor.fetchall()}
