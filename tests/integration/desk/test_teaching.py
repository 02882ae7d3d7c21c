"""Opening a tutorial at the desk: what it costs is shown, then it is posted."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotations.models import Corpus
from crowd.models import HitBatch
from tests.integration.desk.conftest import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("account")]


@pytest.fixture
def wanted(corpus: Corpus) -> dict[str, str]:
    return {
        "corpus": corpus.tag,
        "kind": "relation",
        "provider": "marketplace",
        "places": "20",
        "lifetime_hours": "24",
    }


def test_its_price_is_shown_before_it_is_posted(desk: Client, wanted: dict[str, str], purse: Any) -> None:
    """A fee of 40% from ten workers on: 20 times $0.10 and $0.04, and $0.75 and $0.15 for each who passes."""
    text = text_of(desk.get(reverse("desk_tutorial"), wanted | {"reward_cents": "0.10"}))
    assert "$2.80 $20.80 in the end, if everybody passes" in text
    assert "Post it for $2.80" in text
    assert not HitBatch.objects.exists()


def test_left_empty_it_pays_what_six_minutes_are_worth(
    desk: Client, wanted: dict[str, str], purse: Any, settings: Any
) -> None:
    settings.CROWD_HOURLY_CENTS = 1500
    assert "$1.50 for taking it $15.00 an hour" in text_of(desk.get(reverse("desk_tutorial"), wanted))


def test_it_is_opened(desk: Client, wanted: dict[str, str], purse: Any) -> None:
    response = desk.post(reverse("desk_tutorial"), wanted | {"reward_cents": "0.10"}, follow=True)
    assert "The tutorial is open" in text_of(response)
    batch = HitBatch.objects.get()
    assert (batch.is_tutorial, batch.reward_cents, batch.hits.get().places) == (True, 10, 20)
    purse.refresh_from_db()
    assert purse.reserved_cents == 280


def test_what_no_budget_covers_says_so(desk: Client, wanted: dict[str, str]) -> None:
    assert "No budget matches" in text_of(desk.get(reverse("desk_tutorial"), wanted))
    response = desk.post(reverse("desk_tutorial"), wanted)
    assert response.status_code == 409
    assert not HitBatch.objects.exists()


@pytest.mark.parametrize("wrong", [{"places": "0"}, {"kind": "faces"}, {"corpus": "nowhere"}])
def test_what_makes_no_sense_is_refused_on_the_page(
    desk: Client, wanted: dict[str, str], wrong: dict[str, str]
) -> None:
    assert desk.get(reverse("desk_tutorial"), wanted | wrong).status_code == 400
