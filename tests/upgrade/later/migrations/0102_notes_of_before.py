from django.db import migrations

from kbpo.core.database.migrating import in_batches


def note(apps, schema_editor):
    """Note of every message that was given up that it was."""
    failed = apps.get_model("core", "Message").objects.filter(failed_at__isnull=False, note="")
    in_batches(failed, lambda rows: rows.update(note="given up"))


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("core", "0101_messages_have_notes")]

    operations = [migrations.RunPython(note, migrations.RunPython.noop)]
