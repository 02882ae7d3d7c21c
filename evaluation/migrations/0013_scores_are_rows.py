import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q

MEASURES = ("precision", "recall", "f1")
ENDS = {"estimate": "", "low": "_low", "high": "_high"}
COLUMNS = [f"{measure}{end}" for measure in MEASURES for end in ENDS.values()]
TABLES = {"score": "score", "adjusted_score": "adjustedscore", "subset_score": "subsetscore"}
#: Whatever else a row says, which the rows of all its measures say, and what of it names the row.
SHARED = {
    "adjustedscore": ["submission_id", "epoch_id", "weighting", "part", "level"],
    "subsetscore": ["submission_id", "epoch_id", "division", "name", '"order"', "part", "labels", '"true"'],
}
KEYS = {
    "adjustedscore": ["submission_id", "weighting", "part", "level"],
    "subsetscore": ["submission_id", "division", "name", "part"],
}
# Rows that were just written have constraints to be checked, and no table can be altered before that.
CHECKED = "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED"


def into_rows():
    values = ", ".join(f"('{one}', {one}, {one}_low, {one}_high)" for one in MEASURES)
    yield (
        "INSERT INTO evaluation_estimate (score_id, measure, estimate, low, high)"
        " SELECT score.id, of.measure, of.estimate, of.low, of.high FROM evaluation_score AS score"
        f" CROSS JOIN LATERAL (VALUES {values}) AS of (measure, estimate, low, high) ORDER BY score.id"
    )
    for table, columns in SHARED.items():
        shared = ", ".join(columns)
        # Each row becomes that of its precision; those of the others join it.
        for measure in MEASURES[1:]:
            yield (
                f"INSERT INTO evaluation_{table} ({shared}, measure, estimate, low, high)"
                f" SELECT {shared}, '{measure}', {measure}, {measure}_low, {measure}_high"
                f" FROM evaluation_{table} WHERE measure = '' ORDER BY id"
            )
        yield (
            f"UPDATE evaluation_{table} SET measure = 'precision',"
            " estimate = precision, low = precision_low, high = precision_high WHERE measure = ''"
        )
    yield CHECKED


def into_columns():
    for measure in MEASURES:
        named = ", ".join(f"{measure}{end} = of.{name}" for name, end in ENDS.items())
        yield (
            f"UPDATE evaluation_score AS score SET {named} FROM evaluation_estimate AS of"
            f" WHERE of.score_id = score.id AND of.measure = '{measure}'"
        )
        for table, key in KEYS.items():
            same = " AND ".join(f"one.{column} = of.{column}" for column in key)
            yield (
                f"UPDATE evaluation_{table} AS one SET {named} FROM evaluation_{table} AS of"
                f" WHERE one.measure = 'precision' AND of.measure = '{measure}' AND {same}"
            )
    for table in SHARED:
        yield f"DELETE FROM evaluation_{table} WHERE measure <> 'precision'"
    yield CHECKED


def interval():
    return Q(low__isnull=True, high__isnull=True) | Q(
        estimate__isnull=False, low__isnull=False, high__isnull=False, low__lte=F("high")
    )


def per_cent():
    return Q(level__gt=0, level__lt=100)


def check(model, name, condition):
    return migrations.AddConstraint(model, models.CheckConstraint(condition=condition, name=name))


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0012_entities")]

    operations = [
        migrations.CreateModel(
            name="Estimate",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("measure", models.CharField(max_length=16)),
                ("estimate", models.FloatField(null=True)),
                ("low", models.FloatField(null=True)),
                ("high", models.FloatField(null=True)),
                (
                    "score",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="estimates",
                        to="evaluation.score",
                    ),
                ),
            ],
        ),
        *(
            migrations.RemoveConstraint(model, f"{name}_{column}_unit")
            for name, model in TABLES.items()
            for column in COLUMNS
        ),
        *(migrations.RemoveConstraint(model, f"{name}_part") for name, model in TABLES.items()),
        migrations.RemoveConstraint("score", "score_level"),
        migrations.RemoveConstraint("adjustedscore", "adjusted_score_level"),
        migrations.RemoveConstraint("adjustedscore", "adjusted_score_once"),
        migrations.RemoveConstraint("subsetscore", "subset_score_once"),
        migrations.RemoveConstraint("subsetscore", "subset_score_too_few"),
        *(
            migrations.AlterField(model, "part", models.CharField(max_length=16))
            for model in ("score", "adjustedscore", "subsetscore", "comparison")
        ),
        migrations.AlterField(
            "score", "level", models.PositiveSmallIntegerField(help_text="Of the intervals, in per cent.")
        ),
        migrations.AlterField(
            "adjustedscore", "level", models.PositiveSmallIntegerField(help_text="Of the interval, in per cent.")
        ),
        *(
            operation
            for table in SHARED
            for operation in (
                migrations.AddField(table, "measure", models.CharField(default="", max_length=16), preserve_default=False),
                *(migrations.AddField(table, name, models.FloatField(null=True)) for name in ENDS),
            )
        ),
        migrations.RunSQL(list(into_rows()), list(into_columns())),
        *(
            migrations.RemoveField(model, column) for model in TABLES.values() for column in COLUMNS
        ),
        check("score", "score_level", per_cent()),
        check("adjustedscore", "adjusted_score_level", per_cent()),
        migrations.AddConstraint(
            "estimate", models.UniqueConstraint(fields=["score", "measure"], name="estimate_once")
        ),
        migrations.AddConstraint(
            "adjustedscore",
            models.UniqueConstraint(
                fields=["submission", "weighting", "part", "level", "measure"], name="adjusted_score_once"
            ),
        ),
        migrations.AddConstraint(
            "subsetscore",
            models.UniqueConstraint(
                fields=["submission", "division", "name", "part", "measure"], name="subset_score_once"
            ),
        ),
        check(
            "subsetscore",
            "subset_score_too_few",
            Q(labels__isnull=False)
            | Q(true__isnull=True, estimate__isnull=True, low__isnull=True, high__isnull=True),
        ),
        check("estimate", "estimate_interval", interval()),
        check("adjustedscore", "adjusted_score_interval", interval()),
        check("subsetscore", "subset_score_interval", interval()),
    ]
