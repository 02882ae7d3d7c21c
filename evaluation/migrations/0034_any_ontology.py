from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0033_class_lists'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='entity',
            name='entity_type',
        ),
        migrations.RemoveConstraint(
            model_name='instance',
            name='instance_predicate',
        ),
        migrations.RemoveConstraint(
            model_name='prediction',
            name='prediction_types',
        ),
    ]
