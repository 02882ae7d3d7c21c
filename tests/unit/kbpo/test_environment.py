"""The environment: defaults, values that are read, and refusals."""

import stat
import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from kbpo.core.errors import InvalidInput
from kbpo.core.store_address import Address
from kbpo.environment import OF_THE_STORE, REQUIRED, TOGETHER, kept_secret, page, read
from tests.conftest import ROOT, clean_environment

SERVER = {
    "SECRET_KEY": "Zt7mQx2vLp9RkW4cYb8NfH3jDs6GaE1uKo5TiVwBn0123456789",
    "ALLOWED_HOSTS": "kbpo.example.org, www.kbpo.example.org",
    "SITE_URL": "https://kbpo.example.org",
    "DATABASE_URL": "postgres://kbpo:p%40ss@db.example.org:5433/kbpo?sslmode=require",
    "REDIS_URL": "redis://redis.example.org:6379/0",
    "TRUSTED_PROXIES": "10.0.0.5",
}
STORE = {
    "FILE_STORE": "s3://kbpo-files/site/one",
    "FILE_STORE_ENDPOINT": "http://store:9000",
    "FILE_STORE_REGION": "eu-central-1",
    "FILE_STORE_KEY": "key",
    "FILE_STORE_SECRET": "secret",
}
ORCID = {
    "OIDC_NAME": "ORCID",
    "OIDC_SERVER_URL": "https://orcid.org/",
    "OIDC_CLIENT_ID": "APP-1",
    "OIDC_CLIENT_SECRET": "secret",
}


def test_an_empty_environment_is_a_development_machine_on_embedded_servers() -> None:
    given = read({})
    assert given.debug
    assert given.database is None
    assert given.redis_url == ""
    assert given.home == Path.cwd() / "var"


def test_a_database_url_alone_turns_debug_off() -> None:
    assert read(SERVER).debug is False


def test_debug_can_be_kept_on_with_a_database_url() -> None:
    assert read({"DATABASE_URL": SERVER["DATABASE_URL"], "DEBUG": "1"}).debug is True


def test_a_database_url_becomes_djangos_settings() -> None:
    assert read(SERVER).database == {
        "ENGINE": "kbpo.core.database.backend",
        "DISABLE_SERVER_SIDE_CURSORS": False,
        "NAME": "kbpo",
        "USER": "kbpo",
        "PASSWORD": "p@ss",
        "HOST": "db.example.org",
        "PORT": "5433",
        "OPTIONS": {"sslmode": "require"},
    }


def test_a_database_url_may_name_a_socket() -> None:
    database = read({"DEBUG": "1", "DATABASE_URL": "postgresql:///kbpo?host=/run/postgresql"}).database
    assert database is not None
    assert (database["HOST"], database["PORT"], database["OPTIONS"]) == ("/run/postgresql", "", {})


def test_a_pooler_is_given_nothing_that_belongs_to_a_session() -> None:
    database = read({"DEBUG": "1", "DATABASE_URL": "postgres://pooler:6432/kbpo?pooled=1"}).database
    assert database is not None
    assert (database["DISABLE_SERVER_SIDE_CURSORS"], database["OPTIONS"]) == (True, {})


def test_hosts_are_split_at_commas() -> None:
    assert read(SERVER).allowed_hosts == ("kbpo.example.org", "www.kbpo.example.org")


def test_an_email_url_becomes_djangos_settings() -> None:
    email = read({"EMAIL_URL": "smtp+tls://me%40example.org:secret@mail.example.org"}).email
    assert email == {
        "MAIL_TRANSPORT": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": "mail.example.org",
        "EMAIL_PORT": 587,
        "EMAIL_HOST_USER": "me@example.org",
        "EMAIL_HOST_PASSWORD": "secret",
        "EMAIL_USE_TLS": True,
        "EMAIL_USE_SSL": False,
    }


@pytest.mark.parametrize("name", REQUIRED)
def test_a_server_without_a_required_variable_is_refused_by_its_name(name: str) -> None:
    environ = {"DEBUG": "0"} | {key: value for key, value in SERVER.items() if key != name}
    with pytest.raises(InvalidInput, match=name):
        read(environ)


def test_everything_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(InvalidInput) as refusal:
        read({"DEBUG": "0"})
    assert all(name in str(refusal.value) for name in REQUIRED)


def test_an_empty_variable_is_an_unset_one() -> None:
    with pytest.raises(InvalidInput, match="SECRET_KEY"):
        read(SERVER | {"SECRET_KEY": " "})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KBPO_EPOCH_SECRET", "00ff"),
        ("SECRET_KEY", "short"),
        ("SECRET_KEY", "a" * 60),
        ("ALLOWED_HOSTS", "*"),
        ("ALLOWED_HOSTS", "https://kbpo.example.org"),
        ("ALLOWED_HOSTS", "kbpo.example.org:8443"),
        ("ALLOWED_HOSTS", "kbpo.example.org kbpo2.example.org"),
        ("ALLOWED_HOSTS", "['kbpo.example.org']"),
        ("ALLOWED_HOSTS", "kbpo.example.org;b"),
        ("ALLOWED_HOSTS", "kbpo.example.org, ."),
        ("ALLOWED_HOSTS", "other.example.org"),
        ("ALLOWED_HOSTS", "kbpo.example.org, bücher.example"),
        ("ALLOWED_HOSTS", "kbpo.example.org, ::1"),
        ("SITE_URL", "https://kbpo example.org"),
        ("SITE_URL", "https://kbpo.example.org\\"),
        ("SITE_URL", "https://bücher.example"),
        ("DEFAULT_FROM_EMAIL", "KBP Online"),
        ("DEFAULT_FROM_EMAIL", "kbpo@"),
        ("DEFAULT_FROM_EMAIL", "a@example.org, b@example.org"),
        ("DEFAULT_FROM_EMAIL", "KBP <a@example.org> <b@example.org>"),
        ("EMAIL_URL", "smtp+tls://user:12#secret@mail.example.org:587"),
        ("EMAIL_URL", "smtp+tls://user:12/secret@mail.example.org:587"),
        ("EMAIL_URL", "smtp+tls://user:12?secret@mail.example.org:587"),
        ("EMAIL_URL", "smtp+tls://user:pa#ss@mail.example.org:587"),
        ("EMAIL_URL", "smtp://mail.example.org:587/?tls=true"),
        ("EMAIL_URL", "smtp://mail.example.org:587/path"),
        ("EMAIL_URL", "smtp+tls://mail.example.org:465"),
        ("EMAIL_URL", "smtps://mail.example.org:587"),
        ("DATABASE_URL", "postgres://kbpo:12#x@host/kbpo"),
        ("DATABASE_URL", "postgres://kbpo:12/x@host/kbpo"),
        ("DATABASE_URL", "postgres://host/kbpo#part"),
        ("REDIS_URL", "redis://:12#x@host:6379/0"),
        ("SITE_URL", "http://kbpo.example.org"),
        ("SITE_URL", "https://kbpo.example.org/path"),
        ("SITE_URL", "kbpo.example.org"),
        ("DATABASE_URL", "mysql://host/kbpo"),
        ("DATABASE_URL", "postgres://host"),
        ("DATABASE_URL", "postgres://host:port/kbpo"),
        ("DATABASE_URL", "postgres://pooler:6432/kbpo?pooled=yes"),
        ("REDIS_URL", "amqp://host"),
        ("REDIS_URL", "redis://"),
        ("EMAIL_URL", "mail.example.org"),
        ("CONTACT_EMAIL", "KBP <kbp@example.org>"),
        ("CONTACT_EMAIL", "a@b.c?subject=x"),
        ("CONTACT_EMAIL", "a@b.c, d@e.f"),
        ("TRUSTED_PROXIES", "proxy.example.org"),
        ("TRUSTED_PROXIES", "0.0.0.0/0"),
        ("TRUSTED_PROXIES", "::/0"),
        ("TRUSTED_PROXIES", ","),
        ("ALLOWED_HOSTS", ","),
        ("HSTS_SECONDS", "-1"),
        ("HSTS_SECONDS", "9" * 9),
        ("OIDC_SERVER_URL", "http://orcid.org"),
        ("OIDC_SERVER_URL", "orcid.org"),
        ("HIT_BASE_URL", "https://kbpo.example.org:8443"),
        ("HIT_BASE_URL", "https://tasks.example.org/x"),
        ("PROLIFIC_API_URL", "http://prolific.example.org"),
        ("PROLIFIC_FEE_PERCENT", "-1"),
        ("PROLIFIC_FEE_PERCENT", "101"),
        ("PROLIFIC_FEE_PERCENT", "NaN"),
        ("PROLIFIC_HITS_PER_WORKER", "1001"),
        ("CROWD_HOURLY_CENTS", "15.00"),
        ("CROWD_HOURLY_CENTS", "²"),
        ("CROWD_FASTEST_READING", "0.5"),
        ("CROWD_MOST_PERCENT", "0"),
        ("CROWD_MOST_PERCENT", "nan"),
        ("FILE_STORE", "https://store/bucket"),
        ("FILE_STORE", "s3://"),
        ("FILE_STORE", "s3://My_Bucket"),
        ("FILE_STORE", "s3://bucket/../other"),
        ("FILE_STORE", "s3://bucket//a"),
        ("FILE_STORE_ENDPOINT", "store:9000"),
        ("FILE_STORE_ENDPOINT", "http://store/bucket"),
        ("FILE_STORE_ENDPOINT", "http://store:port"),
        ("FILE_STORE_REGION", "Frankfurt (Main)"),
        ("KEEP_MAIL_DAYS", "0"),
        ("KEEP_MAIL_DAYS", "٣"),
        ("KEEP_MAIL_DAYS", "9" * 10),
    ],
)
def test_an_unsafe_or_wrong_value_is_refused_by_its_name(name: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=rf"\A{name}: .+\Z"):
        read(SERVER | STORE | ORCID | {name: value})


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("DEBUG", "maybe", "DEBUG: must be 1 or 0, not 'maybe'"),
        ("LOG_FORMAT", "xml", "LOG_FORMAT: must be 'json' or 'lines', not 'xml'"),
        ("TEXTS_CACHE_GB", "2.5", "TEXTS_CACHE_GB: must be a whole number, not '2.5'"),
        ("HSTS_SECONDS", "63072001", "HSTS_SECONDS: must be less than or equal to 63072000, not '63072001'"),
        ("SITE_URL", "ftp://x", "SITE_URL: must be like https://host.example.org, not 'ftp://x'"),
        ("REDIS_URL", "amqp://:hunter2@x", "REDIS_URL: must be like redis://host:6379/0"),
        (
            "ALLOWED_HOSTS",
            "kbpo.example.org",
            "ALLOWED_HOSTS: must name localhost, the host of SITE_URL: requests for other hosts are refused",
        ),
    ],
)
def test_a_refusal_names_the_variable_the_value_and_a_right_one(name: str, value: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read({name: value})
    assert str(refusal.value) == sentence


def test_a_command_refuses_a_wrong_value_in_one_line() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env=clean_environment() | {"KEEP_MAIL_DAYS": "never"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == "KEEP_MAIL_DAYS: must be a whole number, not 'never'\n"


@pytest.mark.parametrize("value", ["postgres://kbpo:hunter2@host:port/kbpo", "https://a:hunter2@host"])
@pytest.mark.parametrize("name", ["DATABASE_URL", "PROLIFIC_API_URL", "FILE_STORE", "EMAIL_URL"])
def test_a_refusal_never_shows_a_password(name: str, value: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read(SERVER | {name: value})
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize("name", ["EMAIL_URL", "DATABASE_URL", "REDIS_URL"])
@pytest.mark.parametrize("password", ["12#x", "12/x", "12?x", "pa#ss"])
def test_a_password_that_would_end_an_address_is_refused_with_the_escape_to_write(
    name: str, password: str
) -> None:
    scheme, rest = {
        "EMAIL_URL": ("smtp+tls", "587"),
        "DATABASE_URL": ("postgres", "5432/kbpo"),
        "REDIS_URL": ("redis", "6379/0"),
    }[name]
    with pytest.raises(InvalidInput, match=r"written as %23, / as %2F, \? as %3F"):
        read(SERVER | {name: f"{scheme}://kbpo:{password}@host.example.org:{rest}"})


def test_a_host_beyond_ascii_is_refused_with_the_form_that_browsers_send() -> None:
    for name, value in (("SITE_URL", "https://bücher.example"), ("ALLOWED_HOSTS", "bücher.example")):
        with pytest.raises(InvalidInput, match=r"xn--bcher-kva\.example"):
            read(SERVER | {name: value})


@pytest.mark.parametrize("hosts", [".example.org", "kbpo.example.org, [::1], 10.0.0.7, web"])
def test_hosts_of_every_form_are_read(hosts: str) -> None:
    assert read(SERVER | {"ALLOWED_HOSTS": hosts}).allowed_hosts == tuple(hosts.split(", "))


def test_an_escaped_password_is_read() -> None:
    email = read({"EMAIL_URL": "smtp+tls://user:12%23%2F%3F%40@mail.example.org"}).email
    assert email["EMAIL_HOST_PASSWORD"] == "12#/?@"


def test_the_epoch_secret_is_read_in_debug() -> None:
    assert read({"KBPO_EPOCH_SECRET": "00ff"}).epoch_secret == b"\x00\xff"


def test_an_epoch_secret_that_is_not_hex_is_refused() -> None:
    with pytest.raises(InvalidInput, match="KBPO_EPOCH_SECRET"):
        read({"KBPO_EPOCH_SECRET": "0x1"})


def test_the_page_of_settings_is_made_from_the_code() -> None:
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == page(), "run make settings"


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({}, "mturk_endpoint_url", "https://kbpo.example.org/marketplace/api/"),
        ({}, "mturk_is_built_in", True),
        ({"MTURK_ENDPOINT_URL": "https://mturk.example.net"}, "mturk_is_built_in", False),
        ({}, "mturk_keys", None),
        ({"MTURK_UNSIGNED_ARRIVALS": "1"}, "mturk_unsigned_arrivals", True),
        ({}, "hit_base_url", ""),
        ({"HIT_BASE_URL": "https://tasks.example.org/"}, "hit_base_url", "https://tasks.example.org"),
        ({"READ_ONLY": "1"}, "read_only", True),
        ({"CROWD_MOST_PERCENT": "12.5"}, "crowd_most_percent", 12.5),
        ({"KEEP_MAIL_DAYS": "7"}, "keep_mail_days", 7),
        ({"CONTACT_EMAIL": "kbp@example.org"}, "contact_email", "kbp@example.org"),
        (ORCID, "oidc_server_url", "https://orcid.org"),
        (
            {"TRUSTED_PROXIES": "10.0.0.5, 172.16.0.0/12, fd00::/8"},
            "trusted_proxies",
            tuple(map(ip_network, ("10.0.0.5/32", "172.16.0.0/12", "fd00::/8"))),
        ),
        ({}, "store", None),
        ({"FILE_STORE": "s3://bucket"}, "store", Address("bucket")),
        ({"FILE_STORE": "s3://bucket/a/b/"}, "store", Address("bucket", "a/b/")),
        (
            STORE,
            "store",
            Address("kbpo-files", "site/one/", "http://store:9000", "eu-central-1", ("key", "secret")),
        ),
    ],
)
def test_a_server_reads_a_variable_or_takes_its_default(given: dict[str, str], name: str, value: Any) -> None:
    assert getattr(read(SERVER | given), name) == value


@pytest.mark.parametrize(
    ("site", "pages"),
    [("http://localhost:8000", "http://127.0.0.1:8000"), ("http://127.0.0.1:81", "http://localhost:81")],
)
def test_a_development_machine_serves_hit_pages_under_its_other_name(site: str, pages: str) -> None:
    assert read({"SITE_URL": site}).hit_base_url == pages


@pytest.mark.parametrize("names", TOGETHER)
def test_variables_that_belong_together_are_refused_in_part(names: tuple[str, ...]) -> None:
    given = {name: (STORE | ORCID).get(name, "some") for name in names[:1]}
    with pytest.raises(InvalidInput, match=rf"\A{', '.join(names[1:])}: must be set too"):
        read({"FILE_STORE": "s3://bucket"} | given)


@pytest.mark.parametrize("name", OF_THE_STORE)
def test_a_variable_of_a_store_is_refused_without_a_store(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"^FILE_STORE: is unset, though {name} is set"):
        read({name: STORE[name]})


def test_no_secret_is_shown() -> None:
    shown = repr(read(SERVER | STORE | ORCID | {"PROLIFIC_TOKEN": "secret"}))
    assert not [word for word in ("secret'", "p@ss", SERVER["SECRET_KEY"]) if word in shown]


def test_a_kept_secret_stays_the_same_and_is_private(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    assert kept_secret(home) == kept_secret(home)
    assert stat.S_IMODE((home / "secret_key").stat().st_mode) == 0o600


def test_a_kept_secret_is_long_and_of_each_folder_its_own(tmp_path: Path) -> None:
    one, other = kept_secret(tmp_path / "one"), kept_secret(tmp_path / "other")
    assert one != other
    assert len(one) >= 50


def test_making_a_secret_leaves_no_other_file(tmp_path: Path) -> None:
    kept_secret(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_a_home_that_is_a_file_is_refused_by_its_variable(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    with pytest.raises(InvalidInput, match=r"^KBPO_HOME: "):
        kept_secret(tmp_path / "home")
