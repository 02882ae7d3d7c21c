"""Which addresses mean the same page. Pure."""

import re
from collections.abc import Mapping
from urllib.parse import parse_qs, quote, unquote, unquote_to_bytes, urlsplit

from kbpo_formats.normal import nfc

_MOBILE = re.compile(r"(?P<of>[a-z0-9-]+\.)?m\.(?P<site>wikipedia|wikidata)\.org")
_WIKIPEDIA = re.compile(r"[a-z0-9-]+\.wikipedia\.org")
_OF_WIKIPEDIA = re.compile(r"https://[a-z0-9-]+\.wikipedia\.org/")
_SAFE = "-._~!$&'()*+,;=:@"  # what stands for itself in a path
_USUAL = (None, 80, 443)


def page_key(address: str) -> str:
    """Return an address that is the same for all addresses of a page.

    They may differ in scheme, in the case of the host, in a fragment, in a slash at the end, and in which
    characters are percent-encoded. Those of Wikipedia also in spaces for underscores, in the first letter's
    case, in what follows a question mark, and in being for phones.

    Examples
    --------
    >>> page_key("http://EN.m.wikipedia.org/wiki/jos%C3%A9 Rizal/#Life")
    'https://en.wikipedia.org/wiki/Jos%C3%A9_Rizal'
    """
    try:
        parts = urlsplit(address.strip())
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:  # no address that a browser would open
        return address
    if not host:
        return address
    if found := _MOBILE.fullmatch(host):
        host = f"{found['of'] or 'www.'}{found['site']}.org"
    path, query = "/".join(_encoded(one) for one in parts.path.split("/")).rstrip("/"), parts.query
    if _WIKIPEDIA.fullmatch(host):
        path, query = _of_wikipedia(path, query)
    place = f"[{host}]" if ":" in host else host
    place += "" if port in _USUAL else f":{port}"
    return f"https://{place}{path}" + (f"?{query}" if query else "")


def shown_address(key: str, given: Mapping[str, int]) -> str:
    """Return the address of a page that is shown: of those that were given the most frequent one.

    Of Wikipedia it is the page's key, which opens as well as any.

    Parameters
    ----------
    key : str
        As `page_key` returns it.
    given : mapping of str to int
        How often people gave each address of the page.
    """
    if _OF_WIKIPEDIA.match(key):
        return key
    return min(given, key=lambda one: (-given[one], one != key, one))


def _encoded(segment: str) -> str:
    return quote(unquote_to_bytes(segment), safe=_SAFE)


def _of_wikipedia(path: str, query: str) -> tuple[str, str]:
    title = path.removeprefix("/wiki/")
    if title == path:
        asked = parse_qs(query).get("title")
        if path != "/w/index.php" or not asked:
            return path, query
        title = quote(asked[0])
    words = nfc(unquote(title, errors="surrogateescape"))
    words = re.sub(r"[\s_]+", "_", words).strip("_")
    words = words[:1].upper() + words[1:]
    quoted = "/".join(quote(one, safe=_SAFE, errors="surrogateescape") for one in words.split("/"))
    return f"/wiki/{quoted}", ""
