import django.contrib.postgres.constraints
import django.contrib.postgres.fields.ranges
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

STAY = """
CREATE FUNCTION annotations_challenge_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what a corpus said stays as it was; say something new'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER annotations_rules_stay BEFORE UPDATE ON annotations_corpusrules
    FOR EACH ROW EXECUTE FUNCTION annotations_challenge_stays();
CREATE TRIGGER annotations_terms_stay BEFORE UPDATE ON annotations_corpusterms
    FOR EACH ROW EXECUTE FUNCTION annotations_challenge_stays();
CREATE TRIGGER annotations_moved_dates_stay BEFORE UPDATE ON annotations_moveddate
    FOR EACH ROW EXECUTE FUNCTION annotations_challenge_stays();
CREATE TRIGGER annotations_accepted_terms_stay BEFORE UPDATE ON annotations_acceptedterms
    FOR EACH ROW EXECUTE FUNCTION annotations_challenge_stays();
"""
MAY_CHANGE = """
DROP TRIGGER annotations_accepted_terms_stay ON annotations_acceptedterms;
DROP TRIGGER annotations_moved_dates_stay ON annotations_moveddate;
DROP TRIGGER annotations_terms_stay ON annotations_corpusterms;
DROP TRIGGER annotations_rules_stay ON annotations_corpusrules;
DROP FUNCTION annotations_challenge_stays();
"""
# What a submission's corpus and phase are held against.
OF_CORPUS = """
ALTER TABLE annotations_corpusphase ADD CONSTRAINT corpus_phase_of_corpus UNIQUE (corpus_id, id)
"""
OF_ANY = "ALTER TABLE annotations_corpusphase DROP CONSTRAINT corpus_phase_of_corpus"


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0009_invitations_end'),
        ('annotations', '0026_words'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    # No corpus has any of it yet: all are open as they were.
    operations = [
        migrations.CreateModel(
            name='CorpusTerms',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveSmallIntegerField(help_text='From 1; the largest holds.')),
                ('text', models.TextField(blank=True)),
                ('written_at', models.DateTimeField()),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='%(class)s', to='annotations.corpus')),
                ('written_by', models.ForeignKey(blank=True, help_text='Empty: somebody at the command line.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'corpus terms',
                'ordering': ['corpus', 'version'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='AcceptedTerms',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('accepted_at', models.DateTimeField()),
                ('accepted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accepted_terms', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accepted_terms', to='accounts.team')),
                ('terms', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accepted', to='annotations.corpusterms')),
            ],
            options={
                'verbose_name_plural': 'accepted terms',
                'ordering': ['accepted_at'],
            },
        ),
        migrations.CreateModel(
            name='MovedDate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('which', models.CharField(choices=[('opens', 'opening'), ('closes', 'closing'), ('starts', 'start'), ('ends', 'end')], max_length=8)),
                ('phase', models.CharField(blank=True, help_text='Its name then, for the dates of a phase.', max_length=100)),
                ('before', models.DateTimeField(blank=True, help_text='Empty: there was none.', null=True)),
                ('after', models.DateTimeField(blank=True, help_text='Empty: there is none any more.', null=True)),
                ('moved_at', models.DateTimeField()),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='moved_dates', to='annotations.corpus')),
                ('moved_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['corpus', 'moved_at', 'id'],
            },
        ),
        migrations.CreateModel(
            name='CorpusNews',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=150)),
                ('text', models.TextField(blank=True)),
                ('published_at', models.DateTimeField()),
                ('mailed_to', models.PositiveIntegerField(default=0, help_text='People who got it by mail.')),
                ('withdrawn_at', models.DateTimeField(blank=True, help_text='Since when nobody is shown it any more.', null=True)),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='news', to='annotations.corpus')),
                ('written_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'corpus news',
                'ordering': ['-published_at', '-id'],
                'indexes': [models.Index(fields=['corpus', '-id'], name='corpus_news_by_corpus')],
                'constraints': [models.CheckConstraint(condition=models.Q(('title', ''), _negated=True), name='corpus_news_title'), models.CheckConstraint(condition=models.Q(('withdrawn_at', None), ('withdrawn_at__gte', models.F('published_at')), _connector='OR'), name='corpus_news_withdrawn')],
            },
        ),
        migrations.CreateModel(
            name='CorpusPhase',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('description', models.TextField(blank=True)),
                ('starts_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField(blank=True, help_text='Empty: without an end.', null=True)),
                ('takes_submissions', models.BooleanField(default=True)),
                ('most_submissions', models.PositiveSmallIntegerField(blank=True, help_text='Of one team in this phase; empty: no such limit.', null=True)),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='phases', to='annotations.corpus')),
            ],
            options={
                'ordering': ['corpus', 'starts_at'],
                'constraints': [models.UniqueConstraint(fields=('corpus', 'name'), name='corpus_phase_name_once'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='corpus_phase_name'), models.CheckConstraint(condition=models.Q(('ends_at', None), ('starts_at__lt', models.F('ends_at')), _connector='OR'), name='corpus_phase_dates'), models.CheckConstraint(condition=models.Q(('most_submissions', None), models.Q(('most_submissions__gte', 1), ('takes_submissions', True)), _connector='OR'), name='corpus_phase_most_submissions'), django.contrib.postgres.constraints.ExclusionConstraint(expressions=[(models.Func(models.F('corpus_id'), models.F('corpus_id'), models.Value('[]'), function='int8range'), '&&'), (models.Func(models.F('starts_at'), models.F('ends_at'), models.Value('[)'), function='tstzrange', output_field=django.contrib.postgres.fields.ranges.DateTimeRangeField()), '&&')], name='corpus_phases_apart')],
            },
        ),
        migrations.CreateModel(
            name='CorpusRules',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveSmallIntegerField(help_text='From 1; the largest holds.')),
                ('text', models.TextField(blank=True)),
                ('written_at', models.DateTimeField()),
                ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='%(class)s', to='annotations.corpus')),
                ('written_by', models.ForeignKey(blank=True, help_text='Empty: somebody at the command line.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'corpus rules',
                'ordering': ['corpus', 'version'],
                'abstract': False,
                'constraints': [models.UniqueConstraint(fields=('corpus', 'version'), name='corpusrules_once'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='corpusrules_from_1')],
            },
        ),
        migrations.AddConstraint(
            model_name='corpusterms',
            constraint=models.UniqueConstraint(fields=('corpus', 'version'), name='corpusterms_once'),
        ),
        migrations.AddConstraint(
            model_name='corpusterms',
            constraint=models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='corpusterms_from_1'),
        ),
        migrations.AddConstraint(
            model_name='acceptedterms',
            constraint=models.UniqueConstraint(fields=('terms', 'team'), name='accepted_terms_once'),
        ),
        migrations.AddConstraint(
            model_name='moveddate',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('which__in', ['opens', 'closes']), ('phase', '')), models.Q(('which__in', ['starts', 'ends']), models.Q(('phase', ''), _negated=True)), _connector='OR'), name='moved_date_of'),
        ),
        migrations.AddConstraint(
            model_name='moveddate',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('before', models.F('after')), _negated=True), models.Q(('after', None), ('before', None), _negated=True)), name='moved_date_moved'),
        ),
        migrations.RunSQL(STAY, MAY_CHANGE),
        migrations.RunSQL(OF_CORPUS, OF_ANY),
    ]
