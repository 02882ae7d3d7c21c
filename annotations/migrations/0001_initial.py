import annotations.models.corpus
import annotations.policies.registry
import django.contrib.postgres.constraints
import django.contrib.postgres.fields
import django.contrib.postgres.fields.ranges
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.text
import kbpo.core.database.migrating
from django.conf import settings
from django.db import migrations, models

from annotations.migrations import _sql


class Migration(migrations.Migration):

    initial = True

    # Packages' migrations come first: after ours each would render all models of the service again.
    dependencies = [
        ('account', '0009_emailaddress_unique_primary_email'),
        ('mfa', '0003_authenticator_type_uniq'),
        ('sessions', '0001_initial'),
        ('socialaccount', '0006_alter_socialaccount_extra_data'),
        ('usersessions', '0001_initial'),
        ('accounts', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        kbpo.core.database.migrating.CreateModels(
            models=[
                migrations.CreateModel(
                    name='ClassList',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=64)),
                        ('version', models.PositiveSmallIntegerField()),
                        ('digest', models.CharField(help_text='SHA-256 of all that it says.', max_length=64)),
                        ('cannot_tell', models.BooleanField(help_text='Whether people may answer that they cannot tell.')),
                        ('classes', models.JSONField(help_text='Name and guideline of each, in order.')),
                    ],
                    options={
                        'ordering': ['name', 'version'],
                        'constraints': [models.UniqueConstraint(fields=('name', 'version'), name='class_list_once'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='class_list_name'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='class_list_version')],
                    },
                ),
                migrations.CreateModel(
                    name='CorpusMaker',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='makes_corpora', to=settings.AUTH_USER_MODEL)),
                        ('given_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('given_at', models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name='OntologyVersion',
                    fields=[
                        ('reference', models.CharField(help_text='As in tac-kbp@1.', max_length=48, primary_key=True, serialize=False)),
                        ('name', models.CharField(max_length=40)),
                        ('version', models.PositiveSmallIntegerField()),
                        ('digest', models.CharField(help_text='SHA-256 of its content.', max_length=64)),
                        ('content', models.TextField(help_text='Its normal form.')),
                        ('loaded_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'ordering': ['name', 'version'],
                        'constraints': [models.UniqueConstraint(fields=('name', 'version'), name='ontology_version_once'), models.CheckConstraint(condition=models.Q(('reference', django.db.models.functions.text.Concat('name', models.Value('@'), django.db.models.functions.comparison.Cast('version', models.TextField()), output_field=models.TextField()))), name='ontology_version_reference'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='ontology_version_from_1'), models.CheckConstraint(condition=models.Q(('digest', models.Func('content', output_field=models.TextField(), template="encode(sha256(convert_to(%(expressions)s, 'UTF8')), 'hex')"))), name='ontology_version_digest')],
                    },
                ),
                migrations.CreateModel(
                    name='Corpus',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tag', models.CharField(max_length=64, unique=True, validators=[django.core.validators.RegexValidator('^[A-Za-z0-9][A-Za-z0-9_.-]*\\Z', 'letters, digits, . _ -')])),
                        ('name', models.CharField(max_length=200)),
                        ('description', models.TextField(blank=True)),
                        ('task', models.CharField(default='kbp', help_text='What its systems do; all else follows from it.', max_length=16)),
                        ('language', models.CharField(default='en', help_text='In which its documents are written, as a tag of BCP 47: how they are cut and laid out.', max_length=16, validators=[annotations.models.corpus.validate_language])),
                        ('ontology', models.ForeignKey(default='tac-kbp@1', help_text='The types and relations of its claims.', on_delete=django.db.models.deletion.PROTECT, related_name='corpora', to='annotations.ontologyversion')),
                        ('classes', models.ForeignKey(blank=True, help_text='Among which its systems choose; empty where its task has none.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='corpora', to='annotations.classlist')),
                        ('design', models.CharField(choices=[('coordinated', 'coordinated Poisson sampling'), ('iid', 'independent draws for each system')], default='coordinated', max_length=16)),
                        ('weekly_quota', models.PositiveSmallIntegerField(default=4, help_text='Scored submissions of one team in seven days.')),
                        ('weekly_quota_of_person', models.PositiveSmallIntegerField(default=4, help_text='Scored submissions of all the teams of one person in seven days.', verbose_name='weekly quota of a person')),
                        ('anonymous_days', models.PositiveSmallIntegerField(default=180, help_text="For how long after its upload a team may keep a system's name and its own to itself.")),
                        ('target_half_width', models.FloatField(default=0.03, help_text="Of a lone system's precision interval.")),
                        ('target_level', models.FloatField(default=0.8, help_text='The level at which that half-width is meant.')),
                        ('policy', models.CharField(choices=annotations.policies.registry.choices, default='curtailed', help_text='When a question has votes enough.', max_length=16)),
                        ('most_votes', models.PositiveSmallIntegerField(default=5, help_text='On a question; what they leave open goes to an expert.')),
                        ('least_posterior', models.FloatField(default=0.5, help_text='What votes of which one in ten is wrong must make of a verdict: 2 of 3 make .90, 4 of 5 .999; .5 is content with a majority.')),
                        ('texts', models.CharField(choices=[('public', 'everybody'), ('agreement', 'teams that accept its agreement'), ('operators', 'nobody but those who run it')], default='public', help_text='Who may read them here; to be downloaded they need a licence, too.', max_length=16)),
                        ('licence', models.CharField(blank=True, help_text='Of its texts, as CC BY 4.0. Without one nobody downloads them.', max_length=200)),
                        ('source', models.URLField(blank=True, help_text='Where its texts come from.', max_length=500)),
                        ('citation', models.TextField(blank=True, help_text='What whoever uses it is asked to cite.')),
                        ('contact', models.CharField(blank=True, help_text='Whom to ask about it: an email address or a page.', max_length=200)),
                        ('made', models.TextField(blank=True, help_text='How its texts were chosen and prepared, and by whom.')),
                        ('annotated', models.TextField(blank=True, help_text='How, and by whom, they are annotated.')),
                        ('audit_share', models.FloatField(default=0.0, help_text='Of its settled questions, that others answer again to learn how often judges err.')),
                        ('opens_at', models.DateTimeField(blank=True, help_text='From when systems may be submitted; empty: at once.', null=True)),
                        ('closes_at', models.DateTimeField(blank=True, help_text='Until when systems may be submitted; empty: without an end.', null=True)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'verbose_name_plural': 'corpora',
                        'ordering': ['tag'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('design__in', ['coordinated', 'iid'])), name='corpus_design'), models.CheckConstraint(condition=models.Q(('target_half_width__gt', 0), ('target_half_width__lt', 0.5)), name='corpus_half_width'), models.CheckConstraint(condition=models.Q(('target_level__gt', 0), ('target_level__lt', 1)), name='corpus_target_level'), models.CheckConstraint(condition=models.Q(('most_votes__gte', 1)), name='corpus_most_votes'), models.CheckConstraint(condition=models.Q(('least_posterior__gte', 0.5), ('least_posterior__lt', 1)), name='corpus_least_posterior'), models.CheckConstraint(condition=models.Q(('audit_share__gte', 0), ('audit_share__lte', 1)), name='corpus_audit_share'), models.CheckConstraint(condition=models.Q(('audit_share', 0), ('design', 'coordinated'), _connector='OR'), name='corpus_audits_under_coordinated'), models.CheckConstraint(condition=models.Q(('language', ''), _negated=True), name='corpus_language'), models.CheckConstraint(condition=models.Q(('task', ''), _negated=True), name='corpus_task'), models.CheckConstraint(condition=models.Q(('texts__in', ['public', 'agreement', 'operators'])), name='corpus_texts'), models.CheckConstraint(condition=models.Q(('policy', ''), _negated=True), name='corpus_policy'), models.CheckConstraint(condition=models.Q(('opens_at', None), ('closes_at', None), ('opens_at__lt', models.F('closes_at')), _connector='OR'), name='corpus_dates')],
                    },
                ),
                migrations.CreateModel(
                    name='Document',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='documents', to='annotations.corpus')),
                        ('doc_id', models.CharField(max_length=200)),
                        ('title', models.TextField(blank=True)),
                        ('date', models.DateField(blank=True, null=True)),
                        ('text', models.TextField()),
                        ('suggestions', models.JSONField(blank=True, default=list, help_text='Mentions that it was loaded with, for people to accept or not.')),
                        ('digest', models.CharField(help_text='SHA-256 of the document as loaded.', max_length=64)),
                    ],
                    options={
                        'ordering': ['id'],
                        'indexes': [django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(django.db.models.functions.text.Left('text', 200000), config='simple'), name='document_words')],
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'doc_id'), name='document_once')],
                    },
                ),
                migrations.CreateModel(
                    name='CorpusGuidelines',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='guidelines', to='annotations.corpus')),
                        ('version', models.PositiveSmallIntegerField(help_text='From 1; the largest holds.')),
                        ('digest', models.CharField(help_text='SHA-256 of its content.', max_length=64)),
                        ('content', models.TextField(help_text='Its normal form.')),
                        ('made_at', models.DateTimeField(auto_now_add=True)),
                        ('made_by', models.ForeignKey(blank=True, help_text='Empty: somebody at the command line.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name_plural': 'corpus guidelines',
                        'ordering': ['corpus', 'version'],
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'version'), name='corpus_guidelines_once'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='corpus_guidelines_from_1'), models.CheckConstraint(condition=models.Q(('digest', models.Func('content', output_field=models.TextField(), template="encode(sha256(convert_to(%(expressions)s, 'UTF8')), 'hex')"))), name='corpus_guidelines_digest')],
                    },
                ),
                migrations.CreateModel(
                    name='CorpusNews',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='news', to='annotations.corpus')),
                        ('title', models.CharField(max_length=150)),
                        ('text', models.TextField(blank=True)),
                        ('written_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('published_at', models.DateTimeField()),
                        ('mailed_to', models.PositiveIntegerField(default=0, help_text='People who got it by mail, so far.')),
                        ('mailed_after', models.BigIntegerField(blank=True, help_text='The last account that was told, while others are still to be; empty: nobody is.', null=True)),
                        ('withdrawn_at', models.DateTimeField(blank=True, help_text='Since when nobody is shown it any more.', null=True)),
                    ],
                    options={
                        'verbose_name_plural': 'corpus news',
                        'ordering': ['-published_at', '-id'],
                        'indexes': [models.Index(fields=['corpus', '-id'], name='corpus_news_by_corpus'), models.Index(condition=models.Q(('mailed_after__isnull', False)), fields=['id'], name='corpus_news_to_mail')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('title', ''), _negated=True), name='corpus_news_title'), models.CheckConstraint(condition=models.Q(('withdrawn_at', None), ('withdrawn_at__gte', models.F('published_at')), _connector='OR'), name='corpus_news_withdrawn'), models.CheckConstraint(condition=models.Q(('withdrawn_at', None), ('mailed_after', None), _connector='OR'), name='corpus_news_withdrawn_unmailed')],
                    },
                ),
                migrations.CreateModel(
                    name='CorpusPhase',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='phases', to='annotations.corpus')),
                        ('name', models.CharField(max_length=100)),
                        ('description', models.TextField(blank=True)),
                        ('starts_at', models.DateTimeField()),
                        ('ends_at', models.DateTimeField(blank=True, help_text='Empty: without an end.', null=True)),
                        ('takes_submissions', models.BooleanField(default=True)),
                        ('most_submissions', models.PositiveSmallIntegerField(blank=True, help_text='Of one team in this phase; empty: no such limit.', null=True)),
                    ],
                    options={
                        'ordering': ['corpus', 'starts_at'],
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'name'), name='corpus_phase_name_once'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='corpus_phase_name'), models.CheckConstraint(condition=models.Q(('ends_at', None), ('starts_at__lt', models.F('ends_at')), _connector='OR'), name='corpus_phase_dates'), models.CheckConstraint(condition=models.Q(('most_submissions', None), models.Q(('most_submissions__gte', 1), ('takes_submissions', True)), _connector='OR'), name='corpus_phase_most_submissions'), django.contrib.postgres.constraints.ExclusionConstraint(expressions=[(models.Func(models.F('corpus_id'), models.F('corpus_id'), models.Value('[]'), function='int8range'), '&&'), (models.Func(models.F('starts_at'), models.F('ends_at'), models.Value('[)'), function='tstzrange', output_field=django.contrib.postgres.fields.ranges.DateTimeRangeField()), '&&')], name='corpus_phases_apart')],
                    },
                ),
                migrations.CreateModel(
                    name='CorpusRole',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='corpus_roles', to=settings.AUTH_USER_MODEL)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='roles', to='annotations.corpus')),
                        ('role', models.CharField(choices=[('organiser', 'organiser'), ('reviewer', 'reviewer'), ('paymaster', 'paymaster')], max_length=16)),
                        ('given_by', models.ForeignKey(blank=True, help_text='An operator, or themselves where they made the corpus.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('given_at', models.DateTimeField()),
                    ],
                    options={
                        'ordering': ['corpus', 'role', 'given_at'],
                        'constraints': [models.UniqueConstraint(fields=('user', 'corpus', 'role'), name='corpus_role_once'), models.CheckConstraint(condition=models.Q(('role__in', ['organiser', 'reviewer', 'paymaster'])), name='corpus_role_known')],
                    },
                ),
                migrations.CreateModel(
                    name='CorpusRules',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='%(class)s', to='annotations.corpus')),
                        ('version', models.PositiveSmallIntegerField(help_text='From 1; the largest holds.')),
                        ('text', models.TextField(blank=True)),
                        ('written_by', models.ForeignKey(blank=True, help_text='Empty: somebody at the command line.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('written_at', models.DateTimeField()),
                    ],
                    options={
                        'verbose_name_plural': 'corpus rules',
                        'ordering': ['corpus', 'version'],
                        'abstract': False,
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'version'), name='corpusrules_once'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='corpusrules_from_1')],
                    },
                ),
                migrations.CreateModel(
                    name='CorpusTerms',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='%(class)s', to='annotations.corpus')),
                        ('version', models.PositiveSmallIntegerField(help_text='From 1; the largest holds.')),
                        ('text', models.TextField(blank=True)),
                        ('written_by', models.ForeignKey(blank=True, help_text='Empty: somebody at the command line.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('written_at', models.DateTimeField()),
                    ],
                    options={
                        'verbose_name_plural': 'corpus terms',
                        'ordering': ['corpus', 'version'],
                        'abstract': False,
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'version'), name='corpusterms_once'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='corpusterms_from_1')],
                    },
                ),
                migrations.CreateModel(
                    name='AcceptedTerms',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('terms', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accepted', to='annotations.corpusterms')),
                        ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accepted_terms', to='accounts.team')),
                        ('accepted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accepted_terms', to=settings.AUTH_USER_MODEL)),
                        ('accepted_at', models.DateTimeField()),
                    ],
                    options={
                        'verbose_name_plural': 'accepted terms',
                        'ordering': ['accepted_at'],
                        'constraints': [models.UniqueConstraint(fields=('terms', 'team'), name='accepted_terms_once')],
                    },
                ),
                migrations.CreateModel(
                    name='DataAgreement',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='agreements_on_data', to='annotations.corpus')),
                        ('version', models.PositiveSmallIntegerField(help_text='From 1; the largest holds.')),
                        ('text', models.TextField()),
                        ('written_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('written_at', models.DateTimeField()),
                    ],
                    options={
                        'ordering': ['corpus', 'version'],
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'version'), name='data_agreement_once'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='data_agreement_from_1'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='data_agreement_text')],
                    },
                ),
                migrations.CreateModel(
                    name='AcceptedAgreement',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('agreement', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accepted', to='annotations.dataagreement')),
                        ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accepted_agreements', to='accounts.team')),
                        ('accepted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accepted_agreements', to=settings.AUTH_USER_MODEL)),
                        ('accepted_at', models.DateTimeField()),
                    ],
                    options={
                        'ordering': ['accepted_at'],
                        'constraints': [models.UniqueConstraint(fields=('agreement', 'team'), name='accepted_agreement_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Input',
                    fields=[
                        ('document', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='given', serialize=False, to='annotations.document')),
                        ('question', models.JSONField(help_text='Its start and end in the text; empty: none.', null=True)),
                        ('passages', models.JSONField(default=list, help_text='The start and end of each.')),
                        ('references', models.JSONField(default=list, help_text='Texts to which outputs are compared.')),
                        ('digest', models.CharField(help_text='SHA-256 of all three as loaded.', max_length=64)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$')), name='input_digest')],
                    },
                ),
                migrations.CreateModel(
                    name='KindAgreement',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='agreements', to='annotations.corpus')),
                        ('kind', models.CharField(help_text='Of question: its name.', max_length=16)),
                        ('aspect', models.CharField(choices=[('answer', 'the whole answer'), ('spans', 'words and types of mentions'), ('canonical', 'canonical mentions'), ('links', 'links'), ('fluency', 'how it reads'), ('redundancy', 'repetition'), ('overall', 'the mark'), ('edit', 'edits (HTER)'), ('any', 'whether anything shows it right'), ('average', 'the share of evidence for it')], default='answer', help_text='Of what an answer says.', max_length=16)),
                        ('questions', models.PositiveIntegerField(help_text='Those with at least two valid votes.')),
                        ('kappa', models.FloatField(help_text='Empty where not estimable.', null=True)),
                        ('kappa_low', models.FloatField(null=True)),
                        ('kappa_high', models.FloatField(null=True)),
                        ('computed_at', models.DateTimeField(auto_now=True)),
                    ],
                    options={
                        'ordering': ['corpus', '-kind', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'kind', 'aspect'), name='kind_agreement_once')],
                    },
                ),
                migrations.CreateModel(
                    name='MovedDate',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='moved_dates', to='annotations.corpus')),
                        ('which', models.CharField(choices=[('opens', 'opening'), ('closes', 'closing'), ('starts', 'start'), ('ends', 'end')], max_length=8)),
                        ('phase', models.CharField(blank=True, help_text='Its name then, for the dates of a phase.', max_length=100)),
                        ('before', models.DateTimeField(blank=True, help_text='Empty: there was none.', null=True)),
                        ('after', models.DateTimeField(blank=True, help_text='Empty: there is none any more.', null=True)),
                        ('moved_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('moved_at', models.DateTimeField()),
                    ],
                    options={
                        'ordering': ['corpus', 'moved_at', 'id'],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('which__in', ['opens', 'closes']), ('phase', '')), models.Q(('which__in', ['starts', 'ends']), models.Q(('phase', ''), _negated=True)), _connector='OR'), name='moved_date_of'), models.CheckConstraint(condition=models.Q(models.Q(('before', models.F('after')), _negated=True), models.Q(('after', None), ('before', None), _negated=True)), name='moved_date_moved')],
                    },
                ),
                migrations.CreateModel(
                    name='Prompt',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='prompt', to='annotations.corpus')),
                        ('name', models.CharField(choices=[('quality', 'how good a text is'), ('answer', 'whether an answer is right')], max_length=16)),
                        ('metric', models.CharField(blank=True, help_text='The metric by which judgements are corrected: built in, or a column that systems submit; empty: none.', max_length=64)),
                        ('planning', models.JSONField(default=dict, help_text='How outputs and judgements are expected to vary, by measure: variance_outputs, variance_judgements and correlation. What is left out is as was found elsewhere.')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('name__in', ['quality', 'answer'])), name='prompt_name')],
                    },
                ),
                migrations.CreateModel(
                    name='Question',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='annotations.document')),
                        ('kind', models.CharField(help_text='Of question: its name.', max_length=16)),
                        ('key', models.CharField(max_length=128)),
                        ('payload', models.JSONField()),
                        ('state', models.CharField(choices=[('open', 'waiting for votes'), ('expert', 'waiting for an expert'), ('settled', 'settled')], default='open', max_length=16)),
                        ('votes_needed', models.PositiveSmallIntegerField(help_text="How many were asked for so far, as its corpus' policy has it.")),
                        ('asked_at', models.DateTimeField(auto_now_add=True)),
                        ('settled_at', models.DateTimeField(blank=True, null=True)),
                        ('published_at', models.DateTimeField(blank=True, help_text='When its labels were released.', null=True)),
                        ('audits', models.OneToOneField(blank=True, help_text='The settled question that it asks of others again, to learn how often judges err; empty: of none.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='audit', to='annotations.question')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['state', 'id'], name='question_by_state')],
                        'constraints': [models.UniqueConstraint(fields=('document', 'key'), name='question_once'), models.CheckConstraint(condition=models.Q(('kind', ''), _negated=True), name='question_kind'), models.CheckConstraint(condition=models.Q(models.Q(('settled_at__isnull', False), ('state', 'settled')), models.Q(('settled_at__isnull', True), ('state__in', ['open', 'expert'])), _connector='OR'), name='question_state'), models.CheckConstraint(condition=models.Q(('published_at__isnull', True), ('state', 'settled'), _connector='OR'), name='question_published_when_settled'), models.CheckConstraint(condition=models.Q(('votes_needed__gte', 1)), name='question_votes_needed'), models.CheckConstraint(condition=models.Q(models.Q(('audits__isnull', False), ('key__startswith', 'audit|')), models.Q(('audits__isnull', True), models.Q(('key__startswith', 'audit|'), _negated=True)), _connector='OR'), name='question_audit_key')],
                    },
                ),
                migrations.CreateModel(
                    name='DocumentAnnotation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotations', to='annotations.document')),
                        ('source', models.CharField(choices=[('expert', 'experts'), ('crowd', 'the crowd')], default='expert', max_length=16)),
                        ('digest', models.CharField(help_text='SHA-256 of what it says.', max_length=64)),
                        ('loaded_at', models.DateTimeField(auto_now_add=True)),
                        ('asked_at', models.DateTimeField(blank=True, help_text='When those were asked.', null=True)),
                        ('completed_at', models.DateTimeField(blank=True, help_text='Empty while questions about its relations are open.', null=True)),
                        ('questions', models.ManyToManyField(blank=True, help_text='Those that its relations come from.', related_name='annotations', to='annotations.question')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('completed_at__isnull', False)), fields=('document', 'source'), name='document_annotation_once'), models.UniqueConstraint(condition=models.Q(('completed_at__isnull', True)), fields=('document', 'source'), name='document_annotation_once_in_work'), models.CheckConstraint(condition=models.Q(('source__in', ['expert', 'crowd'])), name='document_annotation_source'), models.CheckConstraint(condition=models.Q(('source', 'crowd'), ('completed_at__isnull', False), _connector='OR'), name='document_annotation_of_experts_complete')],
                    },
                ),
                migrations.CreateModel(
                    name='AnnotatedRelation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='relations', to='annotations.documentannotation')),
                        ('predicate', models.CharField(max_length=64)),
                        ('subject_start', models.PositiveIntegerField()),
                        ('subject_end', models.PositiveIntegerField()),
                        ('object_start', models.PositiveIntegerField()),
                        ('object_end', models.PositiveIntegerField()),
                    ],
                    options={
                        'ordering': ['annotation', 'subject_start', 'object_start', 'predicate'],
                        'constraints': [models.UniqueConstraint(fields=('annotation', 'predicate', 'subject_start', 'subject_end', 'object_start', 'object_end'), name='annotated_relation_once'), models.CheckConstraint(condition=models.Q(('object_start__lt', models.F('object_end')), ('subject_start__lt', models.F('subject_end'))), name='annotated_relation_spans')],
                    },
                ),
                migrations.CreateModel(
                    name='AnnotatedMention',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mentions', to='annotations.documentannotation')),
                        ('start', models.PositiveIntegerField()),
                        ('end', models.PositiveIntegerField()),
                        ('type', models.CharField(max_length=8)),
                        ('canonical_start', models.PositiveIntegerField()),
                        ('canonical_end', models.PositiveIntegerField()),
                        ('link', models.TextField(blank=True)),
                    ],
                    options={
                        'ordering': ['annotation', 'start', 'end'],
                        'constraints': [models.UniqueConstraint(fields=('annotation', 'start', 'end', 'type'), name='annotated_mention_once'), models.CheckConstraint(condition=models.Q(('canonical_start__lt', models.F('canonical_end')), ('start__lt', models.F('end'))), name='annotated_mention_span')],
                    },
                ),
                migrations.CreateModel(
                    name='Label',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='labels', to='annotations.question')),
                        ('claim', models.CharField(help_text="What it is about, as the question's kind names it.", max_length=128)),
                        ('value', models.FloatField(help_text='Of a verdict 1, it holds, or 0, it does not.')),
                        ('votes_for', models.PositiveSmallIntegerField()),
                        ('votes', models.PositiveSmallIntegerField()),
                        ('source', models.CharField(choices=[('majority', 'majority of the votes'), ('expert', 'an expert'), ('removed', 'nobody: its document was removed first')], default='majority', max_length=16)),
                        ('posterior', models.FloatField(blank=True, help_text='The probability that it holds, from who voted what; exactly 0 or 1 only by an expert.', null=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('question', 'claim'), name='label_once'), models.CheckConstraint(condition=models.Q(('claim', ''), _negated=True), name='label_claim'), models.CheckConstraint(condition=models.Q(('votes_for__lte', models.F('votes'))), name='label_votes'), models.CheckConstraint(condition=models.Q(('posterior__isnull', True), models.Q(('posterior__gte', 0), ('posterior__lte', 1)), _connector='OR'), name='label_posterior')],
                    },
                ),
                migrations.CreateModel(
                    name='Response',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='responses', to='annotations.question')),
                        ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='responses', to=settings.AUTH_USER_MODEL)),
                        ('answer', models.JSONField()),
                        ('is_expert', models.BooleanField(default=False)),
                        ('is_valid', models.BooleanField(default=True, help_text='Whether it is a vote: not if it was rejected, or asked only to learn of the worker.')),
                        ('seconds', models.FloatField(blank=True, help_text='From being shown the question to answering.', null=True)),
                        ('guidelines', models.ForeignKey(blank=True, db_index=False, help_text="The corpus' own guidelines under which it was given; empty: those of its ontology.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotations.corpusguidelines')),
                        ('answered_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('question', 'worker'), name='response_once'), models.CheckConstraint(condition=models.Q(('seconds__isnull', True), ('seconds__gte', 0), _connector='OR'), name='response_seconds')],
                    },
                ),
                migrations.CreateModel(
                    name='Sentence',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sentences', to='annotations.document')),
                        ('index', models.PositiveIntegerField()),
                        ('start', models.PositiveIntegerField()),
                        ('end', models.PositiveIntegerField()),
                        ('token_starts', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), size=None)),
                        ('token_ends', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), size=None)),
                    ],
                    options={
                        'ordering': ['document', 'index'],
                        'constraints': [models.UniqueConstraint(fields=('document', 'index'), name='sentence_once'), models.CheckConstraint(condition=models.Q(('start__lt', models.F('end'))), name='sentence_span')],
                    },
                ),
                migrations.CreateModel(
                    name='Takedown',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('document', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='takedown', to='annotations.document')),
                        ('reason', models.CharField(help_text='Everybody reads it where the document was.', max_length=500)),
                        ('removed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('removed_at', models.DateTimeField()),
                    ],
                    options={
                        'ordering': ['-removed_at'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='takedown_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='Competitor',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='competitors', to='annotations.corpus')),
                        ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='competes_in', to='accounts.team')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'team'), name='competitor_once')],
                    },
                ),
                migrations.CreateModel(
                    name='CorpusFiles',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='annotations.corpus')),
                        ('state', models.CharField(help_text='Of the documents, as the files have them.', max_length=64)),
                        ('texts_digest', models.CharField(help_text='SHA-256 of the file of texts.', max_length=64)),
                        ('texts_size', models.BigIntegerField(help_text='In bytes.')),
                        ('ids_digest', models.CharField(help_text='SHA-256 of the file of ids and digests.', max_length=64)),
                        ('ids_size', models.BigIntegerField(help_text='In bytes.')),
                        ('documents', models.PositiveIntegerField()),
                        ('removed', models.PositiveIntegerField()),
                        ('characters', models.BigIntegerField()),
                        ('shortest', models.PositiveIntegerField(blank=True, help_text='In characters.', null=True)),
                        ('longest', models.PositiveIntegerField(blank=True, help_text='In characters.', null=True)),
                        ('sentences', models.BigIntegerField()),
                        ('tokens', models.BigIntegerField()),
                        ('dated', models.PositiveIntegerField(help_text='Documents with a date.')),
                        ('first_date', models.DateField(blank=True, null=True)),
                        ('last_date', models.DateField(blank=True, null=True)),
                        ('made_at', models.DateTimeField()),
                    ],
                    options={
                        'verbose_name_plural': 'corpus files',
                        'constraints': [models.CheckConstraint(condition=models.Q(('ids_digest__regex', '^[0-9a-f]{64}$'), ('texts_digest__regex', '^[0-9a-f]{64}$')), name='corpus_files_digests'), models.CheckConstraint(condition=models.Q(('dated__lte', models.F('documents')), ('removed__lte', models.F('documents'))), name='corpus_files_counts')],
                    },
                ),
            ],
        ),
        *_sql.OPERATIONS,
    ]
