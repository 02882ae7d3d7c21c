"""Walks the ways in (``docs/way-in``) again, and writes down what came and how long it took.

``python -m docs.way_in`` walks all of them in a fresh demo (``make demo``), whose mail it reads and in which
it has the questions answered, and rewrites their pages. The commands are what the pages say: `docs.walking`.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from docs.walking import LOOK, SITE, Failed, find_link, script, walk

FOLDER = Path(__file__).with_name("way-in")
ROOT = FOLDER.parents[1]
NAMES = ("curl", "client", "script")
_MAKE_TOKEN = """
from django.utils import timezone
from kbpo.accounts import tokens
from kbpo.accounts.models import User
user, now = User.objects.get(email="researcher@demo.example"), timezone.now()
name = f"walk of {now:%Y-%m-%d %H:%M:%S.%f}"
print(tokens.make(user=user, name=name, scopes=["submit"], days=7, now=now).secret)
"""  # noqa: S105  (it makes one)


class Demo:
    """A demo that runs on this machine.

    Parameters
    ----------
    home : Path
        Its ``KBPO_HOME``.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self._before = set(self._mails())

    def operate(self, words: list[str]) -> str:
        """Carry out a command of its operators; return what it prints."""
        meant = [
            sys.executable if word == "python" else word.replace("var/", f"{self.home}/") for word in words
        ]
        environ = {**os.environ, "KBPO_HOME": str(self.home)}
        done = subprocess.run(meant, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise Failed(f"{shlex.join(words)}\n{done.stdout}{done.stderr}")
        return done.stdout

    def link(self) -> str:
        """Return the address in the newest mail, once there is one."""
        for _ in range(300):
            for path in set(self._mails()) - self._before:
                if found := find_link(path.read_text(encoding="utf-8")):
                    return found
            time.sleep(LOOK)
        raise Failed(f"no mail came to {self.home / 'mail'}")

    def token(self) -> str:
        """Return a token of the demo's researcher."""
        return self.operate(["python", "manage.py", "shell", "--verbosity", "0", "-c", _MAKE_TOKEN]).strip()

    def work(self) -> None:
        """Leave it to its own workers."""

    def _mails(self) -> Iterator[Path]:
        return self.home.joinpath("mail").glob("*.eml")


def main() -> int:
    """Walk, and write the pages; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m docs.way_in", description="Walk the ways in again.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all if left out")
    parser.add_argument("--site", default=SITE, help=f"of a demo ({SITE})")
    parser.add_argument("--home", type=Path, default=ROOT / "var", help="its KBPO_HOME (var)")
    parser.add_argument("--where", default="", help="what is said of the machine: 'on two quiet cores'")
    asked = parser.parse_args()
    for name in asked.names or NAMES:
        path = FOLDER / f"{name}.md"
        with tempfile.TemporaryDirectory() as folder:
            try:
                done = walk(
                    path.read_text(encoding="utf-8"),
                    site=asked.site.rstrip("/"),
                    service=Demo(asked.home.absolute()),
                    folder=Path(folder),
                    where=asked.where,
                )
            except Failed as error:
                sys.exit(f"{name}: {error}")
        path.write_text(done.page, encoding="utf-8")
        if name == "script":
            path.with_suffix(".py").write_text(script(done.page), encoding="utf-8")
        sys.stdout.write(f"{name}: {done.seconds:.0f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
