"""Invitations end after two weeks; members say whether their team's public page names them."""

from datetime import timedelta

from django.db import migrations, models
from django.utils import timezone


def _in_two_weeks():
    return timezone.now() + timedelta(days=14)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0008_every_token_reads")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="is_shown",
            field=models.BooleanField(
                default=False, help_text="Whether the team's public page names them."
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="expires_at",
            field=models.DateTimeField(default=_in_two_weeks),
            preserve_default=False,
        ),
    ]
