"""What is measured of a whole corpus' labels."""

from pathlib import Path

import pytest

from annotations import labels
from annotations.models import Corpus, Label
from crowd.simulation import simulated_crowd
from kbpo import pipeline
from tests.integration.conftest import Submit
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db


def measured(corpus: Corpus) -> dict[tuple[object, ...], float | None]:
    labels.update_posteriors(corpus=corpus)
    rows = Label.objects.filter(question__document__corpus=corpus).values_list(
        "question_id", "claim", "posterior"
    )
    return {row[:2]: row[2] for row in rows}


@pytest.mark.slow
def test_figures_do_not_depend_on_the_order_in_which_questions_were_settled(
    submit: Submit, corpus: Corpus, gold: Path
) -> None:
    submit("one")
    pipeline.advance()
    simulated_crowd.simulate(
        corpus=corpus, gold=simulated_crowd.read_gold(gold, TAC), workers=9, error=0.2, seed=1
    )
    before = measured(corpus)
    settled = list(Label.objects.order_by("-pk"))
    Label.objects.all().delete()
    for label in settled:
        label.pk = None
    Label.objects.bulk_create(settled)
    assert measured(corpus) == before
