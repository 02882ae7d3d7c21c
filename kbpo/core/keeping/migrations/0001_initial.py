from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Installation',
            fields=[
                ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ('name', models.UUIDField(help_text='Empty until the files have been met.', null=True)),
                ('mark', models.PositiveBigIntegerField(default=0)),
                ('marked_at', models.DateTimeField(help_text='When the mark last grew.', null=True)),
                ('warning', models.TextField(blank=True, help_text='Why nothing is removed now, for operators.')),
                ('warned_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='installation_is_one')],
            },
        ),
    ]
