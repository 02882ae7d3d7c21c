"""What waits for somebody who is signed in: one list of sentences, each with a link to where it is done."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.urls import reverse

from annotations import roles
from annotations.models import Corpus, Question
from annotations.roles import Act
from crowd import review
from crowd.annotators import queue
from evaluation.models import Submission
from evaluation.submissions import uploads
from evaluation.submissions.visibility import owned
from kbpo.accounts import teams
from kbpo.accounts.models import User
from kbpo.core.health.models import Trouble

State = Submission.State
MOST = 5  # submissions that are named


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that waits for a person.

    Attributes
    ----------
    words : str
        What waits, as a sentence without its end.
    url : str
        The page on which it is done.
    act : str
        What the link says.
    """

    words: str
    url: str
    act: str


def read_waiting(user: User, *, now: datetime) -> list[Waiting]:
    """Return what waits for somebody, as an owner of submissions, a judge, an organiser or an operator.

    The number of queries does not depend on how much waits.
    """
    found = [*_invitations(user), *_submissions(user), *_uploads(user), *_questions(user, now)]
    if roles.has_any(user):
        found += _desk(user)
    return found


def read_corpora(user: User) -> "QuerySet[Corpus]":
    """Select the corpora that somebody follows at the desk by a role; none for operators, who follow all."""
    if user.is_operator:
        return Corpus.objects.none()
    return roles.corpora(user, Act.FOLLOW).order_by("name", "pk")


def _invitations(user: User) -> Iterator[Waiting]:
    for one in teams.invitations(user=user):
        words = f"{one.invited_by} invites you to the team {one.team}"
        yield Waiting(words, reverse("teams"), "Accept or decline")


def _submissions(user: User) -> Iterator[Waiting]:
    waits = Q(state=State.ACCEPTED, go_ahead=False) | Q(state=State.FAILED)
    found = Submission.objects.filter(waits, owned(user)).select_related("corpus").order_by("-pk")
    rows = list(found.defer("counts")[: MOST + 1])
    for one in rows[:MOST]:
        words = f"{one} on {one.corpus} is read, and is judged once you say so"
        act = "See what it takes"
        if one.state == State.FAILED:
            words, act = f"{one} on {one.corpus} stopped, by a fault of ours", "Try again"
        yield Waiting(words, one.get_absolute_url(), act)
    if len(rows) > MOST:
        more = found.count() - MOST
        words = f"{more:,} more submission{'s wait' if more > 1 else ' waits'} for you"
        yield Waiting(words, reverse("submissions"), "See them")


def _uploads(user: User) -> Iterator[Waiting]:
    lying = uploads.left_lying(user)
    if lying:
        words = f"{lying[0]} was sent and not submitted"
        if len(lying) > 1:
            words = f"{len(lying)} files were sent and not submitted"
        yield Waiting(words, reverse("upload"), "Go on")


def _questions(user: User, now: datetime) -> Iterator[Waiting]:
    if user.is_annotator:
        number = sum(one.questions for one in queue.waiting(worker=user, now=now) if not one.barred)
        if number:
            words = f"{number:,} question{'s wait' if number > 1 else ' waits'} to be judged"
            yield Waiting(words, reverse("annotate"), "Judge")


def _desk(user: User) -> Iterator[Waiting]:
    """Yield what waits for those with a role for a corpus, and for operators."""
    reviewed = roles.corpora(user, Act.REVIEW)
    experts = Question.objects.filter(state=Question.State.EXPERT)
    answers = review.waits()
    if not user.is_operator:
        experts = experts.filter(document__corpus__in=reviewed)
        answers = answers.filter(hit__batch__corpus__in=reviewed)
    if number := experts.count():
        words = f"{number:,} question{'s' if number > 1 else ''} that votes did not settle"
        yield Waiting(words, reverse("annotate_expert"), "Settle as an expert")
    if number := answers.aggregate(number=Count("pk"))["number"]:
        words = f"{number:,} answer{'s wait' if number > 1 else ' waits'} for somebody to look"
        yield Waiting(words, reverse("desk_look"), "Look")
    if not user.is_operator:
        return
    if settings.TEAMS_NEED_APPROVAL and (number := teams.waiting_for_approval().count()):
        words = f"{number:,} team{'s wait' if number > 1 else ' waits'} for approval"
        yield Waiting(words, reverse("teams_waiting"), "Approve")
    failed = Submission.objects.filter(state=State.FAILED).count()
    troubles = Trouble.objects.count()
    if failed or troubles:
        said = [
            *([f"{failed:,} submission{'s' * (failed > 1)} stopped"] if failed else []),
            *([f"{troubles:,} thing{'s' * (troubles > 1)} wrong at the site"] if troubles else []),
        ]
        yield Waiting(" and ".join(said), reverse("desk_stuck"), "See what does not get on")
