"""What a team calls one entity has no say in its scores."""

from pathlib import Path

import pytest
from django.core.management import call_command

from evaluation.design import audit
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Estimate, Submission, SubsetScore

pytestmark = pytest.mark.django_db


def write_renamed(world, path: Path, claims) -> Path:
    """Write claims as `World.write_kb` does, but with entities of other names.

    The surest half's ends are entities of their own. All others are four entities over many documents.
    """
    middle = sorted(confidence for _, confidence in claims)[len(claims) // 2]
    entities: dict[str, None] = {}
    relations = []
    for number, (fact, confidence) in enumerate(claims):
        d = fact.document
        names = {}
        for role in (fact.subject, fact.object):
            name = names[role] = f":{role}_{d}_{number}" if confidence >= middle else f":{role}"
            start, end = world.span(d, role)
            where = f'"{world.names(d)[role]}"\tD{d:03}:{start}-{end - 1}'
            kind = world.TYPES[role]
            for line in (f"type\t{kind}", f"canonical_mention\t{where}", f"mention\t{where}"):
                entities[f"{name}\t{line}"] = None
        relations.append(
            f"{names[fact.subject]}\t{fact.predicate}\t{names[fact.object]}"
            f"\tD{d:03}:0-{len(world.text(d)) - 1}\t{confidence:.4f}"
        )
    path.write_text("\n".join([path.stem, *entities, *relations]) + "\n")
    return path


def figures(submission: Submission) -> list[list[tuple[object, ...]]]:
    by = (
        *("score__estimator", "score__weighting", "score__part", "score__standard"),
        *("score__level", "score__rank", "measure"),
    )
    ends = ("estimate", "low", "high")
    found = (
        Estimate.objects.filter(score__submission=submission).values_list(*by, *ends),
        SubsetScore.objects.filter(submission=submission).values_list(
            "division", "name", "part", "measure", *ends
        ),
    )
    return [sorted(map(tuple, rows), key=repr) for rows in found]


@pytest.mark.slow
def test_renaming_entities_changes_no_score(world, gold, corpus, tmp_path) -> None:
    corpus.target_half_width = 0.04
    corpus.save()
    claims = world.system(recall=0.7, precision=0.6, seed=3)
    files = [
        world.write_kb(tmp_path / "plain.kb", claims),
        write_renamed(world, tmp_path / "renamed.kb", claims),
    ]
    for path in files:
        call_command(
            "submit", str(path), "--corpus", "small", "--team", path.stem, "--name", path.stem, verbosity=0
        )
    call_command("advance", verbosity=0)
    call_command("simulate_crowd", "--corpus", "small", "--gold", str(gold), verbosity=0)
    call_command("advance", verbosity=0)

    plain, renamed = (Submission.objects.get(name=path.stem) for path in files)
    said = [set(one.predictions.values_list("subject_entity", flat=True)) for one in (plain, renamed)]
    assert said[0] != said[1]
    assert {":first", ":second"} <= said[1]
    assert all(figures(plain))
    assert figures(renamed) == figures(plain)
    assert audit.audit_corpus(corpus, KBP) == []
