"""What the page to submit a system begins with: the corpus that one uses, and what is left of its quota."""

import re

import pytest
from django.utils import timezone

from evaluation.models import Submission
from tests.factories import CorpusFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
PAGE = "/submissions/new/"


@pytest.fixture
def other():
    """A corpus that is older, and one that is newer, than the one that is used."""
    return CorpusFactory(tag="newer", name="Newer", weekly_quota=9)


@pytest.fixture
def member(cast, sign_in, other):
    """Somebody whose last submission was to the cast's corpus; three may be judged there a week."""
    type(cast.corpus).objects.filter(pk=cast.corpus.pk).update(weekly_quota=3, weekly_quota_of_person=8)
    cast.submission(uploaded_by=cast.member, state="accepted")
    return sign_in(cast.member)


def chosen(page: str) -> list[str]:
    """Return the values that the page's choice of a corpus begins with."""
    select = re.search(r'<select name="corpus".*?</select>', page, re.DOTALL)
    assert select
    return re.findall(r'<option value="(\d*)"[^>]*\bselected', select[0])


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


@pytest.mark.parametrize("address", [PAGE, "/check/"])
def test_the_corpus_that_one_used_last_is_chosen(cast, member, other, address):
    assert chosen(member.get(address).content.decode()) == [str(cast.corpus.pk)]
    SubmissionFactory(corpus=other, uploaded_by=cast.member, team=cast.member.teams.get())
    assert chosen(member.get(address).content.decode()) == [str(other.pk)]


@pytest.mark.parametrize("address", [PAGE, "/check/"])
def test_the_corpus_that_a_link_names_is_chosen_all_the_same(member, other, address):
    assert chosen(member.get(f"{address}?corpus=newer").content.decode()) == [str(other.pk)]


def test_what_others_of_the_team_used_chooses_nothing(cast, sign_in, other):
    SubmissionFactory(corpus=other, uploaded_by=cast.people["operator"], team=cast.member.teams.get())
    assert str(other.pk) not in chosen(sign_in(cast.member).get(PAGE).content.decode())


def test_what_is_left_of_the_quota_stands_beside_the_corpus_that_is_chosen(cast, member):
    team = cast.member.teams.get()
    assert f"{team.name} on {cast.corpus.name}: 3 more of 3 a week" in words(
        member.get(PAGE).content.decode()
    )
    Submission.objects.update(state="judging", quota_taken_at=timezone.now())
    assert f"{team.name} on {cast.corpus.name}: 2 more of 3 a week" in words(
        member.get(PAGE).content.decode()
    )
    there = words(member.get(f"{PAGE}?corpus=newer").content.decode())
    assert f"{team.name} on Newer:" in there
    assert "of 3 a week" not in there


def test_a_quota_that_is_used_up_says_when_the_next_is_free(cast, member):
    type(cast.corpus).objects.filter(pk=cast.corpus.pk).update(weekly_quota=1)
    Submission.objects.update(state="judging", quota_taken_at=timezone.now())
    page = words(member.get(PAGE).content.decode())
    assert re.search(rf"on {cast.corpus.name}: none; the next from \d+ \w+, \d\d:\d\d UTC", page)
