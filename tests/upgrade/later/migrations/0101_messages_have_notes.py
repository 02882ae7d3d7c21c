from django.db import migrations, models


class Migration(migrations.Migration):
    """The database gives the new column its value, where older code writes a row without it."""

    dependencies = [("core", "0100_messages_have_copies")]

    operations = [migrations.AddField("message", "note", models.TextField(db_default=""))]
