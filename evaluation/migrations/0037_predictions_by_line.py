"""A line of a file makes one prediction at most: pages of predictions go by it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0036_subsets_have_standards")]

    operations = [
        migrations.AlterField(
            "prediction",
            "line",
            models.PositiveIntegerField(help_text="Of its file: a line makes one prediction at most."),
        ),
        migrations.AddConstraint(
            "prediction",
            models.UniqueConstraint(fields=["submission", "line"], name="prediction_of_line"),
        ),
    ]
