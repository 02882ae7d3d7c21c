"""Questions asked once, whoever needs them."""

from collections.abc import Callable
from dataclasses import replace
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from annotations.models import Document, Question
from annotations.questions import (
    CanonicalClaim,
    Claim,
    ask_canonicals,
    ask_relations,
    find_canonicals,
    find_relations,
)
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span
from tests.factories import ADA, HALLOW, PRESS, SHE, TEXT, DocumentFactory, LabelFactory

pytestmark = pytest.mark.django_db

Queries = Callable[[int], Any]


@pytest.fixture
def document() -> Document:
    return DocumentFactory.create()


@pytest.fixture
def claim(document: Document) -> Claim:
    return Claim(document.pk, "per:organizations_founded", SHE, "PER", PRESS, "ORG")


def test_a_pair_is_asked_once_whatever_is_claimed_of_it(claim: Claim) -> None:
    other = replace(claim, predicate="per:employee_or_member_of")
    asked = ask_relations([claim, other])
    assert asked[claim] == asked[other]
    assert Question.objects.count() == 1


def test_asking_again_finds_the_same_question(claim: Claim) -> None:
    assert ask_relations([claim]) == ask_relations([claim]) == find_relations([claim])


def test_nothing_is_found_of_what_nobody_asked(claim: Claim) -> None:
    assert find_relations([claim]) == {}
    assert not Question.objects.exists()


def test_the_subjects_place_follows_the_text(document: Document) -> None:
    parent = Claim(document.pk, "per:parents", SHE, "PER", ADA, "PER")
    child = Claim(document.pk, "per:parents", ADA, "PER", SHE, "PER")
    asked = ask_relations([parent, child])
    assert asked[parent][0] == asked[child][0]
    assert (asked[parent][1], asked[child][1]) == (1, 0)


def test_a_symmetric_relation_has_one_place_in_either_order(document: Document) -> None:
    one = Claim(document.pk, "per:spouse", ADA, "PER", SHE, "PER")
    other = Claim(document.pk, "per:spouse", SHE, "PER", ADA, "PER")
    asked = ask_relations([one, other])
    assert asked[one] == asked[other]
    assert asked[one][1] == 0


def test_a_question_with_other_types_settles_a_claim_that_it_offers(document: Document) -> None:
    as_place = Claim(document.pk, "per:employee_or_member_of", ADA, "PER", HALLOW, "GPE")
    as_organization = replace(as_place, object_type="ORG")
    question, _ = ask_relations([as_place])[as_place]
    assert ask_relations([as_organization])[as_organization] == (question, 0)
    assert find_relations([as_organization])[as_organization] == (question, 0)
    assert Question.objects.count() == 1


def test_a_question_with_other_types_does_not_settle_what_it_does_not_offer(document: Document) -> None:
    lives = Claim(document.pk, "per:place_of_residence", ADA, "PER", HALLOW, "GPE")
    attended = Claim(document.pk, "per:schools_attended", ADA, "PER", HALLOW, "ORG")
    asked = ask_relations([lives, attended])
    assert asked[lives][0] != asked[attended][0]


def test_of_two_that_settle_a_claim_the_earlier_is_used(document: Document) -> None:
    works = Claim(document.pk, "per:employee_or_member_of", ADA, "PER", HALLOW, "GPE")
    attended = Claim(document.pk, "per:schools_attended", ADA, "PER", HALLOW, "ORG")
    lives = Claim(document.pk, "per:place_of_residence", ADA, "PER", HALLOW, "GPE")
    first, _ = ask_relations([attended])[attended]
    ask_relations([lives])
    assert find_relations([works])[works] == (first, 0)


def test_questions_come_in_the_order_of_the_text_however_they_are_asked(document: Document) -> None:
    later = Claim(document.pk, "per:organizations_founded", SHE, "PER", PRESS, "ORG")
    earlier = Claim(document.pk, "per:place_of_birth", ADA, "PER", HALLOW, "GPE")
    asked = ask_relations([later, earlier])
    assert asked[earlier][0].pk < asked[later][0].pk


def test_the_number_of_queries_does_not_grow_with_the_claims(
    document: Document, django_assert_max_num_queries: Queries
) -> None:
    claims = [
        Claim(document.pk, "per:spouse", Span(at, at + 1), "PER", Span(end, end + 1), "PER")
        for at in range(20)
        for end in range(at + 1, 40)
    ]
    with django_assert_max_num_queries(7):  # one for the ontology of their corpus
        assert len(ask_relations(claims)) == len(claims) > 500
    with django_assert_max_num_queries(2):
        assert len(find_relations(claims)) == len(claims)


def test_nothing_to_ask_asks_nothing() -> None:
    assert (ask_relations([]), ask_canonicals([])) == ({}, {})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"object_type": "GPE"}, "does not admit 'PER' and 'GPE'"),
        ({"predicate": "per:children"}, "unknown predicate"),
        ({"object": Span(len(TEXT) - 1, len(TEXT) + 1)}, "does not lie within"),
        ({"document_id": 0}, "there is no document 0"),
    ],
)
def test_a_claim_that_no_question_can_settle_is_refused(
    claim: Claim, change: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidInput, match=says):
        ask_relations([claim, replace(claim, **change)])
    assert not Question.objects.exists()


def test_canonical_mentions_are_asked_once_each_also_where_a_mention_is_its_own(document: Document) -> None:
    own = CanonicalClaim(document.pk, ADA, ADA)
    hers = CanonicalClaim(document.pk, SHE, ADA)
    asked = ask_canonicals([own, hers, own])
    assert asked[own] != asked[hers]
    assert ask_canonicals({hers}) == {hers: asked[hers]}
    assert find_canonicals([own, CanonicalClaim(document.pk, SHE, SHE)]) == {own: asked[own]}
    assert Question.objects.filter(kind="canonical").count() == 2


def test_a_canonical_mention_outside_the_text_is_refused(document: Document) -> None:
    with pytest.raises(InvalidInput, match="does not lie within"):
        ask_canonicals([CanonicalClaim(document.pk, ADA, Span(0, 999))])


@pytest.mark.django_db(transaction=True)
def test_two_who_ask_the_same_at_once_get_the_same_questions(document: Document) -> None:
    claims = [
        Claim(document.pk, "per:spouse", Span(at, at + 1), "PER", Span(60, 61), "PER") for at in range(50)
    ]
    start = Barrier(2)
    answers: list[dict[Claim, tuple[Question, int]]] = []

    def ask(order: list[Claim]) -> None:
        start.wait()
        answers.append(ask_relations(order))
        connection.close()

    threads = [Thread(target=ask, args=(order,)) for order in (claims, claims[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers[0] == answers[1]
    assert Question.objects.count() == 50


def test_a_claim_of_a_question_has_one_label() -> None:
    label = LabelFactory.create()
    label.pk = None
    with pytest.raises(IntegrityError, match="label_once"), transaction.atomic():
        label.save(force_insert=True)
