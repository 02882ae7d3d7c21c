from django.db import migrations

from evaluation.migrations._names import name_instances, weigh_anew


class Migration(migrations.Migration):
    """Rows alone: no table is locked for as long as texts are read."""

    dependencies = [
        ('evaluation', '0019_name_keys'),
    ]

    operations = [
        migrations.RunPython(name_instances, migrations.RunPython.noop),
        migrations.RunPython(weigh_anew, migrations.RunPython.noop),
    ]
