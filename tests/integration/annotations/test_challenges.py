"""Rules and terms, dates and phases, news of a corpus: who may write them, and what is kept of each."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from annotations.challenges import admission, dates, news, versions
from annotations.challenges.dates import PhaseDetails
from annotations.models import Corpus, CorpusPhase, CorpusRules, CorpusTerms, MovedDate
from kbpo import pipeline
from kbpo.accounts.mails import choices, kinds
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from kbpo.core.models import AuditEntry
from kbpo.pages import corpora as desk
from tests.factories import CorpusFactory, SubmissionFactory, TeamFactory, UserFactory, give

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def corpus() -> Corpus:
    return CorpusFactory.create(tag="news", name="News")


@pytest.fixture
def organiser(corpus):
    return give(UserFactory.create(), corpus, "organiser")


@pytest.fixture
def member():
    user = UserFactory.create()
    TeamFactory.create(members=[user])
    return user


def write(corpus, by, text="We are honest.", now=NOW):
    return versions.write_terms(corpus=corpus, text=text, by=by, now=now)


def accept(corpus, member, version=1):
    return versions.accept(corpus=corpus, version=version, team=member.teams.get(), by=member, now=NOW)


def add(corpus, by, name="development", start=NOW, end=NOW + DAY, **details):
    given = PhaseDetails(name, start, end, **details)
    return dates.add_phase(corpus=corpus, by=by, details=given, now=NOW)


def check(corpus, member, now=NOW):
    return admission.check(corpus=corpus, team=member.teams.get(), now=now)


def test_a_team_submits_once_it_has_accepted_the_terms(corpus, organiser, member):
    check(corpus, member)
    write(corpus, organiser)
    with pytest.raises(admission.TermsNotAccepted, match="version 1 of the terms of News"):
        check(corpus, member)
    accept(corpus, member)
    check(corpus, member)


def test_a_new_version_asks_again(corpus, organiser, member):
    write(corpus, organiser)
    accept(corpus, member)
    write(corpus, organiser, "We are honest, and cite.")
    with pytest.raises(admission.TermsNotAccepted):
        check(corpus, member)
    accept(corpus, member, 2)
    with pytest.raises(Conflict, match="already"):
        accept(corpus, member, 2)


def test_terms_that_are_taken_back_ask_nothing(corpus, organiser, member):
    write(corpus, organiser)
    write(corpus, organiser, "")
    check(corpus, member)
    with pytest.raises(Conflict, match="nothing to accept"):
        accept(corpus, member, 2)


def test_the_word_of_one_member_holds_for_the_team_and_says_whose_it_was(corpus, organiser, member):
    write(corpus, organiser)
    done = accept(corpus, member)
    assert (done.accepted_by, done.accepted_at, done.terms.version) == (member, NOW, 1)
    assert [*versions.may_accept(corpus, member)] == []


def test_nobody_accepts_for_a_team_that_is_not_theirs(corpus, organiser, member):
    write(corpus, organiser)
    operator = UserFactory.create(operator=True)
    with pytest.raises(NotAllowed, match="no member"):
        versions.accept(corpus=corpus, version=1, team=member.teams.get(), by=operator, now=NOW)


def test_a_version_that_holds_no_more_is_not_accepted(corpus, organiser, member):
    write(corpus, organiser)
    write(corpus, organiser, "Others.")
    with pytest.raises(Conflict, match="Version 2"):
        accept(corpus, member, 1)


def test_the_same_text_is_no_other_version(corpus, organiser):
    assert write(corpus, organiser) == write(corpus, organiser, " We are honest.\r\n")
    assert versions.write_rules(corpus=corpus, text="", by=organiser, now=NOW) is None


@pytest.mark.parametrize("model", [CorpusRules, CorpusTerms])
def test_a_version_stays_as_it_was_written(model, corpus, organiser):
    model.objects.create(corpus=corpus, version=1, text="a", written_by=organiser, written_at=NOW)
    with pytest.raises(IntegrityError, match="stays as it was"), transaction.atomic():
        model.objects.update(text="b")


def test_only_who_keeps_the_corpus_says_anything(corpus, member):
    for do in (
        lambda: write(corpus, member),
        lambda: versions.write_rules(corpus=corpus, text="a", by=member, now=NOW),
        lambda: add(corpus, member),
        lambda: news.publish(corpus=corpus, by=member, title="a", now=NOW),
    ):
        with pytest.raises(NotAllowed):
            do()


def test_phases_do_not_overlap_but_may_touch(corpus, organiser):
    add(corpus, organiser)
    add(corpus, organiser, "test", NOW + DAY, None)
    with pytest.raises(Conflict, match="overlaps with the phase 'development'"):
        add(corpus, organiser, "another", NOW - DAY, NOW + timedelta(microseconds=1))
    add(CorpusFactory.create(tag="other"), UserFactory.create(operator=True))


def test_the_database_keeps_phases_apart(corpus):
    CorpusPhase.objects.create(corpus=corpus, name="a", starts_at=NOW)
    with pytest.raises(IntegrityError, match="corpus_phases_apart"), transaction.atomic():
        CorpusPhase.objects.create(corpus=corpus, name="b", starts_at=NOW + DAY, ends_at=NOW + 2 * DAY)
    with pytest.raises(IntegrityError, match="corpus_phase_dates"), transaction.atomic():
        CorpusPhase.objects.create(corpus=corpus, name="b", starts_at=NOW - DAY, ends_at=NOW - DAY)


def test_the_phase_that_is_on_is_that_of_the_submission(corpus, organiser, member):
    first, second = add(corpus, organiser), add(corpus, organiser, "test", NOW + DAY, NOW + 2 * DAY)
    assert check(corpus, member, NOW + DAY - timedelta(microseconds=1)) == first
    assert check(corpus, member, NOW + DAY) == second


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (NOW - DAY, "not open for submissions yet: it opens on 23 Nov 2026, 12:00 UTC"),
        (NOW + DAY, "is closed for submissions since 24 Nov 2026, 12:00 UTC"),
    ],
    ids=["before", "at the end"],
)
def test_out_of_time_it_says_when_it_is_or_was_open(at, words, corpus, organiser, member):
    add(corpus, organiser)
    with pytest.raises(admission.NotOpen, match=words):
        check(corpus, member, at)


def test_dates_are_read_as_they_are_now_and_not_as_they_were_at_first(corpus, organiser, member):
    desk.change_details(corpus=corpus, by=organiser, details={"closes_at": NOW})
    corpus.closes_at = None  # as a page that was read before has it
    with pytest.raises(admission.NotOpen):
        check(corpus, member)


def test_a_date_that_is_moved_stands_beside_the_one_before(corpus, organiser):
    for at in (NOW, NOW + DAY):
        desk.change_details(corpus=corpus, by=organiser, details={"closes_at": at})
    phase = add(corpus, organiser)
    details = PhaseDetails("development", NOW, NOW + 2 * DAY)
    dates.change_phase(phase=phase, by=organiser, details=details, now=NOW)
    noted = MovedDate.objects.order_by("pk").values_list("which", "phase", "before", "after")
    assert [*noted] == [
        ("closes", "", None, NOW),
        ("closes", "", NOW, NOW + DAY),
        ("starts", "development", None, NOW),
        ("ends", "development", None, NOW + DAY),
        ("ends", "development", NOW + DAY, NOW + 2 * DAY),
    ]
    assert {*MovedDate.objects.values_list("moved_by", flat=True)} == {organiser.pk}


def test_a_change_of_the_name_alone_moves_no_date(corpus, organiser):
    desk.change_details(corpus=corpus, by=organiser, details={"name": "Other news"})
    assert not MovedDate.objects.exists()


def test_a_phase_in_which_something_was_submitted_stays(corpus, organiser):
    phase = add(corpus, organiser)
    SubmissionFactory.create(corpus=corpus, phase=phase)
    with pytest.raises(Conflict, match="it stays"):
        dates.remove_phase(phase=phase, by=organiser, now=NOW)
    empty = add(corpus, organiser, "test", NOW + DAY, None)
    dates.remove_phase(phase=empty, by=organiser, now=NOW)
    assert [*CorpusPhase.objects.all()] == [phase]


def test_a_submission_is_of_a_phase_of_its_own_corpus(corpus, organiser):
    other = SubmissionFactory.create(corpus=CorpusFactory.create(tag="other"))
    other.phase = add(corpus, organiser)
    other.save()
    with pytest.raises(IntegrityError, match="submission_phase_of_corpus"), transaction.atomic():
        connection.check_constraints()
    other.phase = None
    other.save()


@pytest.mark.parametrize(
    ("details", "where"),
    [
        ({"name": " "}, "name"),
        ({"end": NOW}, "ends_at"),
        ({"most_submissions": 1, "takes_submissions": False}, "most_submissions"),
    ],
    ids=["no name", "no time", "a limit of nothing"],
)
def test_a_phase_makes_sense(details, where, corpus, organiser):
    with pytest.raises(InvalidInput) as refused:
        add(corpus, organiser, **details)
    assert refused.value.where == where


def take_part(corpus, *users):
    SubmissionFactory.create(corpus=corpus, team=TeamFactory.create(members=users))


def publish(corpus, by, title="More data", **given):
    return news.publish(corpus=corpus, by=by, title=title, text="A hundred texts more.", now=NOW, **given)


def test_news_go_to_those_who_take_part_and_want_them(corpus, organiser, mailoutbox):
    wants, does_not, elsewhere = (UserFactory.create() for _ in range(3))
    take_part(corpus, wants, does_not)
    take_part(CorpusFactory.create(tag="other"), elsewhere)
    choices.choose(
        user=does_not, wanted=[kind.name for kind in choices.offered(does_not) if kind.name != kinds.NEWS]
    )
    post = publish(corpus, organiser)
    assert pipeline.mail_news() == 2
    post.refresh_from_db()
    assert (post.mailed_to, post.mailed_after) == (1, None)
    (message,) = mailoutbox
    assert (message.to, message.subject) == ([wants.email], "News: More data")
    assert "A hundred texts more." in message.body
    assert "/corpora/news/news/" in message.body


def test_who_accepted_the_terms_takes_part(corpus, organiser, member):
    write(corpus, organiser)
    accept(corpus, member)
    publish(corpus, organiser)
    assert pipeline.mail_news() == 1


def test_news_that_are_not_mailed_are_not(corpus, organiser, mailoutbox):
    take_part(corpus, UserFactory.create())
    publish(corpus, organiser, is_mailed=False)
    assert pipeline.mail_news() == 0
    assert mailoutbox == []


def test_a_page_that_is_sent_twice_publishes_and_mails_once(corpus, organiser, mailoutbox):
    take_part(corpus, UserFactory.create())
    publish(corpus, organiser)
    with pytest.raises(Conflict, match="already"):
        publish(corpus, organiser)
    pipeline.mail_news()
    assert len(mailoutbox) == 1


def test_news_go_out_a_few_people_at_a_time_and_to_each_once(corpus, organiser, mailoutbox, monkeypatch):
    monkeypatch.setattr(news, "AT_ONCE", 2)
    people = [UserFactory.create() for _ in range(5)]
    take_part(corpus, *people)
    take_part(corpus, people[0], people[4])  # in two teams: still once
    publish(corpus, organiser)
    assert [news.mail_next() for _ in range(4)] == [2, 2, 1, 0]
    assert sorted(message.to for message in mailoutbox) == sorted([one.email] for one in people)


def test_what_was_not_written_to_the_end_is_told_again_to_nobody_who_was_told(
    corpus, organiser, mailoutbox, monkeypatch
):
    monkeypatch.setattr(news, "AT_ONCE", 1)
    people = [UserFactory.create() for _ in range(2)]
    take_part(corpus, *people)
    publish(corpus, organiser)
    news.mail_next()
    with transaction.atomic():  # as one that is killed before it commits
        assert news.mail_next() == 1
        transaction.set_rollback(True)
    mailoutbox[1:] = []  # the outbox of tests is no table: what was rolled back stands in it
    assert pipeline.mail_news() == 1
    assert [message.to for message in mailoutbox] == [[one.email] for one in people]


def test_what_is_withdrawn_goes_to_nobody_further(corpus, organiser, mailoutbox, monkeypatch):
    monkeypatch.setattr(news, "AT_ONCE", 1)
    take_part(corpus, UserFactory.create(), UserFactory.create())
    post = publish(corpus, organiser)
    news.mail_next()
    news.withdraw(post=post, by=organiser, now=NOW + DAY)
    assert pipeline.mail_news() == 0
    assert len(mailoutbox) == 1


def test_a_withdrawn_post_is_shown_to_nobody(corpus, organiser):
    post = publish(corpus, organiser)
    news.withdraw(post=post, by=organiser, now=NOW + DAY)
    news.withdraw(post=post, by=organiser, now=NOW + DAY)
    assert not news.shown(corpus).exists()
    assert AuditEntry.objects.filter(after={"news": "withdrawn"}).count() == 1


@pytest.mark.parametrize("title", ["", "a\x07b", "x" * 151], ids=["none", "a bell", "too long"])
def test_news_have_a_title_that_prints(title, corpus, organiser):
    with pytest.raises(InvalidInput):
        publish(corpus, organiser, title)
