import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
import evaluation.models.archive
import evaluation.models.attachment
import evaluation.models.sample
import evaluation.models.submission
import kbpo.core.database.migrating
import uuid
from django.conf import settings
from django.db import migrations, models

from evaluation.migrations import _sql


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('annotations', '0001_initial'),
    ]

    operations = [
        kbpo.core.database.migrating.CreateModels(
            models=[
                migrations.CreateModel(
                    name='CountedDocument',
                    fields=[
                        ('document', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='counted', serialize=False, to='annotations.document')),
                    ],
                ),
                migrations.CreateModel(
                    name='Unit',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='units', to='annotations.corpus')),
                        ('key', models.TextField(help_text="What tells it from the corpus' others; empty where its task's own row does.", null=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('key__isnull', False)), fields=('corpus', 'key'), name='unit_once'), models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='unit_key')],
                    },
                ),
                migrations.CreateModel(
                    name='DocumentSample',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='document_samples', to='annotations.corpus')),
                        ('number', models.PositiveIntegerField(default=1)),
                        ('replaces', models.OneToOneField(blank=True, help_text='Whose documents it took over, as far as they were not retired; empty: drawn anew.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replaced_by', to='evaluation.documentsample')),
                        ('seed', models.BigIntegerField(help_text='Empty where every annotated document was taken.', null=True)),
                        ('size', models.PositiveIntegerField(help_text='Planned in all; the second phase draws about the rest.')),
                        ('first_size', models.PositiveIntegerField(help_text='Of the first phase; empty: one phase.', null=True)),
                        ('secret', models.CharField(default=evaluation.models.sample.new_secret, help_text='Hexadecimal; decides the second phase, what is retired, and what takes its place.', max_length=64)),
                        ('population', models.PositiveIntegerField()),
                        ('drawn_at', models.DateTimeField(auto_now_add=True)),
                        ('second_drawn_at', models.DateTimeField(blank=True, null=True)),
                        ('retired_at', models.DateTimeField(blank=True, help_text='When documents of it were retired: since then it is not the current one.', null=True)),
                        ('scored_as', models.CharField(blank=True, help_text='Digest of what recall rested on when scores were last due.', max_length=64)),
                    ],
                    options={
                        'ordering': ['corpus', 'number'],
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'number'), name='document_sample_once'), models.UniqueConstraint(condition=models.Q(('retired_at__isnull', True)), fields=('corpus',), name='document_sample_one_current'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='document_sample_number'), models.CheckConstraint(condition=models.Q(('size__gte', 1), ('size__lte', models.F('population'))), name='document_sample_size'), models.CheckConstraint(condition=models.Q(models.Q(('first_size__isnull', True), ('second_drawn_at__isnull', True)), models.Q(('first_size__gte', 2), ('first_size__lte', models.F('size'))), _connector='OR'), name='document_sample_phases'), models.CheckConstraint(condition=models.Q(('secret__regex', '^[0-9a-f]{64}$')), name='document_sample_secret')],
                    },
                ),
                migrations.CreateModel(
                    name='Epoch',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='epochs', to='annotations.corpus')),
                        ('number', models.PositiveIntegerField()),
                        ('secret', models.CharField(help_text='Hexadecimal; public once released.', max_length=64)),
                        ('commitment', models.CharField(help_text="SHA-256 of the secret's bytes; public from the start.", max_length=64)),
                        ('key_version', models.CharField(help_text='Format of the keys that the secret is applied to.', max_length=8)),
                        ('weighting', models.CharField(help_text="How a system's units weigh in the p that its samples are designed for, till its end.", max_length=32)),
                        ('growth', models.CharField(choices=[('maximum', 'the maximum of what each system needs, given the others'), ('quadratic', 'the root of the sum of squares of what each needs alone')], help_text='How its design grows, for ever.', max_length=16)),
                        ('opened_at', models.DateTimeField(auto_now_add=True)),
                        ('released_at', models.DateTimeField(blank=True, null=True)),
                        ('document_sample', models.ForeignKey(blank=True, help_text='The exhaustive documents that its recall rests on, for ever; empty until they are drawn.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='epochs', to='evaluation.documentsample')),
                        ('scores_due', models.BooleanField(default=False, help_text='What its scores rest on has changed.')),
                        ('subsets_due', models.BooleanField(default=False, help_text='Its scores changed since those of subsets.')),
                        ('scoring_failures', models.PositiveSmallIntegerField(default=0, help_text='Since the last success.')),
                        ('scoring_not_before', models.DateTimeField(blank=True, help_text='When it is tried again after a failure.', null=True)),
                        ('texts_removed', models.PositiveIntegerField(default=0, help_text='Of its exhaustive documents, when its scores began to be computed.')),
                        ('recorded', models.ManyToManyField(blank=True, help_text='Those whose answers were recorded elsewhere, and came in with it: of a released epoch.', related_name='recorded_in', to='annotations.question')),
                    ],
                    options={
                        'ordering': ['corpus', 'number'],
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'number'), name='epoch_once'), models.UniqueConstraint(condition=models.Q(('released_at__isnull', True)), fields=('corpus',), name='epoch_one_open'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='epoch_number'), models.CheckConstraint(condition=models.Q(('commitment__regex', '^[0-9a-f]{64}$'), ('secret__regex', '^[0-9a-f]{64}$')), name='epoch_secret'), models.CheckConstraint(condition=models.Q(('weighting', ''), _negated=True), name='epoch_weighting'), models.CheckConstraint(condition=models.Q(('growth__in', ['maximum', 'quadratic'])), name='epoch_growth')],
                    },
                ),
                migrations.CreateModel(
                    name='HouseMetric',
                    fields=[
                        ('epoch', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='house_metric', serialize=False, to='evaluation.epoch')),
                        ('coefficients', models.TextField(blank=True, help_text='As JSON (`evaluation.generation.house`); empty where too little is known.')),
                        ('digest', models.CharField(help_text='SHA-256 of the coefficients.', max_length=64)),
                        ('outputs', models.PositiveIntegerField(help_text='How many judged outputs it was learnt from.')),
                        ('learnt_from', models.JSONField(default=list, help_text='The numbers of the epochs that were released then.')),
                        ('frozen_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$')), name='house_metric_digest')],
                    },
                ),
                migrations.CreateModel(
                    name='Computation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='computations', to='annotations.corpus')),
                        ('number', models.PositiveIntegerField(help_text='From 1, in its corpus.')),
                        ('epoch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='computations', to='evaluation.epoch')),
                        ('at', models.DateTimeField()),
                        ('code_version', models.CharField(max_length=64)),
                        ('systems', models.PositiveIntegerField(help_text='Whose samples it rests on, hidden and withdrawn ones too.')),
                        ('labels', models.PositiveIntegerField(help_text='Units in these samples; empty where that was not written down.', null=True)),
                        ('audits', models.PositiveIntegerField(help_text='Questions that were asked again; empty where that was not written down.', null=True)),
                        ('columns', models.JSONField(help_text='Of what its changes say: part, weighting, estimator, standard, level and measure.')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'number'), name='computation_once'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='computation_from_1')],
                    },
                ),
                migrations.CreateModel(
                    name='Comparison',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('epoch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comparisons', to='evaluation.epoch')),
                        ('estimator', models.CharField(max_length=16)),
                        ('weighting', models.CharField(max_length=32)),
                        ('part', models.CharField(max_length=16)),
                        ('standard', models.CharField(choices=[('votes', 'votes taken for the truth'), ('audit', "corrected for judges' errors"), ('crowd', 'with another crowd')], default='votes', help_text='What counts as right: as the votes say, as an audit of them corrects that, or as other people might say.', max_length=8)),
                        ('submissions', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), help_text='Their keys, in the order of the arrays.', size=None)),
                        ('arrays', models.BinaryField(help_text='As the task packs them.')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('epoch', 'estimator', 'weighting', 'part', 'standard'), name='comparison_once'), models.CheckConstraint(condition=models.Q(('standard__in', ['votes', 'audit', 'crowd'])), name='comparison_standard')],
                    },
                ),
                migrations.CreateModel(
                    name='ArchiveKey',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('epoch', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='archive_key', to='evaluation.epoch')),
                        ('key', models.CharField(default=evaluation.models.archive.new_key, editable=False, max_length=64)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('key__regex', '^[0-9a-f]{64}$')), name='archive_key_hex')],
                    },
                ),
                migrations.CreateModel(
                    name='EpochArchive',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('epoch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='archives', to='evaluation.epoch')),
                        ('edition', models.PositiveIntegerField(help_text='From 1.')),
                        ('state', models.CharField(help_text='Of what it rests on: documents retired, scores.', max_length=64)),
                        ('format', models.PositiveSmallIntegerField(help_text='The version of its files.')),
                        ('digest', models.CharField(help_text='SHA-256 of its bytes.', max_length=64)),
                        ('size', models.BigIntegerField(help_text='In bytes.')),
                        ('told', models.CharField(help_text='How its documents annotated in full are told; empty where there are none.', max_length=8)),
                        ('figures', models.PositiveIntegerField(help_text='How many published figures it states.')),
                        ('removed', models.PositiveIntegerField(default=0, help_text="Of the documents of which it may tell the text's digest, how many had been removed.")),
                        ('made_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'ordering': ['epoch', 'edition'],
                        'constraints': [models.UniqueConstraint(fields=('epoch', 'edition'), name='epoch_archive_once'), models.CheckConstraint(condition=models.Q(('edition__gte', 1)), name='epoch_archive_edition'), models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$')), name='epoch_archive_digest')],
                    },
                ),
                migrations.CreateModel(
                    name='Instance',
                    fields=[
                        ('unit', models.OneToOneField(db_column='id', on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='instance', serialize=False, to='evaluation.unit')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='instances', to='annotations.document')),
                        ('predicate', models.CharField(max_length=64)),
                        ('subject_start', models.PositiveIntegerField()),
                        ('subject_end', models.PositiveIntegerField()),
                        ('object_start', models.PositiveIntegerField()),
                        ('object_end', models.PositiveIntegerField()),
                        ('subject_name', models.BigIntegerField(help_text="Digest of its subject's name key, as `evaluation.kbp.name_keys` makes it: who has the same counts as the same; below 0 where nobody is named.")),
                        ('object_name', models.BigIntegerField(help_text='The same of its object.')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('document', 'predicate', 'subject_start', 'subject_end', 'object_start', 'object_end'), name='instance_once'), models.CheckConstraint(condition=models.Q(('object_start__lt', models.F('object_end')), ('subject_start__lt', models.F('subject_end'))), name='instance_spans')],
                    },
                ),
                migrations.CreateModel(
                    name='OutputText',
                    fields=[
                        ('unit', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='output_text', serialize=False, to='evaluation.unit')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='output_texts', to='annotations.document')),
                        ('text', models.TextField(blank=True, help_text='May be empty: it is judged as that.')),
                    ],
                ),
                migrations.CreateModel(
                    name='NameCount',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='name_counts', to='annotations.corpus')),
                        ('name', models.BigIntegerField(help_text='Digest of the name key: see `evaluation.kbp.name_keys`.')),
                        ('documents', models.PositiveIntegerField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'name'), name='name_count_once'), models.CheckConstraint(condition=models.Q(('documents__gte', 1)), name='name_count_documents'), models.CheckConstraint(condition=models.Q(('name__gte', 0)), name='name_count_name')],
                    },
                ),
                migrations.CreateModel(
                    name='Ranking',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rankings', to='annotations.corpus')),
                        ('estimator', models.CharField(max_length=16)),
                        ('weighting', models.CharField(max_length=32)),
                        ('part', models.CharField(max_length=16)),
                        ('standard', models.CharField(choices=[('votes', 'votes taken for the truth'), ('audit', "corrected for judges' errors"), ('crowd', 'with another crowd')], default='votes', help_text='What counts as right: as the votes say, as an audit of them corrects that, or as other people might say.', max_length=8)),
                        ('level', models.PositiveSmallIntegerField(help_text='For all pairs at once, in per cent.')),
                        ('systems', models.PositiveIntegerField()),
                        ('apart', models.PositiveIntegerField(help_text='Pairs that differ significantly.')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'estimator', 'weighting', 'part', 'standard', 'level'), name='ranking_once'), models.CheckConstraint(condition=models.Q(('standard__in', ['votes', 'audit', 'crowd'])), name='ranking_standard'), models.CheckConstraint(condition=models.Q(('level__gt', 0), ('level__lt', 100)), name='ranking_level'), models.CheckConstraint(condition=models.Q(('apart__lte', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('systems'), '*', django.db.models.expressions.CombinedExpression(models.F('systems'), '-', models.Value(1))), '/', models.Value(2))), ('systems__gte', 1)), name='ranking_pairs')],
                    },
                ),
                migrations.CreateModel(
                    name='ReleasedLabels',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('epoch', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='released_labels', to='evaluation.epoch')),
                        ('labels', models.PositiveIntegerField(help_text='How many there were.')),
                        ('digest', models.CharField(help_text='SHA-256 of them, each with its question.', max_length=64)),
                        ('answers', models.PositiveIntegerField(help_text='How many there were, valid or not.')),
                        ('answers_digest', models.CharField(help_text='SHA-256 of them, each with its question.', max_length=64)),
                        ('last_answer', models.BigIntegerField(help_text='Row id of the last of them; later ones change no label.')),
                        ('sealed_at', models.DateTimeField(auto_now_add=True, help_text='With the release; later for one of before there were digests.')),
                    ],
                    options={
                        'verbose_name_plural': 'released labels',
                        'constraints': [models.CheckConstraint(condition=models.Q(('answers_digest__regex', '^[0-9a-f]{64}$'), ('digest__regex', '^[0-9a-f]{64}$')), name='released_labels_digests')],
                    },
                ),
                migrations.CreateModel(
                    name='RetiredDocument',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('sample', models.ForeignKey(help_text='Out of which.', on_delete=django.db.models.deletion.CASCADE, related_name='retired', to='evaluation.documentsample')),
                        ('document', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='retirement', to='annotations.document')),
                        ('probability', models.FloatField(help_text='That it was retired then, of a document of that sample.')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('probability__gt', 0), ('probability__lte', 1)), name='retired_document_probability')],
                    },
                ),
                migrations.CreateModel(
                    name='SampledDocument',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('sample', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='evaluation.documentsample')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sampled', to='annotations.document')),
                        ('phase', models.PositiveSmallIntegerField(default=1)),
                        ('probability', models.FloatField()),
                        ('since', models.PositiveIntegerField(default=1, help_text='The number of the first sample that it was in without a break.')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('sample', 'document'), name='sampled_document_once'), models.CheckConstraint(condition=models.Q(('probability__gt', 0), ('probability__lte', 1)), name='sampled_document_probability'), models.CheckConstraint(condition=models.Q(('phase__in', [1, 2])), name='sampled_document_phase'), models.CheckConstraint(condition=models.Q(('since__gte', 1)), name='sampled_document_since')],
                    },
                ),
                migrations.CreateModel(
                    name='SampleName',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('sample', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='names', to='evaluation.documentsample')),
                        ('name', models.CharField(max_length=200)),
                        ('documents', models.PositiveIntegerField(help_text='In how many of the documents that can be drawn it occurs.')),
                        ('first', models.PositiveIntegerField(help_text="In how many of the first phase's.")),
                        ('sampled', models.PositiveIntegerField(help_text='In how many of those that were drawn in all.')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('sample', 'name'), name='sample_name_once'), models.CheckConstraint(condition=models.Q(('documents__gte', 1), ('first__lte', models.F('sampled')), ('sampled__lte', models.F('documents'))), name='sample_name_documents')],
                    },
                ),
                migrations.CreateModel(
                    name='SecondPhaseProbability',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('sample', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='second_phase', to='evaluation.documentsample')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotations.document')),
                        ('score', models.FloatField(help_text='Aggregate TF-IDF over the names of the first phase.')),
                        ('probability', models.FloatField()),
                    ],
                    options={
                        'verbose_name_plural': 'second phase probabilities',
                        'constraints': [models.UniqueConstraint(fields=('sample', 'document'), name='second_phase_once'), models.CheckConstraint(condition=models.Q(('probability__gt', 0), ('probability__lte', 1), ('score__gte', 0)), name='second_phase_probability')],
                    },
                ),
                migrations.CreateModel(
                    name='Snapshot',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='snapshots', to='annotations.corpus')),
                        ('number', models.PositiveIntegerField(help_text='From 1, in its corpus.')),
                        ('epoch', models.ForeignKey(help_text='Just released, or open then.', on_delete=django.db.models.deletion.PROTECT, related_name='snapshots', to='evaluation.epoch')),
                        ('reason', models.CharField(choices=[('release', 'at the release of an epoch'), ('organiser', 'by an organiser')], max_length=16)),
                        ('note', models.CharField(blank=True, help_text='What it is for, as its maker says.', max_length=200)),
                        ('taken_at', models.DateTimeField()),
                        ('code_version', models.CharField(help_text='Of the code when it was taken.', max_length=64)),
                        ('systems', models.PositiveIntegerField()),
                        ('head', models.TextField(help_text='Canonical JSON of all but its tables.')),
                        ('scores_digest', models.CharField(help_text='SHA-256 of its tables alone.', max_length=64)),
                        ('digest', models.CharField(help_text='SHA-256 of its file.', max_length=64)),
                        ('size', models.PositiveBigIntegerField(help_text='Of its file, in bytes.')),
                    ],
                    options={
                        'ordering': ['corpus', '-number'],
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'number'), name='snapshot_once'), models.UniqueConstraint(condition=models.Q(('reason', 'release')), fields=('epoch',), name='snapshot_one_at_release'), models.CheckConstraint(condition=models.Q(('number__gte', 1), ('systems__gte', 1)), name='snapshot_from_1'), models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$'), ('scores_digest__regex', '^[0-9a-f]{64}$')), name='snapshot_digests'), models.CheckConstraint(condition=models.Q(('reason__in', ['release', 'organiser'])), name='snapshot_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='SnapshotTable',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tables', to='evaluation.snapshot')),
                        ('part', models.CharField(max_length=16)),
                        ('weighting', models.CharField(max_length=32)),
                        ('estimator', models.CharField(max_length=16)),
                        ('standard', models.CharField(max_length=8)),
                        ('level', models.PositiveSmallIntegerField()),
                        ('content', models.TextField(help_text="Canonical JSON, as it stands in the snapshot's file.")),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('snapshot', 'part', 'weighting', 'estimator', 'standard', 'level'), name='snapshot_table_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Submission',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotations.corpus')),
                        ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='accounts.team')),
                        ('uploaded_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to=settings.AUTH_USER_MODEL)),
                        ('name', models.CharField(max_length=100)),
                        ('description', models.TextField(blank=True)),
                        ('paper_url', models.URLField(blank=True, max_length=500, verbose_name='address of a paper')),
                        ('code_url', models.URLField(blank=True, max_length=500, verbose_name='address of code')),
                        ('format', models.CharField(help_text="One of the task's.", max_length=16)),
                        ('file', models.FileField(blank=True, max_length=300, upload_to=evaluation.models.submission.upload_path)),
                        ('digest', models.CharField(help_text="SHA-256 of the file's bytes.", max_length=64)),
                        ('state', models.CharField(choices=[('uploaded', 'waiting to be read'), ('refused', 'refused'), ('accepted', 'accepted'), ('judging', 'being judged'), ('scored', 'scored'), ('cancelled', 'cancelled'), ('withdrawn', 'withdrawn'), ('failed', 'failed')], default='uploaded', max_length=16)),
                        ('failed_in', models.CharField(blank=True, help_text='The state in which it failed.', max_length=16)),
                        ('go_ahead', models.BooleanField(default=False, help_text='Judge it as soon as it is accepted.')),
                        ('is_public', models.BooleanField(default=True, help_text='Show it on the leaderboard once it is scored.')),
                        ('is_baseline', models.BooleanField(default=False, help_text="Something to compare with, not a team's attempt; its organisers say so.")),
                        ('chosen_at', models.DateTimeField(blank=True, help_text='Since when it stands for its team; empty: it does not.', null=True)),
                        ('chosen_after', models.PositiveIntegerField(blank=True, help_text="How many of its team's runs had scores when it was chosen.", null=True)),
                        ('anonymous_until', models.DateTimeField(blank=True, help_text="Until then its name and its team's are not shown to others.", null=True)),
                        ('alias', models.PositiveIntegerField(blank=True, help_text='The number of its team in this corpus while it is anonymous.', null=True)),
                        ('alias_run', models.PositiveIntegerField(blank=True, help_text='Its own number beside that.', null=True)),
                        ('uploaded_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, help_text='When it was taken in: what dates go by.')),
                        ('phase', models.ForeignKey(blank=True, help_text='Of the corpus, in which it was uploaded; empty: the corpus had none then.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotations.corpusphase')),
                        ('quota_asked_at', models.DateTimeField(blank=True, help_text='Since when it waits for a place.', null=True)),
                        ('quota_taken_at', models.DateTimeField(blank=True, null=True)),
                        ('counts', models.JSONField(default=dict, help_text='What reading the file found.')),
                    ],
                    options={
                        'ordering': ['-id'],
                        'indexes': [models.Index(fields=['state', 'id'], name='submission_by_state')],
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'alias', 'alias_run'), name='submission_alias_once'), models.CheckConstraint(condition=models.Q(('anonymous_until__isnull', True), models.Q(('alias__isnull', False), ('alias_run__isnull', False)), _connector='OR'), name='submission_anonymous_has_alias'), models.UniqueConstraint(condition=models.Q(('state__in', ['refused', 'cancelled', 'withdrawn', 'failed']), _negated=True), fields=('corpus', 'team', 'name'), name='submission_name_once'), models.CheckConstraint(condition=models.Q(('state__in', ['uploaded', 'refused', 'accepted', 'judging', 'scored', 'cancelled', 'withdrawn', 'failed'])), name='submission_state'), models.CheckConstraint(condition=models.Q(models.Q(('failed_in__in', ['uploaded', 'accepted', 'judging']), ('state', 'failed')), models.Q(models.Q(('state', 'failed'), _negated=True), ('failed_in', '')), _connector='OR'), name='submission_failed_in'), models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['judging', 'scored']), _negated=True), ('quota_taken_at__isnull', False), _connector='OR'), name='submission_quota_taken_when_sampled'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='submission_name_not_empty'), models.UniqueConstraint(condition=models.Q(('chosen_at__isnull', False)), fields=('corpus', 'team'), name='submission_one_stands_for_team'), models.CheckConstraint(condition=models.Q(models.Q(('chosen_after__isnull', True), ('chosen_at__isnull', True)), models.Q(('chosen_after__isnull', False), ('chosen_at__isnull', False)), _connector='OR'), name='submission_chosen'), models.CheckConstraint(condition=models.Q(models.Q(('paper_url', ''), ('paper_url__startswith', 'https://'), _connector='OR'), models.Q(('code_url', ''), ('code_url__startswith', 'https://'), _connector='OR')), name='submission_links_https')],
                    },
                ),
                migrations.CreateModel(
                    name='EntityIndex',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('corpus', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='entity_index', to='annotations.corpus')),
                        ('made_at', models.DateTimeField()),
                        ('documents', models.PositiveIntegerField(help_text='Open ones, in which people marked every mention.')),
                        ('digest', models.CharField(help_text='SHA-256 of what was marked in those, and of what labels were released.', max_length=64)),
                        ('submissions', models.ManyToManyField(help_text='Whose claims give names.', related_name='+', to='evaluation.submission')),
                    ],
                    options={
                        'verbose_name_plural': 'entity indexes',
                    },
                ),
                migrations.CreateModel(
                    name='Entity',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('index', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entities', to='evaluation.entityindex')),
                        ('key', models.CharField(max_length=16)),
                        ('type', models.CharField(max_length=8)),
                        ('name', models.CharField(max_length=200)),
                        ('page', models.TextField(blank=True, help_text='The address that people gave; empty for none.')),
                        ('names', models.TextField(help_text='All its names, folded, for the search.')),
                        ('also', models.TextField(blank=True, help_text='Its other names as they are written, the most frequent first.')),
                        ('documents', models.PositiveIntegerField()),
                        ('mentions', models.PositiveIntegerField(help_text='Places in texts.')),
                        ('relations', models.PositiveIntegerField(help_text='In which it is subject or object.')),
                    ],
                    options={
                        'verbose_name_plural': 'entities',
                        'indexes': [models.Index(models.F('index'), models.OrderBy(models.F('documents'), descending=True), models.F('name'), models.F('id'), name='entity_by_documents'), django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector('names', config='simple'), name='entity_words')],
                        'constraints': [models.UniqueConstraint(fields=('index', 'key'), name='entity_once'), models.CheckConstraint(condition=models.Q(('documents__gte', 1), ('mentions__gte', models.F('documents'))), name='entity_counts')],
                    },
                ),
                migrations.CreateModel(
                    name='EntityName',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('entity', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='in_documents', to='evaluation.entity')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotations.document')),
                        ('name', models.CharField(help_text='As `evaluation.kbp.explorer.folding` makes it.', max_length=200)),
                        ('written', models.CharField(help_text='As it most often stands there.', max_length=200)),
                        ('mentions', models.PositiveIntegerField()),
                        ('start', models.PositiveIntegerField(help_text='Of the name, where it first stands.')),
                        ('end', models.PositiveIntegerField()),
                        ('by_people', models.BooleanField(help_text='Marked by people; otherwise claimed by systems.')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('entity', 'document', 'name'), name='entity_name_once'), models.CheckConstraint(condition=models.Q(('mentions__gte', 1)), name='entity_name_mentions'), models.CheckConstraint(condition=models.Q(('start__lt', models.F('end'))), name='entity_name_span')],
                    },
                ),
                migrations.CreateModel(
                    name='EntityRelation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('index', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='relations', to='evaluation.entityindex')),
                        ('key', models.CharField(max_length=16)),
                        ('predicate', models.CharField(max_length=64)),
                        ('subject', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='as_subject', to='evaluation.entity')),
                        ('object', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='as_object', to='evaluation.entity')),
                        ('object_text', models.CharField(blank=True, help_text='Of a string or a date, as it is most often written.', max_length=200)),
                        ('standing', models.PositiveSmallIntegerField(choices=[(1, 'confirmed'), (2, 'not published'), (3, 'refuted')], help_text='Confirmed in one place, or else refuted in all.')),
                        ('systems', models.PositiveIntegerField(help_text='Published ones that claim it somewhere.')),
                        ('sources', models.PositiveIntegerField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('index', 'key'), name='entity_relation_once'), models.CheckConstraint(condition=models.Q(models.Q(('object__isnull', False), ('object_text', '')), models.Q(('object__isnull', True), models.Q(('object_text', ''), _negated=True)), _connector='OR'), name='entity_relation_object'), models.CheckConstraint(condition=models.Q(('standing__in', [1, 2, 3])), name='entity_relation_standing'), models.CheckConstraint(condition=models.Q(('sources__gte', 1)), name='entity_relation_sources')],
                    },
                ),
                migrations.CreateModel(
                    name='JudgedVariance',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('epoch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judged_variances', to='evaluation.epoch')),
                        ('submission', models.ForeignKey(help_text="Empty: all outputs of the epoch's systems.", null=True, on_delete=django.db.models.deletion.CASCADE, related_name='judged_variances', to='evaluation.submission')),
                        ('is_published', models.BooleanField(help_text='Whether it rests on published judgements alone; else it is shown once its epoch is.')),
                        ('measure', models.CharField(max_length=16)),
                        ('mean', models.FloatField(help_text='Of the judgements, each output weighted by 1/π.')),
                        ('variance_outputs', models.FloatField(help_text='σ_f², which may be below 0; empty where no output was judged twice.', null=True)),
                        ('variance_judgements', models.FloatField(help_text='σ_a²; empty as above.', null=True)),
                        ('outputs', models.PositiveIntegerField(help_text='Judged ones.')),
                        ('judgements', models.PositiveIntegerField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('epoch', 'submission', 'is_published', 'measure'), name='judged_variance_once', nulls_distinct=False), models.CheckConstraint(condition=models.Q(('judgements__gte', models.F('outputs')), ('outputs__gte', 1)), name='judged_variance_counts'), models.CheckConstraint(condition=models.Q(models.Q(('variance_judgements__isnull', True), ('variance_outputs__isnull', True)), models.Q(('variance_judgements__gte', 0), ('variance_outputs__isnull', False)), _connector='OR'), name='judged_variance_parts')],
                    },
                ),
                migrations.CreateModel(
                    name='MetricWorth',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('judged', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='metrics', to='evaluation.judgedvariance')),
                        ('metric', models.CharField(max_length=64)),
                        ('mean', models.FloatField(help_text='Of the metric, over all outputs, judged or not.')),
                        ('rho', models.FloatField(help_text='Empty where outputs show no difference.', null=True)),
                        ('rho_low', models.FloatField(null=True)),
                        ('rho_high', models.FloatField(null=True)),
                        ('efficiency', models.FloatField(help_text='Judgements that one is worth; empty: without end.', null=True)),
                        ('efficiency_low', models.FloatField(null=True)),
                        ('efficiency_high', models.FloatField(null=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('judged', 'metric'), name='metric_worth_once'), models.CheckConstraint(condition=models.Q(('rho_low__isnull', True), ('rho_low__lte', models.F('rho_high')), _connector='OR'), name='metric_worth_rho'), models.CheckConstraint(condition=models.Q(('efficiency__isnull', True), ('efficiency__gte', 0.999), _connector='OR'), name='metric_worth_efficiency')],
                    },
                ),
                migrations.CreateModel(
                    name='RelationSource',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('relation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='evaluation.entityrelation')),
                        ('number', models.PositiveIntegerField(help_text='From 1: confirmed ones first, then by document.')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotations.document')),
                        ('subject_start', models.PositiveIntegerField(help_text='In the direction in which it is stored there.')),
                        ('subject_end', models.PositiveIntegerField()),
                        ('object_start', models.PositiveIntegerField()),
                        ('object_end', models.PositiveIntegerField()),
                        ('is_right', models.BooleanField(help_text='What is published of it, names included.', null=True)),
                        ('by_people', models.BooleanField(help_text='Found by people in a document that is open to explore.')),
                        ('systems', models.PositiveIntegerField(help_text='Published ones that claim it there.')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('relation', 'number'), name='relation_source_once'), models.CheckConstraint(condition=models.Q(('object_start__lt', models.F('object_end')), ('subject_start__lt', models.F('subject_end'))), name='relation_source_spans'), models.CheckConstraint(condition=models.Q(('by_people', False), ('is_right', True), _connector='OR'), name='relation_source_by_people'), models.CheckConstraint(condition=models.Q(('by_people', True), ('systems__gte', 1), _connector='OR'), name='relation_source_of')],
                    },
                ),
                migrations.CreateModel(
                    name='SampleBatch',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('epoch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='evaluation.epoch')),
                        ('number', models.PositiveIntegerField()),
                        ('submission', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='batch', to='evaluation.submission')),
                        ('target_variance', models.FloatField()),
                        ('lam', models.FloatField(null=True)),
                        ('floor', models.FloatField(help_text='b: the expected number of labels spread uniformly.', null=True)),
                        ('draws', models.PositiveIntegerField(null=True)),
                        ('weights_version', models.CharField(help_text="The task's rules by which the weights of its system were made.", max_length=8)),
                        ('drawn_at', models.DateTimeField(auto_now_add=True)),
                        ('labelled_at', models.DateTimeField(blank=True, null=True)),
                        ('audited_at', models.DateTimeField(blank=True, help_text='When every audit was answered that its scores need: of it and of the batches before it.', null=True)),
                        ('questions', models.ManyToManyField(related_name='batches', to='annotations.question')),
                    ],
                    options={
                        'verbose_name_plural': 'sample batches',
                        'ordering': ['epoch', 'number'],
                        'constraints': [models.UniqueConstraint(fields=('epoch', 'number'), name='batch_once'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='batch_number'), models.CheckConstraint(condition=models.Q(('target_variance__gt', 0)), name='batch_target_variance'), models.CheckConstraint(condition=models.Q(('weights_version', ''), _negated=True), name='batch_weights_version'), models.CheckConstraint(condition=models.Q(models.Q(('draws__isnull', True), ('floor__gte', 0), ('lam__gte', 0)), models.Q(('draws__gte', 1), ('floor__isnull', True), ('lam__isnull', True)), _connector='OR'), name='batch_design')],
                    },
                ),
                migrations.CreateModel(
                    name='PlannedVariance',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('batch', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='planned_variance', to='evaluation.samplebatch')),
                        ('version', models.CharField(help_text='What its features are and how they were fitted.', max_length=32)),
                        ('matching', models.CharField(help_text='The rule by which units were right.', max_length=32)),
                        ('error_ratio', models.FloatField(help_text='Squared errors out of fold to planned variances; at least 1.')),
                        ('coefficients', models.JSONField(help_text="A list for each fold: the intercept, then the features'.")),
                        ('evidence', models.BinaryField(help_text='The units that it was learnt from, their folds and labels.')),
                        ('annotations', models.JSONField(help_text="Row id and digest of each document's annotation.")),
                        ('units', models.PositiveIntegerField(help_text='How many these were.')),
                        ('digest', models.CharField(help_text='SHA-256 of all this.', max_length=64)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('error_ratio__gte', 1)), name='planned_variance_error_ratio'), models.CheckConstraint(condition=models.Q(('units__gte', 1)), name='planned_variance_units'), models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$')), name='planned_variance_digest')],
                    },
                ),
                migrations.CreateModel(
                    name='InclusionProbability',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('batch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='inclusions', to='evaluation.samplebatch')),
                        ('unit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='inclusions', to='evaluation.unit')),
                        ('probability', models.FloatField()),
                        ('squares', models.FloatField(help_text='Under quadratic growth: the sum of squares so far, in the order of arrival.', null=True)),
                        ('is_known', models.BooleanField(default=False, help_text='Published before the upload: certain, whatever its random number.')),
                    ],
                    options={
                        'verbose_name_plural': 'inclusion probabilities',
                        'constraints': [models.UniqueConstraint(fields=('batch', 'unit'), name='inclusion_once'), models.CheckConstraint(condition=models.Q(('probability__gt', 0), ('probability__lte', 1)), name='inclusion_probability'), models.CheckConstraint(condition=models.Q(('is_known', False), ('probability', 1), _connector='OR'), name='inclusion_known'), models.CheckConstraint(condition=models.Q(('squares__isnull', True), ('squares__gte', 0), _connector='OR'), name='inclusion_squares')],
                    },
                ),
                migrations.CreateModel(
                    name='FittedModel',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('epoch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='fitted_models', to='evaluation.epoch')),
                        ('batch', models.ForeignKey(help_text='The last fully labelled one.', on_delete=django.db.models.deletion.PROTECT, related_name='fitted_models', to='evaluation.samplebatch')),
                        ('part', models.CharField(max_length=16)),
                        ('names', models.JSONField(help_text='Of the coefficients.')),
                        ('coefficients', models.JSONField(help_text='A list for each fold, which was fitted without it.')),
                        ('rows', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), help_text='Labelled units that each was fitted on.', size=None)),
                        ('inputs', models.CharField(help_text='SHA-256 of the features, labels and folds.', max_length=64)),
                        ('digest', models.CharField(help_text='SHA-256 of all that.', max_length=64)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('batch', 'part'), name='fitted_model_once'), models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$'), ('inputs__regex', '^[0-9a-f]{64}$')), name='fitted_model_digests')],
                    },
                ),
                migrations.CreateModel(
                    name='AuditDrawing',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('batch', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='audit_drawing', to='evaluation.samplebatch')),
                        ('version', models.CharField(help_text='The rules by which ρ was made.', max_length=8)),
                        ('share', models.FloatField(help_text='Of the questions, that was to be audited on average.')),
                        ('evidence', models.BinaryField(help_text='The labels that might be wrong: of which question, their votes and dissent, and what made them likely before anybody voted; by version 2 also which others systems need there, and theirs.')),
                        ('digest', models.CharField(help_text='SHA-256 of all this.', max_length=64)),
                        ('drawn_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('share__gt', 0), ('share__lte', 1)), name='audit_drawing_share'), models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$')), name='audit_drawing_digest')],
                    },
                ),
                migrations.CreateModel(
                    name='Audit',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('epoch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='audits', to='evaluation.epoch')),
                        ('batch', models.ForeignKey(help_text='With which it was drawn: the first such that it and all before it were labelled.', on_delete=django.db.models.deletion.PROTECT, related_name='audits', to='evaluation.samplebatch')),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='audits_drawn', to='annotations.question')),
                        ('probability', models.FloatField(help_text='ρ: that it is drawn; 1 where an expert has settled it.')),
                        ('doubt', models.FloatField(help_text='How likely its label was thought wrong.')),
                        ('is_drawn', models.BooleanField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('epoch', 'question'), name='audit_once'), models.CheckConstraint(condition=models.Q(('probability__gt', 0), ('probability__lte', 1)), name='audit_probability'), models.CheckConstraint(condition=models.Q(('doubt__gte', 0), ('doubt__lte', 1)), name='audit_doubt'), models.CheckConstraint(condition=models.Q(('is_drawn', True), ('probability__lt', 1), _connector='OR'), name='audit_drawn_if_certain')],
                    },
                ),
                migrations.CreateModel(
                    name='SampledUnit',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('batch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sampled', to='evaluation.samplebatch')),
                        ('epoch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sampled', to='evaluation.epoch')),
                        ('unit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sampled', to='evaluation.unit')),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sampled', to='annotations.question')),
                        ('claim', models.CharField(blank=True, help_text='Which claim of the question is about it; empty where its task goes by all of them.', max_length=128)),
                        ('draws', models.PositiveIntegerField(null=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('batch', 'unit'), name='sampled_once_in_batch'), models.UniqueConstraint(condition=models.Q(('draws__isnull', True)), fields=('epoch', 'unit'), name='sampled_once_in_epoch'), models.CheckConstraint(condition=models.Q(('draws__isnull', True), ('draws__gte', 1), _connector='OR'), name='sampled_draws')],
                    },
                ),
                migrations.CreateModel(
                    name='Score',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='evaluation.submission')),
                        ('epoch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='evaluation.epoch')),
                        ('batch', models.ForeignKey(help_text='The last fully labelled one.', on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='evaluation.samplebatch')),
                        ('estimator', models.CharField(max_length=16)),
                        ('weighting', models.CharField(max_length=32)),
                        ('part', models.CharField(max_length=16)),
                        ('standard', models.CharField(choices=[('votes', 'votes taken for the truth'), ('audit', "corrected for judges' errors"), ('crowd', 'with another crowd')], default='votes', help_text='What counts as right: as the votes say, as an audit of them corrects that, or as other people might say.', max_length=8)),
                        ('level', models.PositiveSmallIntegerField(help_text='Of the intervals, in per cent.')),
                        ('rank', models.PositiveIntegerField(help_text='1 and how many systems of the corpus are significantly above it.', null=True)),
                        ('matching', models.CharField(help_text='The rule by which a true relation counts as found.', max_length=16)),
                        ('labels', models.PositiveIntegerField(help_text='Labelled units of the submission that it rests on.')),
                        ('counts', models.JSONField(default=dict)),
                        ('model', models.ForeignKey(help_text='What its precision takes from the labels of all systems; empty where nothing is.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='evaluation.fittedmodel')),
                        ('code_version', models.CharField(max_length=64)),
                        ('computed_at', models.DateTimeField(auto_now=True)),
                    ],
                    options={
                        'indexes': [models.Index(fields=['epoch', 'standard', 'part', 'weighting', 'estimator', 'level'], name='score_by_choice')],
                        'constraints': [models.UniqueConstraint(fields=('submission', 'batch', 'estimator', 'weighting', 'part', 'standard', 'level'), name='score_once'), models.CheckConstraint(condition=models.Q(('standard__in', ['votes', 'audit', 'crowd'])), name='score_standard'), models.CheckConstraint(condition=models.Q(('level__gt', 0), ('level__lt', 100)), name='score_level'), models.CheckConstraint(condition=models.Q(('rank__isnull', True), ('rank__gte', 1), _connector='OR'), name='score_rank')],
                    },
                ),
                migrations.CreateModel(
                    name='Estimate',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('measure', models.CharField(max_length=16)),
                        ('estimate', models.FloatField(null=True)),
                        ('low', models.FloatField(null=True)),
                        ('high', models.FloatField(null=True)),
                        ('score', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='estimates', to='evaluation.score')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('score', 'measure'), name='estimate_once'), models.CheckConstraint(condition=models.Q(models.Q(('high__isnull', True), ('low__isnull', True)), models.Q(('estimate__isnull', False), ('high__isnull', False), ('low__isnull', False), ('low__lte', models.F('high'))), _connector='OR'), name='estimate_interval')],
                    },
                ),
                migrations.CreateModel(
                    name='StageWork',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='work', to='evaluation.submission')),
                        ('stage', models.CharField(max_length=16)),
                        ('attempts', models.PositiveSmallIntegerField(help_text='Tries begun.')),
                        ('errors', models.PositiveSmallIntegerField(default=0, help_text='Tries that ended in an error.')),
                        ('started_at', models.DateTimeField()),
                        ('heartbeat_at', models.DateTimeField()),
                        ('deadline_at', models.DateTimeField()),
                        ('error', models.TextField(blank=True, help_text='What the last try ended with, for operators.')),
                        ('not_before', models.DateTimeField(help_text='When it is tried again after an error.', null=True)),
                    ],
                ),
                migrations.CreateModel(
                    name='ScoreChange',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('computation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='evaluation.computation')),
                        ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='score_changes', to='evaluation.submission')),
                        ('is_public', models.BooleanField(help_text='Whether everybody could see the system then.')),
                        ('labels', models.PositiveIntegerField(help_text='Labelled units of the system that its scores rest on.')),
                        ('figures', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(null=True), help_text='Estimate and ends of the interval for each column, in tenths of a hundredth: as pages show them, and no finer.', size=None)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('submission', 'computation'), name='score_change_once')],
                    },
                ),
                migrations.CreateModel(
                    name='SampledClaim',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sampled_claims', to='evaluation.submission')),
                        ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sampled_claims', to='evaluation.instance')),
                        ('subject_question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotations.question')),
                        ('object_question', models.ForeignKey(help_text='Empty for strings.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotations.question')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('submission', 'instance'), name='sampled_claim_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Prediction',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='evaluation.submission')),
                        ('confidence', models.FloatField()),
                        ('probability', models.FloatField()),
                        ('instance', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='predictions', to='evaluation.instance')),
                        ('subject_type', models.CharField(max_length=8)),
                        ('object_type', models.CharField(max_length=8)),
                        ('subject_entity', models.TextField()),
                        ('object_entity', models.TextField()),
                        ('subject_canonical_start', models.PositiveIntegerField()),
                        ('subject_canonical_end', models.PositiveIntegerField()),
                        ('object_canonical_start', models.PositiveIntegerField(help_text='Empty for strings and dates.', null=True)),
                        ('object_canonical_end', models.PositiveIntegerField(null=True)),
                        ('line', models.PositiveIntegerField(help_text='Of its file: a line makes one prediction at most.')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['instance', 'submission'], name='prediction_by_instance')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('confidence__gt', 0), ('confidence__lte', 1)), name='prediction_confidence'), models.CheckConstraint(condition=models.Q(('probability__gt', 0), ('probability__lte', 1)), name='prediction_probability'), models.UniqueConstraint(fields=('submission', 'instance'), name='prediction_once'), models.UniqueConstraint(fields=('submission', 'line'), name='prediction_of_line'), models.CheckConstraint(condition=models.Q(models.Q(('object_canonical_end__isnull', True), ('object_canonical_start__isnull', True)), ('object_canonical_start__lt', models.F('object_canonical_end')), _connector='OR'), name='prediction_object_canonical'), models.CheckConstraint(condition=models.Q(('subject_canonical_start__lt', models.F('subject_canonical_end'))), name='prediction_subject_canonical')],
                    },
                ),
                migrations.CreateModel(
                    name='Output',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='evaluation.submission')),
                        ('confidence', models.FloatField()),
                        ('probability', models.FloatField()),
                        ('unit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='outputs', to='evaluation.unit')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='outputs', to='annotations.document')),
                        ('place', models.PositiveIntegerField(help_text='In the file, from 0: columns of metrics have their values in this order.')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('confidence__gt', 0), ('confidence__lte', 1)), name='output_confidence'), models.CheckConstraint(condition=models.Q(('probability__gt', 0), ('probability__lte', 1)), name='output_probability'), models.UniqueConstraint(fields=('submission', 'document'), name='output_once'), models.UniqueConstraint(fields=('submission', 'place'), name='output_of_place')],
                    },
                ),
                migrations.CreateModel(
                    name='MetricColumn',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('submission', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='metric_columns', to='evaluation.submission')),
                        ('name', models.CharField(max_length=64)),
                        ('version', models.PositiveSmallIntegerField(default=1, help_text='Of what computes it; a column that was submitted has the first alone.')),
                        ('is_uploaded', models.BooleanField(default=False)),
                        ('size', models.PositiveIntegerField(help_text='How many outputs there are.')),
                        ('missing', models.PositiveIntegerField(default=0, help_text='For how many there was no value; they have the mean of the others.')),
                        ('data', models.BinaryField(help_text='The values, packed; then which were missing, if any were.')),
                        ('digest', models.CharField(help_text='SHA-256 of the data.', max_length=64)),
                        ('stored_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('submission', 'name', 'version'), name='metric_column_once'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='metric_column_version'), models.CheckConstraint(condition=models.Q(('is_uploaded', False), ('version', 1), _connector='OR'), name='metric_column_uploaded_version'), models.CheckConstraint(condition=models.Q(('missing__lt', models.F('size'))), name='metric_column_missing'), models.CheckConstraint(condition=models.Q(('digest__regex', '^[0-9a-f]{64}$')), name='metric_column_digest')],
                    },
                ),
                migrations.CreateModel(
                    name='ClassPrediction',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='evaluation.submission')),
                        ('confidence', models.FloatField()),
                        ('probability', models.FloatField()),
                        ('unit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='class_predictions', to='evaluation.unit')),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='class_predictions', to='annotations.document')),
                        ('label', models.CharField(help_text="The name of a class of its corpus' list.", max_length=64)),
                        ('line', models.PositiveIntegerField()),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('confidence__gt', 0), ('confidence__lte', 1)), name='classprediction_confidence'), models.CheckConstraint(condition=models.Q(('probability__gt', 0), ('probability__lte', 1)), name='classprediction_probability'), models.UniqueConstraint(fields=('submission', 'document'), name='class_prediction_once'), models.CheckConstraint(condition=models.Q(('label', ''), _negated=True), name='class_prediction_label')],
                    },
                ),
                migrations.CreateModel(
                    name='SubmissionEvent',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='evaluation.submission')),
                        ('state', models.CharField(choices=[('uploaded', 'waiting to be read'), ('refused', 'refused'), ('accepted', 'accepted'), ('judging', 'being judged'), ('scored', 'scored'), ('cancelled', 'cancelled'), ('withdrawn', 'withdrawn'), ('failed', 'failed')], max_length=16)),
                        ('at', models.DateTimeField(auto_now_add=True)),
                        ('detail', models.TextField(blank=True)),
                        ('by', models.ForeignKey(blank=True, help_text='Who brought it about; empty: the service.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['id'],
                    },
                ),
                migrations.CreateModel(
                    name='SubsetScore',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('measure', models.CharField(max_length=16)),
                        ('estimate', models.FloatField(null=True)),
                        ('low', models.FloatField(null=True)),
                        ('high', models.FloatField(null=True)),
                        ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='subset_scores', to='evaluation.submission')),
                        ('epoch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='subset_scores', to='evaluation.epoch')),
                        ('division', models.CharField(help_text="One of the task's.", max_length=16)),
                        ('name', models.CharField(max_length=64)),
                        ('order', models.PositiveSmallIntegerField(help_text='Its place in the division.')),
                        ('part', models.CharField(max_length=16)),
                        ('standard', models.CharField(choices=[('votes', 'votes taken for the truth'), ('audit', "corrected for judges' errors"), ('crowd', 'with another crowd')], default='votes', help_text='What counts as right: as the votes say, as an audit of them corrects that, or as other people might say.', max_length=8)),
                        ('labels', models.PositiveIntegerField(null=True)),
                        ('true', models.PositiveIntegerField(help_text='How much that is true is known of the subset; the task says of what.', null=True)),
                    ],
                    options={
                        'ordering': ['submission', 'division', 'order', 'part'],
                        'constraints': [models.UniqueConstraint(fields=('submission', 'division', 'name', 'part', 'standard', 'measure'), name='subset_score_once'), models.CheckConstraint(condition=models.Q(('standard__in', ['votes', 'audit', 'crowd'])), name='subset_score_standard'), models.CheckConstraint(condition=models.Q(('labels__isnull', False), models.Q(('estimate__isnull', True), ('high__isnull', True), ('low__isnull', True), ('true__isnull', True)), _connector='OR'), name='subset_score_too_few'), models.CheckConstraint(condition=models.Q(models.Q(('high__isnull', True), ('low__isnull', True)), models.Q(('estimate__isnull', False), ('high__isnull', False), ('low__isnull', False), ('low__lte', models.F('high'))), _connector='OR'), name='subset_score_interval')],
                    },
                ),
                migrations.CreateModel(
                    name='UnitColumn',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('batch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='columns', to='evaluation.samplebatch')),
                        ('name', models.CharField(max_length=32)),
                        ('data', models.BinaryField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('batch', 'name'), name='unit_column_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Upload',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uploads', to=settings.AUTH_USER_MODEL)),
                        ('name', models.CharField(help_text="The file's, as its owner calls it.", max_length=255)),
                        ('size', models.BigIntegerField(help_text='Bytes in all.')),
                        ('modified', models.BigIntegerField(help_text='Milliseconds since 1970, as the browser says.', null=True)),
                        ('announced_digest', models.CharField(blank=True, help_text='SHA-256, if it was announced.', max_length=64)),
                        ('digest', models.CharField(blank=True, help_text='SHA-256, once the file is whole.', max_length=64)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('expires_at', models.DateTimeField()),
                    ],
                    options={
                        'ordering': ['-created_at'],
                        'indexes': [models.Index(fields=['expires_at'], name='upload_by_expiry')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('size__gte', 1), ('size__lte', 524288000)), name='upload_size'), models.CheckConstraint(condition=models.Q(('digest', ''), ('announced_digest', ''), ('digest', models.F('announced_digest')), _connector='OR'), name='upload_digest')],
                    },
                ),
                migrations.CreateModel(
                    name='FileCheck',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                        ('upload', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='file_check', to='evaluation.upload')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='file_checks', to='annotations.corpus')),
                        ('format', models.CharField(help_text="One of the task's.", max_length=16)),
                        ('state', models.CharField(choices=[('waiting', 'waiting to be read'), ('accepted', 'without errors'), ('refused', 'with errors'), ('failed', 'stopped by a fault of ours')], default='waiting', max_length=16)),
                        ('attempts', models.PositiveSmallIntegerField(default=0)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('read_at', models.DateTimeField(blank=True, null=True)),
                        ('counts', models.JSONField(default=dict, help_text='What reading the file found.')),
                    ],
                    options={
                        'ordering': ['-created_at'],
                        'indexes': [models.Index(fields=['state', 'created_at'], name='file_check_by_state')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'accepted', 'refused', 'failed'])), name='file_check_state')],
                    },
                ),
                migrations.CreateModel(
                    name='ProblemFile',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                        ('submission', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='problem_file', to='evaluation.submission')),
                        ('file_check', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='problem_file', to='evaluation.filecheck')),
                        ('count', models.PositiveIntegerField(help_text='How many it has.')),
                    ],
                    options={
                        'ordering': ['id'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('submission__isnull', True), ('file_check__isnull', True), _connector='XOR'), name='problem_file_of_one_file')],
                    },
                ),
                migrations.CreateModel(
                    name='Problem',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('submission', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='problems', to='evaluation.submission')),
                        ('file_check', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='problems', to='evaluation.filecheck')),
                        ('line', models.PositiveIntegerField(help_text='0 for the file as a whole.')),
                        ('column', models.PositiveSmallIntegerField(help_text='From 1: of a character in JSON Lines, of a field between tabs in TAC KBP; empty for none.', null=True)),
                        ('attachment', models.CharField(blank=True, default='', help_text='Which file beside it has the fault; empty: itself.', max_length=32)),
                        ('code', models.CharField(max_length=64)),
                        ('severity', models.CharField(choices=[('ERROR', 'error'), ('WARNING', 'warning')], max_length=8)),
                        ('message', models.TextField()),
                        ('text', models.TextField(blank=True)),
                    ],
                    options={
                        'ordering': ['id'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('severity__in', ['ERROR', 'WARNING'])), name='problem_severity'), models.CheckConstraint(condition=models.Q(('submission__isnull', True), ('file_check__isnull', True), _connector='XOR'), name='problem_of_one_file')],
                    },
                ),
                migrations.CreateModel(
                    name='NormalisedFile',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                        ('submission', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='normalised', to='evaluation.submission')),
                        ('file_check', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='normalised', to='evaluation.filecheck')),
                        ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='normalised_files', to=settings.AUTH_USER_MODEL)),
                        ('asked_at', models.DateTimeField()),
                        ('state', models.CharField(choices=[('waiting', 'being written'), ('ready', 'ready'), ('failed', 'stopped by a fault of ours')], default='waiting', max_length=16)),
                        ('attempts', models.PositiveSmallIntegerField(default=0)),
                        ('made_at', models.DateTimeField(blank=True, help_text='When it was ready, or had failed.', null=True)),
                        ('digest', models.CharField(blank=True, help_text='Its SHA-256, in hexadecimal, once ready.', max_length=64)),
                    ],
                    options={
                        'ordering': ['-asked_at'],
                        'indexes': [models.Index(fields=['state', 'asked_at'], name='normalised_by_state')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'ready', 'failed'])), name='normalised_state'), models.CheckConstraint(condition=models.Q(('submission__isnull', True), ('file_check__isnull', True), _connector='XOR'), name='normalised_of_one_file'), models.CheckConstraint(condition=models.Q(('state', 'waiting'), ('made_at__isnull', False), _connector='XOR'), name='normalised_made_at'), models.CheckConstraint(condition=models.Q(('state', 'ready'), ('digest', ''), _connector='XOR'), name='normalised_digest')],
                    },
                ),
                migrations.CreateModel(
                    name='Attachment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('submission', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='attachments', to='evaluation.submission')),
                        ('file_check', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='attachments', to='evaluation.filecheck')),
                        ('name', models.CharField(help_text="One of the task's.", max_length=32)),
                        ('file', models.FileField(blank=True, max_length=300, upload_to=evaluation.models.attachment.attachment_path)),
                        ('digest', models.CharField(help_text='SHA-256 of its bytes.', max_length=64)),
                        ('upload', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='attached', to='evaluation.upload')),
                    ],
                    options={
                        'ordering': ['id'],
                        'constraints': [models.UniqueConstraint(fields=('submission', 'name'), name='attachment_of_submission'), models.UniqueConstraint(fields=('file_check', 'name'), name='attachment_of_check'), models.CheckConstraint(condition=models.Q(models.Q(('file_check__isnull', True), ('submission__isnull', False), ('upload__isnull', True)), models.Q(('file', ''), ('file_check__isnull', False), ('submission__isnull', True), ('upload__isnull', False)), _connector='OR'), name='attachment_of_one_file'), models.CheckConstraint(condition=models.Q(models.Q(('name', ''), _negated=True), models.Q(('digest', ''), _negated=True)), name='attachment_is_known')],
                    },
                ),
            ],
        ),
        *_sql.OPERATIONS,
    ]
