import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_worker_identities'),
        ('annotations', '0008_language'),
    ]

    operations = [
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
    ]
