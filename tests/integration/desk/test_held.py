"""Work that waits for a person: listed by worker, shown beside its documents, approved in one go."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.models import Assignment
from tests.factories import UserFactory, WorkerIdentityFactory
from tests.integration.desk.conftest import hours, text_of

NEW = "New to this: a person has approved 0 of the first 10 answers."


@pytest.fixture
def waiting(post: Any, send: Any) -> list[Assignment]:
    """Two pieces of a newcomer's that are held, and one that is flagged."""
    worker = WorkerIdentityFactory.create()
    held = [send(post(), worker=worker, hold=NEW) for _ in range(2)]
    return [*held, send(post(), worker=worker, flag="Sent 0.3 s after it was begun.")]


def of_worker(waiting: list[Assignment], name: str = "desk_look_at") -> str:
    assert waiting[0].worker is not None
    return reverse(name, args=[waiting[0].worker.user_id, "relation"])


def test_workers_are_listed_with_why_their_work_waits_and_until_when(
    desk: Client, waiting: list[Assignment]
) -> None:
    text = text_of(desk.get(reverse("desk_look")))
    assert NEW in text
    assert "Sent 0.3 s after it was begun." in text
    assert "Relations 3" in text
    assert " past " not in text


def test_what_is_past_its_time_is_said(desk: Client, post: Any, send: Any, now: Any) -> None:
    send(post(), hold=NEW, submitted_at=now - hours(73))
    assert " past " in text_of(desk.get(reverse("desk_look")))
    assert "was to be paid by" in text_of(desk.get(reverse("desk")))


def test_where_nothing_waits_it_is_said_why_work_would(desk: Client) -> None:
    assert "Nothing waits for a person." in text_of(desk.get(reverse("desk_look")))


def test_pieces_stand_beside_their_documents_ticked_unless_something_speaks_against_them(
    desk: Client, waiting: list[Assignment]
) -> None:
    page = desk.get(of_worker(waiting)).content.decode()
    assert page.count('aria-label="The document"') == 3
    assert page.count('name="assignment"') == 3
    assert page.count("checked>") == 2


def test_what_is_ticked_is_approved_in_one_go_and_the_rest_waits(
    desk: Client, waiting: list[Assignment]
) -> None:
    ticked = [one.pk for one in waiting[:2]]
    response = desk.post(of_worker(waiting, "desk_look_approve"), {"assignment": ticked}, follow=True)
    assert "2 approved; they are paid in a moment." in text_of(response)
    decisions = Assignment.objects.order_by("pk").values_list("decision", flat=True)
    assert list(decisions) == ["approve", "approve", ""]


def test_work_of_others_and_what_is_no_number_is_not_approved(
    desk: Client, waiting: list[Assignment], post: Any, send: Any
) -> None:
    other = send(post(), hold=NEW)
    given = {"assignment": [other.pk, "x", 10**30]}
    response = desk.post(of_worker(waiting, "desk_look_approve"), given, follow=True)
    assert "Nothing was ticked that still waits." in text_of(response)
    assert not Assignment.objects.exclude(decision="").exists()


def test_only_operators_look(client: Client, waiting: list[Assignment]) -> None:
    client.force_login(UserFactory.create(annotator=True))
    assert client.get(reverse("desk_look")).status_code == 403
    assert client.get(of_worker(waiting)).status_code == 403
    assert client.post(of_worker(waiting, "desk_look_approve")).status_code == 403


def test_a_kind_that_there_is_not_is_refused_in_words(desk: Client, waiting: list[Assignment]) -> None:
    assert waiting[0].worker is not None
    response = desk.get(reverse("desk_look_at", args=[waiting[0].worker.user_id, "essay"]))
    assert response.status_code == 400
    assert "is none of relation, entities" in text_of(response)
