"""Recorded judgements of summaries and answers, for tests that hold estimates against them.

The data lie beside the project, not in it; tests that need them are skipped where they are missing.
"""

import functools
import json
from pathlib import Path

import pytest

from tests.readers import nlg as files
from tests.readers.nlg import Recorded

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "nlg"

needs_nlg = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the data set {FOLDER} is missing")


@functools.cache
def recorded() -> dict[str, Recorded]:
    return files.read(FOLDER)


@functools.cache
def expected() -> dict:
    return json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
