"""Take the pictures in docs/images/ from a running site: ``python -m docs.screenshots --help``."""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import BrowserContext, Error, Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture: its name, who is signed in ("" for nobody), and how to get to the page."""

    name: str
    person: str
    path: str
    link: str = ""  # a CSS selector of what to follow from there
    top: str = ""  # a CSS selector of what is to stand at the top


SHOTS = (
    Shot("home", "", "/", top="main h2"),
    Shot("submission", "submitter", "/submissions/", "tbody th a"),
    Shot("relation", "annotator", "/annotate/", "main a.primary, main button.primary"),
    Shot("explorer", "", "/", ".board tbody th a"),
    Shot("document", "", "/corpora/demo/documents/?show=marked", "main tbody th a"),
    Shot("outputs", "", "/corpora/reports/", ".board tbody th a"),
    Shot("metrics", "", "/corpora/reports/metrics/"),
)
SIZES = {"": (1280, 900), "-phone": (360, 780)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Take every picture; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default=f"http://localhost:{os.environ.get('PORT', '8000')}")
    parser.add_argument("--submitter", default="researcher@demo.example", metavar="ADDRESS")
    parser.add_argument("--annotator", default="annotator@demo.example", metavar="ADDRESS")
    parser.add_argument("--password", default="kbpo-demo")
    parser.add_argument("--images", type=Path, default=IMAGES, metavar="FOLDER")
    parser.add_argument("--chromium", default=os.environ.get("CHROMIUM", "/usr/bin/chromium"), metavar="PATH")
    options = parser.parse_args(arguments)
    options.images.mkdir(parents=True, exist_ok=True)
    people = {"submitter": options.submitter, "annotator": options.annotator}
    try:
        with sync_playwright() as playwright:
            for size, (width, height) in SIZES.items():
                for shot in SHOTS:
                    with tempfile.TemporaryDirectory() as profile:
                        context = playwright.chromium.launch_persistent_context(
                            profile,
                            executable_path=options.chromium,
                            args=FLAGS,
                            base_url=options.url,
                            viewport={"width": width, "height": height},
                        )
                        path = options.images / f"{shot.name}{size}.png"
                        take(context, shot, people.get(shot.person, ""), options.password, path)
                        context.close()
                        sys.stdout.write(f"{path}\n")
    except Error as error:
        sys.stderr.write(f"{options.url}: {error.message.splitlines()[0]} Is the demo running (make demo)?\n")
        return 1
    return 0


def take(context: BrowserContext, shot: Shot, person: str, password: str, path: Path) -> None:
    """Sign in if need be, go to the page, and take its picture."""
    page = context.new_page()
    if person:
        sign_in(page, person, password)
    page.goto(shot.path)
    if shot.link:
        page.locator(shot.link).first.click()
        page.wait_for_load_state("networkidle")
    if shot.top:
        page.locator(shot.top).first.evaluate("one => one.scrollIntoView()")
    page.screenshot(path=path)


def sign_in(page: Page, person: str, password: str) -> None:
    """Sign in through the form."""
    page.goto("/accounts/login/")
    page.fill("[name=login]", person)
    page.fill("[name=password]", password)
    page.click("main button[type=submit]")
    page.wait_for_url("**/")


if __name__ == "__main__":
    sys.exit(main())
