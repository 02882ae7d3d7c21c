import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

# No row has a phase yet, so nothing is looked at: NOT VALID takes no long lock, and every later row is checked.
OF_ITS_CORPUS = """
ALTER TABLE evaluation_submission ADD CONSTRAINT submission_phase_of_corpus
    FOREIGN KEY (corpus_id, phase_id) REFERENCES annotations_corpusphase (corpus_id, id)
    DEFERRABLE INITIALLY DEFERRED NOT VALID
"""
OF_ANY = "ALTER TABLE evaluation_submission DROP CONSTRAINT submission_phase_of_corpus"


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0027_challenges'),
        ('evaluation', '0048_words_of_version'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='phase',
            field=models.ForeignKey(blank=True, help_text='Of the corpus, in which it was uploaded; empty: the corpus had none then.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotations.corpusphase'),
        ),
        migrations.AlterField(
            model_name='submission',
            name='uploaded_at',
            field=models.DateTimeField(default=django.utils.timezone.now, editable=False, help_text='When it was taken in: what dates go by.'),
        ),
        migrations.RunSQL(OF_ITS_CORPUS, OF_ANY),
    ]
