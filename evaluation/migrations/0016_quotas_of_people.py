from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0015_task_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='quota_asked_at',
            field=models.DateTimeField(blank=True, help_text='Since when it waits for a place.', null=True),
        ),
    ]
