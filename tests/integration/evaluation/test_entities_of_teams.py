"""What a team calls one entity has no say in its scores."""

import re

import pytest
from django.core.files import File
from django.core.management import call_command

from annotations.models import Corpus
from evaluation.design import audit
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Estimate, SubsetScore
from evaluation.submissions import submitting
from kbpo import pipeline
from kbpo.accounts.models import Team

pytestmark = pytest.mark.django_db


def gather(text: str) -> str:
    """Make every mention of an odd document one of a few entities, and leave the others to themselves."""
    return re.sub(r":(first|second|org|city)_(\d+)", lambda m: f":{m[1]}" if int(m[2]) % 2 else m[0], text)


def test_gathering_entities_changes_no_score(world, gold, corpus, tmp_path) -> None:
    Corpus.objects.update(target_half_width=0.04)
    claims = world.system(recall=0.7, precision=0.6, seed=3)
    plain = world.write_kb(tmp_path / "plain.kb", claims)
    gathered = tmp_path / "gathered.kb"
    lines = gather(plain.read_text()).splitlines()
    gathered.write_text("\n".join(dict.fromkeys(lines)) + "\n")
    submissions = []
    for path in (plain, gathered):
        with path.open("rb") as file:
            submissions.append(
                submitting.upload(
                    task=KBP,
                    user=None,
                    team=Team.objects.create(name=path.stem),
                    corpus=corpus,
                    name=path.stem,
                    file=File(file),
                    go_ahead=True,
                )
            )
    pipeline.advance()
    call_command("simulate_crowd", "--corpus", "small", "--gold", str(gold), verbosity=0)
    pipeline.advance()

    def figures(submission):
        one = Estimate.objects.filter(score__submission=submission)
        by = ("score__estimator", "score__weighting", "score__part", "score__level", "measure")
        subsets = SubsetScore.objects.filter(submission=submission)
        ends = ("estimate", "low", "high")
        return (
            sorted(one.values_list(*by, *ends), key=repr),
            sorted(subsets.values_list("division", "name", "part", "measure", *ends), key=repr),
        )

    entities = [set(one.predictions.values_list("subject_entity", flat=True)) for one in submissions]
    assert len(entities[1]) < len(entities[0]) * 2 / 3
    plainly, gathered_figures = map(figures, submissions)
    assert all(plainly)
    assert gathered_figures == plainly
    assert audit.audit_corpus(corpus, KBP) == []
