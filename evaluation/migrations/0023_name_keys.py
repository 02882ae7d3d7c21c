import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0013_roles'),
        ('evaluation', '0022_weighting_of_epochs'),
    ]

    operations = [
        migrations.AddField('instance', 'subject_name', models.BigIntegerField(null=True)),
        migrations.AddField('instance', 'object_name', models.BigIntegerField(null=True)),
        migrations.AddField(
            model_name='samplebatch',
            name='weights_version',
            field=models.CharField(default='clusters', help_text="The task's rules by which the weights of its system were made.", max_length=8),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name='samplebatch',
            constraint=models.CheckConstraint(condition=models.Q(('weights_version', ''), _negated=True), name='batch_weights_version'),
        ),
        migrations.CreateModel(
            name='CountedDocument',
            fields=[
                ('document', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='counted', serialize=False, to='annotations.document')),
            ],
        ),
        migrations.CreateModel(
            name='NameCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.BigIntegerField(help_text='Digest of the name key: see `evaluation.kbp.name_keys`.')),
                ('documents', models.PositiveIntegerField()),
                ('corpus', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='name_counts', to='annotations.corpus')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('corpus', 'name'), name='name_count_once'),
                    models.CheckConstraint(condition=models.Q(('documents__gte', 1)), name='name_count_documents'),
                    models.CheckConstraint(condition=models.Q(('name__gte', 0)), name='name_count_name'),
                ],
            },
        ),
    ]
