"""Questions that were asked and do not settle, for a person to send on to an expert."""

from datetime import datetime, timedelta

from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery

from annotations.models import Question, Response
from annotations.policies.registry import OF_AUDITS, POLICIES
from crowd.models import Hit, HitQuestion
from crowd.open_questions import votes_in

SILENCE = timedelta(days=1)


def stalled(*, now: datetime) -> QuerySet[Question]:
    """Select the open questions that have been asked and do not get on, those with the most votes first.

    Those on which the usual number of votes was not enough; those of which nothing was heard for a day since
    they were posted; and those that the provider refused. Each has its number of `votes`, when the `last`
    came, and whether a HIT `is_out` with it.
    """
    votes = (
        Response.objects.filter(question=OuterRef("pk"), is_valid=True, is_expert=False)
        .order_by()
        .values("question")
    )
    here = HitQuestion.objects.filter(question=OuterRef("pk"))
    quiet = here.filter(hit__posted_at__lt=now - SILENCE)
    recent = Response.objects.filter(question=OuterRef("pk"), answered_at__gte=now - SILENCE)
    return (
        Question.objects.filter(Exists(here), state=Question.State.OPEN)
        .annotate(
            votes=votes_in(),
            last=Subquery(votes.annotate(last=Max("answered_at")).values("last")),
            is_out=Exists(here.filter(is_active=True)),
        )
        .filter(
            _has_usual_votes()
            | Exists(quiet) & ~Exists(recent)
            | Exists(here.filter(hit__state=Hit.State.FAILED)) & Q(is_out=False)
        )
        .select_related("document__corpus")
        .order_by("-votes", "pk")
    )


def _has_usual_votes() -> Q:
    """Say of a question with its `votes` that it has as many as settle nearly every one under its policy."""
    found = Q(pk__in=[])
    for policy in POLICIES.values():
        found |= Q(document__corpus__policy=policy.name, votes__gte=policy.usual_votes, audits__isnull=True)
    return found | Q(audits__isnull=False, votes__gt=OF_AUDITS.usual_votes)
