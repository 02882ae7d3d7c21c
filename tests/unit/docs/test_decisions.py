"""The form of the architecture decision records in docs/adr."""

import re

from tests.conftest import ROOT

FOLDER = ROOT / "docs" / "adr"
PAGES = sorted(FOLDER.glob("[0-9]*.md"))
MOST_PAGES, MOST_WORDS = 40, 400
HEADINGS = ["## Status", "## Context", "## Decision", "## Consequences"]


def test_decision_records_are_few_short_numbered_and_listed() -> None:
    titles = []
    for number, page in enumerate(PAGES, start=1):
        text = page.read_text(encoding="utf-8")
        title, *headings = re.findall(r"^#+ .+", text, flags=re.MULTILINE)
        assert page.name.startswith(f"{number:04}-")
        assert title.startswith(f"# {number}. "), page.name
        assert headings == HEADINGS, page.name
        assert len(text.split()) <= MOST_WORDS, page.name
        titles.append((str(number), title.partition(". ")[2], page.name))
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^(\d+)\. \[(.+)\]\((.+)\): .+", index, flags=re.MULTILINE) == titles
    assert 0 < len(PAGES) <= MOST_PAGES
