"""Take a picture of every page and measure it: ``python -m docs.contact_sheet --help``.

For each world (a site just installed; corpora without a system; the demo; a thousand systems) the site is
served on a database of its own, and every page is opened as whoever it is for, at each width, in light and
in dark: `tests.pictures` says which pages and worlds there are, and what is measured. OUT gets the pictures,
``WORLD/findings.json``, and contact sheets: large ones to look at, and small ones, which ``--keep`` puts into
docs/images/.
"""

import argparse
import contextlib
import json
import os
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Page, sync_playwright

from benchmarks.site import HIT_HOST, Site, prepared, serving
from demo import serve
from docs.screenshots import FLAGS
from docs.sheets import write_large, write_small

SCHEMES, WIDTHS = ("light", "dark"), (360, 768, 1280)
WORLDS = ("new", "empty", "small", "large")
HEIGHT = 800
LONGEST = 3_000  # px of a picture
STARTING = 300.0  # seconds that the site has to answer, on a machine that does other things too
PAGES = "pages.json"  # a world that was filled: its sessions, and where its pages are
MANY = 2_500  # elements of a page at which axe takes long: it looks once
PATIENCE = 60_000  # ms for a page


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the pictures; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m docs.contact_sheet", description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder")
    parser.add_argument("--worlds", nargs="+", choices=WORLDS, default=WORLDS)
    parser.add_argument("--pages", nargs="+", metavar="LABEL", help="only those that begin so")
    parser.add_argument("--skip", nargs="+", default=[], metavar="LABEL", help="all but these")
    parser.add_argument("--widths", nargs="+", type=int, default=WIDTHS)
    parser.add_argument("--schemes", nargs="+", choices=SCHEMES, default=SCHEMES)
    parser.add_argument("--without-axe", action="store_true", help="which takes most of the time")
    parser.add_argument("--homes", type=Path, help="keep the worlds' databases here, and use those that are")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--keep", action="store_true", help="write the small sheets into docs/images/")
    parser.add_argument("--chromium", default=os.environ.get("CHROMIUM", "/usr/bin/chromium"), metavar="PATH")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    report: dict[str, Any] = {}
    for world in options.worlds:
        file = options.out / world / "findings.json"
        before = json.loads(file.read_text()) if file.exists() else {}
        began = time.monotonic()
        with contextlib.ExitStack() as stack:
            homes = options.homes or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kbpo-")))
            found = look(world, homes / world, options)
        report[world] = before | found
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(report[world], indent=1, ensure_ascii=False) + "\n")
        count = Counter(one["rule"] for page in found.values() for one in page["findings"])
        sys.stdout.write(f"{world}: {len(found)} pages, {time.monotonic() - began:.0f} s, {dict(count)}\n")
    write_large(options.out, report)
    write_small(Path(__file__).parent / "images" if options.keep else options.out, options.out, report)
    return 0


def look(world: str, home: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Serve a world, open its pages, take their pictures; return what was found, by page."""
    port = options.port
    if not port:
        with socket.socket() as taken:
            taken.bind((serve.HOST, 0))
            port = taken.getsockname()[1]
    with prepared(home, port, is_new=not (home / PAGES).exists()) as site:
        site.environ.update(MTURK_ACCESS_KEY_ID="a key", MTURK_SECRET_ACCESS_KEY="its secret")  # noqa: S106
        entries = fill(site, world, home)
        found: dict[str, Any] = {}
        with (
            serving(site, names=("web",), patience=STARTING),
            sync_playwright() as playwright,
            contextlib.closing(
                playwright.chromium.launch(executable_path=options.chromium, args=FLAGS)
            ) as browser,
        ):
            for person, key in entries["sessions"].items():
                pages = [
                    one
                    for one in entries["pages"]
                    if one["who"] == person
                    and one["label"] not in options.skip
                    and (not options.pages or one["label"].startswith(tuple(options.pages)))
                ]
                found.update(look_as(browser, site, key, pages, world, options))
    return found


def fill(site: Site, world: str, home: Path) -> dict[str, Any]:
    """Make the world, if it is not there; return its sessions and pages, with their addresses."""
    file = home / PAGES
    if not file.exists():
        file.write_text(site.run("-m", "tests.pictures", world).splitlines()[-1])
    entries: dict[str, Any] = json.loads(file.read_text())
    return entries


def look_as(
    browser: Browser,
    site: Site,
    key: str,
    pages: list[dict[str, Any]],
    world: str,
    options: argparse.Namespace,
) -> dict[str, Any]:
    """Open pages as somebody; return what was found on each."""
    url = f"http://{serve.HOST}:{site.port}"
    context = browser.new_context(
        base_url=url,
        viewport={"width": options.widths[0], "height": HEIGHT},
        reduced_motion="reduce",  # no picture of a colour that is on its way to another
    )
    context.set_default_timeout(PATIENCE)
    if key:
        context.add_cookies([{"name": "sessionid", "value": key, "url": url}])
    found = {}
    for one in pages:
        page = context.new_page()
        said: list[str] = []
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        page.on("console", lambda message, said=said: message.type == "error" and said.append(message.text))
        where = f"http://{HIT_HOST}:{site.port}{one['path']}" if one["is_elsewhere"] else one["path"]
        try:
            entry = look_at(page, where, one, world, options)
        except Error as error:
            entry = {"findings": [{"rule": "failed", "what": error.message.splitlines()[0]}]}
        entry["findings"] += [
            {"rule": "console", "what": text}
            for text in said
            if one["status"] == 200 or not text.startswith("Failed to load resource")
        ]
        found[one["label"]] = {"who": one["who"], "path": one["path"], **entry}
        page.close()
    context.close()
    return found


def look_at(
    page: Page, where: str, one: dict[str, Any], world: str, options: argparse.Namespace
) -> dict[str, Any]:
    """Open a page and look at it at every width, in light and dark; return what was found."""
    from tests.pictures import looking

    found: list[dict[str, Any]] = []
    answer = page.goto(where, wait_until="load")
    assert answer is not None
    if answer.status != one["status"]:
        found.append({"rule": "status", "what": str(answer.status)})
    if answer.request.redirected_from is not None and not one.get("may_lead_on"):
        found.append({"rule": "leads on", "what": page.url})
    for width in options.widths:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        for scheme in options.schemes:
            page.emulate_media(color_scheme=scheme)
            folder = options.out / world / f"{width}-{scheme}"
            folder.mkdir(parents=True, exist_ok=True)
            height = min(LONGEST, page.evaluate("document.documentElement.scrollHeight"))
            page.screenshot(
                path=folder / f"{file_name(one['label'])}.jpg",
                type="jpeg",
                quality=70,
                full_page=True,
                clip={"x": 0, "y": 0, "width": width, "height": max(height, HEIGHT)},
                animations="disabled",
            )
    # what folds is opened behind the pictures
    looking.open_details(page)
    narrow, wide = options.widths[0], options.widths[-1]
    size = page.evaluate("document.querySelectorAll('*').length")
    first, last = options.schemes[0], options.schemes[-1]
    for width in options.widths:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.emulate_media(color_scheme=first)
        at = looking.measured(page, without=() if width == narrow else ("target",))
        if not options.without_axe and (width == narrow or (width == wide and size < MANY)):
            at += looking.axe_findings(page)
        found += [{**finding, "at": f"{width}-{first}"} for finding in at]
    if not options.without_axe:
        page.emulate_media(color_scheme=last)
        at = looking.axe_findings(page, only=("color-contrast",))
        found += [{**finding, "at": f"{wide}-{last}"} for finding in at]
    return {"findings": once(found), "elements": size}


def once(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each finding once, with all widths and schemes at which it is."""
    by_what: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one in found:
        key = (one["rule"], one.get("where"))
        by_what.setdefault(key, {**one, "at": []})["at"].append(one.get("at", ""))
    return list(by_what.values())


def file_name(label: str) -> str:
    """Return the name of a page's picture."""
    return label.replace(":", "-").replace(", ", "--").replace(" ", "-")


if __name__ == "__main__":
    sys.exit(main())
