from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("health", "0001_initial")]

    operations = [
        migrations.RemoveConstraint(model_name="heartbeat", name="heartbeat_name"),
        migrations.AlterField(
            model_name="heartbeat",
            name="name",
            field=models.CharField(
                choices=[
                    ("beat", "the clock (beat)"),
                    ("worker", "the worker"),
                    ("mailer", "the mailer"),
                    ("watch", "the look for troubles"),
                ],
                max_length=16,
                primary_key=True,
                serialize=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="heartbeat",
            constraint=models.CheckConstraint(
                condition=models.Q(("name__in", ["beat", "worker", "mailer", "watch"])), name="heartbeat_name"
            ),
        ),
    ]
