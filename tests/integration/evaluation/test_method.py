"""The page that says whether to believe the leaderboard."""

import pytest
from django.test import Client

from evaluation.estimation import code_version

pytestmark = pytest.mark.django_db


def test_formulas_are_mathml_and_the_page_names_the_code_that_it_describes(client: Client) -> None:
    page = client.get("/method/").content.decode()
    assert page.count("<math") > 20
    assert "\\hat" not in page
    assert code_version() in page


def test_the_page_asks_no_other_host_for_anything(client: Client) -> None:
    page = client.get("/method/").content.decode()
    for attribute in ('src="http', 'href="http'):
        assert attribute not in page
