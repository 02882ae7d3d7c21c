"""What systems wrote, a metric against judgements, and two systems side by side: on a phone and a desk."""

import pytest

from evaluation.models import Submission
from tests.browser.axe import violations
from tests.browser.conftest import OpenPage
from tests.browser.looks import looks, picture
from tests.integration.evaluation.test_outputs import released, same_sample  # noqa: F401  (fixtures)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.slow
@looks(360, 1280)
def test_its_pages_fit_and_are_accessible(
    open_page: OpenPage,
    released: Submission,  # noqa: F811
    width: int,
    scheme: str,
) -> None:
    other = Submission.objects.get(name="two")
    pages = {
        "outputs": f"/corpora/notes/outputs/{released.pk}/?judged=yes&metric=length&order=over",
        "output": f"/corpora/notes/outputs/{released.pk}/?input=I02",
        "metric": f"/corpora/notes/outputs/{released.pk}/metric/?metric=length",
        "pair": f"/corpora/notes/outputs/?a={released.pk}&b={other.pk}",
        "board": "/corpora/notes/",
    }
    for name, address in pages.items():
        page = open_page(address, width=width, scheme=scheme)
        for details in page.locator("details").all()[:8]:
            details.evaluate("one => { one.open = true; }")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert violations(page) == [], name
        picture(page, f"{name}-{width}-{scheme}")
