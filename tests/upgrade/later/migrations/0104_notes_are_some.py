from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """It holds for what older code writes too, which leaves notes as they are."""

    dependencies = [("core", "0103_notes_are_found")]

    operations = [
        AddConstraintNotValid(
            "message", models.CheckConstraint(condition=Q(note__in=["", "given up"]), name="message_noted")
        ),
    ]
