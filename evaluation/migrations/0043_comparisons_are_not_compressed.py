from django.db import migrations


class Migration(migrations.Migration):
    """Arrays of floats hardly get smaller; trying takes a tenth of a second each time scores are stored."""

    dependencies = [("evaluation", "0042_metric_worth")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE evaluation_comparison ALTER COLUMN arrays SET STORAGE EXTERNAL",
            "ALTER TABLE evaluation_comparison ALTER COLUMN arrays SET STORAGE EXTENDED",
        ),
    ]
