"""Compiled queries return what the same queries do, with values that are given later."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from annotations.models import Corpus, Question
from crowd.models import Assignment, Hit
from kbpo.core.database.compiled import Compiled, Given
from tests.factories import AssignmentFactory, CorpusFactory, HitFactory, QuestionFactory

pytestmark = pytest.mark.django_db


def test_rows_come_with_related_ones_and_values_of_every_kind() -> None:
    gold = QuestionFactory.create(payload={"nested": [1, None]})
    kept = {"step": 2, "fields": {"q1": ["none"]}}
    with_gold = AssignmentFactory.create(draft=kept, begun_at=timezone.now(), gold=gold)
    without = AssignmentFactory.create()
    found = Compiled(
        lambda: Assignment.objects.select_related("gold__document", "hit__batch").filter(pk=Given("pk"))
    )
    for row in (with_gold, without, with_gold):
        (one,), same = found.all(pk=row.pk), Assignment.objects.get(pk=row.pk)
        fields = [field.attname for field in Assignment._meta.concrete_fields]
        assert [getattr(one, name) for name in fields] == [getattr(same, name) for name in fields]
        assert (one.hit.batch, one.gold) == (same.hit.batch, same.gold)
        assert one.gold is None or one.gold.payload == {"nested": [1, None]}
    assert found.first(pk=0) is None


def test_columns_that_are_left_out_are_asked_for_when_needed() -> None:
    hit = HitFactory.create()
    found = Compiled(lambda: Hit.objects.select_related("batch").only("batch__kind").filter(pk=Given("pk")))
    (one,) = found.all(pk=hit.pk)
    assert one.get_deferred_fields() >= {"places", "annotation"}
    assert (one.places, one.batch.title) == (hit.places, hit.batch.title)


def test_values_stand_wherever_a_query_has_some() -> None:
    corpora = CorpusFactory.create_batch(3)
    old = timezone.now() - timedelta(days=1)
    Corpus.objects.filter(pk=corpora[0].pk).update(created_at=old)
    asked = [QuestionFactory.create(document__corpus=corpus) for corpus in corpora]
    newer = Compiled(
        lambda: (
            Corpus.objects.filter(
                Exists(Question.objects.filter(document__corpus=OuterRef("pk"), kind=Given("kind"))),
                created_at__gt=Given("since"),
            )
            .exclude(pk=Given("but"))
            .order_by("pk")
            .values_list("tag", "pk")[:5]
        )
    )
    given = {"kind": asked[0].kind, "since": old}
    assert newer.all(**given, but=corpora[1].pk) == [(corpora[2].tag, corpora[2].pk)]
    assert len(newer.all(**given, but=0)) == 2
    assert newer.all(**{**given, "kind": "no kind"}, but=0) == []


def test_text_is_no_sql() -> None:
    found = Compiled(lambda: Corpus.objects.filter(tag=Given("tag")))
    CorpusFactory.create()
    assert found.all(tag="' OR 1 = 1 -- %s") == []


def test_rows_can_be_locked() -> None:
    hit = HitFactory.create()
    locked = Compiled(lambda: Hit.objects.select_for_update(no_key=True).filter(pk=Given("pk")))
    with transaction.atomic():
        assert locked.first(pk=hit.pk) == hit


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError):
        Compiled(lambda: Hit.objects.filter(pk=Given("pk"))).all(hit=1)
