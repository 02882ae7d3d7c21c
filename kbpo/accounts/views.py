"""You and your teams."""

from typing import cast

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from kbpo.accounts import sessions, teams
from kbpo.accounts.forms import MemberForm, NameForm, TeamForm
from kbpo.accounts.models import Invitation, Membership, Team, User
from kbpo.core.addresses import local_path
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed


@login_required
@require_safe
def my_teams(request: HttpRequest) -> HttpResponse:
    """Show the signed-in person's name and teams."""
    user = cast(User, request.user)
    return _my_teams(request, NameForm(initial={"name": user.name}), TeamForm(prefix="team"))


@login_required
@require_POST
def rename(request: HttpRequest) -> HttpResponse:
    """Change the signed-in person's name."""
    form = NameForm(request.POST)
    if not form.is_valid():
        return _my_teams(request, form, TeamForm(prefix="team"), status=400)
    teams.rename_user(user=cast(User, request.user), name=form.cleaned_data["name"])
    messages.success(request, "Your name is saved.")
    return redirect("teams")


@login_required
@require_POST
def create(request: HttpRequest) -> HttpResponse:
    """Make a team."""
    user = cast(User, request.user)
    form = TeamForm(request.POST, prefix="team")
    if form.is_valid():
        try:
            team = teams.create_team(user=user, name=form.cleaned_data["name"])
        except (InvalidInput, Conflict) as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, f"{team} is made, and you are its first member.")
            return redirect(local_path(request.POST.get("next")) or team_page(team))
    return _my_teams(request, NameForm(initial={"name": user.name}), form, status=400)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a team to its members, and invite somebody."""
    user = cast(User, request.user)
    found = get_object_or_404(user.teams, pk=pk)
    form = MemberForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            invitation = teams.invite(user=user, team=found, email=form.cleaned_data["email"])
        except (InvalidInput, Conflict) as error:
            form.add_error("email", str(error))
        else:
            words = f"{invitation.email} is invited: they join by accepting, under “You and your teams”."
            messages.success(request, words)
            return redirect("team", found.pk)
    members = found.memberships.select_related("user").order_by("joined_at", "pk")
    context = {
        "team": found,
        "memberships": members,
        "invitations": teams.standing(now=timezone.now()).filter(team=found),
        "own": next((one for one in members if one.user_id == user.pk), None),
        "form": form,
        "waits": settings.TEAMS_NEED_APPROVAL and found.approved_at is None,
    }
    return render(request, "accounts/team.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def show(request: HttpRequest, pk: int) -> HttpResponse:
    """Have the team's public page name the signed-in person, or not."""
    user = cast(User, request.user)
    found = get_object_or_404(user.teams, pk=pk)
    is_shown = request.POST.get("shown") == "yes"
    if is_shown and not user.name:
        messages.warning(request, "Give yourself a name first: your email address is never shown.")
        return redirect("teams")
    teams.show_membership(user=user, team=found, is_shown=is_shown)
    words = (
        f"The public page of {found} names you."
        if is_shown
        else f"The public page of {found} does not name you."
    )
    messages.success(request, words)
    return redirect("team", found.pk)


@login_required
@require_POST
def leave(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the signed-in person out of a team."""
    user = cast(User, request.user)
    found = get_object_or_404(user.teams, pk=pk)
    teams.leave_team(user=user, team=found)
    messages.success(request, f"You have left {found}.")
    return redirect("teams")


@login_required
@require_POST
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept an invitation, decline it, or, as a member, take it back."""
    user = cast(User, request.user)
    mine = Q(email__iexact=user.email) | Q(team__in=user.teams.all())
    invitation = get_object_or_404(Invitation.objects.filter(mine).select_related("team"), pk=pk)
    if request.POST.get("answer") == "accept":
        teams.accept(user=user, invitation=invitation)
        messages.success(request, f"You are in {invitation.team}.")
        return redirect(local_path(request.POST.get("next")) or team_page(invitation.team))
    teams.decline(user=user, invitation=invitation)
    messages.success(request, f"The invitation of {invitation.email} to {invitation.team} is gone.")
    return redirect("teams")


@login_required
@require_safe
def waiting(request: HttpRequest) -> HttpResponse:
    """Show operators the teams that wait for approval."""
    _require_operator(request)
    context = {"teams": teams.waiting_for_approval(), "is_needed": settings.TEAMS_NEED_APPROVAL}
    return render(request, "accounts/waiting.html", context)


@login_required
@require_POST
def approve(request: HttpRequest, pk: int) -> HttpResponse:
    """Approve a team."""
    operator = _require_operator(request)
    found = get_object_or_404(Team, pk=pk)
    teams.approve_team(user=operator, team=found)
    messages.success(request, f"{found} is approved: its systems may be judged.")
    return redirect("teams_waiting")


def _require_operator(request: HttpRequest) -> User:
    user = cast(User, request.user)
    if not user.is_operator:
        raise NotAllowed("Operators approve teams; yours is shown to them.")
    return user


@login_required
@require_POST
def end_session(request: HttpRequest, pk: int) -> HttpResponse:
    """Sign the person out of one of their sessions."""
    session = get_object_or_404(UserSession, pk=pk, user=cast(User, request.user))
    if session.session_key == request.session.session_key:
        logout(request)
        return redirect("home")
    sessions.end(session=session)
    messages.success(request, "You are signed out there.")
    return redirect("usersessions_list")


def team_page(team: Team) -> str:
    """Return the address of a team's page for its members."""
    return reverse("team", args=[team.pk])


def _my_teams(request: HttpRequest, name: NameForm, new: TeamForm, status: int = 200) -> HttpResponse:
    mine = Membership.objects.filter(user=cast(User, request.user)).values("team")
    found = Team.objects.filter(pk__in=mine).annotate(size=Count("memberships"))
    context = {
        "teams": found,
        "is_first": not found,
        "invitations": teams.invitations(user=cast(User, request.user)),
        "name_form": name,
        "team_form": new,
        "next": local_path(request.POST.get("next")),
    }
    return render(request, "accounts/teams.html", context, status=status)
