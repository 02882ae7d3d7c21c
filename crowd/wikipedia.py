"""Finding pages of Wikipedia by the beginning of their titles: the one client of MediaWiki's API.

`WIKIPEDIA_API_URL` is its address, in which ``{language}`` stands for the name of a language's Wikipedia.
Answers are kept for days. The search may fail at any time, and workers then type titles by hand: a failure is
remembered for half a minute, so that nobody waits for a service that is down.
"""

import hashlib
import logging
import time
from dataclasses import asdict, dataclass
from typing import Any

import httpx2
from django.conf import settings
from django.core.cache import cache

from annotations.texts.languages import ENGLISH, Language
from kbpo.core.errors import Unavailable
from kbpo.core.json_text import read_json

MOST = 8  # pages of an answer
LONGEST = 100  # characters of what is looked up
KEPT = 7 * 24 * 3600  # seconds
DOWN_FOR = 30  # seconds
PATIENCE = 4.0  # seconds for all of an answer
LARGEST = 256 << 10  # bytes of an answer

_DOWN = "wikipedia-down"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page of Wikipedia.

    Attributes
    ----------
    title : str
    description : str
        A few words, empty where there are none.
    """

    title: str
    description: str


def find_pages(text: str, language: Language = ENGLISH) -> list[FoundPage]:
    """Find the pages whose titles, or names that lead to them, begin with a text.

    Parameters
    ----------
    text : str
        Only its first `LONGEST` characters are looked up.
    language : Language
        In whose Wikipedia.

    Returns
    -------
    list of FoundPage
        At most `MOST`, the likeliest first; empty if there is none, or nothing to look up.

    Raises
    ------
    Unavailable
        If the search does not answer in time, or not sensibly.
    """
    wanted = " ".join(text.split())[:LONGEST].strip()
    if not wanted:
        return []
    address = settings.WIKIPEDIA_API_URL.replace("{language}", language.wikipedia)
    name = f"{address} {wanted.lower()}"
    key = f"wikipedia-{hashlib.sha256(name.encode(errors='replace')).hexdigest()}"
    kept = cache.get(key)
    if kept is None:
        kept = [asdict(page) for page in _ask(address, wanted)]
        cache.set(key, kept, KEPT)
    return [FoundPage(**page) for page in kept]


def _ask(address: str, wanted: str) -> list[FoundPage]:
    down = f"{_DOWN}-{address}"
    if cache.get(down):
        raise _down()
    try:
        return _read(read_json(_fetch(address, wanted)))
    except (httpx2.HTTPError, ValueError, KeyError, TypeError, AttributeError) as error:
        logger.warning("Wikipedia's search failed: %s: %s", type(error).__name__, error)
        cache.set(down, True, DOWN_FOR)
        raise _down() from error


def _fetch(address: str, wanted: str) -> bytes:
    """Return what the API answers, within a time and a size, whatever it sends."""
    parameters = {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "generator": "prefixsearch",
        "gpssearch": wanted,
        "gpslimit": str(MOST),
        "gpsnamespace": "0",
        "redirects": "1",
        "prop": "description",
    }
    headers = {
        # Wikimedia asks for a name and a way to reach whoever calls.
        "User-Agent": f"KBPOnline/1 ({settings.SITE_URL}; {settings.DEFAULT_FROM_EMAIL})",
        "Accept-Encoding": "identity",  # what is packed has no known size
    }
    deadline = time.monotonic() + PATIENCE
    taken = b""
    with (
        httpx2.Client(timeout=PATIENCE, headers=headers, trust_env=False) as client,
        client.stream("GET", address, params=parameters) as response,
    ):
        response.raise_for_status()
        if response.is_redirect:
            raise ValueError("a redirection")
        for chunk in response.iter_raw():  # as it comes: a fixed size would be waited for
            taken += chunk
            if len(taken) > LARGEST:
                raise ValueError(f"more than {LARGEST} bytes")
            if time.monotonic() > deadline:
                raise ValueError(f"more than {PATIENCE} s")
    return taken


def _read(reply: Any) -> list[FoundPage]:
    if "error" in reply:
        raise ValueError(str(reply["error"])[:200])
    pages = reply.get("query", {}).get("pages", [])  # nothing found: no "query"
    ranked = sorted(pages, key=lambda page: int(page.get("index", MOST + 1)))
    return [FoundPage(str(page["title"]), str(page.get("description", ""))) for page in ranked[:MOST]]


def _down() -> Unavailable:
    return Unavailable("The search of Wikipedia is down: type the page’s title.")
