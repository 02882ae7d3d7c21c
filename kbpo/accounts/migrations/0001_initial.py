import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import kbpo.accounts.models
import kbpo.core.database.migrating
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        kbpo.core.database.migrating.CreateModels(
            models=[
                migrations.CreateModel(
                    name='User',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('password', models.CharField(max_length=128, verbose_name='password')),
                        ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                        ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                        ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                        ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                        ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                        ('email', models.EmailField(max_length=254, unique=True, verbose_name='email address')),
                        ('name', models.CharField(blank=True, max_length=150)),
                        ('is_annotator', models.BooleanField(default=False)),
                        ('is_operator', models.BooleanField(default=False)),
                        ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                        ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('email'), name='user_email_once')],
                    },
                    managers=[
                        ('objects', kbpo.accounts.models.UserManager()),
                    ],
                ),
                migrations.CreateModel(
                    name='ApiToken',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
                        ('name', models.CharField(max_length=100)),
                        ('digest', models.CharField(help_text='SHA-256 of the token.', max_length=64, unique=True)),
                        ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'read'), ('submit', 'submit'), ('organise', 'organise')], max_length=16), size=None)),
                        ('created_at', models.DateTimeField()),
                        ('expires_at', models.DateTimeField()),
                        ('revoked_at', models.DateTimeField(blank=True, null=True)),
                        ('last_used_at', models.DateTimeField(blank=True, help_text='To the minute.', null=True)),
                    ],
                    options={
                        'verbose_name': 'API token',
                        'ordering': ['-created_at', '-id'],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('revoked_at', None)), fields=('user', 'name'), name='api_token_name_once'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='api_token_name_not_empty'), models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$')), name='api_token_digest'), models.CheckConstraint(condition=models.Q(('scopes__contained_by', ['read', 'submit', 'organise']), ('scopes__contains', ['read'])), name='api_token_scopes'), models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='api_token_expires')],
                    },
                ),
                migrations.CreateModel(
                    name='UnwantedMail',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='unwanted_mail', to=settings.AUTH_USER_MODEL)),
                        ('address', models.CharField(blank=True, help_text='Its digest, which nobody can read back.', max_length=64)),
                        ('kind', models.CharField(help_text='One of `kbpo.accounts.mails.kinds`.', max_length=16)),
                    ],
                    options={
                        'verbose_name_plural': 'unwanted mail',
                        'constraints': [models.UniqueConstraint(fields=('user', 'kind'), name='unwanted_mail_once'), models.UniqueConstraint(condition=models.Q(('address', ''), _negated=True), fields=('address', 'kind'), name='unwanted_mail_of_address_once'), models.CheckConstraint(condition=models.Q(('user', None), ('address', ''), _connector='XOR'), name='unwanted_mail_of_one'), models.CheckConstraint(condition=models.Q(('kind__in', ['read', 'refused', 'scored', 'failed', 'released', 'invited', 'webhook', 'waiting', 'news'])), name='unwanted_mail_kind')],
                    },
                ),
                migrations.CreateModel(
                    name='WorkerIdentity',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='worker_identities', to=settings.AUTH_USER_MODEL)),
                        ('provider', models.CharField(choices=[('marketplace', 'the built-in marketplace'), ('mturk', "another service with MTurk's API"), ('prolific', 'Prolific')], max_length=16)),
                        ('worker_id', models.CharField(max_length=64)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('provider', 'worker_id'), name='worker_identity_once'), models.CheckConstraint(condition=models.Q(('worker_id', ''), _negated=True), name='worker_identity_not_empty'), models.CheckConstraint(condition=models.Q(('provider__in', ['marketplace', 'mturk', 'prolific'])), name='worker_identity_provider')],
                    },
                ),
                migrations.CreateModel(
                    name='Membership',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='accounts.team')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                        ('joined_at', models.DateTimeField(auto_now_add=True)),
                        ('is_shown', models.BooleanField(default=False, help_text="Whether the team's public page names them.")),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('team', 'user'), name='membership_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Team',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=100, unique=True)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('approved_at', models.DateTimeField(blank=True, help_text='Since when its systems may be judged, where operators approve teams.', null=True)),
                        ('members', models.ManyToManyField(related_name='teams', through='accounts.Membership', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['name'],
                        'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('name'), name='team_name_once'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='team_name_not_empty')],
                    },
                ),
                migrations.CreateModel(
                    name='PastMembership',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='past_memberships', to='accounts.team')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='past_memberships', to=settings.AUTH_USER_MODEL)),
                        ('left_at', models.DateTimeField(auto_now_add=True)),
                    ],
                ),
                migrations.CreateModel(
                    name='Invitation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='accounts.team')),
                        ('email', models.EmailField(max_length=254, verbose_name='email address')),
                        ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('expires_at', models.DateTimeField()),
                    ],
                    options={
                        'ordering': ['created_at', 'id'],
                        'constraints': [models.UniqueConstraint(models.F('team'), django.db.models.functions.text.Lower('email'), name='invitation_once')],
                    },
                ),
            ],
        ),
    ]
