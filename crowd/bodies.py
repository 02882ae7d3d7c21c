"""What a page's script sends: a JSON object."""

from django.http import HttpRequest
from django.http.request import RawPostDataException

from kbpo.core.errors import InvalidInput, TooLarge
from kbpo.core.json_text import read_json


def json_object(request: HttpRequest, *, largest: int) -> dict[str, object]:
    """Read a request's body.

    Parameters
    ----------
    request : HttpRequest
    largest : int
        Bytes.

    Raises
    ------
    TooLarge
        If it has more.
    InvalidInput
        If it is no JSON object.
    """
    try:
        body = request.body
    except RawPostDataException:  # a form, which was read as one
        body = b""
    if len(body) > largest:
        raise TooLarge(f"what was sent has more than {largest >> 10} KB")
    try:
        data = read_json(body)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise InvalidInput("what was sent is no JSON object; reload the page")
    return data
