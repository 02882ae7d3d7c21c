"""What everybody sees of a team, and of where a system's paper and code are."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from evaluation.models import Submission
from evaluation.submissions import links
from evaluation.submissions.links import Links
from kbpo.core.errors import Conflict, NotAllowed
from tests.factories import SampleBatchFactory, ScoreFactory

pytestmark = pytest.mark.django_db
PAPER = "https://example.org/paper.pdf"


@pytest.fixture
def scored(cast) -> Submission:
    batch = SampleBatchFactory(submission=cast.submission(state="scored", name="Finder"))
    ScoreFactory(batch=batch)
    return batch.submission


def test_a_teams_page_has_its_systems_with_what_they_are_ranked_by(client, scored):
    page = client.get(f"/teams/{scored.team.pk}/public/").content.decode()
    assert "Finder" in page
    assert "48.0" in page
    assert "42.0 to 54.0" in page


def test_a_team_with_nothing_published_has_no_page(client, cast):
    submission = cast.submission(state="scored", is_public=False)
    assert client.get(f"/teams/{submission.team.pk}/public/").status_code == 404


@pytest.mark.parametrize("page", ["/submissions/{pk}/", "/corpora/{tag}/systems/{pk}/"])
@pytest.mark.parametrize("person", ["team", "operator", "other team", "visitor"])
def test_an_anonymous_system_leads_nobody_to_its_teams_page(person, page, client, cast, scored):
    later = timezone.now() + timedelta(days=30)
    Submission.objects.filter(pk=scored.pk).update(anonymous_until=later, alias=100, alias_run=1)
    address, lead = page.format(pk=scored.pk, tag=scored.corpus.tag), f"/teams/{scored.team.pk}/public/"
    if (user := cast.people[person]) is not None:
        client.force_login(user)
    assert lead not in client.get(address).content.decode()
    Submission.objects.filter(pk=scored.pk).update(anonymous_until=timezone.now() - timedelta(seconds=1))
    assert lead in client.get(address).content.decode()
    assert client.get(lead).status_code == 200


def test_a_hidden_system_is_not_on_its_teams_page(client, cast, scored):
    cast.submission(state="scored", name="Secret", is_public=False)
    client.force_login(cast.member)
    assert "Secret" not in client.get(f"/teams/{scored.team.pk}/public/").content.decode()


def test_members_are_named_only_if_they_want_and_never_by_their_address(client, cast, scored):
    cast.member.name = "Ada Quill"
    cast.member.save()
    address = f"/teams/{scored.team.pk}/public/"
    assert "Ada Quill" not in client.get(address).content.decode()
    client.force_login(cast.member)
    client.post(f"/teams/{scored.team.pk}/shown/", {"shown": "yes"})
    client.logout()
    page = client.get(address).content.decode()
    assert "Ada Quill" in page
    assert cast.member.email not in page


def test_who_has_no_name_is_asked_for_one_first(client, cast, scored):
    cast.member.name = ""
    cast.member.save()
    client.force_login(cast.member)
    client.post(f"/teams/{scored.team.pk}/shown/", {"shown": "yes"})
    assert not cast.member.memberships.get().is_shown


def test_a_team_says_later_where_its_paper_is_and_everybody_is_led_there(client, cast, scored):
    client.force_login(cast.member)
    client.post(f"/submissions/{scored.pk}/links/", {"paper_url": PAPER, "code_url": ""})
    client.logout()
    page = " ".join(client.get(f"/submissions/{scored.pk}/").content.decode().split())
    assert f'<a href="{PAPER}" rel="nofollow noopener">Paper</a>' in page
    assert client.get(f"/api/v1/submissions/{scored.pk}/").json()["paper_url"] == PAPER


def test_an_address_that_is_not_https_comes_back_to_be_mended(client, cast, scored):
    client.force_login(cast.member)
    form = {"paper_url": "http://example.org/", "code_url": ""}
    response = client.post(f"/submissions/{scored.pk}/links/", form)
    assert response.status_code == 400
    assert "is to be like https://example.org/page" in response.content.decode()


def test_nobody_else_changes_a_teams_addresses(cast, scored):
    with pytest.raises(NotAllowed):
        links.set_links(submission=scored, user=cast.people["other team"], links=Links(PAPER, ""))


def test_a_withdrawn_system_keeps_its_addresses(cast):
    submission = cast.submission(state="withdrawn")
    with pytest.raises(Conflict):
        links.set_links(submission=submission, user=cast.member, links=Links(PAPER, ""))


def test_the_database_keeps_no_address_that_is_not_https(scored):
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.update(code_url="javascript:alert(1)")
