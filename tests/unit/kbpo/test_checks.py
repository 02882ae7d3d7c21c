from pathlib import Path

from django.conf import LazySettings

from kbpo.core import production_checks


def test_a_server_that_cannot_send_mail_is_refused(settings: LazySettings) -> None:
    settings.DEVELOPMENT = False
    settings.HAS_MAIL_SERVER = False
    assert [message.id for message in production_checks.mail_can_be_sent()] == ["kbpo.E001"]


def test_a_server_with_an_email_url_can_send_mail(settings: LazySettings) -> None:
    settings.DEVELOPMENT = False
    settings.HAS_MAIL_SERVER = True
    assert production_checks.mail_can_be_sent() == []


def test_a_development_machine_needs_no_mail_server(settings: LazySettings) -> None:
    settings.DEVELOPMENT = True
    settings.HAS_MAIL_SERVER = False
    assert production_checks.mail_can_be_sent() == []


def test_a_home_below_a_file_is_refused(settings: LazySettings, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings.KBPO_HOME = tmp_path / "file" / "home"
    assert [message.id for message in production_checks.home_can_be_written()] == ["kbpo.E002"]


def test_a_home_that_can_be_made_is_accepted(settings: LazySettings, tmp_path: Path) -> None:
    settings.KBPO_HOME = tmp_path / "not" / "yet"
    assert production_checks.home_can_be_written() == []


def test_mail_from_localhost_is_warned_of(settings: LazySettings) -> None:
    settings.DEVELOPMENT = False
    settings.DEFAULT_FROM_EMAIL = "kbpo@localhost"
    assert [message.id for message in production_checks.mail_has_a_sender()] == ["kbpo.W001"]


def test_mail_from_the_sites_own_address_is_not(settings: LazySettings) -> None:
    settings.DEVELOPMENT = False
    settings.DEFAULT_FROM_EMAIL = "kbpo@example.org"
    assert production_checks.mail_has_a_sender() == []
