from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("core", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="RequestCount",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("count", models.PositiveIntegerField()),
                ("ends_at", models.DateTimeField(db_index=True)),
            ],
        ),
        # A count needs no write to the disk, and none is missed after a crash.
        migrations.RunSQL(
            "ALTER TABLE core_requestcount SET UNLOGGED", "ALTER TABLE core_requestcount SET LOGGED"
        ),
    ]
