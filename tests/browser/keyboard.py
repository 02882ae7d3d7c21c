"""Somebody who uses no mouse: Tab, Enter and Space, and what must be true wherever they come."""

from playwright.sync_api import Locator, Page

MOST = 400  # stops on a page, above which something repeats itself

#: The element that has the focus: a number of its own, and what is wrong with how it shows that. A box to be
#: ticked may show it by a line around its whole label.
STOP = """() => {
  const one = document.activeElement;
  if (!one || one === document.body || one === document.documentElement) return null;
  const known = (window.stops ??= new Map());
  if (!known.has(one)) known.set(one, known.size);
  const box = one.getBoundingClientRect(), faults = [];
  const isOutlined = (part) => {
    const style = getComputedStyle(part);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  };
  if (![one, ...(one.labels ?? [])].some(isOutlined)) faults.push("shows no focus");
  if (one.tabIndex > 0) faults.push("jumps the queue");
  const isBeside = box.right <= 0 || box.left >= innerWidth;
  if (box.bottom <= 0 || box.top >= innerHeight || isBeside) faults.push("is out of sight");
  if (!box.width || !box.height) faults.push("has no size");
  return { number: known.get(one), what: one.outerHTML.slice(0, 120), faults };
}"""

#: What can be used on a page, without the radio buttons, of which a group is one stop.
USABLE = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }))
    .filter((one) => !one.disabled && one.tabIndex >= 0 && !["radio", "hidden"].includes(one.type)).length"""


def walk(page: Page) -> tuple[int, list[str]]:
    """Go through a page by Tab: return the number of stops, and what is wrong with them.

    It begins where the page starts, or put the focus by itself, and goes over the end to the start.
    """
    seen: set[int] = set()
    faults: list[str] = []
    last, is_over_the_end = None, False
    page.evaluate("document.activeElement?.blur()")
    for _ in range(MOST):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is not None and stop["number"] == last:
            continue  # within a date: its day, its month, its year
        if stop is None and not is_over_the_end:
            is_over_the_end = True
            continue
        if stop is None or stop["number"] in seen:
            return len(seen), faults
        last = stop["number"]
        seen.add(last)
        faults += [f"{fault}: {stop['what']}" for fault in stop["faults"]]
    return len(seen), [*faults, "there is no end of it"]


def go_to(page: Page, target: Locator) -> None:
    """Press Tab until a control has the focus, and see to it that it shows that."""
    for _ in range(MOST):
        if target.evaluate("one => one === document.activeElement"):
            stop = page.evaluate(STOP)
            assert stop["faults"] == [], stop
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} is not reached by Tab")


def press(page: Page, target: Locator, key: str = "Enter") -> None:
    """Go to a control, and press a key on it."""
    go_to(page, target)
    page.keyboard.press(key)


def write(page: Page, target: Locator, words: str) -> None:
    """Go to a field, and type."""
    go_to(page, target)
    page.keyboard.press("Control+A")
    page.keyboard.type(words)
