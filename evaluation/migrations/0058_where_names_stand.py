"""An entity's name in a document is where the name stands, not where it is first meant."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0057_scores_and_what_they_rest_on")]

    operations = [
        migrations.AlterField(
            model_name="entityname",
            name="start",
            field=models.PositiveIntegerField(help_text="Of the name, where it first stands."),
        ),
    ]
