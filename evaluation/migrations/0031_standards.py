"""Scores say what counts as right: whatever was scored before took the votes for the truth."""

from django.db import migrations, models

NAMES = {"votes": "votes taken for the truth", "audit": "corrected for judges' errors"}
HELP = "What counts as right: as the votes say, or as an audit of them corrects that."
ONCE = {
    "score": (["submission", "batch", "estimator", "weighting", "part"], ["level"]),
    "ranking": (["corpus", "estimator", "weighting", "part"], ["level"]),
    "comparison": (["epoch", "estimator", "weighting", "part"], []),
}


def operations(model: str) -> list[migrations.operations.base.Operation]:
    before, after = ONCE[model]
    return [
        migrations.AddField(
            model,
            "standard",
            models.CharField(choices=list(NAMES.items()), default="votes", help_text=HELP, max_length=8),
        ),
        migrations.RemoveConstraint(model, f"{model}_once"),
        migrations.AddConstraint(
            model, models.UniqueConstraint(fields=[*before, "standard", *after], name=f"{model}_once")
        ),
        migrations.AddConstraint(
            model,
            models.CheckConstraint(
                condition=models.Q(("standard__in", list(NAMES))), name=f"{model}_standard"
            ),
        ),
    ]


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0030_released_labels")]

    operations = [
        *(one for model in ONCE for one in operations(model)),
        # What replaces them is computed with the scores; nobody made them.
        migrations.DeleteModel("AdjustedScore"),
    ]
