"""Operations on HITs and their types."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet

from marketplace import ledger, lifecycle, qualifying, tokens
from marketplace.models import Assignment, Hit, HitType, Requester
from marketplace.operations.call import Answer, Call
from marketplace.protocol import hosts, paging, questions
from marketplace.protocol.errors import (
    RequestError,
    check_showable,
    invalid_parameter,
    out_of_range,
    wrong_state,
)
from marketplace.protocol.identifiers import new_id

YEAR = 365 * 24 * 3600
MONTH = 30 * 24 * 3600
MOST_ASSIGNMENTS = 1_000_000
LONGEST_ANNOTATION = 255  # bytes
LENGTHS = {"Title": 128, "Description": 2000, "Keywords": 1000}

_UNSUPPORTED = ("HITLayoutId", "HITLayoutParameters", "AssignmentReviewPolicy", "HITReviewPolicy")


@transaction.atomic
def create_hit_type(call: Call) -> Answer:
    """Register what HITs have in common; the same properties get the same id."""
    return {"HITTypeId": _hit_type(call.requester, call.params).type_id}


@transaction.atomic
def create_hit(call: Call) -> Answer:
    """Post a HIT."""
    return _create(call, lambda: _hit_type(call.requester, call.params))


@transaction.atomic
def create_hit_with_hit_type(call: Call) -> Answer:
    """Post a HIT of a type that there is."""
    return _create(call, lambda: _find_type(call.requester, call.params["HITTypeId"]))


def get_hit(call: Call) -> Answer:
    """Return a HIT, also a deleted one."""
    return {"HIT": _one(call, lifecycle.find_hit(call.requester, call.params["HITId"]))}


def list_hits(call: Call) -> Answer:
    """List the HITs that are not deleted, newest first."""
    hits = _counted(Hit.objects.filter(requester=call.requester, disposed_at=None))
    found = paging.page(hits, call.params, scope=f"ListHITs {call.requester.pk}")
    return paging.answer("HITs", found, lambda hit: write_hit(hit, call.now))


def list_reviewable_hits(call: Call) -> Answer:
    """List the HITs whose work is done and waits for review, newest first."""
    status = call.params.get("Status", Hit.Status.REVIEWABLE)
    hits = Hit.objects.filter(
        Q(taken=F("max_assignments")) | Q(expires_at__lte=call.now),
        requester=call.requester,
        disposed_at=None,
        pending=0,
        is_reviewing=status == Hit.Status.REVIEWING,
    )
    if "HITTypeId" in call.params:
        hits = hits.filter(hit_type=_find_type(call.requester, call.params["HITTypeId"]))
    scope = f"ListReviewableHITs {call.requester.pk} {status} {call.params.get('HITTypeId', '')}"
    found = paging.page(_counted(hits), call.params, scope=scope)
    return paging.answer("HITs", found, lambda hit: write_hit(hit, call.now))


@transaction.atomic
def update_expiration_for_hit(call: Call) -> Answer:
    """Move the time until which a HIT can be accepted; one in the past ends it now."""
    requester, hit = _lock_live(call)
    hit.expires_at = max(call.params["ExpireAt"], hit.created_at)
    if hit.expires_at > call.now:
        hit.is_reviewing = False
    hit.save(update_fields=["expires_at", "is_reviewing"])
    ledger.hold_for(requester, hit, now=call.now)
    return {}


@transaction.atomic
def update_hit_review_status(call: Call) -> Answer:
    """Mark a reviewable HIT as being reviewed, or take that back."""
    _, hit = _lock_live(call)
    revert = call.params.get("Revert", False)
    wanted = Hit.Status.REVIEWING if revert else Hit.Status.REVIEWABLE
    if hit.status(call.now) != wanted:
        raise wrong_state("HIT", wanted, hit.status(call.now))
    hit.is_reviewing = not revert
    hit.save(update_fields=["is_reviewing"])
    return {}


@transaction.atomic
def create_additional_assignments_for_hit(call: Call) -> Answer:
    """Ask for more assignments of a HIT."""
    requester, hit = _lock_live(call)
    token = call.params.get("UniqueRequestToken")
    operation = "CreateAdditionalAssignmentsForHIT"
    if (request_id := tokens.find_result(requester, operation, token, call.now)) is not None:
        raise RequestError(
            "DuplicateRequest",
            f"The idempotency token {token!r} has already been processed, in request {request_id}.",
        )
    more = call.params["NumberOfAdditionalAssignments"]
    total = hit.max_assignments + more
    if not 1 <= more <= MOST_ASSIGNMENTS - hit.max_assignments:
        allowed = f"from 1 to {MOST_ASSIGNMENTS - hit.max_assignments}"
        raise out_of_range("NumberOfAdditionalAssignments", more, allowed)
    if hit.max_assignments < ledger.MANY_ASSIGNMENTS <= total:
        raise RequestError(
            "InvalidMaximumAssignmentsIncrease",
            f"A HIT created with fewer than {ledger.MANY_ASSIGNMENTS} assignments cannot be extended to have "
            f"{ledger.MANY_ASSIGNMENTS} or more: it has {hit.max_assignments}, so ask for "
            f"{ledger.MANY_ASSIGNMENTS - 1 - hit.max_assignments} at most.",
        )
    hit.max_assignments = total
    hit.is_reviewing = False
    hit.save(update_fields=["max_assignments", "is_reviewing"])
    ledger.hold_for(requester, hit, now=call.now)
    tokens.keep_result(requester, operation, token, call.request_id, call.now)
    return {}


@transaction.atomic
def delete_hit(call: Call) -> Answer:
    """Put away a HIT whose work is all reviewed; deleting it again changes nothing."""
    requester, hit = lifecycle.lock_hit(call.requester, call.params["HITId"])
    status = hit.status(call.now)
    if status == Hit.Status.DISPOSED:
        return {}
    if status not in (Hit.Status.REVIEWABLE, Hit.Status.REVIEWING):
        raise wrong_state("HIT", "Reviewable", status)
    undecided = hit.assignments.filter(state=Assignment.State.SUBMITTED).count()
    if undecided:
        raise wrong_state("HIT", "Reviewable, with no assignment undecided", f"{status} with {undecided}")
    hit.disposed_at = call.now
    ledger.hold_for(requester, hit, now=call.now)
    hit.save(update_fields=["disposed_at"])
    return {}


def write_hit(hit: Hit, now: datetime) -> Answer:
    """Return a HIT as the API does; `hit.completed` is the number of decided assignments."""
    hit_type = hit.hit_type
    return {
        "HITId": hit.hit_id,
        "HITTypeId": hit_type.type_id,
        "HITGroupId": hit_type.group_id,
        "CreationTime": hit.created_at,
        "Title": hit_type.title,
        "Description": hit_type.description,
        "Question": hit.question,
        "Keywords": hit_type.keywords or None,
        "HITStatus": str(hit.status(now)),
        "MaxAssignments": hit.max_assignments,
        "Reward": ledger.write_amount(hit_type.reward_cents),
        "AutoApprovalDelayInSeconds": hit_type.auto_approval_seconds,
        "Expiration": hit.expires_at,
        "AssignmentDurationInSeconds": hit_type.duration_seconds,
        "RequesterAnnotation": hit.annotation or None,
        "QualificationRequirements": hit_type.requirements,
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": hit.pending,
        "NumberOfAssignmentsAvailable": hit.max_assignments - hit.taken,
        "NumberOfAssignmentsCompleted": hit.completed,  # type: ignore[attr-defined]
    }


def counted_hit(pk: int) -> Hit:
    """Return a HIT as `write_hit` needs it."""
    return _counted(Hit.objects.all()).get(pk=pk)


def _one(call: Call, hit: Hit) -> Answer:
    return write_hit(counted_hit(hit.pk), call.now)


def _counted(hits: QuerySet[Hit]) -> QuerySet[Hit]:
    decided = Q(assignments__state__in=[Assignment.State.APPROVED, Assignment.State.REJECTED])
    return hits.select_related("hit_type").annotate(completed=Count("assignments", filter=decided))


def _lock_live(call: Call) -> tuple[Requester, Hit]:
    requester, hit = lifecycle.lock_hit(call.requester, call.params["HITId"])
    if hit.disposed_at is not None:
        raise wrong_state("HIT", "Assignable, Unassignable, Reviewable, Reviewing", Hit.Status.DISPOSED)
    return requester, hit


def _create(call: Call, find_type: Any) -> Answer:
    requester = ledger.lock_requester(call.requester.pk)
    params = call.params
    token = params.get("UniqueRequestToken")
    # One space of tokens for both ways to post: what is not to be posted twice is the HIT.
    if (hit_id := tokens.find_result(requester, "CreateHIT", token, call.now)) is not None:
        raise RequestError(
            "HitAlreadyExists",
            f"The HIT with ID {hit_id} already exists, made with the UniqueRequestToken {token!r}.",
        )
    for name in _UNSUPPORTED:
        if name in params:
            raise invalid_parameter(name, "is not supported by this marketplace: leave it out.")
    if "Question" not in params:
        raise RequestError(
            "MissingParameters", "Question is missing; it must be the XML of an ExternalQuestion."
        )
    question = questions.read_question(params["Question"])
    questions.check_host(question, _own_hosts())
    annotation = params.get("RequesterAnnotation", "")
    if len(annotation.encode()) > LONGEST_ANNOTATION:
        size = f"{len(annotation.encode())} bytes long"
        raise out_of_range("RequesterAnnotation", size, f"{LONGEST_ANNOTATION} bytes at most")
    assignments = _within(params, "MaxAssignments", 1, MOST_ASSIGNMENTS, 1)
    lifetime = _within(params, "LifetimeInSeconds", 30, YEAR)
    hit_type = find_type()
    hit = Hit.objects.create(
        hit_type=hit_type,
        requester=requester,
        hit_id=new_id(),
        question=params["Question"],
        external_url=question.url,
        frame_height=question.frame_height,
        annotation=annotation,
        fee_cents=ledger.fee_cents(hit_type.reward_cents, assignments),
        max_assignments=assignments,
        created_at=call.now,
        expires_at=call.now + timedelta(seconds=lifetime),
    )
    ledger.hold_for(requester, hit, now=call.now)
    tokens.keep_result(requester, "CreateHIT", token, hit.hit_id, call.now)
    return {"HIT": _one(call, hit)}


def _hit_type(requester: Requester, params: Mapping[str, Any]) -> HitType:
    for name, longest in LENGTHS.items():
        value = params.get(name, "")
        if len(value) > longest:
            raise out_of_range(name, f"{len(value):,} characters long", f"{longest:,} characters at most")
        if name != "Keywords" and not value.strip():
            raise invalid_parameter(name, "is empty; workers choose by it.")
        check_showable(name, value, lines=name == "Description")
    requirements = params.get("QualificationRequirements", [])
    qualifying.check_requirements(requirements)
    properties = {
        "title": params["Title"],
        "description": params["Description"],
        "keywords": params.get("Keywords", ""),
        "reward_cents": ledger.read_amount("Reward", params["Reward"]),
        "duration_seconds": _within(params, "AssignmentDurationInSeconds", 30, YEAR),
        "auto_approval_seconds": _within(params, "AutoApprovalDelayInSeconds", 0, MONTH, MONTH),
        "requirements": requirements,
    }
    digest = hashlib.sha256(json.dumps(properties, sort_keys=True).encode()).hexdigest()
    hit_type, _ = HitType.objects.get_or_create(
        requester=requester,
        digest=digest,
        defaults={"type_id": new_id(), "group_id": new_id(), **properties},
    )
    return hit_type


def _own_hosts() -> list[str]:
    """List the names of the site's host; that of its HIT pages is another's."""
    tasks = hosts.canonical(urlsplit(settings.HIT_BASE_URL).hostname or "")
    names = [urlsplit(settings.SITE_URL).hostname or "", *settings.ALLOWED_HOSTS]
    return [name for name in names if name != "*" and hosts.canonical(name) != tasks]


def _find_type(requester: Requester, type_id: str) -> HitType:
    hit_type = HitType.objects.filter(requester=requester, type_id=type_id).first()
    if hit_type is None:
        raise RequestError("HITTypeDoesNotExist", f"HITType {type_id} does not exist.")
    return hit_type


def _within(params: Mapping[str, Any], name: str, least: int, most: int, default: int | None = None) -> int:
    value: int = params[name] if default is None else params.get(name, default)
    if not least <= value <= most:
        raise out_of_range(name, value, f"from {least} to {most}")
    return value
