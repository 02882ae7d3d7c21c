"""The Dockerfile makes an image of what is there."""

import re
import shlex
from pathlib import Path

from kbpo.environment import VARIABLES, read

ROOT = Path(__file__).resolve().parents[3]


def variables_of_the_build() -> dict[str, str]:
    """Return what stands before the command that collects static files."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (step,) = [step for step in text.split("\nRUN ") if " python manage.py collectstatic" in step]
    words = shlex.split(step.partition(" python manage.py")[0].replace("\\\n", " "))
    return dict(word.split("=", 1) for word in words)


def test_static_files_are_collected_with_settings_of_a_server_that_are_accepted() -> None:
    given = variables_of_the_build()
    assert set(given) <= VARIABLES
    assert read(given).debug is False


def test_what_is_copied_is_there() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = [step.split()[1:-1] for step in re.findall(r"^COPY .*$", text, re.M) if "--from=" not in step]
    sources = [word for words in copied for word in words if not word.startswith("--")]
    assert sources
    assert [source for source in sources if not (ROOT / source).exists()] == []
