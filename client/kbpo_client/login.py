"""What is kept of a person: their site, and a token for each site, in a file that nobody else can read."""

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kbpo_client.errors import Unwritable, WrongUsage

FILE = "login.json"
SITE, TOKEN, FOLDER = "KBPO_SITE", "KBPO_TOKEN", "KBPO_CONFIG"  # environment variables


@dataclass(frozen=True, slots=True)
class Login:
    """Where one is logged in.

    Attributes
    ----------
    site : str
        The one that is meant where none is named; empty where there is none yet.
    tokens : mapping of str to str
        By site.
    """

    site: str = ""
    tokens: Mapping[str, str] = field(default_factory=dict)


def folder(environ: Mapping[str, str], platform: str = sys.platform, home: Path | None = None) -> Path:
    """Return where it is kept: ``$KBPO_CONFIG``, or where the platform keeps such things."""
    home = home or Path.home()
    if given := environ.get(FOLDER):
        return Path(given)
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming") / "kbpo"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "kbpo"
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "kbpo"


def read(where: Path) -> Login:
    """Return what is kept; nothing where nothing is.

    Raises
    ------
    WrongUsage
        If the file is damaged.
    """
    path = where / FILE
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return Login(str(kept["site"]), {str(site): str(token) for site, token in kept["tokens"].items()})
    except FileNotFoundError:
        return Login()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise WrongUsage(f"{path} cannot be read: delete it, and log in again") from None


def keep(where: Path, *, site: str, token: str) -> Path:
    """Keep a token for a site, which is meant from now on; return the file, which has mode 600."""
    site = site.rstrip("/")
    login = Login(site, {**read(where).tokens, site: token})
    path = where / FILE
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=where)  # with mode 600
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"site": login.site, "tokens": dict(login.tokens)}, file, indent=1)
        Path(name).replace(path)
    except OSError as error:
        raise Unwritable(f"{path} cannot be written: {error.strerror}") from None
    return path


def choose(environ: Mapping[str, str], *, site: str = "", token: str = "") -> tuple[str, str]:
    """Return the site and token that are meant: as given, else of the environment, else as kept.

    A kept token goes to its own site alone.

    Raises
    ------
    WrongUsage
        If no site is named anywhere.
    """
    kept = read(folder(environ))
    site = (site or environ.get(SITE, "") or kept.site).rstrip("/")
    if not site:
        raise WrongUsage(f"name the site: --site https://…, {SITE}, or kbpo login")
    return site, token or environ.get(TOKEN, "") or kept.tokens.get(site, "")
