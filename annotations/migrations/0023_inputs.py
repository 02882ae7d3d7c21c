"""Inputs of generated text, and what is asked of outputs: Postgres refuses to change that."""

import django.db.models.deletion
from django.db import migrations, models


STAY = """
CREATE FUNCTION annotations_prompt_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what is asked of the outputs of a corpus stays as it is'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER annotations_prompt_stays BEFORE UPDATE ON annotations_prompt
    FOR EACH ROW EXECUTE FUNCTION annotations_prompt_stays();
"""
MAY_CHANGE = """
DROP TRIGGER annotations_prompt_stays ON annotations_prompt;
DROP FUNCTION annotations_prompt_stays();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0022_data'),
    ]

    operations = [
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
            name='Prompt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(choices=[('quality', 'how good a text is'), ('answer', 'whether an answer is right')], max_length=16)),
                ('metric', models.CharField(blank=True, help_text='The metric by which judgements are corrected: built in, or a column that systems hand in; empty: none.', max_length=64)),
                ('planning', models.JSONField(default=dict, help_text='How outputs and judgements are expected to vary, by measure: variance_outputs, variance_judgements and correlation. What is left out is as was found elsewhere.')),
                ('corpus', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='prompt', to='annotations.corpus')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('name__in', ['quality', 'answer'])), name='prompt_name')],
            },
        ),
        migrations.RunSQL(STAY, MAY_CHANGE),
    ]
