"""What the forms of HIT pages send, whatever they ask."""

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest

from kbpo.core.errors import InvalidInput, TooLarge
from kbpo.core.plain_text import replace_faults

MAX_BODY_BYTES = 128 << 10  # of a request that a HIT page sends


class NotAnswered(InvalidInput):
    """Something in the form is missing or wrong.

    Attributes
    ----------
    field : str
        The name of the step at which it is to be put right.
    """

    def __init__(self, message: str, *, field: str, where: str = "") -> None:
        super().__init__(message, where=where)
        self.field = field


def posted(request: HttpRequest) -> dict[str, list[str]]:
    """Return what a form holds, as Postgres can keep it; `TooLarge` if that is more than a page sends."""
    try:
        return {
            replace_faults(name): [replace_faults(str(value)) for value in values]
            for name, values in request.POST.lists()
        }
    except (RequestDataTooBig, TooManyFieldsSent):
        raise TooLarge("The form has more fields than the page that was sent to you: reload it.") from None


def wants_json(request: HttpRequest) -> bool:
    """Say whether a page's script asks, which reads JSON."""
    return "application/json" in request.headers.get("Accept", "")
