"""Mail on a development machine: one file a message, in ``EMAIL_FILE_PATH``, oldest first by name."""

import secrets
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone


class FileBackend(BaseEmailBackend):
    """Writes each message to a file of its own, which appears whole or not at all."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write the messages; return how many."""
        folder = Path(settings.EMAIL_FILE_PATH)
        folder.mkdir(parents=True, exist_ok=True)
        for message in email_messages:
            name = f"{timezone.now():%Y%m%d-%H%M%S-%f}-{secrets.token_hex(4)}"
            partial = folder / f".{name}.partial"
            partial.write_bytes(message.message().as_bytes())
            partial.rename(folder / f"{name}.eml")
        return len(email_messages)
