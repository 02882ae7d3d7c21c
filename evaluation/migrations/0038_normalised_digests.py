"""Normalised files say their SHA-256, and are named for no format: what was made is named anew, and digested."""

import hashlib
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


def digest_what_is_there(apps: Any, _editor: Any) -> None:
    """Give each file that is ready its name and digest; what was lost is made again when somebody asks."""
    folder = Path(settings.KBPO_HOME) / "normalised"
    for found in apps.get_model("evaluation", "NormalisedFile").objects.filter(state="ready"):
        before, path = folder / f"{found.pk}.kb.gz", folder / f"{found.pk}.gz"
        if before.exists():
            before.replace(path)
        if not path.exists():
            found.delete()
            continue
        with path.open("rb") as stream:
            found.digest = hashlib.file_digest(stream, "sha256").hexdigest()
        found.save(update_fields=["digest"])


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0037_predictions_by_line")]

    operations = [
        migrations.AddField(
            "normalisedfile",
            "digest",
            models.CharField(
                blank=True,
                default="",
                help_text="Its SHA-256, in hexadecimal, once ready.",
                max_length=64,
            ),
            preserve_default=False,
        ),
        migrations.AlterField(
            "problem",
            "column",
            models.PositiveSmallIntegerField(
                help_text=(
                    "From 1: of a character in JSON Lines, of a field between tabs in TAC KBP; empty for none."
                ),
                null=True,
            ),
        ),
        migrations.RunPython(digest_what_is_there, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            "normalisedfile",
            models.CheckConstraint(
                condition=Q(state="ready") ^ Q(digest=""),
                name="normalised_digest",
            ),
        ),
    ]
