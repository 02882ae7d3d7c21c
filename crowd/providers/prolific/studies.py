"""Studies: what their HITs have in common, and the HITs as their addresses."""

import hashlib
import html
import json
from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from crowd.models import ProlificObject
from crowd.providers.base import NewHit, NoAnswer, Refused
from crowd.providers.prolific import rules
from crowd.providers.prolific.addresses import template
from crowd.providers.prolific.api import JSON, Api
from crowd.providers.prolific.groups import Groups
from crowd.providers.prolific.money import Wallet
from crowd.providers.prolific.submissions import read_time
from kbpo.core.errors import InvalidInput

DRAFT, PUBLISHING, ACTIVE, PAUSED = "UNPUBLISHED", "PUBLISHING", "ACTIVE", "PAUSED"
COMPLETED = "COMPLETED"
PREFIX = "kbpo study "
PUBLISHING_TAKES = 15.0  # seconds to wait before looking again
_CLOCKS_DIFFER = timedelta(days=1)
_FRESH = timedelta(seconds=5)  # for which a look serves the next HITs of its study as well


class Studies:
    """The studies of a project.

    Parameters
    ----------
    api : Api
    wallet : Wallet
    groups : Groups
    project : str
    hits_per_worker : int
    clock : callable
        Returns the time.
    """

    def __init__(
        self,
        api: Api,
        wallet: Wallet,
        groups: Groups,
        *,
        project: str,
        hits_per_worker: int,
        clock: Callable[[], datetime],
    ) -> None:
        self._api = api
        self._wallet = wallet
        self._groups = groups
        self._project = project
        self._hits_per_worker = hits_per_worker
        self._clock = clock
        self._looks: dict[str, tuple[datetime, JSON, list[JSON]]] = {}

    def check_pay(self, hit: NewHit) -> None:
        """Refuse pay below Prolific's minimum, as `Refused`."""
        try:
            rules.check_pay(hit.reward_cents, _minutes(hit))
        except InvalidInput as error:
            raise Refused(str(error)) from error

    def name(self, hit: NewHit) -> str:
        """Name a HIT's study by its group and by all that the study's HITs must have in common."""
        common = [hit.group, hit.qualified_for, hit.unqualified_for, self._offer(hit)]
        return PREFIX + hashlib.sha256(json.dumps(common, sort_keys=True).encode()).hexdigest()[:32]

    def place(self, study: ProlificObject, hit: NewHit) -> None:
        """Have a HIT among the addresses of a study, which is drafted and published if it is the first.

        Each step looks for what it is to do before it does it, so whatever a kill or a lost answer left is
        taken up, and nothing is published twice.
        """
        remote = self._find_or_draft(study, hit)
        cost = self._wallet.cost(hit.reward_cents, hit.places)
        if remote["status"] == DRAFT:
            self._wallet.check(cost)
            # Whatever HIT the draft was made for may be off by now.
            self.change(study, total_available_places=hit.places, access_details=[_address(hit)])
            with self._wallet.spending(cost):
                self._api.post(f"studies/{study.remote_id}/transition/", {"action": "PUBLISH"})
        elif self.address(study, hit.annotation) is None:
            if remote["status"] == PUBLISHING:
                raise NoAnswer("Prolific is still publishing the study.", retry_after=PUBLISHING_TAKES)
            with self._wallet.spending(cost):
                self.change(study, access_details=[_address(hit)])

    def add_places(self, study: ProlificObject, address: JSON, places: int) -> None:
        """Add places to an address that a study has."""
        remote = self.get(study)
        with self._wallet.spending(self._wallet.cost(int(remote["reward"]), places)):
            # With both fields Prolific adds to the address; the first alone would make it another one.
            self.change(
                study,
                access_details=[{"external_url": address["external_url"], "total_allocation": places}],
                total_available_places=int(remote["total_available_places"]) + places,
            )

    def look(self, study: ProlificObject, *, fresh: bool) -> tuple[JSON, list[JSON]]:
        """Return a study and its addresses, as they are or, unless `fresh`, as they were seconds ago."""
        name, now = study.remote_id or "", self._clock()
        if fresh or name not in self._looks or now - self._looks[name][0] > _FRESH:
            self._looks[name] = now, self.get(study), self.addresses(name)
        return self._looks[name][1:]

    def get(self, study: ProlificObject) -> JSON:
        """Return a study as it stands."""
        return self._api.get(f"studies/{study.remote_id}/")

    def change(self, study: ProlificObject, **fields: object) -> None:
        """Change fields of a study."""
        self._looks.clear()
        self._api.patch(f"studies/{study.remote_id}/", fields)

    def transition(self, study: ProlificObject, action: str, *, when: Collection[str]) -> None:
        """Move a study on, if it is in one of some states.

        Raises
        ------
        NoAnswer
            If it is just being published: its state is not known yet.
        """
        self._looks.clear()
        status = self.get(study)["status"]
        if status in when:
            self._api.post(f"studies/{study.remote_id}/transition/", {"action": action})
        elif status == PUBLISHING and action != "START":
            raise NoAnswer("Prolific is still publishing the study.", retry_after=PUBLISHING_TAKES)

    def addresses(self, study_id: str) -> list[JSON]:
        """List a study's addresses, with how many participants were sent to each."""
        rows: list[JSON] = self._api.get(f"studies/{study_id}/access-details-progress/")["progress"]
        return rows

    def address(self, study: ProlificObject, annotation: str) -> JSON | None:
        """Return the address that is a HIT's page."""
        rows = self.addresses(study.remote_id or "")
        return next((row for row in rows if annotation_of(row) == annotation), None)

    def ours(self) -> list[JSON]:
        """List the published studies that were made here, newest first."""
        listed = self._api.pages(f"projects/{self._project}/studies/", ordering="-date_created")
        return [
            remote
            for remote in listed
            if (remote.get("internal_name") or "").startswith(PREFIX) and remote["status"] != DRAFT
        ]

    def _offer(self, hit: NewHit) -> JSON:
        minutes = _minutes(hit)
        return {
            "name": hit.title,
            "description": html.escape(hit.description, quote=False),
            "prolific_id_option": "url_parameters",
            "reward": hit.reward_cents,
            "estimated_completion_time": minutes,
            "maximum_allowed_time": max(-(-hit.duration_seconds // 60), rules.longest_minutes(minutes)),
            "device_compatibility": [],
            "peripheral_requirements": [],
            "project": self._project,
            "study_labels": ["annotation"],
            "submissions_config": {
                "max_submissions_per_participant": self._hits_per_worker,
                "max_concurrent_submissions": -1,
            },
        }

    def _find_or_draft(self, study: ProlificObject, hit: NewHit) -> JSON:
        if study.remote_id is not None:
            return self.get(study)
        remote = self._find(study) or self._draft(study, hit)
        study.remote_id = remote["id"]
        study.save(update_fields=["remote_id"])
        return remote

    def _find(self, study: ProlificObject) -> JSON | None:
        """Look for a study by its internal name; of several drafts the first stays."""
        found = []
        for remote in self._api.pages(f"projects/{self._project}/studies/", ordering="-date_created"):
            if read_time(remote["date_created"]) < study.created_at - _CLOCKS_DIFFER:
                break
            if remote.get("internal_name") == study.name:
                found.append(remote)
        found.sort(key=lambda remote: (remote["status"] == DRAFT, remote["date_created"], remote["id"]))
        for surplus in found[1:]:
            if surplus["status"] == DRAFT:
                self._api.delete(f"studies/{surplus['id']}/")
        return found[0] if found else None

    def _draft(self, study: ProlificObject, hit: NewHit) -> JSON:
        return self._api.post(
            "studies/",
            {
                **self._offer(hit),
                "internal_name": study.name,
                "completion_codes": [
                    {
                        "code": study.code,
                        "code_type": "COMPLETED",
                        "actions": [{"action": "MANUALLY_REVIEW"}],
                        "actor": "participant",
                    }
                ],
                "filters": self._groups.filters(
                    qualified_for=hit.qualified_for, unqualified_for=hit.unqualified_for
                ),
                "total_available_places": hit.places,
                "access_details": [_address(hit)],
            },
        )


def annotation_of(address: JSON) -> str:
    """Return the annotation of the HIT whose page an address is: the last part of its path."""
    path: str = address["external_url"].split("?", 1)[0]
    return path.rstrip("/").rpartition("/")[2]


def _address(hit: NewHit) -> JSON:
    return {"external_url": template(hit.url), "total_allocation": hit.places}


def _minutes(hit: NewHit) -> int:
    return rules.estimated_minutes(hit.duration_seconds, hit.estimated_seconds)
