"""The addresses that lead from Prolific to a HIT's page, and back."""

from urllib.parse import urlencode, urlsplit

from crowd.models import Hit, ProlificObject
from kbpo.core.errors import Conflict

COMPLETE = "https://app.prolific.com/submissions/complete"
#: What Prolific fills in: a worker's id, the study's, and that of the submission.
PARAMETERS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
_SEPARATOR = ":"


def provider_id(study_id: str, annotation: str) -> str:
    """Return our id of a HIT: several share a study."""
    return f"{study_id}{_SEPARATOR}{annotation}"


def parts_of(provider_id: str) -> tuple[str, str]:
    """Return the study's id and the HIT's annotation."""
    study_id, _, annotation = provider_id.partition(_SEPARATOR)
    return study_id, annotation


def template(url: str) -> str:
    """Return a page's address as Prolific takes it, with places for what it fills in."""
    filled = "&".join(f"{name}={{{{%{name}%}}}}" for name in PARAMETERS)
    return f"{url}{'&' if urlsplit(url).query else '?'}{filled}"


def completion_url(hit: Hit, study_id: str = "") -> str:
    """Return where a worker's browser goes once our own server has the answer.

    Parameters
    ----------
    hit : Hit
    study_id : str
        ``STUDY_ID`` of the page's address, needed where a worker is quicker than the answer to posting.

    Raises
    ------
    Conflict
        If no study of ours is known by that id.
    """
    known, _ = parts_of(hit.provider_id or "")
    study = ProlificObject.objects.filter(kind=ProlificObject.Kind.STUDY, remote_id=known or study_id).first()
    if study is None:
        raise Conflict("This page was not opened from Prolific: open it there once more.")
    return f"{COMPLETE}?{urlencode({'cc': study.code})}"
