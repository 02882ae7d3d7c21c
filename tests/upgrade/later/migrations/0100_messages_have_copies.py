from django.db import migrations, models


class Migration(migrations.Migration):
    """A new table that refers to one that is used: Django makes the foreign key last."""

    dependencies = [("core", "0004_acts_are_not_emptied")]

    operations = [
        migrations.CreateModel(
            "Copy",
            [
                ("id", models.BigAutoField(primary_key=True)),
                ("of", models.ForeignKey("core.Message", models.CASCADE)),
            ],
        )
    ]
