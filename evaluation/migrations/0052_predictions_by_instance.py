import django.db.models.deletion
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

# Django names it by a digest; of indexes of this column alone there is no other.
_OLD = """
SELECT quote_ident(index.relname) FROM pg_index
JOIN pg_class AS index ON index.oid = indexrelid
JOIN pg_attribute AS attribute ON attribute.attrelid = indrelid AND attribute.attnum = indkey[0]
WHERE indrelid = 'evaluation_prediction'::regclass AND indnkeyatts = 1 AND NOT indisunique
    AND attname = 'instance_id'
"""


def drop_old(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_OLD)
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP INDEX CONCURRENTLY {name}")


def make_old(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "CREATE INDEX CONCURRENTLY evaluation_prediction_instance_id"
            " ON evaluation_prediction (instance_id)"
        )


class Migration(migrations.Migration):
    """Who claims an instance is read from an index alone, as is which standards scores go by.

    Both are made while the site goes on.

    Django would make the foreign key anew, and look at every row under a lock; nothing of it changes.
    """

    atomic = False

    dependencies = [("evaluation", "0051_first_rows_of_history")]

    operations = [
        AddIndexConcurrently(
            model_name="prediction",
            index=models.Index(fields=["instance", "submission"], name="prediction_by_instance"),
        ),
        AddIndexConcurrently(
            model_name="score",
            index=models.Index(fields=["epoch", "standard"], name="score_by_standard"),
        ),
        migrations.SeparateDatabaseAndState(
            [migrations.RunPython(drop_old, make_old)],
            [
                migrations.AlterField(
                    model_name="prediction",
                    name="instance",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="predictions",
                        to="evaluation.instance",
                    ),
                )
            ],
        ),
    ]
