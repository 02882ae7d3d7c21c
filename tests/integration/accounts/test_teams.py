from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from kbpo.accounts import teams
from kbpo.accounts.models import Invitation, Team
from kbpo.core import rate_limits
from kbpo.core.errors import Conflict, Gone, InvalidInput, NotAllowed
from kbpo.core.rate_limits import INVITATION_MAILS
from tests.factories import TeamFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return UserFactory(email="ann@example.org")


def test_who_makes_a_team_is_its_first_member(ann):
    team = teams.create_team(user=ann, name="  Blue   Team ")
    assert (team.name, list(team.members.all())) == ("Blue Team", [ann])


@pytest.mark.parametrize("name", ["", "   ", "x" * 101])
def test_a_team_needs_a_name_that_fits(ann, name):
    with pytest.raises(InvalidInput, match="1 to 100 characters"):
        teams.create_team(user=ann, name=name)


def test_two_teams_never_differ_in_case_alone(ann):
    TeamFactory(name="Blue")
    with pytest.raises(InvalidInput, match="choose another name"):
        teams.create_team(user=ann, name="BLUE")


@pytest.mark.parametrize("name", ["Wr\u0435n", "\uff37ren", "wren"])
def test_two_teams_never_look_alike(ann, name):
    teams.create_team(user=ann, name="Wren")
    with pytest.raises(InvalidInput, match="There is a team “Wren” already"):
        teams.create_team(user=ann, name=name)
    if name != "wren":
        with pytest.raises(InvalidInput, match="looks like “Wren”"):
            teams.find_or_create_team(name=name)
    assert Team.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_teams_that_look_alike_and_are_made_at_once_one_is_made():
    def make(name):
        try:
            teams.create_team(user=people[name], name=name)
        except InvalidInput:
            return False
        finally:
            connection.close()
        return True

    people = {name: UserFactory.create() for name in ("Wren", "Wr\u0435n")}
    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(make, people)) == [False, True]


def test_somebody_invited_joins_by_accepting_whatever_the_case_of_the_address(ann):
    team = TeamFactory(members=[ann])
    ben = UserFactory(email="ben@example.org")
    invitation = teams.invite(user=ann, team=team, email=" Ben@Example.org ")
    assert set(team.members.all()) == {ann}
    assert list(teams.invitations(user=ben)) == [invitation]
    teams.accept(user=ben, invitation=invitation)
    assert set(team.members.all()) == {ann, ben}
    assert not teams.invitations(user=ben).exists()


def test_inviting_twice_is_one_invitation(ann):
    team = TeamFactory(members=[ann])
    first = teams.invite(user=ann, team=team, email="ben@example.org")
    assert teams.invite(user=ann, team=team, email="BEN@example.org") == first


def test_inviting_says_nothing_about_who_has_an_account(ann, client):
    UserFactory(email="ben@example.org")
    team = TeamFactory(members=[ann])
    client.force_login(ann)
    for address in ("ben@example.org", "nobody@example.org"):
        page = client.post(f"/teams/{team.pk}/", {"email": address}, follow=True).content.decode()
        assert f"{address} is invited" in page


def test_a_member_is_not_invited(ann):
    with pytest.raises(InvalidInput, match="is a member"):
        teams.invite(user=ann, team=TeamFactory(members=[ann]), email=ann.email)


def test_only_members_invite(ann):
    with pytest.raises(NotAllowed):
        teams.invite(user=ann, team=TeamFactory(), email=ann.email)


def test_nobody_accepts_for_somebody_else(ann):
    team = TeamFactory(members=[ann])
    invitation = teams.invite(user=ann, team=team, email="ben@example.org")
    with pytest.raises(NotAllowed):
        teams.accept(user=ann, invitation=invitation)


def test_an_invitation_is_answered_on_the_page_by_whom_it_is_for(ann, client):
    team = TeamFactory(name="Wren", members=[ann])
    ben, stranger = UserFactory(email="ben@example.org"), UserFactory()
    invitation = teams.invite(user=ann, team=team, email=ben.email)
    client.force_login(stranger)
    assert client.post(f"/teams/invitations/{invitation.pk}/", {"answer": "accept"}).status_code == 404
    client.force_login(ben)
    assert "invites you to join" in client.get("/teams/").content.decode()
    client.post(f"/teams/invitations/{invitation.pk}/", {"answer": "accept"})
    assert ben in team.members.all()


def test_a_member_takes_an_invitation_back(ann, client):
    team = TeamFactory(members=[ann])
    invitation = teams.invite(user=ann, team=team, email="ben@example.org")
    client.force_login(ann)
    client.post(f"/teams/invitations/{invitation.pk}/", {"answer": "decline"})
    assert not team.invitations.exists()


def test_a_member_may_leave(ann):
    team = TeamFactory(members=[ann, UserFactory()])
    teams.leave_team(user=ann, team=team)
    assert not team.members.filter(pk=ann.pk).exists()


def test_the_last_member_stays(ann):
    with pytest.raises(Conflict):
        teams.leave_team(user=ann, team=TeamFactory(members=[ann]))


def test_a_name_can_be_changed(ann):
    teams.rename_user(user=ann, name=" Ann  Quill ")
    ann.refresh_from_db()
    assert ann.name == "Ann Quill"


@pytest.mark.parametrize("address", ["/teams/", "/teams/1/"])
def test_visitors_sign_in_first(client, address):
    assert client.get(address).url == f"/accounts/login/?next={address}"


def test_another_teams_page_is_not_found(ann, client):
    client.force_login(ann)
    assert client.get(f"/teams/{TeamFactory().pk}/").status_code == 404


def test_a_team_is_made_on_its_page(ann, client):
    client.force_login(ann)
    client.post("/teams/new/", {"team-name": "Blue"})
    assert Team.objects.get().name == "Blue"


def test_a_taken_name_is_refused_where_it_was_typed(ann, client):
    TeamFactory(name="Blue")
    client.force_login(ann)
    answer = client.post("/teams/new/", {"team-name": "blue"})
    assert answer.status_code == 400
    assert "choose another name" in answer.content.decode()


def test_the_last_member_is_told_why_they_stay(ann, client):
    team = TeamFactory(members=[ann])
    client.force_login(ann)
    answer = client.post(f"/teams/{team.pk}/leave/")
    assert answer.status_code == 409
    assert "have somebody else join before you leave" in answer.content.decode()


def test_teams_are_listed_with_few_queries(ann, client, django_assert_max_num_queries):
    for _ in range(5):
        TeamFactory(members=[ann, UserFactory()])
    client.force_login(ann)
    with django_assert_max_num_queries(5):
        client.get("/teams/")


def test_sign_up_asks_for_a_confirmed_address(client, mailoutbox):
    fields = {
        "email": "new@example.org",
        "password1": "a long pass phrase",
        "password2": "a long pass phrase",
    }
    answer = client.post("/accounts/signup/", fields, follow=True)
    assert "Check your email" in answer.content.decode()
    assert mailoutbox[0].to == ["new@example.org"]


@pytest.mark.parametrize(
    "address",
    ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/", "/accounts/confirm-email/"],
)
def test_the_sign_in_pages_are_of_one_piece_with_the_rest(client, address):
    page = client.get(address).content.decode()
    assert 'class="masthead"' in page
    assert "<style" not in page


@pytest.mark.parametrize("address", ["/accounts/email/", "/accounts/password/change/", "/accounts/logout/"])
def test_the_account_pages_are_too(ann, client, address):
    client.force_login(ann)
    assert 'class="masthead"' in client.get(address).content.decode()


def test_the_command_line_finds_a_team_whatever_the_case():
    team = TeamFactory(name="Blue Team")
    assert teams.find_or_create_team(name=" blue  team") == team


def test_the_command_line_makes_a_team_that_is_missing():
    assert teams.find_or_create_team(name="Blue").members.count() == 0


@pytest.mark.parametrize("name", ["", "x" * 101])
def test_the_command_line_makes_no_team_with_a_name_that_does_not_fit(name):
    with pytest.raises(InvalidInput, match="1 to 100 characters"):
        teams.find_or_create_team(name=name)


def test_a_person_is_in_five_teams_at_most(ann):
    for number in range(teams.MOST_TEAMS):
        teams.create_team(user=ann, name=f"Mine {number}")
    with pytest.raises(Conflict, match="You are in 5 teams"):
        teams.create_team(user=ann, name="One more")
    team = TeamFactory(members=[UserFactory()])
    invitation = teams.invite(user=team.members.get(), team=team, email=ann.email)
    with pytest.raises(Conflict, match="You are in 5 teams"):
        teams.accept(user=ann, invitation=invitation)


def test_a_person_has_no_more_invitations_open_than_may_be(ann, monkeypatch):
    monkeypatch.setattr(teams, "MOST_INVITATIONS", 2)
    one, other = (TeamFactory(members=[ann]) for _ in range(2))
    teams.invite(user=ann, team=one, email="a@example.org")
    kept = teams.invite(user=ann, team=other, email="b@example.org")
    with pytest.raises(Conflict, match="take one back first"):
        teams.invite(user=ann, team=other, email="c@example.org")
    assert teams.invite(user=ann, team=other, email="B@example.org") == kept
    teams.decline(user=ann, invitation=kept)
    assert teams.invite(user=ann, team=other, email="c@example.org")


def test_operators_alone_approve_teams(ann):
    team = TeamFactory(members=[ann])
    with pytest.raises(NotAllowed):
        teams.approve_team(user=ann, team=team)
    assert list(teams.waiting_for_approval()) == [team]
    teams.approve_team(user=UserFactory(is_operator=True), team=team)
    assert not teams.waiting_for_approval()


def test_operators_approve_on_a_page(client, ann, settings):
    settings.TEAMS_NEED_APPROVAL = True
    team = TeamFactory(members=[ann])
    client.force_login(ann)
    assert client.get("/teams/waiting/").status_code == 403
    assert client.post(f"/teams/{team.pk}/approve/").status_code == 403
    assert "An operator has to approve" in client.get(f"/teams/{team.pk}/").content.decode()
    client.force_login(UserFactory(is_operator=True))
    assert ann.email in client.get("/teams/waiting/").content.decode()
    client.post(f"/teams/{team.pk}/approve/")
    team.refresh_from_db()
    assert team.approved_at
    assert "No team waits." in client.get("/teams/waiting/").content.decode()


def mails_to(mailoutbox, email):
    return sum(email in mail.to for mail in mailoutbox)


def test_nobody_fills_a_mailbox_by_inviting_and_taking_back(ann, mailoutbox):
    team = TeamFactory(members=[ann])
    for _ in range(5):
        invitation = teams.invite(user=ann, team=team, email="ben@example.org")
        teams.decline(user=ann, invitation=invitation)
    assert mails_to(mailoutbox, "ben@example.org") == 1


def test_many_teams_together_send_somebody_few_mails_and_the_invitations_are_all_there(mailoutbox):
    number = INVITATION_MAILS.amount + 2
    for inviter in UserFactory.create_batch(number):
        teams.invite(user=inviter, team=TeamFactory(members=[inviter]), email="ben@example.org")
    assert mails_to(mailoutbox, "ben@example.org") == INVITATION_MAILS.amount
    assert teams.invitations(user=UserFactory(email="ben@example.org")).count() == number


def test_who_invites_too_often_in_a_day_is_told_when_to_come_again(ann, client, monkeypatch):
    monkeypatch.setattr(rate_limits, "INVITATIONS", replace(rate_limits.INVITATIONS, amount=1))
    team = TeamFactory(members=[ann])
    client.force_login(ann)
    first = client.post(f"/teams/{team.pk}/", {"email": "one@example.org"})
    client.post(f"/teams/invitations/{team.invitations.get().pk}/", {"answer": "decline"})
    refusal = client.post(f"/teams/{team.pk}/", {"email": "two@example.org"})
    assert (first.status_code, refusal.status_code) == (302, 429)
    assert "Too many invitations from you" in refusal.content.decode()
    assert not team.invitations.exists()


def test_an_invitation_ends_after_two_weeks(ann):
    team, ben = TeamFactory(members=[ann]), UserFactory(email="ben@example.org")
    invitation = teams.invite(user=ann, team=team, email=ben.email)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert not teams.invitations(user=ben).exists()
    with pytest.raises(Gone, match="does not stand any more"):
        teams.accept(user=ben, invitation=invitation)


def test_who_was_invited_once_may_be_invited_again_when_that_has_ended(ann):
    team, ben = TeamFactory(members=[ann]), UserFactory(email="ben@example.org")
    teams.invite(user=ann, team=team, email=ben.email)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    again = teams.invite(user=ann, team=team, email=ben.email)
    assert list(teams.invitations(user=ben)) == [again]


def test_an_invitation_is_used_once(ann):
    team, ben = TeamFactory(members=[ann]), UserFactory(email="ben@example.org")
    invitation = teams.invite(user=ann, team=team, email=ben.email)
    used = Invitation.objects.get(pk=invitation.pk)
    teams.accept(user=ben, invitation=invitation)
    teams.leave_team(user=ben, team=team)
    with pytest.raises(Gone):
        teams.accept(user=ben, invitation=used)


def test_invitations_that_have_ended_are_deleted(ann):
    teams.invite(user=ann, team=TeamFactory(members=[ann]), email="ben@example.org")
    assert teams.sweep(now=timezone.now()) == 0
    assert teams.sweep(now=timezone.now() + teams.STANDS) == 1


def test_who_makes_a_team_goes_on_to_where_they_came_from(ann, client):
    client.force_login(ann)
    response = client.post("/teams/new/", {"team-name": "Wren", "next": "/submissions/new/?corpus=news"})
    assert response.headers["Location"] == "/submissions/new/?corpus=news"


def test_making_a_team_leads_to_no_other_site(ann, client):
    client.force_login(ann)
    response = client.post("/teams/new/", {"team-name": "Wren", "next": "//evil.example/"})
    assert response.headers["Location"] == f"/teams/{Team.objects.get().pk}/"


def test_who_joins_goes_on_to_where_they_came_from(ann, client):
    ben = UserFactory(email="ben@example.org")
    invitation = teams.invite(user=ann, team=TeamFactory(members=[ann]), email=ben.email)
    client.force_login(ben)
    form = {"answer": "accept", "next": "/submissions/new/"}
    response = client.post(f"/teams/invitations/{invitation.pk}/", form)
    assert response.headers["Location"] == "/submissions/new/"
