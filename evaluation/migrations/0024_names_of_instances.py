from django.db import migrations

from evaluation.migrations._names import keep_names, name_instances


class Migration(migrations.Migration):
    """Rows alone: no table is locked for as long as texts are read."""

    dependencies = [
        ('evaluation', '0023_name_keys'),
    ]

    operations = [
        migrations.RunPython(name_instances, migrations.RunPython.noop),
        migrations.RunPython(keep_names, migrations.RunPython.noop),
    ]
