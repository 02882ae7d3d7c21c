from collections import defaultdict
from typing import Any

from django.db import migrations
from django.db.models import Max

LEVEL = 95
#: How scores are computed that pages show first, by task and design: as it was when there was no history.
SHOWN = {
    ("kbp", "coordinated"): ("instance", "documents"),
    ("kbp", "iid"): ("subject_relation", "joint"),
    ("classification", "coordinated"): ("class", "sampled"),
    ("classification", "iid"): ("class", "sampled"),
    ("generation", "coordinated"): ("output", "corrected"),
    ("generation", "iid"): ("output", "corrected"),
}


def write_down(apps: Any, schema_editor: Any) -> None:
    """Begin the history of scores that are there: what they are is the first that is known of them."""
    numbers: dict[int, int] = defaultdict(int)
    for epoch in apps.get_model("evaluation", "Epoch").objects.select_related("corpus").order_by("pk"):
        shown = SHOWN.get((epoch.corpus.task, epoch.corpus.design))
        if shown is None:
            continue
        found = _read(apps, epoch, *shown)
        if not found:
            continue
        columns = sorted({column for figures in found.values() for column in figures})
        numbers[epoch.corpus_id] += 1
        scores = apps.get_model("evaluation", "Score").objects.filter(epoch=epoch)
        last = scores.order_by("-computed_at", "-pk").first()
        computation = apps.get_model("evaluation", "Computation").objects.create(
            corpus_id=epoch.corpus_id,
            number=numbers[epoch.corpus_id],
            epoch=epoch,
            at=last.computed_at,
            code_version=last.code_version,
            systems=scores.aggregate(last=Max("batch__number"))["last"],
            columns=columns,
        )
        systems = apps.get_model("evaluation", "Submission").objects.in_bulk(list(found))
        labels = dict(scores.order_by("pk").values_list("submission_id", "labels"))
        change = apps.get_model("evaluation", "ScoreChange")
        change.objects.bulk_create(
            change(
                computation=computation,
                submission_id=pk,
                is_public=systems[pk].is_public and systems[pk].state in ("judging", "scored"),
                labels=labels[pk],
                figures=[one for column in columns for one in figures.get(column, (None, None, None))],
            )
            for pk, figures in sorted(found.items())
        )


def _read(apps: Any, epoch: Any, weighting: str, estimator: str) -> dict[int, dict[Any, list[int | None]]]:
    rows = apps.get_model("evaluation", "Estimate").objects.filter(
        score__epoch=epoch,
        score__weighting=weighting,
        score__estimator=estimator,
        score__level=LEVEL,
    )
    found: dict[int, dict[Any, list[int | None]]] = defaultdict(dict)
    for pk, part, standard, measure, *figures in rows.values_list(
        "score__submission_id", "score__part", "score__standard", "measure", "estimate", "low", "high"
    ).iterator():
        column = (part, weighting, estimator, standard, LEVEL, measure)
        found[pk][column] = [None if one is None else int(f"{100 * one:.1f}".replace(".", "")) for one in figures]
    return found


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0050_history")]

    operations = [migrations.RunPython(write_down, migrations.RunPython.noop)]
