from email import message_from_bytes
from pathlib import Path

from django.conf import LazySettings
from django.core.mail import EmailMessage

from kbpo import settings as kbpo_settings
from kbpo.core.mail.files import FileBackend


def test_each_message_is_a_file(settings: LazySettings, tmp_path: Path) -> None:
    settings.EMAIL_FILE_PATH = tmp_path / "mail"
    messages = [EmailMessage(subject, "Body", to=["a@example.org"]) for subject in ("one", "two")]
    assert FileBackend().send_messages(messages) == 2
    files = sorted((tmp_path / "mail").iterdir())
    assert [message_from_bytes(path.read_bytes())["Subject"] for path in files] == ["one", "two"]


def test_a_link_stays_in_one_piece(settings: LazySettings, tmp_path: Path) -> None:
    settings.EMAIL_FILE_PATH = tmp_path
    link = "http://127.0.0.1:8000/accounts/confirm-email/" + "x" * 100 + "/"
    FileBackend().send_messages([EmailMessage("Confirm", f"Open {link} now", to=["a@example.org"])])
    [path] = tmp_path.iterdir()
    assert link in path.read_text(encoding="utf-8")


def test_the_site_mails_by_its_outbox() -> None:
    assert kbpo_settings.EMAIL_BACKEND == "kbpo.core.mail.outbox.Outbox"
