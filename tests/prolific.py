"""A Prolific of our own for tests: an HTTP server with state, after https://docs.prolific.com/api-reference.

It keeps to the published API: what is required, which fields of a published study may change, which
transitions there are, that places and money are locked and freed, that lists come in pages, that paying
bonuses twice pays twice. Its workers are methods; its failures are asked for, one by one or at random.
"""

import itertools
import json
import math
import random
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from crowd.providers.prolific.hooks import sign

TOKEN = "a-researchers-token"
PROJECT = "64a000000000000000000001"
WORKSPACE = "64a000000000000000000002"
SECRET = "hook-secret"
LARGEST_PAGE = 100

_REQUIRED = {
    "name": str,
    "description": str,
    "prolific_id_option": str,
    "completion_codes": list,
    "total_available_places": int,
    "estimated_completion_time": int | float,
    "reward": int,
}
_OPTIONAL = {
    "internal_name": str,
    "external_study_url": str,
    "access_details": list,
    "maximum_allowed_time": int | float,
    "device_compatibility": list,
    "peripheral_requirements": list,
    "filters": list,
    "project": str,
    "submissions_config": dict,
    "study_labels": list,
    "metadata": str,
}
_CHANGEABLE = {"internal_name", "total_available_places", "access_details", "submissions_config"}
_TRANSITIONS = {
    ("UNPUBLISHED", "PUBLISH"): "ACTIVE",
    ("ACTIVE", "PAUSE"): "PAUSED",
    ("ACTIVE", "STOP"): "COMPLETED",
    ("PAUSED", "START"): "ACTIVE",
    ("PAUSED", "STOP"): "COMPLETED",
}
_CATEGORIES = {
    *(
        "TOO_QUICKLY",
        "TOO_SLOWLY",
        "FAILED_INSTRUCTIONS",
        "INCOMP_LONGITUDINAL",
        "FAILED_CHECK",
        "LOW_EFFORT",
    ),
    *("MALINGERING", "NO_CODE", "BAD_CODE", "NO_DATA", "UNSUPP_DEVICE", "OTHER"),
}
_TAKEN = {"RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED"}  # states that keep a place


class Problem(Exception):
    """An answer that is not 2xx."""

    def __init__(self, status: int, detail: object, *, code: int = 140100, wait: int | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.code, self.wait = status, detail, code, wait

    def document(self) -> dict[str, Any]:
        title = {400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}
        return {
            "error": {
                "status": self.status,
                "error_code": self.code,
                "title": title.get(self.status, "Error"),
                "detail": self.detail,
                "additional_information": "",
            }
        }


@dataclass
class Fault:
    """What goes wrong with the next request of a kind.

    Attributes
    ----------
    method, path : str
        The path is a regular expression.
    how : {"before", "after", "500", "500 after", "429", "garbled"}
        The connection ends before or after it is carried out; an answer of 500 without or after that.
    times : int
    """

    method: str
    path: str
    how: str
    times: int = 1


@dataclass
class FakeProlific:
    """The state, and what the API and the workers do to it."""

    clock: Callable[[], datetime]
    balance: int = 100_000  # cents, available
    locked: int = 0
    paid: int = 0
    currency: str = "USD"
    fee_per_mille: int = 333
    publishing_looks: int = 0  # how often a study is still PUBLISHING when it is looked at
    studies: dict[str, dict[str, Any]] = field(default_factory=dict)
    submissions: dict[str, dict[str, Any]] = field(default_factory=dict)
    groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    bonuses: dict[str, dict[str, Any]] = field(default_factory=dict)
    subscriptions: dict[str, dict[str, Any]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    log: list[tuple[str, str]] = field(default_factory=list)
    chaos: tuple[random.Random, float] | None = None
    url: str = ""

    def __post_init__(self) -> None:
        self._ids = itertools.count(1)
        self._lock = threading.RLock()

    # Workers

    def arrive(self, study_id: str, participant: str) -> tuple[str, str]:
        """Have a participant take a place; return the submission's id and the address they are sent to."""
        with self._lock:
            study = self._study(study_id)
            if study["status"] != "ACTIVE":
                raise Problem(400, "The study takes nobody.")
            self._check_eligible(study, participant)
            free = [row for row in study["addresses"] if row["allocated"] < row["total_allocation"]]
            address = min(free, key=lambda row: (row["allocated"], study["addresses"].index(row)))
            address["allocated"] += 1
            submission_id = self._id()
            self.submissions[submission_id] = {
                "id": submission_id,
                "study_id": study_id,
                "participant": participant,
                "status": "ACTIVE",
                "started_at": self._now(),
                "completed_at": None,
                "study_code": None,
                "bonus_payments": [],
                "return_requested": None,
                "address": address,
            }
            self._fill_up(study)
            filled = address["external_url"]
            for name, value in (
                ("PROLIFIC_PID", participant),
                ("STUDY_ID", study_id),
                ("SESSION_ID", submission_id),
            ):
                filled = filled.replace(f"{{{{%{name}%}}}}", value)
            return submission_id, filled

    def complete(self, submission_id: str, code: str | None) -> None:
        """Have a participant come back with a completion code, or with none."""
        with self._lock:
            submission = self.submissions[submission_id]
            assert submission["status"] == "ACTIVE", submission["status"]
            codes = {row["code"] for row in self.studies[submission["study_id"]]["completion_codes"]}
            submission["study_code"] = code if code in codes else "NOCODE"
            submission["completed_at"] = self._now()
            self._become(submission, "AWAITING REVIEW")

    def give_back(self, submission_id: str) -> None:
        """Have a participant return a submission, before or after completing it."""
        with self._lock:
            submission = self.submissions[submission_id]
            self._reopen(submission)
            self._become(submission, "RETURNED")

    def settle(self) -> None:
        """Carry out the payments that were asked for."""
        with self._lock:
            for bonus in self.bonuses.values():
                for _ in range(bonus.pop("asked", 0)):
                    for submission_id, cents in bonus["rows"]:
                        self.submissions[submission_id]["bonus_payments"].append(cents)
                    self.balance -= bonus["total_amount"]
                    self.paid += bonus["total_amount"]

    def hook(self, event: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
        """Return the body and the headers with which an event is told."""
        body = json.dumps(event["payload"]).encode()
        timestamp = str(int(self.clock().timestamp()))
        return body, {
            "X-Prolific-Request-Signature": sign(body, timestamp, SECRET),
            "X-Prolific-Request-Timestamp": timestamp,
            "X-Event-ID": event["id"],
        }

    def published(self) -> list[dict[str, Any]]:
        """List the studies that can be found."""
        return [study for study in self.studies.values() if study["status"] != "UNPUBLISHED"]

    def addresses(self) -> list[str]:
        """List every address of every published study, as often as it is there."""
        return [row["external_url"].split("?")[0] for study in self.published() for row in study["addresses"]]

    def places(self) -> int:
        """Return how many places were published."""
        return sum(row["total_allocation"] for study in self.published() for row in study["addresses"])

    # The API

    def handle(self, method: str, path: str, query: dict[str, str], body: Any, token: str) -> tuple[int, Any]:
        """Answer a request."""
        if token != f"Token {TOKEN}":
            raise Problem(401, "Invalid token.", code=140001)
        for verb, pattern, act in self._routes():
            if verb == method and (match := re.fullmatch(pattern, path)):
                with self._lock:
                    return act(*match.groups(), query=query, body=body)
        raise Problem(404, "Not found.", code=140404)

    def _routes(self) -> Iterator[tuple[str, str, Callable[..., tuple[int, Any]]]]:
        yield "GET", r"projects/(\w+)/", self._get_project
        yield "GET", r"projects/(\w+)/studies/", self._list_studies
        yield "GET", r"workspaces/(\w+)/balance/", self._get_balance
        yield "POST", r"studies/", self._create_study
        yield "GET", r"studies/(\w+)/", self._get_study
        yield "PATCH", r"studies/(\w+)/", self._update_study
        yield "DELETE", r"studies/(\w+)/", self._delete_study
        yield "POST", r"studies/(\w+)/transition/", self._transition_study
        yield "GET", r"studies/(\w+)/access-details-progress/", self._progress
        yield "GET", r"submissions/", self._list_submissions
        yield "POST", r"submissions/bonus-payments/", self._create_bonus
        yield "GET", r"submissions/(\w+)/", self._get_submission
        yield "POST", r"submissions/(\w+)/transition/", self._transition_submission
        yield "POST", r"bulk-bonus-payments/(\w+)/pay/", self._pay_bonus
        yield "GET", r"participant-groups/", self._list_groups
        yield "POST", r"participant-groups/", self._create_group
        yield "POST", r"participant-groups/(\w+)/participants/", self._join
        yield "DELETE", r"participant-groups/(\w+)/participants/", self._leave
        yield "POST", r"hooks/secrets/", self._create_secret
        yield "GET", r"hooks/subscriptions/", self._list_subscriptions
        yield "POST", r"hooks/subscriptions/", self._create_subscription
        yield "POST", r"hooks/subscriptions/(\w+)/", self._confirm_subscription

    def _get_project(self, project: str, **_: Any) -> tuple[int, Any]:
        if project != PROJECT:
            raise Problem(404, "No such project.")
        return 200, {"id": PROJECT, "title": "KBP", "type": "PRIVATE", "workspace": WORKSPACE}

    def _get_balance(self, workspace: str, **_: Any) -> tuple[int, Any]:
        if workspace != WORKSPACE:
            raise Problem(404, "No such workspace.")
        return 200, {
            "currency_code": self.currency,
            "total_balance": self.balance + self.locked,
            "available_balance": self.balance,
        }

    def _list_studies(self, project: str, query: dict[str, str], **_: Any) -> tuple[int, Any]:
        self._get_project(project)
        assert query.get("ordering") == "-date_created"
        rows = sorted(self.studies.values(), key=lambda study: study["date_created"], reverse=True)
        return 200, _page([self._short(study) for study in rows], query)

    def _create_study(self, body: Any, **_: Any) -> tuple[int, Any]:
        self._check_study(body)
        study_id = self._id()
        self.studies[study_id] = {
            **body,
            "id": study_id,
            "status": "UNPUBLISHED",
            "date_created": self._now(),
            "published_at": None,
            "addresses": [{**row, "allocated": 0} for row in body["access_details"]],
            "looks": self.publishing_looks,
        }
        return 201, self._whole(self.studies[study_id])

    def _get_study(self, study_id: str, **_: Any) -> tuple[int, Any]:
        study = self._study(study_id)
        if study["status"] == "PUBLISHING":
            study["looks"] -= 1
            if study["looks"] < 0:
                study["status"] = "ACTIVE"
        return 200, self._whole(study)

    def _update_study(self, study_id: str, body: Any, **_: Any) -> tuple[int, Any]:
        study = self._study(study_id)
        if study["status"] == "UNPUBLISHED":
            fields = {name: study[name] for name in {**_REQUIRED, **_OPTIONAL} if name in study}
            self._check_study({**fields, **body})
            study.update(body)
            if "access_details" in body:
                study["addresses"] = [{**row, "allocated": 0} for row in body["access_details"]]
            return 200, self._whole(study)
        if study["status"] == "PUBLISHING":
            raise Problem(400, "The study is being published.")
        if fixed := set(body) - _CHANGEABLE:
            raise Problem(400, {name: ["Cannot be changed once published."] for name in sorted(fixed)})
        if "access_details" in body:
            self._add_places(study, body)
        elif body.get("total_available_places", 0):
            raise Problem(400, {"total_available_places": ["Needs access_details."]})
        return 200, self._whole(study)

    def _add_places(self, study: dict[str, Any], body: Any) -> None:
        rows = self._check_addresses(body["access_details"])
        more = sum(row["total_allocation"] for row in rows)
        if "total_available_places" in body:
            if body["total_available_places"] != study["total_available_places"] + more:
                raise Problem(400, {"total_available_places": ["Must be the old number and the new places."]})
            there = {row["external_url"]: row for row in study["addresses"]}
            if unknown := [row["external_url"] for row in rows if row["external_url"] not in there]:
                raise Problem(400, {"access_details": [f"Unknown: {unknown}"]})
            self._lock_money(more * self._cost(study))
            for row in rows:
                there[row["external_url"]]["total_allocation"] += row["total_allocation"]
        else:
            self._lock_money(more * self._cost(study))
            study["addresses"] += [{**row, "allocated": 0} for row in rows]
        study["total_available_places"] += more
        if study["status"] in ("AWAITING REVIEW", "COMPLETED"):
            study["status"] = "ACTIVE"

    def _delete_study(self, study_id: str, **_: Any) -> tuple[int, Any]:
        if self._study(study_id)["status"] != "UNPUBLISHED":
            raise Problem(400, "Published studies cannot be deleted.")
        del self.studies[study_id]
        return 204, None

    def _transition_study(self, study_id: str, body: Any, **_: Any) -> tuple[int, Any]:
        study = self._study(study_id)
        after = _TRANSITIONS.get((study["status"], body.get("action")))
        if after is None:
            raise Problem(400, f"{body.get('action')} is not possible from {study['status']}.")
        if body["action"] == "PUBLISH":
            self._lock_money(study["total_available_places"] * self._cost(study))
            study["published_at"] = self._now()
            if study["looks"]:
                after = "PUBLISHING"
        if body["action"] == "STOP":
            unused = sum(row["total_allocation"] - row["allocated"] for row in study["addresses"])
            self.locked -= unused * self._cost(study)
            self.balance += unused * self._cost(study)
        study["status"] = after
        self._tell("study.status.change", study_id, status=after)
        return 200, self._whole(study)

    def _progress(self, study_id: str, **_: Any) -> tuple[int, Any]:
        return 200, {
            "id": f"{study_id}ad",
            "progress": [dict(row) for row in self._study(study_id)["addresses"]],
        }

    def _list_submissions(self, query: dict[str, str], **_: Any) -> tuple[int, Any]:
        if "study" not in query:
            raise Problem(400, {"study": ["Required."]})
        rows = [row for row in self.submissions.values() if row["study_id"] == query["study"]]
        rows.sort(key=lambda row: row["started_at"])
        names = ("id", "status", "started_at", "completed_at", "study_code", "return_requested")
        return 200, _page(
            [
                {name: row[name] for name in names}
                | {"participant_id": row["participant"], "has_siblings": False}
                for row in rows
            ],
            query,
        )

    def _get_submission(self, submission_id: str, **_: Any) -> tuple[int, Any]:
        row = self._submission(submission_id)
        names = ("id", "status", "started_at", "completed_at", "study_id", "participant", "bonus_payments")
        return 200, {name: row[name] for name in names} | {"entered_code": row["study_code"]}

    def _transition_submission(self, submission_id: str, body: Any, **_: Any) -> tuple[int, Any]:
        row = self._submission(submission_id)
        action, status = body.get("action"), row["status"]
        cost = self._cost(self.studies[row["study_id"]])
        if (action, status) in {("APPROVE", "APPROVED"), ("REJECT", "REJECTED")}:
            return self._get_submission(submission_id)  # the second request is ignored
        if action == "APPROVE" and status == "AWAITING REVIEW":
            self.locked -= cost
            self.paid += cost
            self._become(row, "APPROVED")
        elif action == "REJECT" and status == "AWAITING REVIEW":
            wrong = {}
            if len(body.get("message", "")) < 100:
                wrong["message"] = ["Must be at least 100 characters."]
            if body.get("rejection_category") not in _CATEGORIES:
                wrong["rejection_category"] = ["Not a valid choice."]
            if wrong:
                raise Problem(400, wrong)
            row["rejection"] = body
            self._reopen(row)
            self._become(row, "REJECTED")
        elif action == "UNREJECT" and status == "REJECTED":
            self._lock_money(cost)
            row["address"]["allocated"] += 1
            row["address"]["total_allocation"] += 1
            self._become(row, "AWAITING REVIEW")
        else:
            raise Problem(400, f"A submission that is {status} cannot {action}.")
        return self._get_submission(submission_id)

    def _create_bonus(self, body: Any, **_: Any) -> tuple[int, Any]:
        rows = []
        for line in body["csv_bonuses"].splitlines():
            submission_id, _, amount = line.partition(",")
            row = self.submissions.get(submission_id)
            if row is None or row["study_id"] != body["study_id"]:
                raise Problem(400, {"csv_bonuses": [f"{submission_id} took no part in the study."]})
            rows.append((submission_id, round(float(amount) * 100)))
        amount = sum(cents for _, cents in rows)
        fees = amount * self.fee_per_mille / 1000
        bonus_id = self._id()
        self.bonuses[bonus_id] = {"rows": rows, "total_amount": amount + fees}
        return 201, {
            "id": bonus_id,
            "study": body["study_id"],
            "amount": amount,
            "fees": fees,
            "vat": 0,
            "total_amount": amount + fees,
        }

    def _pay_bonus(self, bonus_id: str, **_: Any) -> tuple[int, Any]:
        if bonus_id not in self.bonuses:
            raise Problem(404, "No such bonus.")
        bonus = self.bonuses[bonus_id]
        if bonus["total_amount"] > self.balance:
            raise Problem(400, "There are not enough funds.", code=140030)
        bonus["asked"] = bonus.get("asked", 0) + 1
        return 202, "The bonuses will be paid."

    def _list_groups(self, query: dict[str, str], **_: Any) -> tuple[int, Any]:
        if not {"workspace_id", "project_id"} & set(query):
            raise Problem(400, "workspace_id or project_id is required.")
        return 200, {"results": [{"id": row["id"], "name": row["name"]} for row in self.groups.values()]}

    def _create_group(self, body: Any, **_: Any) -> tuple[int, Any]:
        if not body.get("name") or body.get("workspace_id") != WORKSPACE:
            raise Problem(400, {"name": ["Required, with workspace_id."]})
        group_id = self._id()
        self.groups[group_id] = {"id": group_id, "name": body["name"], "members": set()}
        return 201, {"id": group_id, "name": body["name"], "workspace_id": WORKSPACE}

    def _join(self, group_id: str, body: Any, **_: Any) -> tuple[int, Any]:
        self._group(group_id)["members"] |= set(body["participant_ids"])
        return 200, {"results": []}

    def _leave(self, group_id: str, body: Any, **_: Any) -> tuple[int, Any]:
        self._group(group_id)["members"] -= set(body["participant_ids"])
        return 200, {"results": []}

    def _create_secret(self, body: Any, **_: Any) -> tuple[int, Any]:
        return 201, {"id": self._id(), "value": SECRET, "workspace_id": body["workspace_id"]}

    def _list_subscriptions(self, **_: Any) -> tuple[int, Any]:
        shown = ("id", "event_type", "target_url", "is_enabled", "workspace_id")
        return 200, {"results": [{name: row[name] for name in shown} for row in self.subscriptions.values()]}

    def _create_subscription(self, body: Any, **_: Any) -> tuple[int, Any]:
        if not body["target_url"].startswith("https://"):
            raise Problem(400, {"target_url": ["Must be https."]})
        row = {**body, "id": self._id(), "is_enabled": False, "secret": f"confirm-{self._id()}"}
        self.subscriptions[row["id"]] = row
        shown = {name: row[name] for name in ("id", "event_type", "target_url", "workspace_id")}
        return 201, {**shown, "is_enabled": False, "_headers": {"X-Hook-Secret": row["secret"]}}

    def _confirm_subscription(self, subscription_id: str, body: Any, **_: Any) -> tuple[int, Any]:
        row = self.subscriptions[subscription_id]
        if body.get("secret") != row["secret"]:
            raise Problem(400, "The secret is wrong.")
        row["is_enabled"] = True
        return 200, {"id": row["id"], "is_enabled": True}

    # Checks

    def _check_study(self, body: Any) -> None:
        wrong: dict[str, list[str]] = {}
        for name, kind in _REQUIRED.items():
            if not isinstance(body.get(name), kind):
                wrong[name] = ["This field is required."]
        for name in set(body) - set(_REQUIRED) - set(_OPTIONAL):
            wrong[name] = ["Unknown field."]
        for name, kind in _OPTIONAL.items():
            if name in body and not isinstance(body[name], kind):
                wrong[name] = ["Not of the right kind."]
        if wrong:
            raise Problem(400, wrong)
        if ("access_details" in body) == ("external_study_url" in body):
            raise Problem(400, "Give one of access_details and external_study_url.")
        places = sum(row["total_allocation"] for row in self._check_addresses(body["access_details"]))
        if places != body["total_available_places"]:
            raise Problem(400, {"total_available_places": ["Must be the sum of access_details."]})
        minutes = body["estimated_completion_time"]
        if body["reward"] * 60 < 800 * minutes:
            raise Problem(400, {"reward": ["Below the minimum of 8.00 an hour."]})
        if body.get("maximum_allowed_time", math.inf) < 2 + 2 * minutes + 2 * math.sqrt(minutes):
            raise Problem(400, {"maximum_allowed_time": ["Too short."]})
        codes = [row["code"] for row in body["completion_codes"]]
        if not codes or len(set(codes)) != len(codes):
            raise Problem(400, {"completion_codes": ["Give at least one, each once."]})
        if body["prolific_id_option"] not in {"question", "url_parameters", "not_required"}:
            raise Problem(400, {"prolific_id_option": ["Not a valid choice."]})
        for row in body.get("filters", []):
            for group_id in row["selected_values"]:
                self._group(group_id)

    def _check_addresses(self, rows: Any) -> list[dict[str, Any]]:
        for row in rows:
            if set(row) != {"external_url", "total_allocation"} or row["total_allocation"] < 1:
                raise Problem(400, {"access_details": ["Each needs external_url and total_allocation."]})
        return list(rows)

    def _check_eligible(self, study: dict[str, Any], participant: str) -> None:
        for row in study.get("filters", []):
            inside = any(participant in self._group(name)["members"] for name in row["selected_values"])
            if inside != (row["filter_id"] == "participant_group_allowlist"):
                raise Problem(403, f"{participant} is not eligible.")
        begun = sum(
            row["study_id"] == study["id"] and row["participant"] == participant
            for row in self.submissions.values()
        )
        most = study.get("submissions_config", {}).get("max_submissions_per_participant", 1)
        if begun >= most:
            raise Problem(403, f"{participant} has done {begun} submissions.")

    def _lock_money(self, cents: int) -> None:
        if cents > self.balance:
            raise Problem(400, "There are not enough funds.", code=140030)
        self.balance -= cents
        self.locked += cents

    def _cost(self, study: dict[str, Any]) -> int:
        return study["reward"] + math.ceil(study["reward"] * self.fee_per_mille / 1000)

    # Small things

    def _become(self, submission: dict[str, Any], status: str) -> None:
        submission["status"] = status
        self._tell(
            "submission.status.change",
            submission["id"],
            status=status,
            participant_id=submission["participant"],
        )

    def _reopen(self, submission: dict[str, Any]) -> None:
        submission["address"]["allocated"] -= 1
        study = self.studies[submission["study_id"]]
        if study["status"] == "AWAITING REVIEW":
            study["status"] = "ACTIVE"

    def _fill_up(self, study: dict[str, Any]) -> None:
        if all(row["allocated"] >= row["total_allocation"] for row in study["addresses"]):
            study["status"] = "AWAITING REVIEW"

    def _tell(self, event_type: str, resource_id: str, **more: Any) -> None:
        payload = {"event_type": event_type, "resource_id": resource_id, **more}
        self.events.append({"id": f"event-{next(self._ids)}", "payload": payload})

    def _whole(self, study: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in study.items() if name not in ("addresses", "looks")}

    def _short(self, study: dict[str, Any]) -> dict[str, Any]:
        names = ("id", "name", "internal_name", "status", "reward", "date_created", "published_at")
        return {name: study.get(name) for name in names}

    def _study(self, study_id: str) -> dict[str, Any]:
        if study_id not in self.studies:
            raise Problem(404, "No such study.")
        return self.studies[study_id]

    def _submission(self, submission_id: str) -> dict[str, Any]:
        if submission_id not in self.submissions:
            raise Problem(404, "No such submission.")
        return self.submissions[submission_id]

    def _group(self, group_id: str) -> dict[str, Any]:
        if group_id not in self.groups:
            raise Problem(404, "No such group.")
        return self.groups[group_id]

    def _id(self) -> str:
        return f"{next(self._ids):024x}"

    def _now(self) -> str:
        return self.clock().strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def fault_of(self, method: str, path: str) -> str:
        """Return what goes wrong with a request."""
        with self._lock:
            self.log.append((method, path))
            for fault in self.faults:
                if fault.times and fault.method == method and re.fullmatch(fault.path, path):
                    fault.times -= 1
                    return fault.how
            if self.chaos and self.chaos[0].random() < self.chaos[1]:
                return self.chaos[0].choice(["before", "after", "500", "500 after", "429", "garbled"])
        return ""


def _page(rows: list[Any], query: dict[str, str]) -> dict[str, Any]:
    number, size = int(query.get("page", 1)), min(int(query.get("page_size", 20)), LARGEST_PAGE)
    first = (number - 1) * size
    if number > 1 and first >= len(rows):
        raise Problem(404, "Invalid page.")
    return {"results": rows[first : first + size], "meta": {"count": len(rows)}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: two wait for each other's acknowledgement
    fake: FakeProlific

    def _answer(self) -> None:
        url = urlsplit(self.path)
        path = url.path.removeprefix("/api/v1/")
        length = int(self.headers.get("Content-Length") or 0)
        text = self.rfile.read(length)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        how = self.fake.fault_of(self.command, path)
        status, document = 500, {"error": {"status": 500, "title": "Server error", "detail": "It broke."}}
        headers: dict[str, str] = {}
        if how == "429":
            status, document, headers = 429, Problem(429, "Slow down.").document(), {"Retry-After": "7"}
        elif how not in ("before", "500"):
            try:
                body = json.loads(text) if text else None
                token = self.headers.get("Authorization", "")
                status, document = self.fake.handle(self.command, path, query, body, token)
            except Problem as problem:
                status, document = problem.status, problem.document()
            if how == "500 after":
                status, document = 500, {"error": {"status": 500, "title": "Server error", "detail": "Late."}}
        if how in ("before", "after"):
            self.close_connection = True
            self.connection.close()
            return
        if isinstance(document, dict):
            headers |= document.pop("_headers", {})
        payload = b"" if document is None else json.dumps(document).encode()
        if how == "garbled":
            payload = b"<html>"
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(payload))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload)

    do_GET = do_POST = do_PATCH = do_DELETE = _answer  # noqa: N815  # as the base class wants it

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serve(fake: FakeProlific) -> Iterator[FakeProlific]:
    """Serve a Prolific on the loopback."""
    handler = type("Handler", (_Handler,), {"fake": fake})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Clock:
    """A clock that stands until it is moved."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **how_far: float) -> None:
        """Move it."""
        self.now += timedelta(**how_far)
