from django.db import migrations, models


def fill(apps, schema_editor):
    """A person may have as much judged as a team may."""
    apps.get_model("annotations", "Corpus").objects.update(weekly_quota_of_person=models.F("weekly_quota"))


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0011_policies'),
    ]

    operations = [
        migrations.AddField(
            model_name='corpus',
            name='weekly_quota_of_person',
            field=models.PositiveSmallIntegerField(default=4, help_text='Scored submissions of all the teams of one person in seven days.', verbose_name='weekly quota of a person'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
