"""The audit log: what stands in it, who reads it, and that nobody changes it."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from annotations import roles, takedowns
from crowd import budget
from kbpo.accounts import teams
from kbpo.core.acts import What, changed, record
from kbpo.core.errors import InvalidInput, NotAllowed
from kbpo.core.models import AuditEntry
from kbpo.pages import acts as reads
from tests.factories import CorpusFactory, DocumentFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return UserFactory.create(operator=True, name="Olga")


@pytest.fixture
def desk(olga, client):
    client.force_login(olga)
    return client


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE core_auditentry SET what = 'nothing'",
        "UPDATE core_auditentry SET by_id = NULL",
        "DELETE FROM core_auditentry",
    ],
)
def test_postgres_refuses_to_change_and_to_delete(olga, statement):
    record(What.TEAM_APPROVED, by=olga, about=TeamFactory.create())
    with (
        pytest.raises(IntegrityError, match="only added to"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


def test_postgres_refuses_to_empty_it(olga):
    record(What.TEAM_APPROVED, by=olga, about=TeamFactory.create())
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL kbpo.acts_may_be_emptied = 'off'")  # as everywhere but in tests
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with pytest.raises(IntegrityError, match="not emptied"), transaction.atomic():
            cursor.execute("TRUNCATE core_auditentry")
    assert AuditEntry.objects.exists()


@pytest.mark.parametrize("act", [lambda act: act.delete(), lambda act: act.save()], ids=["delete", "save"])
def test_nor_does_an_object_change_it(olga, act):
    written = record(What.TEAM_APPROVED, by=olga, about=TeamFactory.create())
    with pytest.raises(IntegrityError, match="only added to"), transaction.atomic():
        act(written)


def test_a_cap_stands_in_it_as_it_was_and_as_it_is(olga):
    CorpusFactory.create(tag="news")
    opened = budget.create_budget(scope="corpus", key="news", cap_cents=100, by=olga)
    budget.change_cap(budget=opened, cap_cents=250, by=olga)
    act = AuditEntry.objects.latest("id")
    assert (act.what, act.by, act.about) == (What.BUDGET_CHANGED, olga, str(opened.pk))
    assert (act.before, act.after) == ({"cap_cents": 100}, {"cap_cents": 250})


def test_an_act_that_is_refused_leaves_nothing(olga):
    with pytest.raises(NotAllowed):
        teams.approve_team(user=UserFactory.create(), team=TeamFactory.create())
    assert not AuditEntry.objects.exists()


def test_an_act_about_what_is_not_saved_is_refused(olga):
    with pytest.raises(InvalidInput):
        record(What.TEAM_APPROVED, by=olga, about=TeamFactory.build())


def test_a_team_is_approved_once(olga):
    team = TeamFactory.create()
    teams.approve_team(user=olga, team=team)
    teams.approve_team(user=olga, team=team)
    assert AuditEntry.objects.filter(what=What.TEAM_APPROVED, about=str(team.pk)).count() == 1


def test_a_role_that_is_given_in_the_admin_stands_in_it_and_the_name_does_not(olga, client):
    olga.is_superuser = True
    olga.save()
    client.force_login(olga)
    ann = UserFactory.create(name="Ann")
    form = {"name": "Anna Quill", "is_annotator": "on", "is_active": "on"}
    assert client.post(f"/admin/accounts/user/{ann.pk}/change/", form).status_code == 302
    act = AuditEntry.objects.get()
    assert (act.what, act.by, act.about) == (What.ACCOUNT_CHANGED, olga, str(ann.pk))
    assert (act.before["is_annotator"], act.after["is_annotator"]) == (False, True)
    assert "Ann" not in str([act.before, act.after])


def test_the_admin_shows_it_and_changes_nothing(olga, client):
    olga.is_superuser = True
    olga.save()
    client.force_login(olga)
    act = record(What.TEAM_APPROVED, by=olga, about=TeamFactory.create())
    assert client.get("/admin/core/auditentry/").status_code == 200
    assert client.post(f"/admin/core/auditentry/{act.pk}/change/", {"what": "x"}).status_code == 403
    assert client.post(f"/admin/core/auditentry/{act.pk}/delete/", {"post": "yes"}).status_code == 403


def test_the_page_is_for_operators(client):
    client.force_login(UserFactory.create(annotator=True))
    assert client.get("/desk/acts/").status_code == 403
    assert Client().get("/desk/acts/").status_code == 302


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {"Team approved", "Trash put back"}),
        ("?what=team+approved", {"Team approved"}),
        ("?who=command+line", {"Trash put back"}),
        ("?about=20261122", {"Trash put back"}),
        ("?since=2000-01-01", {"Team approved", "Trash put back"}),
        ("?until=2000-01-01", set()),
    ],
)
def test_the_page_filters_by_who_what_and_when(desk, olga, query, shown):
    record(What.TEAM_APPROVED, by=olga, about=TeamFactory.create())
    record(What.TRASH_PUT_BACK, by=None, about="20261122")
    page = desk.get(f"/desk/acts/{query}").content.decode()
    assert {words for words in ("Team approved", "Trash put back") if f">{words}<" in page} == shown


@pytest.mark.parametrize(
    "query", ["?since=yesterday", "?who=99999999999999999999", "?until=9999-12-31", "?what=x"]
)
def test_a_filter_that_is_none_is_refused(desk, query):
    assert desk.get(f"/desk/acts/{query}").status_code == 400


def test_a_day_is_whole(olga):
    act = record(What.TEAM_APPROVED, by=olga, about=TeamFactory.create())
    day = act.at.date()
    assert list(reads.listed(reads.Sought(since=day, until=day))) == [act]
    assert not reads.listed(reads.Sought(since=(timezone.now() + timedelta(days=2)).date()))


def test_only_what_differs_is_said():
    assert changed({"a": 1, "b": 2}, {"a": 1, "b": 3}) == ({"b": 2}, {"b": 3})


def test_roles_stand_in_it_when_they_are_given_and_taken(olga):
    ann, corpus = UserFactory.create(), CorpusFactory.create(tag="news")
    given = roles.give(user=ann, corpus=corpus, role="reviewer", by=olga, now=timezone.now())
    roles.take(role=given, by=olga)
    told = [(act.what, act.about, act.before, act.after) for act in AuditEntry.objects.order_by("id")]
    role = {"role": "reviewer", "corpus": "news"}
    assert told == [
        (What.ROLE_GIVEN, str(ann.pk), {}, role),
        (What.ROLE_TAKEN, str(ann.pk), role, {}),
    ]


def test_a_takedown_stands_in_it_without_the_text(olga):
    document = DocumentFactory.create()
    takedowns.take_down(document=document, reason="its author asks", by=olga, now=timezone.now())
    act = AuditEntry.objects.get()
    assert (act.what, act.after["reason"]) == (What.DOCUMENT_REMOVED, "its author asks")
    assert "Ada" not in str(act.after)
