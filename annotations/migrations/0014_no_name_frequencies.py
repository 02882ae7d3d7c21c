from django.db import migrations


class Migration(migrations.Migration):
    """Names are counted by their keys, as documents come: `evaluation.models.NameCount`."""

    dependencies = [
        ('annotations', '0013_roles'),
    ]

    operations = [
        migrations.DeleteModel(name='NameFrequency'),
    ]
