"""What the requester API answers when it refuses: AWS's own errors, and MTurk's with their codes."""

from kbpo.core.errors import KbpoError
from kbpo.core.showable import unshowable


class ProtocolError(KbpoError):
    """A request that is not signed, formed or paced as AWS wants it.

    Parameters
    ----------
    kind : str
        AWS's name for it, such as ``"InvalidSignatureException"``.
    message : str
        What is wrong and what would be right.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class RequestError(KbpoError):
    """A well-formed request that MTurk's rules forbid.

    Parameters
    ----------
    code : str
        MTurk's, such as ``"HITDoesNotExist"``; ``"AWS.MechanicalTurk."`` is put before it.
    message : str
        What is wrong and what would be right.
    """

    kind = "RequestError"

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = f"AWS.MechanicalTurk.{code}"


def missing_hit(hit_id: str) -> RequestError:
    """Return the refusal of a HIT that this requester does not have."""
    return RequestError("HITDoesNotExist", f"Hit {hit_id} does not exist.")


def missing_assignment(assignment_id: str) -> RequestError:
    """Return the refusal of an assignment that this requester does not have."""
    return RequestError("AssignmentDoesNotExist", f"Assignment {assignment_id} does not exist.")


def missing_worker(worker_id: str) -> RequestError:
    """Return the refusal of a worker whom nobody knows."""
    return RequestError("InvalidParameterValue", f"WorkerId {worker_id} is invalid: there is no such worker.")


def missing_qualification_type(type_id: str) -> RequestError:
    """Return the refusal of a qualification type that this requester does not have."""
    return RequestError("QualificationTypeDoesNotExist", f"QualificationType {type_id} does not exist.")


def out_of_range(name: str, value: object, allowed: str) -> RequestError:
    """Return the refusal of a number or a length."""
    return RequestError("ParameterOutOfRange", f"{name} is {value}; it must be {allowed}.")


def invalid_parameter(name: str, message: str) -> RequestError:
    """Return the refusal of a value."""
    return RequestError("InvalidParameterValue", f"{name} {message}")


def wrong_state(what: str, allowed: str, found: str) -> RequestError:
    """Return the refusal of an act for which something, such as a HIT, is in the wrong state."""
    return RequestError(
        f"Invalid{what}State",
        f"This operation can be called with a status of: {allowed} (it is {found}).",
    )


def check_showable(name: str, value: str, *, lines: bool = False) -> None:
    """Refuse words that change how those beside them are read.

    Parameters
    ----------
    name, value : str
        Of the parameter.
    lines : bool
        Whether it may have several lines.

    Raises
    ------
    RequestError
    """
    if found := unshowable(value, lines=lines):
        raise invalid_parameter(
            name, f"has the character {found}; leave control and bidirectional characters out."
        )
