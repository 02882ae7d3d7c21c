"""Organisers run a challenge at the desk."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from annotations.models import CorpusNews, CorpusPhase, CorpusTerms, MovedDate
from tests.factories import UserFactory, give
from tests.integration.desk.conftest import text_of

pytestmark = pytest.mark.django_db
PHASE = {
    "name": "test",
    "starts_at": "2026-12-01T12:00",
    "ends_at": "2026-12-08T12:00",
    "takes_submissions": "on",
}


@pytest.fixture
def organiser(corpus, client):
    user = give(UserFactory.create(), corpus, "organiser")
    client.force_login(user)
    return user


def act(client, corpus, action, **given):
    return client.post(reverse("desk_challenge_act", args=[corpus.tag, action]), given)


def page_of(client, corpus):
    return text_of(client.get(reverse("desk_challenge", args=[corpus.tag])))


def test_an_organiser_sets_and_moves_dates_in_utc(client, corpus, organiser):
    for day in ("01", "02"):
        assert act(client, corpus, "dates", opens_at="", closes_at=f"2026-12-{day}T12:00").status_code == 302
    corpus.refresh_from_db()
    assert corpus.closes_at == datetime(2026, 12, 2, 12, tzinfo=UTC)
    assert MovedDate.objects.count() == 2


def test_dates_that_make_no_sense_come_back_with_their_words(client, corpus, organiser):
    answer = act(client, corpus, "dates", opens_at="2026-12-02T12:00", closes_at="2026-12-01T12:00")
    assert answer.status_code == 400
    assert "It must close after it opens." in text_of(answer)
    assert "2026-12-02T12:00" in answer.content.decode()


def test_an_organiser_adds_changes_and_removes_a_phase(client, corpus, organiser):
    assert act(client, corpus, "phase", **PHASE).status_code == 302
    phase = CorpusPhase.objects.get()
    address = reverse("desk_phase", args=[corpus.tag, phase.pk])
    assert client.post(address, {**PHASE, "name": "final", "most_submissions": "2"}).status_code == 302
    phase.refresh_from_db()
    assert (phase.name, phase.most_submissions) == ("final", 2)
    assert client.post(address, {"remove": "1"}).status_code == 302
    assert not CorpusPhase.objects.exists()


def test_a_phase_that_overlaps_is_refused_where_it_was_typed(client, corpus, organiser):
    act(client, corpus, "phase", **PHASE)
    answer = act(client, corpus, "phase", **PHASE | {"name": "another"})
    assert answer.status_code == 409
    assert "It overlaps with the phase" in text_of(answer)
    assert 'value="another"' in answer.content.decode()


def test_a_phase_outside_of_the_dates_is_pointed_out(client, corpus, organiser):
    act(client, corpus, "phase", **PHASE)
    act(client, corpus, "dates", opens_at="", closes_at="2026-12-02T12:00")
    assert "test is partly outside of the dates above" in page_of(client, corpus)


def test_an_organiser_writes_rules_and_terms(client, corpus, organiser):
    for action in ("rules", "terms"):
        assert act(client, corpus, action, text="Be honest.").status_code == 302
    assert CorpusTerms.objects.get().written_by == organiser
    assert "0 teams accepted this version." in page_of(client, corpus)


def test_an_organiser_publishes_and_withdraws_news(client, corpus, organiser):
    assert act(client, corpus, "news", title="More data", is_mailed="on").status_code == 302
    post = CorpusNews.objects.get()
    assert client.post(reverse("desk_news_withdraw", args=[corpus.tag, post.pk])).status_code == 302
    assert "withdrawn" in page_of(client, corpus)


def test_who_has_another_role_changes_nothing_of_it(client, corpus):
    client.force_login(give(UserFactory.create(), corpus, "reviewer"))
    assert act(client, corpus, "rules", text="Mine.").status_code == 403


def test_there_is_no_other_action(client, corpus, organiser):
    assert act(client, corpus, "prizes").status_code == 404
