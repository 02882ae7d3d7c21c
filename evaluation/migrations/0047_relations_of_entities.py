import django.db.models.deletion
from django.db import migrations, models


# Rows that were just deleted have constraints to be checked, and no table can be altered before that.
FORGET = """
DELETE FROM evaluation_entityname;
DELETE FROM evaluation_entity;
DELETE FROM evaluation_entityindex_submissions;
DELETE FROM evaluation_entityindex;
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED
"""


class Migration(migrations.Migration):
    """The indexes of entities are forgotten, and made again with relations, by other rules for names."""

    dependencies = [
        ("annotations", "0024_agreement_on_numbers"),
        ("evaluation", "0046_links"),
    ]

    operations = [
        migrations.RunSQL(FORGET, migrations.RunSQL.noop),
        migrations.AddField(
            model_name="entity",
            name="also",
            field=models.TextField(
                blank=True, help_text="Its other names as they are written, the most frequent first."
            ),
        ),
        migrations.AddField(
            model_name="entity",
            name="relations",
            field=models.PositiveIntegerField(default=0, help_text="In which it is subject or object."),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="entityname",
            name="written",
            field=models.CharField(default="", help_text="As it most often stands there.", max_length=200),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="entity",
            name="names",
            field=models.TextField(help_text="All its names, folded, for the search."),
        ),
        migrations.AlterField(
            model_name="entityindex",
            name="digest",
            field=models.CharField(
                help_text="SHA-256 of what was marked in those, and of what labels were released.",
                max_length=64,
            ),
        ),
        migrations.AlterField(
            model_name="entityname",
            name="name",
            field=models.CharField(
                help_text="As `evaluation.kbp.explorer.folding` makes it.", max_length=200
            ),
        ),
        migrations.CreateModel(
            name="EntityRelation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=16)),
                ("predicate", models.CharField(max_length=64)),
                (
                    "object_text",
                    models.CharField(
                        blank=True,
                        help_text="Of a string or a date, as it is most often written.",
                        max_length=200,
                    ),
                ),
                (
                    "standing",
                    models.PositiveSmallIntegerField(
                        choices=[(1, "confirmed"), (2, "not published"), (3, "refuted")],
                        help_text="Confirmed in one place, or else refuted in all.",
                    ),
                ),
                ("systems", models.PositiveIntegerField(help_text="Published ones that claim it somewhere.")),
                ("sources", models.PositiveIntegerField()),
                (
                    "index",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="relations",
                        to="evaluation.entityindex",
                    ),
                ),
                (
                    "object",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="as_object",
                        to="evaluation.entity",
                    ),
                ),
                (
                    "subject",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="as_subject",
                        to="evaluation.entity",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RelationSource",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(help_text="From 1: confirmed ones first, then by document."),
                ),
                (
                    "subject_start",
                    models.PositiveIntegerField(help_text="In the direction in which it is stored there."),
                ),
                ("subject_end", models.PositiveIntegerField()),
                ("object_start", models.PositiveIntegerField()),
                ("object_end", models.PositiveIntegerField()),
                (
                    "is_right",
                    models.BooleanField(help_text="What is published of it, names included.", null=True),
                ),
                (
                    "by_people",
                    models.BooleanField(help_text="Found by people in a document that is open to explore."),
                ),
                ("systems", models.PositiveIntegerField(help_text="Published ones that claim it there.")),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotations.document",
                    ),
                ),
                (
                    "relation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="places",
                        to="evaluation.entityrelation",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="entityrelation",
            constraint=models.UniqueConstraint(fields=("index", "key"), name="entity_relation_once"),
        ),
        migrations.AddConstraint(
            model_name="entityrelation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("object__isnull", False), ("object_text", "")),
                    models.Q(("object__isnull", True), models.Q(("object_text", ""), _negated=True)),
                    _connector="OR",
                ),
                name="entity_relation_object",
            ),
        ),
        migrations.AddConstraint(
            model_name="entityrelation",
            constraint=models.CheckConstraint(
                condition=models.Q(("standing__in", [1, 2, 3])), name="entity_relation_standing"
            ),
        ),
        migrations.AddConstraint(
            model_name="entityrelation",
            constraint=models.CheckConstraint(
                condition=models.Q(("sources__gte", 1)), name="entity_relation_sources"
            ),
        ),
        migrations.AddConstraint(
            model_name="relationsource",
            constraint=models.UniqueConstraint(fields=("relation", "number"), name="relation_source_once"),
        ),
        migrations.AddConstraint(
            model_name="relationsource",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("object_start__lt", models.F("object_end")),
                    ("subject_start__lt", models.F("subject_end")),
                ),
                name="relation_source_spans",
            ),
        ),
        migrations.AddConstraint(
            model_name="relationsource",
            constraint=models.CheckConstraint(
                condition=models.Q(("by_people", False), ("is_right", True), _connector="OR"),
                name="relation_source_by_people",
            ),
        ),
        migrations.AddConstraint(
            model_name="relationsource",
            constraint=models.CheckConstraint(
                condition=models.Q(("by_people", True), ("systems__gte", 1), _connector="OR"),
                name="relation_source_of",
            ),
        ),
    ]
