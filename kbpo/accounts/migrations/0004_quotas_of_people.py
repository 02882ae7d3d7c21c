from django.db import migrations, models


def fill(apps, schema_editor):
    """Those teams that are there compete already."""
    apps.get_model("accounts", "Team").objects.update(approved_at=models.F("created_at"))


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_worker_identities'),
    ]

    operations = [
        migrations.AddField(
            model_name='team',
            name='approved_at',
            field=models.DateTimeField(blank=True, help_text='Since when its systems may be judged, where operators approve teams.', null=True),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
