"""How a page looks: a picture of it, and whether it leaves room for fingers."""

import os

import pytest
from playwright.sync_api import Frame, Locator, Page

FINGER = 44  # CSS pixels, the least height of what is touched

# In one step: a script of the page may hide things between two.
HEIGHTS = """targets => [...document.querySelectorAll(targets)]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }))
    .map((one) => one.getBoundingClientRect().height)"""


def picture(page: Page, name: str) -> None:
    """Keep a picture of the whole page as NAME.png in the folder that PICTURES names, if it is set."""
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def fit_fingers(page: Page | Frame, targets: str, *, at_least: int = 1) -> bool:
    """Whether that many targets (a selector) can be seen, and all of these are as high as a finger needs."""
    heights = page.evaluate(HEIGHTS, targets)
    return len(heights) >= at_least and all(height >= FINGER for height in heights)


def is_broken(cell: Locator, word: str) -> bool:
    """Say whether the word with which a cell begins goes over more than one line."""
    return bool(
        cell.evaluate(
            """(cell, length) => {
              const word = document.createRange();
              word.setStart(cell.firstChild, 0);
              word.setEnd(cell.firstChild, length);
              return word.getClientRects().length > 1;
            }""",
            len(word),
        )
    )


def looks(*widths: int) -> pytest.MarkDecorator:
    """Look at each width in light and in dark; make test looks at the narrowest in light alone."""
    often = {(min(widths), "light")}
    return pytest.mark.parametrize(
        ("width", "scheme"),
        [
            pytest.param(*look, marks=() if look in often else pytest.mark.slow)
            for width in widths
            for look in ((width, "light"), (width, "dark"))
        ],
    )
