"""Scores of subsets say what counts as right, as scores do: those of classes are corrected by audits."""

from django.db import migrations, models

NAMES = {"votes": "votes taken for the truth", "audit": "corrected for judges' errors"}
HELP = "What counts as right: as the votes say, or as an audit of them corrects that."


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0035_audits_aimed_at_claims")]

    operations = [
        migrations.AddField(
            "subsetscore",
            "standard",
            models.CharField(choices=list(NAMES.items()), default="votes", help_text=HELP, max_length=8),
        ),
        migrations.RemoveConstraint("subsetscore", "subset_score_once"),
        migrations.AddConstraint(
            "subsetscore",
            models.UniqueConstraint(
                fields=["submission", "division", "name", "part", "standard", "measure"],
                name="subset_score_once",
            ),
        ),
        migrations.AddConstraint(
            "subsetscore",
            models.CheckConstraint(
                condition=models.Q(("standard__in", list(NAMES))), name="subset_score_standard"
            ),
        ),
    ]
