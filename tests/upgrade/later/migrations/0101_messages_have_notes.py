from django.db import migrations, models


class Migration(migrations.Migration):
    """The database gives the new column its value, where older code writes a row without it."""

    dependencies = [("core", "0004_acts_are_not_emptied")]

    operations = [migrations.AddField("message", "note", models.TextField(db_default=""))]
