"""Every address of the site has a line in `tests.browser.pages`."""

from collections import Counter

from tests.browser.pages import NO_PAGES, SEEN, is_looked_at, pages
from tests.integration.any_request.asking import routes

ROUTES = {name for name, _ in routes()}
LISTED = [name for names in (*SEEN.values(), *NO_PAGES.values()) for name in names.split()]


def test_every_address_is_looked_at_or_no_page() -> None:
    assert sorted(name for name in ROUTES if is_looked_at(name) is None) == []


def test_no_address_is_listed_that_is_not_there() -> None:
    assert sorted(set(LISTED) - ROUTES) == []


def test_no_address_is_listed_twice() -> None:
    assert [name for name, number in Counter(LISTED).items() if number > 1] == []


def test_no_two_pages_have_one_label() -> None:
    labels = [page.label for page in pages()]
    assert [label for label, number in Counter(labels).items() if number > 1] == []
