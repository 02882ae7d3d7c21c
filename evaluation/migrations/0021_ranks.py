import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q

# A tier is no rank: both come again with the next scores, which are due for whatever has some.
FORGOTTEN = "UPDATE evaluation_score SET rank = NULL WHERE rank IS NOT NULL"
DUE = "UPDATE evaluation_epoch SET scores_due = TRUE WHERE id IN (SELECT epoch_id FROM evaluation_score)"


class Migration(migrations.Migration):
    """Ranks are simultaneous over all pairs of systems, instead of tiers."""

    dependencies = [
        ("annotations", "0001_initial"),
        ("evaluation", "0020_names_become_accounts"),
    ]

    operations = [
        migrations.RemoveConstraint("score", "score_tier"),
        migrations.RenameField("score", "tier", "rank"),
        migrations.AlterField(
            "score",
            "rank",
            models.PositiveIntegerField(
                null=True, help_text="1 and how many systems of the corpus are significantly above it."
            ),
        ),
        migrations.AddConstraint(
            "score",
            models.CheckConstraint(condition=Q(rank__isnull=True) | Q(rank__gte=1), name="score_rank"),
        ),
        migrations.CreateModel(
            "Ranking",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("estimator", models.CharField(max_length=16)),
                ("weighting", models.CharField(max_length=32)),
                ("part", models.CharField(max_length=16)),
                (
                    "level",
                    models.PositiveSmallIntegerField(help_text="For all pairs at once, in per cent."),
                ),
                ("systems", models.PositiveIntegerField()),
                ("apart", models.PositiveIntegerField(help_text="Pairs that differ significantly.")),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rankings",
                        to="annotations.corpus",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=["corpus", "estimator", "weighting", "part", "level"], name="ranking_once"
                    ),
                    models.CheckConstraint(condition=Q(level__gt=0, level__lt=100), name="ranking_level"),
                    models.CheckConstraint(
                        condition=Q(systems__gte=1, apart__lte=F("systems") * (F("systems") - 1) / 2),
                        name="ranking_pairs",
                    ),
                ]
            },
        ),
        migrations.RunSQL(FORGOTTEN, migrations.RunSQL.noop),
        migrations.RunSQL(DUE, migrations.RunSQL.noop),
    ]
