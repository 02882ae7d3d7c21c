import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """How an epoch's design grows. Those that are there keep the maximum, for ever."""

    dependencies = [
        ("evaluation", "0026_fitted_models"),
    ]

    operations = [
        migrations.AddField(
            model_name="epoch",
            name="growth",
            field=models.CharField(
                choices=[
                    ("maximum", "the maximum of what each system needs, given the others"),
                    ("quadratic", "the root of the sum of squares of what each needs alone"),
                ],
                default="maximum",
                help_text="How its design grows, for ever.",
                max_length=16,
            ),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name="epoch",
            constraint=models.CheckConstraint(
                condition=Q(("growth__in", ["maximum", "quadratic"])), name="epoch_growth"
            ),
        ),
        migrations.AddField(
            model_name="inclusionprobability",
            name="squares",
            field=models.FloatField(
                help_text="Under quadratic growth: the sum of squares so far, in the order of arrival.", null=True
            ),
        ),
        migrations.AddConstraint(
            model_name="inclusionprobability",
            constraint=models.CheckConstraint(
                condition=Q(("squares__isnull", True), ("squares__gte", 0), _connector="OR"),
                name="inclusion_squares",
            ),
        ),
        migrations.CreateModel(
            name="PlannedVariance",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.CharField(help_text="What its features are and how they were fitted.", max_length=32)),
                ("matching", models.CharField(help_text="The rule by which units were right.", max_length=32)),
                (
                    "error_ratio",
                    models.FloatField(help_text="Squared errors out of fold to planned variances; at least 1."),
                ),
                (
                    "coefficients",
                    models.JSONField(help_text="A list for each fold: the intercept, then the features'."),
                ),
                (
                    "evidence",
                    models.BinaryField(help_text="The units that it was learnt from, their folds and labels."),
                ),
                (
                    "annotations",
                    models.JSONField(help_text="Row id and digest of each document's annotation."),
                ),
                ("units", models.PositiveIntegerField(help_text="How many these were.")),
                ("digest", models.CharField(help_text="SHA-256 of all this.", max_length=64)),
                (
                    "batch",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="planned_variance",
                        to="evaluation.samplebatch",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(("error_ratio__gte", 1)), name="planned_variance_error_ratio"
                    ),
                    models.CheckConstraint(condition=Q(("units__gte", 1)), name="planned_variance_units"),
                    models.CheckConstraint(
                        condition=Q(("digest__regex", "^[0-9a-f]{64}$")), name="planned_variance_digest"
                    ),
                ],
            },
        ),
    ]
