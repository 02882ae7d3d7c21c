import pytest

from evaluation.submissions.links import LONGEST, Links, read_links
from kbpo.core.errors import InvalidInput


@pytest.mark.parametrize("given", ["", "https://example.org", " https://example.org/a?b=c#d "])
def test_addresses_of_pages_are_taken_without_spaces_around_them(given):
    assert read_links(paper=given, code="") == Links(given.strip(), "")


@pytest.mark.parametrize(
    "given",
    [
        "http://example.org/",
        "javascript:alert(1)",
        "//example.org/",
        "HTTPS://example.org/",
        "https://localhost/",
        "https://me:secret@example.org/",
        "https://example.org/\nx",
        "https://[::1/",
        "https://example.org/" + LONGEST * "x",
    ],
)
def test_anything_else_is_refused_by_the_name_of_its_field(given):
    with pytest.raises(InvalidInput, match="code_url: "):
        read_links(paper="", code=given)
