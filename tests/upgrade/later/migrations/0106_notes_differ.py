from django.db import migrations, models

from kbpo.core.database.migrating import AddUniqueBesideWork


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("core", "0105_notes_were_some")]

    operations = [
        AddUniqueBesideWork("message", models.UniqueConstraint(fields=["note", "id"], name="notes_differ")),
    ]
