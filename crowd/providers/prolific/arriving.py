"""Whether Prolific has sent a participant to a HIT's page."""

import re

from crowd.models import Hit, ProlificTask
from crowd.providers.base import NotFound
from crowd.providers.prolific.provider import Prolific

#: A submission's states while its participant works: the place is taken, and nothing was completed or
#: returned.
_AT_WORK = frozenset({"RESERVED", "ACTIVE"})
_ID = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)  # it becomes a part of a path


def has_sent(prolific: Prolific, hit: Hit, *, study_id: str, submission_id: str, worker_id: str) -> bool:
    """Say whether an active submission of a HIT's study is this participant's.

    Prolific does not tell to which address of the study it has sent them.

    Parameters
    ----------
    prolific : Prolific
    hit : Hit
    study_id, submission_id, worker_id : str
        As the page's address has them.

    Raises
    ------
    NoAnswer, Refused
        If Prolific does not say.
    """
    known = ProlificTask.objects.filter(annotation=hit.annotation, study__remote_id=study_id)
    if not _ID.fullmatch(submission_id) or not known.exists():
        return False
    try:
        found = prolific.submission(submission_id)
    except NotFound:
        return False
    said = (found.get("id"), found.get("study_id"), found.get("participant"))
    return said == (submission_id, study_id, worker_id) and found.get("status") in _AT_WORK
