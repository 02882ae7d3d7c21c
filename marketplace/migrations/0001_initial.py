import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
import kbpo.core.database.migrating
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        kbpo.core.database.migrating.CreateModels(
            models=[
                migrations.CreateModel(
                    name='Requester',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(help_text='What workers see.', max_length=100, unique=True)),
                        ('owner', models.ForeignKey(blank=True, help_text="Gets the workers' replies by mail.", null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('available_cents', models.BigIntegerField(default=0)),
                        ('held_cents', models.BigIntegerField(default=0, help_text='Set aside for work that was asked for.')),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                    ],
                    options={
                        'ordering': ['name'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='requester_name_not_empty'), models.CheckConstraint(condition=models.Q(('available_cents__gte', 0), ('held_cents__gte', 0)), name='requester_solvent')],
                    },
                ),
                migrations.CreateModel(
                    name='HitType',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hit_types', to='marketplace.requester')),
                        ('type_id', models.CharField(max_length=64, unique=True)),
                        ('group_id', models.CharField(max_length=64, unique=True)),
                        ('digest', models.CharField(help_text='SHA-256 of the properties.', max_length=64)),
                        ('title', models.CharField(max_length=128)),
                        ('description', models.CharField(max_length=2000)),
                        ('keywords', models.CharField(blank=True, max_length=1000)),
                        ('reward_cents', models.PositiveIntegerField()),
                        ('duration_seconds', models.PositiveIntegerField(help_text='To work on one, from accepting it.')),
                        ('auto_approval_seconds', models.PositiveIntegerField()),
                        ('requirements', models.JSONField(default=list, help_text='QualificationRequirements, as the API has them.')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('requester', 'digest'), name='hit_type_once'), models.CheckConstraint(condition=models.Q(('duration_seconds__gt', 0)), name='hit_type_duration')],
                    },
                ),
                migrations.CreateModel(
                    name='Hit',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('hit_type', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='marketplace.hittype')),
                        ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='marketplace.requester')),
                        ('hit_id', models.CharField(max_length=64, unique=True)),
                        ('question', models.TextField(help_text='The XML, as it was sent.')),
                        ('external_url', models.TextField()),
                        ('frame_height', models.PositiveIntegerField(help_text='In pixels; 0: as high as the window allows.')),
                        ('annotation', models.CharField(blank=True, help_text="The requester's own note.", max_length=255)),
                        ('fee_cents', models.PositiveIntegerField(help_text='On each assignment.')),
                        ('max_assignments', models.PositiveIntegerField()),
                        ('taken', models.PositiveIntegerField(default=0, help_text='Places that are accepted, submitted or decided.')),
                        ('pending', models.PositiveIntegerField(default=0, help_text='Places that are accepted and not submitted.')),
                        ('held_cents', models.BigIntegerField(default=0, help_text='What its requester has on hold for it.')),
                        ('created_at', models.DateTimeField()),
                        ('expires_at', models.DateTimeField()),
                        ('is_reviewing', models.BooleanField(default=False)),
                        ('is_released', models.BooleanField(default=False, help_text='Whether the money for places that nobody can take any more was given back.')),
                        ('disposed_at', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'indexes': [models.Index(condition=models.Q(('disposed_at__isnull', True), ('taken__lt', models.F('max_assignments'))), fields=['hit_type', 'id'], name='hit_open'), models.Index(condition=models.Q(('disposed_at__isnull', True), ('is_released', False)), fields=['expires_at'], name='hit_expiry')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('pending__lte', models.F('taken')), ('taken__lte', models.F('max_assignments'))), name='hit_places'), models.CheckConstraint(condition=models.Q(('max_assignments__gte', 1)), name='hit_max_assignments'), models.CheckConstraint(condition=models.Q(('held_cents__gte', 0)), name='hit_held'), models.CheckConstraint(condition=models.Q(('disposed_at__isnull', True), models.Q(('held_cents', 0), ('pending', 0)), _connector='OR'), name='hit_disposed')],
                    },
                ),
                migrations.CreateModel(
                    name='QualificationType',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='qualification_types', to='marketplace.requester')),
                        ('type_id', models.CharField(max_length=64, unique=True)),
                        ('name', models.CharField(max_length=200)),
                        ('description', models.CharField(max_length=2000)),
                        ('keywords', models.CharField(blank=True, max_length=1000)),
                        ('is_active', models.BooleanField(default=True)),
                        ('auto_granted_value', models.IntegerField(blank=True, help_text='What every worker who asks for it gets; empty: not for the asking.', null=True)),
                        ('retry_delay_seconds', models.BigIntegerField(blank=True, null=True)),
                        ('created_at', models.DateTimeField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('requester', 'name'), name='qualification_type_once')],
                    },
                ),
                migrations.CreateModel(
                    name='RequesterKey',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='keys', to='marketplace.requester')),
                        ('access_key_id', models.CharField(max_length=128, unique=True)),
                        ('secret', models.CharField(max_length=128)),
                        ('is_active', models.BooleanField(default=True)),
                        ('rate', models.FloatField(default=20, help_text='Requests a second.')),
                        ('burst', models.FloatField(default=100, help_text='Requests in a period of burst / rate seconds.')),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('burst__gte', 1), ('rate__gt', 0)), name='requester_key_rate'), models.CheckConstraint(condition=models.Q(models.Q(('access_key_id', ''), _negated=True), models.Q(('secret', ''), _negated=True)), name='requester_key_not_empty')],
                    },
                ),
                migrations.CreateModel(
                    name='RequestToken',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='marketplace.requester')),
                        ('operation', models.CharField(max_length=64)),
                        ('token', models.CharField(max_length=64)),
                        ('result', models.CharField(help_text='The id of what was made.', max_length=64)),
                        ('created_at', models.DateTimeField(db_index=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('requester', 'operation', 'token'), name='request_token_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Worker',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('worker_id', models.CharField(max_length=64, unique=True)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                    ],
                ),
                migrations.CreateModel(
                    name='Assignment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('hit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='marketplace.hit')),
                        ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='marketplace.worker')),
                        ('assignment_id', models.CharField(db_index=True, max_length=64)),
                        ('state', models.CharField(choices=[('accepted', 'accepted'), ('returned', 'returned'), ('abandoned', 'ran out of time'), ('submitted', 'submitted'), ('approved', 'approved'), ('rejected', 'rejected')], default='accepted', max_length=16)),
                        ('accepted_at', models.DateTimeField()),
                        ('deadline', models.DateTimeField()),
                        ('submitted_at', models.DateTimeField(blank=True, null=True)),
                        ('auto_approve_at', models.DateTimeField(blank=True, null=True)),
                        ('approved_at', models.DateTimeField(blank=True, null=True)),
                        ('rejected_at', models.DateTimeField(blank=True, null=True)),
                        ('answer', models.TextField(blank=True, help_text='QuestionFormAnswers XML.')),
                        ('feedback', models.CharField(blank=True, help_text='What the requester says of it.', max_length=1024)),
                        ('reply', models.CharField(blank=True, help_text='What the worker says to a rejection.', max_length=1024)),
                    ],
                    options={
                        'indexes': [models.Index(condition=models.Q(('state', 'accepted')), fields=['deadline'], name='assignment_deadline'), models.Index(condition=models.Q(('state', 'submitted')), fields=['auto_approve_at'], name='assignment_auto_approval'), models.Index(fields=['worker', 'state'], name='assignment_by_worker'), models.Index(fields=['hit', 'submitted_at', 'id'], name='assignment_by_hit')],
                        'constraints': [models.UniqueConstraint(fields=('hit', 'worker'), name='assignment_once'), models.UniqueConstraint(condition=models.Q(('state__in', ['accepted', 'submitted', 'approved', 'rejected'])), fields=('assignment_id',), name='assignment_id_one_worker'), models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['accepted', 'returned', 'abandoned']), ('submitted_at__isnull', True)), models.Q(('auto_approve_at__isnull', False), ('state__in', ['submitted', 'approved', 'rejected']), ('submitted_at__isnull', False)), _connector='OR'), name='assignment_submitted'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'approved'), _negated=True), ('approved_at__isnull', False), _connector='OR'), name='assignment_approved'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'rejected'), _negated=True), models.Q(('rejected_at__isnull', False), models.Q(('feedback', ''), _negated=True)), _connector='OR'), name='assignment_rejected_with_a_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='Qualification',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('qualification_type', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='qualifications', to='marketplace.qualificationtype')),
                        ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='qualifications', to='marketplace.worker')),
                        ('value', models.IntegerField()),
                        ('granted_at', models.DateTimeField()),
                        ('revoked_at', models.DateTimeField(blank=True, null=True)),
                        ('reason', models.TextField(blank=True, help_text='Why it was revoked; the worker sees it.')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('qualification_type', 'worker'), name='qualification_once')],
                    },
                ),
                migrations.CreateModel(
                    name='LedgerEntry',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.requester')),
                        ('kind', models.CharField(choices=[('deposit', 'paid in'), ('hold', 'set aside for a HIT'), ('release', 'no longer needed for a HIT'), ('reward', 'paid for an assignment'), ('fee', 'fee on a reward'), ('bonus', 'paid as a bonus'), ('bonus_fee', 'fee on a bonus')], max_length=16)),
                        ('available_cents', models.BigIntegerField(default=0, help_text='What it adds to the available balance.')),
                        ('held_cents', models.BigIntegerField(default=0, help_text='What it adds to the balance on hold.')),
                        ('hit', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.hit')),
                        ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.assignment')),
                        ('worker', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.worker')),
                        ('reason', models.TextField(blank=True, help_text='What the worker is told of a bonus.')),
                        ('at', models.DateTimeField()),
                    ],
                    options={
                        'verbose_name_plural': 'ledger entries',
                        'ordering': ['pk'],
                        'indexes': [models.Index(fields=['worker', 'at'], name='ledger_by_worker')],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('available_cents__gt', 0), ('held_cents', 0), ('kind', 'deposit')), models.Q(('available_cents__lt', 0), ('held_cents', django.db.models.expressions.CombinedExpression(models.F('available_cents'), '*', models.Value(-1))), ('kind', 'hold')), models.Q(('available_cents__gt', 0), ('held_cents', django.db.models.expressions.CombinedExpression(models.F('available_cents'), '*', models.Value(-1))), ('kind', 'release')), models.Q(('available_cents', 0), ('held_cents__lte', 0), ('kind__in', ['reward', 'fee'])), models.Q(('available_cents__lt', 0), ('held_cents', 0), ('kind__in', ['bonus', 'bonus_fee'])), _connector='OR'), name='ledger_kind'), models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ['reward', 'bonus']), _negated=True), models.Q(('assignment__isnull', False), ('worker__isnull', False)), _connector='OR'), name='ledger_pays_somebody'), models.UniqueConstraint(condition=models.Q(('kind', 'reward')), fields=('assignment',), name='ledger_reward_once')],
                    },
                ),
                migrations.CreateModel(
                    name='WorkerBlock',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='marketplace.requester')),
                        ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='marketplace.worker')),
                        ('reason', models.TextField(help_text='For the requester alone.')),
                        ('created_at', models.DateTimeField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('requester', 'worker'), name='worker_block_once')],
                    },
                ),
            ],
        ),
    ]
