import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from annotations.kinds.canonical import CanonicalQuestion
from evaluation.kbp.explorer import claims_of_system, verdicts
from evaluation.kbp.explorer.document_page import read_document
from evaluation.kbp.explorer.verdicts import Verdict, published_verdicts
from evaluation.models import Prediction
from kbpo.core.errors import InvalidInput
from tests.factories import (
    ADA,
    HALLOW,
    DocumentFactory,
    InstanceFactory,
    LabelFactory,
    PredictionFactory,
    QuestionFactory,
)
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db


@pytest.fixture
def prediction(cast):
    document = DocumentFactory(corpus=cast.corpus, sentences=True)
    return PredictionFactory(
        submission=cast.submission(state="scored"), instance=InstanceFactory(document=document)
    )


def judge(prediction, relation, subject, object_, **state):
    """Label the claim and both canonical mentions; `state` is that of their questions."""
    document = prediction.instance.document
    LabelFactory(question=QuestionFactory(document=document, **state), value=relation)
    for span, value in ((ADA, subject), (HALLOW, object_)):
        question = QuestionFactory(document=document, asked=CanonicalQuestion(span, span), **state)
        LabelFactory(question=question, claim="right", value=value)


def test_published_labels_say_what_is_right_and_what_is_wrong(prediction):
    judge(prediction, True, True, False, published=True)
    assert published_verdicts([prediction]) == {prediction.pk: Verdict(True, True, False)}


def test_labels_that_are_not_published_stay_sealed(prediction):
    judge(prediction, True, True, False, settled=True)
    assert published_verdicts([prediction]) == {prediction.pk: Verdict()}


def test_a_date_has_no_canonical_mention(prediction):
    prediction.object_canonical_start = prediction.object_canonical_end = None
    judge(prediction, True, True, False, published=True)
    assert published_verdicts([prediction])[prediction.pk].outcome == "right"


@pytest.mark.parametrize(("verdict", "found"), [("", 2), ("right", 1), ("wrong", 0), ("sealed", 1)])
def test_predictions_are_filtered_by_verdict(prediction, verdict, found):
    judge(prediction, True, True, True, published=True)
    other = InstanceFactory(document=prediction.instance.document, predicate="per:place_of_death")
    PredictionFactory(submission=prediction.submission, instance=other)
    page = claims_of_system.find_predictions(prediction.submission, TAC, verdict=verdict)
    assert page.paginator.count == found


@pytest.mark.parametrize(("predicate", "found"), [("per:place_of_birth", 1), ("per:spouse", 0)])
def test_predictions_are_filtered_by_relation(prediction, predicate, found):
    page = claims_of_system.find_predictions(prediction.submission, TAC, predicate=predicate)
    assert page.paginator.count == found


@pytest.mark.parametrize("choice", [{"predicate": "per:likes"}, {"verdict": "maybe"}])
def test_an_unknown_filter_is_refused(prediction, choice):
    with pytest.raises(InvalidInput):
        claims_of_system.find_predictions(prediction.submission, TAC, **choice)


def test_a_claim_is_shown_with_its_sentence_and_both_mentions(prediction):
    (claim,) = claims_of_system.show([prediction], TAC)
    assert "".join(segment.text for segment in claim.snippet) == "Ada Quill was born in Port Hallow."
    assert [mark.label for segment in claim.snippet for mark in segment.opens] == [
        "subject, person",
        "object, place",
    ]
    assert (claim.subject_canonical, claim.object_canonical) == ("Ada Quill", "Port Hallow")


def test_a_document_lists_each_relation_once_with_everyone_who_claims_it(cast, prediction):
    second = cast.submission(state="scored", name="second")
    PredictionFactory(submission=second, instance=prediction.instance)
    PredictionFactory(
        submission=cast.submission(state="scored", name="hidden", is_public=False),
        instance=prediction.instance,
    )
    (relation,) = read_document(prediction.instance.document, None).claims
    assert {system.pk for system in relation.systems} == {prediction.submission.pk, second.pk}


def test_a_withdrawn_system_is_not_among_those_who_claim(cast, prediction):
    prediction.submission.state = "withdrawn"
    prediction.submission.save()
    assert not read_document(prediction.instance.document, cast.people["operator"]).claims.object_list


def test_what_is_asked_of_a_file_that_is_not_read_yet_is_not_remembered(prediction):
    judge(prediction, True, True, True, published=True)
    submission = prediction.submission
    submission.state = "uploaded"
    with transaction.atomic():
        Prediction.objects.all().delete()
        assert verdicts.maybe_published(submission) == []
        transaction.set_rollback(True)
    submission.state = "scored"
    assert verdicts.maybe_published(submission) == [prediction]
    with CaptureQueriesContext(connection) as queries:
        assert verdicts.maybe_published(submission) == [prediction]
    assert not any("WITH published" in one["sql"] for one in queries)


def test_the_explorer_asks_a_fixed_number_of_queries(prediction, django_assert_max_num_queries):
    corpus = prediction.submission.corpus
    for _ in range(12):
        instance = InstanceFactory(document=DocumentFactory(corpus=corpus, sentences=True))
        another = PredictionFactory(submission=prediction.submission, instance=instance)
        judge(another, True, True, True, published=True)
    with django_assert_max_num_queries(7):
        page = claims_of_system.find_predictions(prediction.submission, TAC)
        assert len(claims_of_system.show(page.object_list, TAC)) == 13
    with django_assert_max_num_queries(14):
        page = claims_of_system.find_predictions(prediction.submission, TAC, verdict="right")
        assert len(claims_of_system.show(page.object_list, TAC)) == 12
