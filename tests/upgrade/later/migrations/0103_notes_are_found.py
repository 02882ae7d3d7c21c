from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models
from django.db.models import Q

from kbpo.core.database.migrating import AddIndexBesideWork


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("core", "0102_notes_of_before")]

    operations = [
        AddIndexBesideWork("message", models.Index(fields=["note", "created_at"], name="message_notes")),
        AddConstraintNotValid(
            "message", models.CheckConstraint(condition=Q(note="") | Q(sent_at=None), name="message_noted")
        ),
        ValidateConstraint("message", "message_noted"),
    ]
