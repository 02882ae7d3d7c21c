"""Submitting to a challenge, and what its pages say to who takes part."""

import re
import xml.etree.ElementTree as ElementTree
from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse

from annotations.challenges import admission, dates, news, versions
from annotations.challenges.dates import PhaseDetails
from annotations.models import Corpus
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Submission
from evaluation.submissions import quota, submitting
from evaluation.submissions.lifecycle import give_go_ahead
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.pages import corpora as desk
from tests.factories import CorpusFactory, SubmissionFactory, TeamFactory, UserFactory
from tests.integration.desk import conftest as pages

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
DAY, TICK = timedelta(days=1), timedelta(microseconds=1)


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.KBPO_HOME = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def corpus(db) -> Corpus:
    return CorpusFactory.create(tag="news", name="News", contact="ada@example.org")


@pytest.fixture
def operator(db):
    return UserFactory.create(operator=True)


@pytest.fixture
def member(db):
    user = UserFactory.create()
    TeamFactory.create(name="Alpha", members=[user])
    return user


def text_of(response):
    """Return a page's words as one reads them, without blanks around links."""
    return re.sub(r"\( ", "(", re.sub(r" (?=[.,;:)])", "", pages.text_of(response)))


def submit(corpus, user, name="run", now=NOW):
    return submitting.upload(
        user=user,
        team=user.teams.get(),
        corpus=corpus,
        task=KBP,
        name=name,
        format="tac2016",
        file=SimpleUploadedFile("a.kb", f"{name}\n".encode()),
        now=now,
    )


def add(corpus, by, name="test", start=NOW, end=NOW + DAY, **details):
    given = PhaseDetails(name, start, end, **details)
    return dates.add_phase(corpus=corpus, by=by, details=given, now=NOW)


def close(corpus, by, at):
    desk.change_details(corpus=corpus, by=by, details={"closes_at": at})


def test_the_last_moment_is_in_time_and_the_closing_is_not(corpus, operator, member):
    close(corpus, operator, NOW)
    made = submit(corpus, member, now=NOW - TICK)
    assert made.uploaded_at == NOW - TICK
    with pytest.raises(admission.NotOpen):
        submit(corpus, member, "late", now=NOW)


def test_what_was_submitted_in_time_goes_on_after_the_closing(corpus, operator, member):
    made = submit(corpus, member)
    Submission.objects.filter(pk=made.pk).update(state=Submission.State.ACCEPTED)
    close(corpus, operator, NOW - DAY)
    versions.write_terms(corpus=corpus, text="Others.", by=operator, now=NOW)
    submitting.read_submission(submission_id=made.pk, task=KBP)
    give_go_ahead(submission=made, user=member)
    made.refresh_from_db()
    assert made.go_ahead


def test_a_submission_is_of_the_phase_in_which_it_came_in(corpus, operator, member):
    phase = add(corpus, operator)
    assert submit(corpus, member).phase == phase


def test_a_submission_says_in_which_phase_it_came_in(corpus, operator, member, client):
    before = submit(corpus, member, "early")
    add(corpus, operator)
    within = submit(corpus, member, "late")
    client.force_login(member)
    assert "submitted in test" in text_of(client.get(f"/submissions/{within.pk}/"))
    assert "submitted in" not in text_of(client.get(f"/submissions/{before.pk}/"))
    listed = client.get("/api/v1/submissions/").json()["results"]
    assert {one["name"]: one["phase"] for one in listed} == {"early": "", "late": "test"}
    assert client.get(f"/api/v1/submissions/{within.pk}/").json()["phase"] == "test"


def test_a_team_submits_in_a_phase_as_often_as_it_may(corpus, operator, member):
    phase = add(corpus, operator, most_submissions=2)
    first = submit(corpus, member, "first")
    submit(corpus, member, "second")
    with pytest.raises(quota.PhaseFull, match="2 systems in the phase 'test'"):
        submit(corpus, member, "third")
    Submission.objects.filter(pk=first.pk).update(state=Submission.State.REFUSED)
    submit(corpus, member, "third")
    left = quota.left_in_phase(corpus=corpus, teams=member.teams.all(), now=NOW)
    assert left == [(member.teams.get(), 0, 2)]
    assert phase.submissions.count() == 3


def test_the_weekly_quota_of_another_team_does_not_count_in_a_phase(corpus, operator, member):
    add(corpus, operator, most_submissions=1)
    other = UserFactory.create()
    TeamFactory.create(members=[other])
    submit(corpus, other)
    submit(corpus, member)


@pytest.mark.django_db(transaction=True)
def test_two_submissions_at_once_do_not_both_take_the_last_place(corpus, operator, member):
    add(corpus, operator, most_submissions=1)
    refused = []

    def hand_in(name: str) -> None:
        try:
            submit(corpus, member, name)
        except Conflict as error:
            refused.append(type(error))
        finally:
            connection.close()

    threads = [Thread(target=hand_in, args=(name,)) for name in ("a", "b")]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert refused == [quota.PhaseFull]
    assert Submission.objects.count() == 1


def test_a_submission_asks_five_queries_more_however_many_there_are(
    corpus, operator, member, django_assert_max_num_queries
):
    add(corpus, operator, most_submissions=1_000)
    versions.write_terms(corpus=corpus, text="Be honest.", by=operator, now=NOW)
    team = member.teams.get()
    versions.accept(corpus=corpus, version=1, team=team, by=member, now=NOW)
    for _ in range(5):
        SubmissionFactory.create(corpus=corpus, team=team)
    with django_assert_max_num_queries(5):
        admission.check(corpus=corpus, team=team, now=NOW)


def test_the_page_of_a_corpus_without_a_challenge_says_nothing_of_it(client, corpus):
    page = text_of(client.get(reverse("corpus", args=["news"])))
    assert "Open for submissions" not in page
    assert "no closing date" in text_of(client.get(reverse("rules", args=["news"])))


def test_the_page_of_a_corpus_says_when_it_closes(client, corpus, operator, time_machine_now):
    close(corpus, operator, time_machine_now + 3 * DAY + TICK)
    page = text_of(client.get(reverse("corpus", args=["news"])))
    assert "Open for submissions. Closes in 3 days (26 Nov 2026, 12:00 UTC)." in page


@pytest.fixture
def time_machine_now(monkeypatch):
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOW)
    return NOW


def test_a_board_that_was_kept_is_sent_anew_once_the_corpus_closes(client, corpus, operator):
    address = reverse("corpus", args=["news"])
    etag = client.get(address).headers["ETag"]
    close(corpus, operator, LONG_AGO)
    assert client.get(address, headers={"If-None-Match": etag}).status_code == 200


def test_a_date_that_was_moved_is_shown_with_the_one_before(client, corpus, operator):
    for at in (NOW, NOW + DAY):
        close(corpus, operator, at)
    page = text_of(client.get(reverse("rules", args=["news"])))
    assert "The closing was 23 Nov 2026, 12:00 UTC, and was moved to 24 Nov 2026, 12:00 UTC" in page


def test_rules_are_shown_as_text_alone(client, corpus, operator):
    given = "<script>alert(1)</script> https://example.org"
    versions.write_rules(corpus=corpus, text=given, by=operator, now=NOW)
    page = client.get(reverse("rules", args=["news"])).content.decode()
    assert "&lt;script&gt;" in page
    assert '<a href="https://example.org" rel="nofollow">' in page


def test_a_member_accepts_terms_on_the_page_and_comes_back(client, corpus, operator, member):
    versions.write_terms(corpus=corpus, text="Be honest.", by=operator, now=NOW)
    client.force_login(member)
    upload = f"{reverse('upload')}?corpus=news"
    assert "Alpha has not accepted the terms of News" in text_of(client.get(upload))
    given = {"version": 1, "team": member.teams.get().pk, "sure": "on", "next": upload}
    answer = client.post(reverse("terms_accept", args=["news"]), given)
    assert (answer.status_code, answer["Location"]) == (302, upload)
    assert "has not accepted" not in text_of(client.get(upload))


def test_nobody_is_led_away_from_the_site(client, corpus, operator, member):
    versions.write_terms(corpus=corpus, text="Be honest.", by=operator, now=NOW)
    client.force_login(member)
    given = {"version": 1, "team": member.teams.get().pk, "sure": "on", "next": "https://evil.example/"}
    answer = client.post(reverse("terms_accept", args=["news"]), given)
    assert answer["Location"] == f"{reverse('rules', args=['news'])}#terms"


def test_terms_that_were_changed_meanwhile_are_read_again(client, corpus, operator, member):
    for text in ("Be honest.", "Be honest, and cite."):
        versions.write_terms(corpus=corpus, text=text, by=operator, now=NOW)
    client.force_login(member)
    given = {"version": 1, "team": member.teams.get().pk, "sure": "on"}
    answer = client.post(reverse("terms_accept", args=["news"]), given)
    assert answer.status_code == 409
    assert "Version 2 of the terms holds by now" in text_of(answer)


def test_the_form_for_a_closed_corpus_says_so_before_anything_is_sent(client, corpus, operator, member):
    close(corpus, operator, LONG_AGO)
    client.force_login(member)
    page = text_of(client.get(f"{reverse('upload')}?corpus=news"))
    assert "News: Closed for submissions. Since 1 Jan 2000, 00:00 UTC." in page


def test_the_list_of_corpora_says_which_are_closed(client, corpus, operator):
    CorpusFactory.create(tag="open")
    close(corpus, operator, LONG_AGO)
    assert "News · knowledge base population · closed" in text_of(client.get(reverse("leaderboard")))


def test_news_are_on_a_page_and_in_a_feed(client, corpus, operator):
    post = news.publish(corpus=corpus, by=operator, title="A < B", text="More.", now=NOW)
    assert "A &lt; B" in text_of(client.get(reverse("corpus", args=["news"])))
    assert "More." in text_of(client.get(reverse("news", args=["news"])))
    feed = client.get(reverse("news_feed", args=["news"]))
    assert feed["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert b"A &lt; B" in feed.content
    assert f"/corpora/news/news/#news-{post.pk}".encode() in feed.content
    assert b"2026-11-23T12:00:00+00:00" in feed.content
    news.withdraw(post=post, by=operator, now=NOW)
    assert b"<entry>" not in client.get(reverse("news_feed", args=["news"])).content


@pytest.mark.parametrize("character", [*"\x08\x0b\x0c\x1b", "\ufffe", "\ud800"])
def test_news_that_xml_cannot_hold_are_refused_with_the_place(client, corpus, operator, character):
    text = f"First line{character}second line"
    with pytest.raises(InvalidInput, match=r'remove the character U\+.* at line 1, after "First line"'):
        news.publish(corpus=corpus, by=operator, title="News", text=text, now=NOW)
    ElementTree.fromstring(client.get(reverse("news_feed", args=["news"])).content)


def test_whom_to_ask_stands_on_the_page_of_the_corpus_and_in_the_api(client, corpus):
    assert "Questions: ada@example.org" in text_of(client.get("/corpora/news/"))
    assert 'href="mailto:ada@example.org"' in client.get("/corpora/news/").content.decode()
    assert client.get("/api/v1/corpora/news/").json()["contact"] == "ada@example.org"
    Corpus.objects.update(contact="https://example.org/news")
    assert 'href="https://example.org/news"' in client.get("/corpora/news/").content.decode()
    Corpus.objects.update(contact="")
    assert "Questions:" not in text_of(client.get("/corpora/news/"))
