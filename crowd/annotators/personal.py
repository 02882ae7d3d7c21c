"""What is kept about a person here: their HITs and bonuses, which stay when they go, without what they typed.

Not in the export is what would tell which answers were asked only to learn of the worker: how many of these
were right, and why work was looked at.
"""

import json
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

from django.db.models import Exists, OuterRef, Q, Sum

from crowd import budget
from crowd.models import (
    Assignment,
    Bonus,
    HitBatch,
    Reservation,
    TutorialAttempt,
    WorkerBlock,
    WorkerMeasure,
    WorkerQualification,
)
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.accounts.personal.parts import Leaving, Part, Rows

AT_ONCE = 500  # rows that are in memory


def _export(user: User) -> Mapping[str, Rows]:
    work = Assignment.objects.filter(_of(user)).order_by("pk")
    bonuses = Bonus.objects.filter(worker__user=user).order_by("pk")
    blocks = WorkerBlock.objects.filter(worker__user=user).order_by("pk")
    return {
        "HITs": map(
            _without_questions,
            work.values(
                *("provider_id", "hit__batch__corpus__tag", "hit__batch__kind", "state", "submitted_at"),
                *("decided_at", "feedback", "override_feedback"),
                *("begun_at", "accepted_at", "comment", "steps", "draft", "raw"),
            ).iterator(chunk_size=AT_ONCE),
        ),
        "tutorials": TutorialAttempt.objects.filter(_named(user))
        .order_by("pk")
        .values(
            "provider", "kind", "ontology", "number", "answers", "right", "has_passed", "begun_at", "ended_at"
        ),
        "qualifications": WorkerQualification.objects.filter(_named(user)).values(
            "provider", "kind", "ontology", "granted_at"
        ),
        "measures of your work": WorkerMeasure.objects.filter(worker=user).values(
            "kind", "seconds", "compared", "agreed", "measured_at"
        ),
        "bonuses": bonuses.values("corpus__tag", "cents", "message", "paid_at"),
        "blocks": blocks.values("worker__worker_id", "is_blocked", "decided_at"),
        "questions held for you": Reservation.objects.filter(worker=user).values("taken_at", "expires_at"),
    }


def _owed(user: User) -> list[str]:
    unpaid = Bonus.objects.filter(worker__user=user, paid_at=None)
    unpaid = unpaid.exclude(assignment__decision=Assignment.Decision.REJECT)
    cents = unpaid.aggregate(sum=Sum("cents"))["sum"]
    if not cents:
        return []
    return [f"{budget.dollars(cents)} of bonuses are promised to you and not paid yet."]


def _named(user: User) -> Q:
    """Select rows that name a worker as their provider does."""
    identities = WorkerIdentity.objects.filter(user=user)
    same = identities.filter(provider=OuterRef("provider"), worker_id=OuterRef("provider_worker_id"))
    return Q(Exists(same))


def _of(user: User) -> Q:
    """Select a person's assignments, those too that were begun before it was known whose they are."""
    identities = WorkerIdentity.objects.filter(
        user=user, provider=OuterRef("hit__batch__provider"), worker_id=OuterRef("provider_worker_id")
    )
    return Q(worker__user=user) | (Q(worker=None) & Q(Exists(identities)))


def _without_questions(row: dict[str, Any]) -> dict[str, Any]:
    """Leave of the steps their seconds: they are named by questions' keys, of which gold has the least."""
    steps = row.pop("steps")
    return {**row, "seconds of steps": sorted(str(one.get("seconds", "")) for one in steps)}


def _forget_words(user: User) -> None:
    """Empty what somebody typed for us; their answers stay, and what the provider handed over of them."""
    typed = Assignment.objects.filter(_of(user)).filter(~Q(comment="") | Q(draft__isnull=False))
    for one in typed.order_by("pk").select_for_update(no_key=True, of=("self",)):
        if one.comment:
            one.raw = _without(one.raw, one.comment)
        if isinstance(one.answer, dict) and "comment" in one.answer:
            one.answer = {**one.answer, "comment": ""}
        one.comment, one.draft = "", None
        one.save(update_fields=["comment", "draft", "answer", "raw"])


def _without(raw: str, comment: str) -> str:
    """Take a comment out of what the provider handed over, however it is written there; else all of that."""
    found = raw
    for is_ascii in (True, False):
        written = json.dumps(comment, ensure_ascii=is_ascii)[1:-1]
        for words in (escape(written, {'"': "&quot;"}), escape(written), written):
            found = found.replace(words, "")
    return found if found != raw else ""


def _forget(leaving: Leaving) -> None:
    Reservation.objects.filter(worker=leaving.user).delete()
    _forget_words(leaving.user)
    said = f"({leaving.user}, "
    for batch in HitBatch.objects.filter(paused_because__contains=said).select_for_update(no_key=True):
        batch.paused_because = batch.paused_because.replace(said, "(a deleted account, ")
        batch.save(update_fields=["paused_because"])


PART = Part("work", _export, _forget, _owed)
