"""What systems write for inputs; and a standard: what other people might say."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0023_inputs'),
        ('evaluation', '0039_attachments'),
    ]

    operations = [
        migrations.CreateModel(
            name='Output',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('confidence', models.FloatField()),
                ('probability', models.FloatField()),
                ('place', models.PositiveIntegerField(help_text='In the file, from 0: columns of metrics have their values in this order.')),
            ],
        ),
        migrations.CreateModel(
            name='OutputText',
            fields=[
                ('unit', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='output_text', serialize=False, to='evaluation.unit')),
                ('text', models.TextField(blank=True, help_text='May be empty: it is judged as that.')),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='comparison',
            name='comparison_standard',
        ),
        migrations.RemoveConstraint(
            model_name='ranking',
            name='ranking_standard',
        ),
        migrations.RemoveConstraint(
            model_name='score',
            name='score_standard',
        ),
        migrations.RemoveConstraint(
            model_name='subsetscore',
            name='subset_score_standard',
        ),
        migrations.AlterField(
            model_name='comparison',
            name='standard',
            field=models.CharField(choices=[('votes', 'votes taken for the truth'), ('audit', "corrected for judges' errors"), ('crowd', 'with another crowd')], default='votes', help_text='What counts as right: as the votes say, as an audit of them corrects that, or as other people might say.', max_length=8),
        ),
        migrations.AlterField(
            model_name='ranking',
            name='standard',
            field=models.CharField(choices=[('votes', 'votes taken for the truth'), ('audit', "corrected for judges' errors"), ('crowd', 'with another crowd')], default='votes', help_text='What counts as right: as the votes say, as an audit of them corrects that, or as other people might say.', max_length=8),
        ),
        migrations.AlterField(
            model_name='score',
            name='standard',
            field=models.CharField(choices=[('votes', 'votes taken for the truth'), ('audit', "corrected for judges' errors"), ('crowd', 'with another crowd')], default='votes', help_text='What counts as right: as the votes say, as an audit of them corrects that, or as other people might say.', max_length=8),
        ),
        migrations.AlterField(
            model_name='subsetscore',
            name='standard',
            field=models.CharField(choices=[('votes', 'votes taken for the truth'), ('audit', "corrected for judges' errors"), ('crowd', 'with another crowd')], default='votes', help_text='What counts as right: as the votes say, as an audit of them corrects that, or as other people might say.', max_length=8),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.CheckConstraint(condition=models.Q(('standard__in', ['votes', 'audit', 'crowd'])), name='comparison_standard'),
        ),
        migrations.AddConstraint(
            model_name='ranking',
            constraint=models.CheckConstraint(condition=models.Q(('standard__in', ['votes', 'audit', 'crowd'])), name='ranking_standard'),
        ),
        migrations.AddConstraint(
            model_name='score',
            constraint=models.CheckConstraint(condition=models.Q(('standard__in', ['votes', 'audit', 'crowd'])), name='score_standard'),
        ),
        migrations.AddConstraint(
            model_name='subsetscore',
            constraint=models.CheckConstraint(condition=models.Q(('standard__in', ['votes', 'audit', 'crowd'])), name='subset_score_standard'),
        ),
        migrations.AddField(
            model_name='output',
            name='document',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='outputs', to='annotations.document'),
        ),
        migrations.AddField(
            model_name='output',
            name='submission',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='%(class)ss', to='evaluation.submission'),
        ),
        migrations.AddField(
            model_name='output',
            name='unit',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='outputs', to='evaluation.unit'),
        ),
        migrations.AddField(
            model_name='outputtext',
            name='document',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='output_texts', to='annotations.document'),
        ),
        migrations.AddConstraint(
            model_name='output',
            constraint=models.CheckConstraint(condition=models.Q(('confidence__gt', 0), ('confidence__lte', 1)), name='output_confidence'),
        ),
        migrations.AddConstraint(
            model_name='output',
            constraint=models.CheckConstraint(condition=models.Q(('probability__gt', 0), ('probability__lte', 1)), name='output_probability'),
        ),
        migrations.AddConstraint(
            model_name='output',
            constraint=models.UniqueConstraint(fields=('submission', 'document'), name='output_once'),
        ),
        migrations.AddConstraint(
            model_name='output',
            constraint=models.UniqueConstraint(fields=('submission', 'place'), name='output_of_place'),
        ),
        migrations.AddField(
            model_name='epoch',
            name='recorded',
            field=models.ManyToManyField(blank=True, help_text='Those whose answers were recorded elsewhere, and came in with it: of a released epoch.', related_name='recorded_in', to='annotations.question'),
        ),
    ]
