import django.contrib.postgres.fields
import django.db.models.deletion
import kbpo.webhooks.models
import kbpo.webhooks.signing
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='accounts.team')),
                ('url', models.CharField(max_length=500)),
                ('secret', models.CharField(default=kbpo.webhooks.signing.new_secret, max_length=100)),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=32), size=None)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_at', models.DateTimeField()),
                ('failing_since', models.DateTimeField(blank=True, help_text='When it first did not take something, since it last took anything.', null=True)),
                ('disabled_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('team', 'url'), name='webhook_once'), models.CheckConstraint(condition=models.Q(('events__contained_by', ['submission.read', 'submission.refused', 'submission.scored', 'submission.failed', 'epoch.released']), ('events__len__gte', 1)), name='webhook_events')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('webhook', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.webhook')),
                ('message_id', models.CharField(default=kbpo.webhooks.models.new_id, max_length=40)),
                ('event', models.CharField(max_length=32)),
                ('body', models.TextField(help_text='JSON, as it is signed and sent.')),
                ('created_at', models.DateTimeField()),
                ('due_at', models.DateTimeField(help_text='When it is tried; while somebody sends it, when their lease ends.')),
                ('give_up_at', models.DateTimeField(help_text='A try that fails after this is the last.')),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('tried_at', models.DateTimeField(null=True)),
                ('status', models.PositiveSmallIntegerField(help_text='What the last try was answered with.', null=True)),
                ('error', models.TextField(blank=True, help_text='What was wrong with that, for the team.')),
                ('delivered_at', models.DateTimeField(null=True)),
                ('failed_at', models.DateTimeField(help_text='When it was given up.', null=True)),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('delivered_at', None), ('failed_at', None)), fields=['due_at'], name='delivery_due'), models.Index(fields=['created_at'], name='delivery_age')],
                'constraints': [models.UniqueConstraint(fields=('webhook', 'message_id'), name='delivery_once'), models.CheckConstraint(condition=models.Q(('delivered_at', None), ('failed_at', None), _connector='OR'), name='delivery_delivered_or_failed'), models.CheckConstraint(condition=models.Q(models.Q(('event', ''), _negated=True), models.Q(('body', ''), _negated=True)), name='delivery_of_something')],
            },
        ),
    ]
