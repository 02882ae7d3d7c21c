from django.db import migrations


def sign_everybody_out(apps, schema_editor):
    """End the sessions that began before they were listed: nobody could see or end them."""
    apps.get_model("sessions", "Session").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_quotas_of_people"),
        ("sessions", "0001_initial"),
    ]

    operations = [migrations.RunPython(sign_everybody_out, migrations.RunPython.noop)]
