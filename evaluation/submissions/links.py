"""Where a system's paper and code are: addresses that its team gives, and everybody sees."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator

from evaluation.models import Submission
from evaluation.submissions.lifecycle import at_once, lock, require_member
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput

LONGEST = 500  # characters
_VALID = URLValidator(schemes=["https"])
State = Submission.State


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of a paper and of code; empty where there is none."""

    paper: str = ""
    code: str = ""


NO_LINKS = Links()


def read_links(*, paper: str, code: str) -> Links:
    """Return the addresses, as they are stored.

    Raises
    ------
    InvalidInput
        One is not the address of a page: https, a host name with a dot, no name or password before it, at
        most 500 characters.

    Examples
    --------
    >>> read_links(paper=" https://example.org/paper.pdf ", code="")
    Links(paper='https://example.org/paper.pdf', code='')
    """
    return Links(_read(paper, "paper_url"), _read(code, "code_url"))


def _read(given: str, where: str) -> str:
    given = given.strip()
    if not given:
        return ""
    try:
        _VALID(given)
        parts = urlsplit(given)
    except (ValidationError, ValueError):
        parts = None
    is_right = (
        parts is not None
        and parts.scheme == "https"
        and given.startswith("https://")
        and parts.username is None
        and "." in (parts.hostname or "")
    )
    if not is_right or len(given) > LONGEST:
        raise InvalidInput(
            f"{given[:60]!r} cannot be shown: an address is to be like https://example.org/page, without a"
            f" password, in at most {LONGEST} characters",
            where=where,
        )
    return given


@at_once
def set_links(*, submission: Submission, user: User, links: Links) -> None:
    """Change where a system's paper and code are. For its team, and operators.

    Raises
    ------
    NotAllowed
        The user is neither of its team nor an operator.
    Conflict
        It was withdrawn or cancelled.
    """
    require_member(user, submission.team)
    locked = lock(submission.pk).get()
    if locked.state in (State.CANCELLED, State.WITHDRAWN):
        raise Conflict(f"{locked} is {locked.get_state_display()}")
    locked.paper_url, locked.code_url = links.paper, links.code
    locked.save(update_fields=["paper_url", "code_url"])
