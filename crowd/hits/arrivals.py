"""What a provider says of the worker whom it sends to a HIT's page: read from the page's address.

MTurk and its like add ``assignmentId``, ``hitId``, ``workerId`` and ``turkSubmitTo``; Prolific adds
``PROLIFIC_PID``, ``STUDY_ID`` and ``SESSION_ID``. Whether it is true is for `crowd.hits.verifying` to say.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from crowd.hits.policy import Provider, submit_origins
from kbpo.core.errors import InvalidInput

SIGNED_AT, SIGNATURE = "signedAt", "signature"
#: What a service with MTurk's API says of an arrival, the time last.
MTURK_PARAMETERS = ("assignmentId", "hitId", "turkSubmitTo", "workerId", SIGNED_AT)
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
SUBMIT = "/mturk/externalSubmit"
LONGEST_ID = 64  # characters, as long as `Assignment` keeps
_ID = re.compile(r"[A-Za-z0-9_.:-]+", re.ASCII)
# Narrower than what an address may be, so that no browser reads another host in it than we do.
_SUBMIT_TO = re.compile(r"(https?://[a-z0-9.-]+(?::[0-9]+)?)((?:/[A-Za-z0-9_.~:%=+-]+)*)/?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A worker at a HIT's page.

    Attributes
    ----------
    provider : str
        Of `WorkerIdentity.Provider`.
    assignment_id, worker_id : str
        Empty in a preview.
    submit_to : str
        Where the answer's form is posted; empty where the provider takes none.
    study_id : str
        Prolific's; empty elsewhere.
    hit_id : str
        The provider's name of the HIT; empty at Prolific.
    said : mapping of str to str
        Those of `MTURK_PARAMETERS` that were there, as they were.
    signature : str
        Over them; empty where there is none.
    """

    provider: str
    assignment_id: str = ""
    worker_id: str = ""
    submit_to: str = ""
    study_id: str = ""
    hit_id: str = ""
    said: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    signature: str = field(default="", compare=False, repr=False)

    @property
    def is_preview(self) -> bool:
        """Say whether nobody has accepted the task yet."""
        return not self.assignment_id


def read_arrival(query: Mapping[str, str], provider: str) -> Arrival:
    """Read who comes.

    Parameters
    ----------
    query : mapping of str to str
        The parameters of the page's address.
    provider : str

    Raises
    ------
    InvalidInput
        If a name cannot be one, or the answer would go to somebody else than the provider.
    """
    if provider == Provider.PROLIFIC:
        worker_id, assignment_id = query.get("PROLIFIC_PID", ""), query.get("SESSION_ID", "")
        if not worker_id and not assignment_id:
            return Arrival(provider=provider)
        return Arrival(
            provider=provider,
            assignment_id=_name(assignment_id, "SESSION_ID"),
            worker_id=_name(worker_id, "PROLIFIC_PID"),
            study_id=_name(query.get("STUDY_ID", ""), "STUDY_ID"),
        )
    assignment_id = query.get("assignmentId", "")
    if assignment_id in ("", PREVIEW):
        return Arrival(provider=provider)
    return Arrival(
        provider=provider,
        assignment_id=_name(assignment_id, "assignmentId"),
        worker_id=_name(query.get("workerId", ""), "workerId"),
        submit_to=_submit_address(query.get("turkSubmitTo", ""), provider),
        hit_id=query.get("hitId", ""),
        said={name: query[name] for name in MTURK_PARAMETERS if name in query},
        signature=query.get(SIGNATURE, ""),
    )


def _name(value: str, where: str) -> str:
    if len(value) > LONGEST_ID or not _ID.fullmatch(value):
        raise InvalidInput(
            f"The address of this page is damaged ({where}): open the task again where you accepted it."
        )
    return value


def _submit_address(value: str, provider: str) -> str:
    found = _SUBMIT_TO.fullmatch(value)
    if found is None or found[1] not in submit_origins(provider):
        raise InvalidInput(
            "This page would send your answer to a place that is not where the task comes from"
            " (turkSubmitTo). Open the task again where you accepted it."
        )
    return f"{found[1]}{found[2]}{SUBMIT}"
