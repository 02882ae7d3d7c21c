"""What a HIT shows: an ExternalQuestion, a page of the requester's own in a frame."""

import ipaddress
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit
from xml.parsers.expat import ExpatError, ParserCreate

from marketplace.protocol import hosts
from marketplace.protocol.errors import RequestError, invalid_parameter

NAMESPACE = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
LONGEST = 65_535  # bytes of a question
HIGHEST = 10_000  # pixels of a frame
_OTHER_KINDS = ("HTMLQuestion", "QuestionForm")
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
_HOST = re.compile(r"[a-z0-9.-]+|[0-9a-f:.]*:[0-9a-f:.]*", re.ASCII)  # it goes into a header


@dataclass(frozen=True, slots=True)
class ExternalQuestion:
    """A page to be shown to workers.

    Attributes
    ----------
    url : str
        HTTPS, or of this machine.
    frame_height : int
        In pixels; 0: as high as the window allows.
    """

    url: str
    frame_height: int

    @property
    def origin(self) -> str:
        """Return scheme and host."""
        return origin(self.url)


def read_question(xml: str) -> ExternalQuestion:
    """Read the XML of an ExternalQuestion.

    Raises
    ------
    RequestError
        If it is too long, no XML, another kind of question, or names a page that cannot be shown.
    """
    if len(xml.encode()) > LONGEST:
        raise invalid_parameter(
            "Question", f"has {len(xml.encode()):,} bytes; it may have {LONGEST:,} at most."
        )
    root = _parse(xml)
    if (kind := root.tag.rpartition("}")[2]) in _OTHER_KINDS:
        raise _not_parsed(
            f"it is a question of kind {kind}; this marketplace shows ExternalQuestion alone: put the page on"
            " a server of your own, and name its address in an ExternalQuestion"
        )
    if root.tag != f"{{{NAMESPACE}}}ExternalQuestion":
        raise _not_parsed(
            f"its root is {_shown(root.tag)}; this marketplace shows ExternalQuestion of {NAMESPACE} alone"
        )
    names = [child.tag.removeprefix(f"{{{NAMESPACE}}}") for child in root]
    if names != ["ExternalURL", "FrameHeight"]:
        raise _not_parsed("it must have one ExternalURL and one FrameHeight, in this order")
    url, height = ((child.text or "").strip() for child in root)
    return ExternalQuestion(_check_url(url), _read_height(height))


def check_host(question: ExternalQuestion, own: Iterable[str]) -> None:
    """Refuse a page on one of the marketplace's own hosts, at whatever port: cookies do not tell ports apart.

    Raises
    ------
    RequestError
    """
    host = urlsplit(question.url).hostname or ""
    if hosts.is_one_of(host, own):
        raise invalid_parameter(
            "ExternalURL",
            f"is {_shown(question.url)}; a task's page must be on another host than the marketplace's,"
            " whatever its port.",
        )


def with_parameters(url: str, **parameters: str) -> str:
    """Return a URL with parameters added to its query, in place of any of the same names.

    Examples
    --------
    >>> with_parameters("https://hits.example.org/?question=7#top", hitId="3A")
    'https://hits.example.org/?question=7&hitId=3A#top'
    """
    parts = urlsplit(url)
    kept = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name not in parameters
    ]
    return parts._replace(query=urlencode([*kept, *parameters.items()])).geturl()


def origin(url: str) -> str:
    """Return a URL's scheme and host, with the port where it has one."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _parse(xml: str) -> ElementTree.Element:
    looking = ParserCreate("utf-8")
    looking.StartDoctypeDeclHandler = _refuse_document_type
    try:
        looking.Parse(xml.encode(), True)
        return ElementTree.fromstring(xml)  # noqa: S314  (what makes XML dangerous is refused above)
    except (ExpatError, ElementTree.ParseError, ValueError) as error:
        raise _not_parsed(str(error)) from None


def _refuse_document_type(*_: object) -> None:
    # Its own, that is: the page in an HTMLQuestion has one too, as text.
    raise _not_parsed("it must have no document type")


def _check_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    is_safe = url.isprintable() and not set(url) & set(" \"'<>\\")
    if (
        not is_safe
        or not _HOST.fullmatch(host)
        or port == 0
        or "@" in parts.netloc
        or parts.scheme not in ("https", "http")
    ):
        raise invalid_parameter(
            "ExternalURL", f"is {_shown(url)}; it must be an address that starts with https://."
        )
    if parts.scheme == "http" and not _is_loopback(host):
        raise invalid_parameter(
            "ExternalURL",
            f"is {_shown(url)}; it must start with https:// (http:// is for this machine alone).",
        )
    return url


def _is_loopback(host: str) -> bool:
    name = hosts.canonical(host)
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def _read_height(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 9 and int(text) <= HIGHEST:
        return int(text)
    raise invalid_parameter(
        "FrameHeight", f"is {_shown(text)}; it must be a number of pixels, 0 to {HIGHEST}."
    )


def _not_parsed(why: str) -> RequestError:
    return RequestError(
        "XMLParseError",
        "There was an error parsing the XML question or answer data in your request. Please make sure the "
        f"data is well-formed and validates against the appropriate schema. Details: {why}.",
    )


def _shown(value: str) -> str:
    return repr(value if len(value) <= 80 else f"{value[:77]}...")
