"""Providers that speak MTurk's requester API: the built-in marketplace, or another service.

The one module that imports boto3. Every request that makes something carries a token or is looked up
afterwards, so boto3 may repeat it by itself, and so may we.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from crowd.providers.base import (
    NewHit,
    NoAnswer,
    NotEnoughMoney,
    NotFound,
    ProviderError,
    PublishedHit,
    Refused,
    SubmittedWork,
    first_of,
)
from crowd.providers.fees import mturk_fee_cents
from crowd.providers.xml import read_answers, write_question

REGION = "us-east-1"  # a part of every signature; MTurk had no other
CONNECT_SECONDS = 5
READ_SECONDS = 30
ATTEMPTS = 3  # boto3's own, seconds apart; after that the outbox tries again, minutes apart
PAGE = 100
TOKENS_LAST = timedelta(hours=24)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
LONGEST_BLOCK_REASON = 1024
LONGEST_MESSAGE = 500  # of an error

_PREFIX = "aws.mechanicalturk."
_PACE = frozenset(
    {"throttlingexception", "throttling", "toomanyrequestsexception", "requestlimitexceeded", "slowdown"}
)
_STATES = {"Submitted": "submitted", "Approved": "approved", "Rejected": "rejected"}
_HIT_ID = re.compile(r"\b[0-9A-Z]{20,64}\b")


class _Declined(Refused):
    """MTurk's refusal, with its code in lower case."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class MTurk:
    """A requester's account at a service with MTurk's API.

    Parameters
    ----------
    name : {"marketplace", "mturk"}
        Of the provider of its workers' names.
    endpoint_url : str
    keys : (str, str)
        Access key id and secret.
    models : Path
        The folder with the API's service model, which botocore may have dropped.
    attempts : int
        That boto3 makes of each request.
    """

    reopens_rejected = False

    def __init__(
        self, *, name: str, endpoint_url: str, keys: tuple[str, str], models: Path, attempts: int = ATTEMPTS
    ) -> None:
        self.name = name
        session = botocore.session.Session()
        session.set_config_variable("data_path", str(models))
        self._client = boto3.Session(botocore_session=session).client(
            "mturk",
            endpoint_url=endpoint_url,
            region_name=REGION,
            aws_access_key_id=keys[0],
            aws_secret_access_key=keys[1],
            config=Config(
                connect_timeout=CONNECT_SECONDS,
                read_timeout=READ_SECONDS,
                retries={"mode": "standard", "total_max_attempts": attempts},
                # this account alone, whatever the machine's own settings say
                ignore_configured_endpoint_urls=True,
            ),
        )
        self._qualification_types: dict[str, str] = {}

    def fee_cents(self, *, reward_cents: int, places: int) -> int:
        """Return the fee for one assignment of a HIT with so many places."""
        return mturk_fee_cents(reward_cents, places)

    def bonus_fee_cents(self, *, cents: int) -> int:
        """Return the fee for a bonus."""
        return mturk_fee_cents(cents)

    def publish(self, hit: NewHit) -> PublishedHit:
        """Publish a HIT; one that was published with the same token is returned."""
        try:
            made = self._call(
                "create_hit",
                has="HIT",
                UniqueRequestToken=hit.token,
                RequesterAnnotation=hit.annotation,
                Title=hit.title,
                Description=hit.description,
                **({"Keywords": hit.keywords} if hit.keywords else {}),
                Question=write_question(hit.url),
                Reward=_dollars(hit.reward_cents),
                MaxAssignments=hit.places,
                AssignmentDurationInSeconds=hit.duration_seconds,
                LifetimeInSeconds=hit.lifetime_seconds,
                AutoApprovalDelayInSeconds=hit.auto_approval_seconds,
                QualificationRequirements=self._requirements(hit),
            )
        except _Declined as declined:
            if declined.code != "hitalreadyexists":
                raise
            return self._existing(hit, str(declined))
        return _published(made["HIT"])

    def get(self, provider_id: str) -> PublishedHit:
        """Return a HIT as it stands; `NotFound` if it is gone."""
        found = self._call("get_hit", has="HIT", HITId=provider_id)["HIT"]
        if found["HITStatus"] == "Disposed":
            raise NotFound(f"HIT {provider_id} was deleted")
        return _published(found)

    def published_since(self, since: datetime) -> Iterator[PublishedHit]:
        """Go through the HITs that were made since a time; they are listed newest first."""
        for page in self._pages("list_hits", has="HITs"):
            hits = [_published(found) for found in page["HITs"]]
            yield from (hit for hit in hits if hit.created_at >= since)
            if hits and all(hit.created_at < since for hit in hits):
                return

    def extend(self, provider_id: str, *, places: int, token: str) -> None:
        """Add places to a HIT, once for a token; `Refused` from nine places to ten."""
        try:
            self._call(
                "create_additional_assignments_for_hit",
                HITId=provider_id,
                NumberOfAdditionalAssignments=places,
                UniqueRequestToken=token,
            )
        except _Declined as declined:
            if declined.code != "duplicaterequest":
                raise

    def expire(self, provider_id: str) -> None:
        """Let nobody accept a HIT any more; who is at it may finish."""
        self.prolong(provider_id, until=LONG_AGO)

    def prolong(self, provider_id: str, *, until: datetime) -> None:
        """Let a HIT be found until a time."""
        self._call("update_expiration_for_hit", HITId=provider_id, ExpireAt=until)

    def collect(self, provider_id: str) -> Iterator[SubmittedWork]:
        """Go through all that was sent for a HIT, whatever its state."""
        for page in self._pages("list_assignments_for_hit", has="Assignments", HITId=provider_id):
            for found in page["Assignments"]:
                raw = found.get("Answer", "")
                yield SubmittedWork(
                    assignment_id=found["AssignmentId"],
                    worker_id=found["WorkerId"],
                    state=_STATES[found["AssignmentStatus"]],
                    accepted_at=found["AcceptTime"].astimezone(UTC),
                    submitted_at=found["SubmitTime"].astimezone(UTC),
                    fields=read_answers(raw),
                    raw=raw,
                )

    def check_pay(self, *, reward_cents: int, seconds: int) -> None:
        """Take any reward: MTurk has no rules about it."""

    def check_rejection(self, feedback: str) -> None:
        """Take any reason: MTurk has no rules about it."""

    def approve(self, assignment_id: str, *, feedback: str, override: bool = False) -> None:
        """Approve an assignment; with `override` one that was rejected."""
        self._decide(
            "approve_assignment",
            assignment_id,
            "Approved",
            OverrideRejection=override,
            **({"RequesterFeedback": feedback} if feedback else {}),
        )

    def reject(self, assignment_id: str, *, feedback: str) -> None:
        """Reject an assignment."""
        self._decide("reject_assignment", assignment_id, "Rejected", RequesterFeedback=feedback)

    def pay_bonus(self, *, worker_id: str, assignment_id: str, cents: int, message: str, token: str) -> None:
        """Pay a bonus, once for a token, and once for an assignment, worker, sum and message.

        Tokens are forgotten after a day, so what was paid is looked up first.
        """
        for page in self._pages("list_bonus_payments", has="BonusPayments", AssignmentId=assignment_id):
            for paid in page["BonusPayments"]:
                if (paid["WorkerId"], _cents(paid["BonusAmount"]), paid["Reason"]) == (
                    worker_id,
                    cents,
                    message,
                ):
                    return
        try:
            self._call(
                "send_bonus",
                WorkerId=worker_id,
                AssignmentId=assignment_id,
                BonusAmount=_dollars(cents),
                Reason=message,
                UniqueRequestToken=token,
            )
        except _Declined as declined:
            if declined.code != "duplicaterequest":
                raise

    def grant(self, worker_id: str, *, kind: str) -> None:
        """Qualify a worker for a kind of work."""
        self._call(
            "associate_qualification_with_worker",
            QualificationTypeId=self._qualification_type(kind),
            WorkerId=worker_id,
            IntegerValue=1,
            SendNotification=False,
        )

    def block(self, worker_id: str, *, reason: str) -> None:
        """Give a worker no more of our work."""
        self._call("create_worker_block", WorkerId=worker_id, Reason=reason[:LONGEST_BLOCK_REASON])

    def unblock(self, worker_id: str, *, reason: str) -> None:
        """Give a worker our work again."""
        self._call("delete_worker_block", WorkerId=worker_id, Reason=reason[:LONGEST_BLOCK_REASON])

    def remove(self, provider_id: str) -> None:
        """Take a HIT whose work is all reviewed off the provider's books; nothing of it can change then.

        `NotFound` where it is gone already.
        """
        try:
            self._call("delete_hit", HITId=provider_id)
        except _Declined:
            self.get(provider_id)  # `NotFound` if an earlier try has removed it
            raise

    def balance_cents(self) -> int | None:
        """Return what the account holds."""
        return _cents(self._call("get_account_balance", has="AvailableBalance")["AvailableBalance"])

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def _existing(self, hit: NewHit, message: str) -> PublishedHit:
        """Find the HIT that a token has made: by the id in the refusal, or else by its annotation."""
        for hit_id in _HIT_ID.findall(message):
            try:
                found = self.get(hit_id)
            except Refused:
                continue
            if found.annotation == hit.annotation:
                return found
        since = datetime.now(UTC) - 2 * TOKENS_LAST
        found_by_annotation = first_of(self.published_since(since), [hit.annotation])
        if hit.annotation not in found_by_annotation:
            raise NoAnswer(f"a HIT with this token is said to exist, and is not listed yet: {message}")
        return found_by_annotation[hit.annotation]

    def _decide(self, operation: str, assignment_id: str, wanted: str, **parameters: Any) -> None:
        try:
            self._call(operation, AssignmentId=assignment_id, **parameters)
        except _Declined as declined:
            if declined.code != "invalidassignmentstate":
                raise
            found = self._call("get_assignment", has="Assignment", AssignmentId=assignment_id)["Assignment"]
            if found["AssignmentStatus"] != wanted:
                raise

    def _requirements(self, hit: NewHit) -> list[dict[str, Any]]:
        requirements = []
        if hit.qualified_for is not None:  # others see it, and learn what it would take
            requirements.append((hit.qualified_for, "Exists", "Accept"))
        if hit.unqualified_for is not None:
            requirements.append((hit.unqualified_for, "DoesNotExist", "DiscoverPreviewAndAccept"))
        return [
            {
                "QualificationTypeId": self._qualification_type(kind),
                "Comparator": comparator,
                "ActionsGuarded": guarded,
            }
            for kind, comparator, guarded in requirements
        ]

    def _qualification_type(self, kind: str) -> str:
        """Return the id of the type that says who may do a kind of work, made if there is none."""
        if kind not in self._qualification_types:
            name = f"KBP Online: {kind}"
            found = self._find_type(name)
            if found is None:
                try:
                    found = self._call(
                        "create_qualification_type",
                        has="QualificationType",
                        Name=name,
                        Description=f"Has passed the tutorial of KBP Online for this work: {kind}.",
                        QualificationTypeStatus="Active",
                    )["QualificationType"]["QualificationTypeId"]
                except _Declined:  # another process was first
                    found = self._find_type(name)
                    if found is None:
                        raise
            self._qualification_types[kind] = found
        return self._qualification_types[kind]

    def _find_type(self, name: str) -> str | None:
        # Without a query, whose syntax MTurk does not say: a name has `@` in it. Types of our own are few.
        for page in self._pages(
            "list_qualification_types",
            has="QualificationTypes",
            MustBeRequestable=False,
            MustBeOwnedByCaller=True,
        ):
            for found in page["QualificationTypes"]:
                if found["Name"] == name:
                    return str(found["QualificationTypeId"])
        return None

    def _pages(self, operation: str, *, has: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        more: dict[str, Any] = {}
        while True:
            page = self._call(operation, has=has, MaxResults=PAGE, **parameters, **more)
            yield page
            if not page.get("NextToken"):
                return
            more = {"NextToken": page["NextToken"]}

    def _call(self, operation: str, *, has: str = "", **parameters: Any) -> dict[str, Any]:
        """Call an operation whose answer has a field `has`: botocore takes one cut off for an empty one."""
        try:
            answer: dict[str, Any] = getattr(self._client, operation)(**parameters)
        except ClientError as error:
            raise _translate(error, operation) from error
        except ParamValidationError as error:
            raise Refused(f"{operation}: {error}") from error
        except BotoCoreError as error:  # the network, or an answer that is none
            raise NoAnswer(f"{operation}: {error}") from error
        if has and has not in answer:
            raise NoAnswer(f"{operation}: the answer was cut off")
        return answer


@cache
def connect(name: str, endpoint_url: str, keys: tuple[str, str], models: Path) -> MTurk:
    """Return the one connection of this process to an account."""
    return MTurk(name=name, endpoint_url=endpoint_url, keys=keys, models=models, attempts=ATTEMPTS)


def _translate(error: ClientError, operation: str) -> ProviderError:
    response: dict[str, Any] = dict(error.response)
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    kind = str(response.get("Error", {}).get("Code", "")).lower()
    said = str(response.get("Error", {}).get("Message", "")) or str(error)
    code = str(response.get("TurkErrorCode", "")).lower().removeprefix(_PREFIX)
    message = f"{operation}: {said[:LONGEST_MESSAGE]}"  # what stands in between may answer with a page
    is_cut_off = not kind or kind.isdecimal()  # botocore then names the status
    if is_cut_off or status >= 500 or status == 429 or kind in _PACE or kind == "servicefault":
        return NoAnswer(message)
    if kind == "invalidsignatureexception" and "signature expired" in said.lower():
        return NoAnswer(message)  # it was on its way for too long; a new request has a new signature
    if code == "insufficientfunds":
        return NotEnoughMoney(message)
    if code.endswith("doesnotexist"):
        return NotFound(message)
    return _Declined(message, code)


def _published(found: dict[str, Any]) -> PublishedHit:
    can_be_accepted = found["HITStatus"] == "Assignable"
    return PublishedHit(
        provider_id=found["HITId"],
        annotation=found.get("RequesterAnnotation", ""),
        created_at=found["CreationTime"].astimezone(UTC),
        expires_at=found["Expiration"].astimezone(UTC),
        places=found["MaxAssignments"],
        open=found["NumberOfAssignmentsAvailable"] if can_be_accepted else 0,
        held=found["NumberOfAssignmentsPending"],
        sent=found["MaxAssignments"]
        - found["NumberOfAssignmentsAvailable"]
        - found["NumberOfAssignmentsPending"],
    )


def _dollars(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


def _cents(dollars: str) -> int:
    whole, _, part = dollars.partition(".")
    return 100 * int(whole) + int(part[:2].ljust(2, "0"))
