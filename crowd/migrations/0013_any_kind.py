from django.db import migrations, models

import annotations.kinds.kind_names


class Migration(migrations.Migration):

    dependencies = [
        ('crowd', '0012_times_given'),
    ]

    operations = [
        migrations.AlterField(
            model_name='workermeasure',
            name='kind',
            field=models.CharField(choices=annotations.kinds.kind_names.choices, max_length=16),
        ),
    ]
