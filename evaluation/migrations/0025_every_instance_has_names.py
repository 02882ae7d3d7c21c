from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0024_names_of_instances'),
    ]

    operations = [
        migrations.AlterField(
            model_name='instance',
            name='subject_name',
            field=models.BigIntegerField(help_text="Digest of its subject's name key, as `evaluation.kbp.name_keys` makes it: who has the same counts as the same; below 0 where nobody is named."),
        ),
        migrations.AlterField(
            model_name='instance',
            name='object_name',
            field=models.BigIntegerField(help_text='The same of its object.'),
        ),
    ]
