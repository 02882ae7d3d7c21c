from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0009_competitors")]

    operations = [
        migrations.AddField(
            model_name="corpus",
            name="task",
            field=models.CharField(
                default="kbp",
                help_text="What its systems do; all else follows from it.",
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="corpus",
            constraint=models.CheckConstraint(condition=models.Q(("task", ""), _negated=True), name="corpus_task"),
        ),
    ]
