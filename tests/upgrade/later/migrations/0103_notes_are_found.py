from django.db import migrations, models

from kbpo.core.database.migrating import AddIndexBesideWork


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("core", "0102_notes_of_before")]

    operations = [
        AddIndexBesideWork("message", models.Index(fields=["note", "created_at"], name="message_notes")),
    ]
