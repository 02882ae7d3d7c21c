from django.db import migrations, models
from django.db.models import Q

# What every sample was designed for before epochs said so.
BEFORE = "subject_relation"


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0021_ranks'),
    ]

    operations = [
        migrations.AddField(
            model_name='epoch',
            name='weighting',
            field=models.CharField(default=BEFORE, help_text="How a system's units weigh in the p that its samples are designed for, till its end.", max_length=32),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name='epoch',
            constraint=models.CheckConstraint(condition=~Q(('weighting', '')), name='epoch_weighting'),
        ),
    ]
