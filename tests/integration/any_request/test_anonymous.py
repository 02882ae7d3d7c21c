"""While systems are anonymous, no address of the site names one, or its team, to whom it is not."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import CharField, F, Value
from django.db.models.functions import Cast, Concat
from django.test import Client
from django.utils import timezone

from annotations.models import Corpus, CorpusRole
from evaluation.models import Submission
from kbpo.accounts.models import Team
from tests import factories as make
from tests.integration.any_request.asking import ask, encoded, routes
from tests.integration.any_request.site import HIT_HOST, Site, is_of_hits

pytestmark = pytest.mark.django_db
NAME, TEAM = b"Zyxquark", b"Vebblethorpe"


@pytest.fixture
def veiled(site: Site):
    """Make every system of the site anonymous, with names that occur nowhere else."""
    with transaction.atomic():
        numbered = Cast(F("pk"), CharField())
        Submission.objects.update(
            name=Concat(Value(NAME.decode()), numbered),
            description=NAME.decode(),
            anonymous_until=timezone.now() + timedelta(days=9),
            alias=F("team_id"),
            alias_run=F("pk"),
        )
        Team.objects.update(name=Concat(Value(TEAM.decode()), numbered))
        yield site
        transaction.set_rollback(True)


def client_of(user) -> Client:
    client = Client(raise_request_exception=False)
    if user is not None:
        client.force_login(user)
    return client


def naming(site: Site, client: Client) -> set[str]:
    """Return the routes that say a name."""
    found = set()
    for name, _ in routes():
        if name.startswith("admin:"):
            continue
        headers = {"Host": HIT_HOST} if is_of_hits(name) else {}
        query = encoded(site.queries.get(name, {})).decode()
        answer = ask(client, "GET", f"{site.address(name)}?{query}", **headers)
        if NAME in answer.body or TEAM in answer.body:
            found.add(name)
    return found


@pytest.mark.slow
def test_no_address_names_an_anonymous_system_to_strangers(veiled):
    news = Corpus.objects.get(tag="news")
    strangers = {
        "visitor": None,
        "annotator": make.UserFactory.create(annotator=True),
        "desk": make.give(make.UserFactory.create(), news, *CorpusRole.Role.values),
    }
    for who, user in strangers.items():
        assert naming(veiled, client_of(user)) == set(), who


@pytest.mark.slow
def test_the_walk_comes_to_where_its_own_team_is_named(veiled):
    named = naming(veiled, client_of(veiled.people["member"]))
    assert {
        "corpus",
        "submission",
        "compare",
        "system",
        "document",
        "api_leaderboard",
        "api_submission",
    } <= named
