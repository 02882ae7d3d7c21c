"""Check a page: axe's findings of any impact, and parts that are too small, too wide, cut off or unnamed."""

from collections.abc import Collection
from importlib.resources import files
from typing import Any

from playwright.sync_api import Frame, Page

SOURCE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
FINGER = 44  # CSS pixels, the least height of what is touched (WCAG 2.5.5)
#: Beside what axe looks for by itself, best practice and all impacts included.
_MORE_RULES = ("target-size", "label-content-name-mismatch", "td-has-header", "table-fake-caption")

_AXE = """async (more) => {
  const found = await axe.run(document, {
    resultTypes: ["violations"],
    rules: Object.fromEntries(more.map((one) => [one, { enabled: true }])),
  });
  return found.violations.flatMap((rule) => rule.nodes.map((node) => ({
    rule: rule.id, impact: rule.impact, where: node.target.join(" "), what: node.html.slice(0, 160),
  })));
}"""
#: A link in running text is as high as its line (WCAG's own exception); a field's label is touched as well.
_MEASURED = """(finger) => {
  const found = [];
  const seen = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const note = (rule, one, what) => found.push({
    rule, impact: "measured", what, where: (one.outerHTML ?? "").slice(0, 160).replace(/\\s+/g, " "),
  });
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) {
    const scrolls = (one) => one && one !== document.documentElement &&
      (!["visible", "clip"].includes(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
    const wide = [...document.body.querySelectorAll("*")].filter((one) => seen(one) &&
      one.getBoundingClientRect().right > width + 1 && !scrolls(one.parentElement));
    const inner = wide.filter((one) => !wide.some((other) => other !== one && one.contains(other)));
    for (const one of (inner.length ? inner : [document.body]).slice(0, 5)) {
      note("overflow", one, `${document.documentElement.scrollWidth} of ${width} px`);
    }
  }
  const isInText = (one) => {
    if (getComputedStyle(one).display !== "inline") return false;
    let block = one.parentElement;
    while (block && getComputedStyle(block).display === "inline") block = block.parentElement;
    const rest = [...block.childNodes].map((node) => node === one || node.contains(one) && node !== block ?
      [...(node.childNodes ?? [])].map((inner) => inner.contains(one) ? "" : inner.textContent).join("") :
      node.nodeType === 3 || node.nodeType === 1 && getComputedStyle(node).display === "inline" ?
        node.textContent : "").join("");
    return /\\p{L}{2}/u.test(rest.replaceAll(one.textContent, ""));
  };
  const targets = "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button]";
  for (const one of document.querySelectorAll(targets)) {
    if (!seen(one) || one.disabled || one.tabIndex < 0) continue;  // there again, in a list or a table
    const boxes = [one, ...(one.labels ?? [])].filter(seen).flatMap((part) => [...part.getClientRects()]);
    const height = Math.max(0, ...boxes.map((box) => box.height));
    const breadth = Math.max(0, ...boxes.map((box) => box.width));
    if (breadth <= 1 || boxes.every((box) => box.right < 0 || box.bottom < 0)) continue;  // for readers
    if (height < finger - 0.5 && !isInText(one)) note("target", one, `${height.toFixed(1)} px high`);
  }
  const says = (one, side) => !["none", "normal", '""'].includes(getComputedStyle(one, side).content);
  const isBare = (text) => /^(\\d{1,2} [A-Z][a-z]{2} \\d{4}(, [\\d:]+)?|[\\d,]+([.:]\\d+)?)$/.test(text);
  for (const one of document.querySelectorAll(".listing tbody td")) {
    if (!seen(one) || seen(one.closest("table").querySelector("thead") ?? one)) continue;
    const text = one.innerText.trim();
    if (isBare(text) && !says(one, "::before") && !says(one, "::after")) note("unnamed", one, text);
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const known = new Set();
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (known.has(one) || !texts.currentNode.data.trim() || !seen(one)) continue;
    known.add(one);
    const style = getComputedStyle(one);
    if (parseFloat(style.fontSize) < 12 && !one.closest("svg, math, sup, sub")) {
      note("small type", one, style.fontSize);
    }
    if (["hidden", "clip"].includes(style.overflowX) && one.scrollWidth > one.clientWidth + 1 &&
        one.clientWidth > 1) {
      note("cut", one, `${one.clientWidth} of ${one.scrollWidth} px`);
    }
  }
  return found;
}"""
_OPEN = "() => { for (const one of document.querySelectorAll('details')) one.open = true; }"

Finding = dict[str, Any]


def axe_findings(page: Page | Frame) -> list[Finding]:
    """Return axe's findings of every impact.

    Each has a rule, an impact, where it is (a selector), and what is there (HTML).
    """
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(f"() => {{ {SOURCE} }}")
    found: list[Finding] = page.evaluate(_AXE, list(_MORE_RULES))
    return found


def measured(page: Page | Frame, *, without: Collection[str] = ()) -> list[Finding]:
    """Return what scrolls sideways, is lower than a finger, is set too small or is cut, as axe's findings.

    Where a table's headings are hidden, a number or a date that nothing names is one too.
    """
    found: list[Finding] = page.evaluate(_MEASURED, FINGER)
    return [one for one in found if one["rule"] not in without]


def open_details(page: Page | Frame) -> None:
    """Open whatever folds, so that what is in it is looked at too."""
    page.evaluate(_OPEN)
