"""Compiled queries return what the same queries do, with values that are given later."""

import gc
import weakref
from datetime import timedelta
from threading import Thread

import pytest
from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db import connections as connections_of_django
from django.db.models import Count, Exists, F, OuterRef
from django.db.transaction import TransactionManagementError
from django.utils import timezone

from annotations.models import Corpus, Question
from crowd.models import Assignment, Hit
from kbpo.core.database.compiled import Compiled, CompiledUpdate, Given, IsOneOf
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


@pytest.mark.django_db(transaction=True)
def test_rows_are_not_locked_outside_of_a_transaction_also_once_it_is_compiled() -> None:
    hit = HitFactory.create()
    locked = Compiled(lambda: Hit.objects.select_for_update(no_key=True).filter(pk=Given("pk")))
    with transaction.atomic():
        assert locked.first(pk=hit.pk) == hit
    with pytest.raises(TransactionManagementError):
        locked.first(pk=hit.pk)


@pytest.mark.django_db(transaction=True)
def test_who_compiles_a_query_first_may_go_with_its_connection() -> None:
    kept = {"step": 2}
    row = AssignmentFactory.create(draft=kept)
    found = Compiled(lambda: Assignment.objects.filter(pk=Given("pk")))
    connections = []

    def compile_it() -> None:
        found.first(pk=row.pk)
        connections.append(weakref.ref(connections_of_django[DEFAULT_DB_ALIAS]))
        connection.close()

    thread = Thread(target=compile_it)
    thread.start()
    thread.join()
    del thread
    gc.collect()
    assert connections[0]() is None
    assert found.first(pk=row.pk).draft == kept


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError):
        Compiled(lambda: Hit.objects.filter(pk=Given("pk"))).all(hit=1)


def test_rows_are_found_by_a_list_and_come_with_annotations() -> None:
    corpora = CorpusFactory.create_batch(3)
    QuestionFactory.create_batch(2, document__corpus=corpora[1])
    counted = Compiled(
        lambda: (
            Corpus.objects.select_related("ontology")
            .filter(IsOneOf("pk", Given("pks")))
            .annotate(questions=Count("documents__questions"))
            .order_by("pk")
        )
    )
    found = counted.all(pks=[corpora[0].pk, corpora[1].pk])
    assert [(one, one.questions) for one in found] == [(corpora[0], 0), (corpora[1], 2)]
    assert counted.all(pks=[]) == []


def test_an_update_sets_what_is_given_of_every_kind_and_nothing_else() -> None:
    one, another = (AssignmentFactory.create(draft_number=3) for _ in range(2))
    now = timezone.now()
    keep = CompiledUpdate(
        lambda: Assignment.objects.filter(pk=Given("pk"), draft_number__lt=Given("draft_number")),
        *("draft", "draft_number", "draft_at", "comment"),
        provider_id=F("provider_worker_id"),
    )
    draft = {"step": 2, "fields": {"q1": ["100 %s", None]}}
    given = {"pk": one.pk, "draft": draft, "draft_at": now, "comment": "it's"}
    assert keep.do(**given, draft_number=3) == 0
    assert keep.do(**given, draft_number=4) == 1
    one.refresh_from_db()
    assert (one.draft, one.draft_number, one.draft_at, one.comment) == (draft, 4, now, "it's")
    assert one.provider_id == one.provider_worker_id
    assert keep.do(**{**given, "draft": None, "draft_at": None}, draft_number=5) == 1
    one.refresh_from_db()
    assert (one.draft, one.draft_number, one.draft_at) == (None, 5, None)
    before = another.draft, another.draft_number, another.comment
    another.refresh_from_db()
    assert before == (another.draft, another.draft_number, another.comment)


def test_an_update_without_one_of_its_values_is_an_error() -> None:
    with pytest.raises(KeyError):
        CompiledUpdate(lambda: Hit.objects.filter(pk=Given("pk")), "places").do(pk=1)
