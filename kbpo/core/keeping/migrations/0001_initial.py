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
                ('looked_at', models.DateTimeField(help_text='When the clock was looked at last.', null=True)),
                ('seen', models.PositiveBigIntegerField(default=0, help_text='Seconds that were seen to pass.')),
                ('jumped_at', models.PositiveBigIntegerField(default=0, help_text='How many had been seen when the clock last jumped.')),
                ('warning', models.TextField(blank=True, help_text='Why nothing is removed now, for operators.')),
                ('warned_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='installation_is_one')],
            },
        ),
    ]
