"""Asking Prolific to tell us what happens: a secret, and a subscription to each kind of event."""

from crowd.providers.base import Refused
from crowd.providers.prolific.api import Api
from crowd.providers.prolific.hooks import EVENT_TYPES

CONFIRMATION = "X-Hook-Secret"


def workspace_of(api: Api, project: str) -> str:
    """Return the id of a project's workspace."""
    workspace: str = api.get(f"projects/{project}/")["workspace"]
    return workspace


def new_secret(api: Api, workspace: str) -> str:
    """Make a secret with which events are signed. It replaces the one before; there is one a workspace."""
    secret: str = api.post("hooks/secrets/", {"workspace_id": workspace})["value"]
    return secret


def subscribe(api: Api, workspace: str, target_url: str) -> list[str]:
    """Subscribe to the events of use here; return the kinds that were new.

    Raises
    ------
    Refused
        If the address is not one that Prolific can reach by https.
    """
    if not target_url.startswith("https://"):
        raise Refused(f"Prolific calls https addresses alone, not {target_url}: set SITE_URL.")
    listed = api.get("hooks/subscriptions/", workspace_id=workspace)["results"]
    known = {row["event_type"] for row in listed if row["target_url"] == target_url and row["is_enabled"]}
    missing = [event_type for event_type in EVENT_TYPES if event_type not in known]
    for event_type in missing:
        made, headers = api.post_for_headers(
            "hooks/subscriptions/",
            {"workspace_id": workspace, "event_type": event_type, "target_url": target_url},
        )
        api.post(f"hooks/subscriptions/{made['id']}/", {"secret": headers[CONFIRMATION]})
    return missing
