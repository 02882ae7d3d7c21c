"""What axe-core finds wrong with a page, for people who cannot see it, or not well."""

from importlib.resources import files

from playwright.sync_api import Frame, Page

SOURCE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def violations(page: Page | Frame) -> list[str]:
    """Return each finding with the elements that it is about."""
    page.evaluate(f"() => {{ {SOURCE} }}")
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:120] for node in one['nodes']]}"
        for one in found["violations"]
    ]
