"""What the site says of itself: who is behind it, what search engines may have, its picture."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from kbpo.core.revalidating import public_page

ICON = settings.ROOT / "static" / "img" / "favicon.ico"
#: Forms that are nothing without who fills them in, and the API; what is hidden is no matter of this file.
ROBOTS = """\
User-agent: *
Disallow: /accounts/
Disallow: /api/
Disallow: /check/
Disallow: /submissions/new/
"""
TO_FILES = "kbpo.core.mail.files.FileBackend"


def site(request: HttpRequest) -> dict[str, Any]:
    """Return what every page may say: the site's address, to whom one writes, and where its mail lies."""
    is_kept = settings.MAIL_TRANSPORT == TO_FILES
    return {
        "site_url": settings.SITE_URL,
        "contact_email": settings.CONTACT_EMAIL,
        "mail_folder": Path(settings.EMAIL_FILE_PATH) if is_kept else None,
    }


@require_safe
@public_page
def about(request: HttpRequest) -> HttpResponse:
    """Show what the site is, and to whom one writes."""
    return render(request, "about.html")


@require_safe
@public_page
@cache_control(public=True, max_age=24 * 3600)
def robots(request: HttpRequest) -> HttpResponse:
    """Tell search engines which pages are not for them."""
    return HttpResponse(ROBOTS, "text/plain; charset=utf-8")


@require_safe
@public_page
@cache_control(public=True, max_age=24 * 3600)
def favicon(request: HttpRequest) -> HttpResponse:
    """Send the icon to browsers that ask for it where it was in 1999."""
    return HttpResponse(ICON.read_bytes(), "image/vnd.microsoft.icon")
