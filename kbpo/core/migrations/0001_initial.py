import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from kbpo.core.migrations import _sql


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='RequestCount',
            fields=[
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('count', models.PositiveIntegerField()),
                ('ends_at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('recipients', models.JSONField(help_text='Addresses: to, cc and bcc, each a list.')),
                ('sender', models.CharField(max_length=500)),
                ('subject', models.TextField(blank=True)),
                ('text', models.TextField(blank=True)),
                ('html', models.TextField(blank=True)),
                ('headers', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField()),
                ('due_at', models.DateTimeField(help_text='When it is tried; while somebody sends it, when their lease ends.')),
                ('give_up_at', models.DateTimeField(help_text='A try that fails after this is the last.')),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('error', models.TextField(blank=True, help_text='What the last try ended with, for operators.')),
                ('sent_at', models.DateTimeField(null=True)),
                ('failed_at', models.DateTimeField(help_text='When it was given up.', null=True)),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(condition=models.Q(('failed_at', None), ('sent_at', None)), fields=['due_at'], name='message_due'), models.Index(fields=['created_at'], name='message_age')],
                'constraints': [models.CheckConstraint(condition=models.Q(('sent_at', None), ('failed_at', None), _connector='OR'), name='message_sent_or_failed'), models.CheckConstraint(condition=models.Q(('sent_at', None), models.Q(('headers', {}), ('html', ''), ('text', '')), _connector='OR'), name='message_erased_when_sent')],
            },
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('by', models.ForeignKey(help_text='Empty: somebody at the command line.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('what', models.CharField(help_text='One of `kbpo.core.acts.What`.', max_length=40)),
                ('kind', models.CharField(blank=True, help_text='Of what kind the object is.', max_length=60)),
                ('about', models.CharField(help_text="The object's id, or its name.", max_length=200)),
                ('before', models.JSONField(default=dict, help_text='The fields that changed, as they were.')),
                ('after', models.JSONField(default=dict, help_text='And as they are since.')),
            ],
            options={
                'verbose_name_plural': 'audit entries',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['at'], name='act_by_time')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('what', ''), _negated=True), models.Q(('about', ''), _negated=True)), name='act_of_something')],
            },
        ),
        *_sql.OPERATIONS,
    ]
