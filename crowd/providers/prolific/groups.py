"""Groups of participants: who may do a kind of work, and who may do none."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from crowd.models import ProlificObject
from crowd.providers.prolific.api import JSON, Api
from crowd.providers.prolific.money import Wallet

BLOCKED = "kbpo blocked"
_MOST = 1000  # groups that a workspace may have

Claim = Callable[[str, str], AbstractContextManager[ProlificObject]]


class Groups:
    """The groups of a workspace.

    Parameters
    ----------
    api : Api
    wallet : Wallet
        Of the workspace.
    claim : callable
        Takes the name and kind of an object for oneself.
    """

    def __init__(self, api: Api, wallet: Wallet, claim: Claim) -> None:
        self._api = api
        self._wallet = wallet
        self._claim = claim

    def filters(self, *, qualified_for: str | None, unqualified_for: str | None) -> list[JSON]:
        """Write down to whom a study is shown."""
        filters: list[JSON] = []
        kept_out = [self._id(BLOCKED)]
        if qualified_for is not None:
            filters.append(
                {
                    "filter_id": "participant_group_allowlist",
                    "selected_values": [self._id(qualified(qualified_for))],
                }
            )
        if unqualified_for is not None:
            kept_out.append(self._id(qualified(unqualified_for)))
        return [*filters, {"filter_id": "participant_group_blocklist", "selected_values": kept_out}]

    def add(self, name: str, worker_id: str) -> None:
        """Put a worker into a group; who is in it stays."""
        self._api.post(f"participant-groups/{self._id(name)}/participants/", {"participant_ids": [worker_id]})

    def drop(self, name: str, worker_id: str) -> None:
        """Take a worker out of a group."""
        self._api.delete(
            f"participant-groups/{self._id(name)}/participants/", {"participant_ids": [worker_id]}
        )

    def _id(self, name: str) -> str:
        """Return a group's id at Prolific; the first to need it makes it."""
        known = ProlificObject.objects.filter(name=name).values_list("remote_id", flat=True).first()
        if known:
            return known
        with self._claim(name, ProlificObject.Kind.GROUP) as group:
            if group.remote_id is None:
                workspace = self._wallet.workspace
                listed = self._api.get(
                    "participant-groups/", workspace_id=workspace, active="true", limit=_MOST
                )["results"]
                same = sorted(row["id"] for row in listed if row["name"] == name)
                body = {"name": name, "workspace_id": workspace}
                group.remote_id = same[0] if same else self._api.post("participant-groups/", body)["id"]
                group.save(update_fields=["remote_id"])
            return str(group.remote_id)


def qualified(kind: str) -> str:
    """Name the group of those who may do a kind of work."""
    return f"kbpo qualified: {kind}"
