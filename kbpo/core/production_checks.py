"""System checks of what the environment alone cannot show.

========  ==============================================================
number    says
========  ==============================================================
E001      outside DEBUG no mail can be sent: ``EMAIL_URL`` is unset
E002      ``KBPO_HOME`` cannot be written
W001      outside DEBUG mail comes from ``localhost``
W002      files and database do not know each other (`kbpo.core.keeping`)
========  ==============================================================
"""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register


@register()
def mail_can_be_sent(**_: Any) -> list[CheckMessage]:
    """Refuse a site that cannot confirm its users' addresses."""
    if settings.DEVELOPMENT or settings.HAS_MAIL_SERVER:
        return []
    return [
        Error(
            "Nobody can sign up, because no mail can be sent.",
            hint="Set EMAIL_URL, such as smtp+tls://user:password@host:587.",
            id="kbpo.E001",
        )
    ]


@register()
def home_can_be_written(**_: Any) -> list[CheckMessage]:
    """Refuse a home folder in which nothing can be kept."""
    home = Path(settings.KBPO_HOME)
    nearest = next(folder for folder in (home, *home.parents) if folder.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        return []
    return [
        Error(
            f"{nearest} cannot be written, and uploads are kept in {home}.",
            hint="Let the service's user write there, or name another folder in KBPO_HOME.",
            id="kbpo.E002",
        )
    ]


@register(deploy=True)
def mail_has_a_sender(**_: Any) -> list[CheckMessage]:
    """Warn of mail that will be taken for junk."""
    if settings.DEVELOPMENT or "@localhost" not in settings.DEFAULT_FROM_EMAIL:
        return []
    return [
        Warning(
            f"Mail comes from {settings.DEFAULT_FROM_EMAIL}.",
            hint="Set DEFAULT_FROM_EMAIL to an address of the site's own.",
            id="kbpo.W001",
        )
    ]
