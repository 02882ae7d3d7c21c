"""Where a form may lead on to: a page of this site."""

from django.utils.http import url_has_allowed_host_and_scheme


def local_path(given: str | None) -> str:
    """Return a path of this site, as it was given; empty where it is anything else.

    Examples
    --------
    >>> local_path("/submissions/new/?corpus=news")
    '/submissions/new/?corpus=news'
    >>> local_path("//evil.example"), local_path("https://evil.example/"), local_path(None)
    ('', '', '')
    """
    given = given or ""
    is_path = given.startswith("/") and url_has_allowed_host_and_scheme(given, allowed_hosts=None)
    return given if is_path and given.isprintable() else ""
