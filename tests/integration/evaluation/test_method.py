"""The page that says whether to believe the leaderboard."""

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from evaluation.kbp.task import TASK as KBP
from evaluation.scoring.estimation import code_version
from evaluation.views import method

pytestmark = pytest.mark.django_db


def test_formulas_are_mathml_and_the_page_names_the_code_that_it_describes(client: Client) -> None:
    page = client.get("/method/").content.decode()
    assert page.count("<math") > 20
    assert "\\hat" not in page
    assert code_version(KBP) in page


def test_the_page_asks_no_other_host_for_anything(client: Client) -> None:
    page = client.get("/method/").content.decode()
    for attribute in ('src="http', 'href="http'):
        assert attribute not in page


def test_every_experiment_stands_there_with_its_figure_and_its_numbers(client: Client) -> None:
    page = client.get("/method/").content.decode()
    for experiment in method.experiments():
        assert finders.find(experiment["figure"]), experiment["figure"]
        assert experiment["figure"] in page
        width, height = experiment["size"]
        assert f'width="{width}"' in page
        assert f'height="{height}"' in page
        for row in experiment["compared"]:
            assert row["shown"] in page
