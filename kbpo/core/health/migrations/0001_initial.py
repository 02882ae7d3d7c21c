from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Heartbeat',
            fields=[
                ('name', models.CharField(choices=[('beat', 'the clock (beat)'), ('worker', 'the worker'), ('mailer', 'the mailer'), ('watch', 'the look for troubles')], max_length=16, primary_key=True, serialize=False)),
                ('seen_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('name__in', ['beat', 'worker', 'mailer', 'watch'])), name='heartbeat_name')],
            },
        ),
        migrations.CreateModel(
            name='Trouble',
            fields=[
                ('key', models.CharField(help_text='What is wrong: the same each time.', max_length=100, primary_key=True, serialize=False)),
                ('words', models.TextField()),
                ('began_at', models.DateTimeField()),
                ('told_at', models.DateTimeField(help_text='When operators were told.', null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='trouble_key'), models.CheckConstraint(condition=models.Q(('told_at', None), ('told_at__gte', models.F('began_at')), _connector='OR'), name='trouble_told_after_it_began')],
            },
        ),
    ]
