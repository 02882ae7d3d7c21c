from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("core", "0104_notes_are_some")]

    operations = [ValidateConstraint("message", "message_noted")]
