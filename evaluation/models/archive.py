"""Archives of released epochs."""

import secrets

from django.db import models
from django.db.models import Q

from evaluation.models.sample import Epoch

_SHA256 = r"^[0-9a-f]{64}$"


def new_key() -> str:
    """Return 32 random bytes in hexadecimal."""
    return secrets.token_hex(32)


class ArchiveKey(models.Model):
    """What a release's pseudonyms are made with: never published, and another for each release."""

    epoch = models.OneToOneField(Epoch, on_delete=models.PROTECT, related_name="archive_key")
    key = models.CharField(max_length=64, default=new_key, editable=False)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(key__regex=_SHA256), name="archive_key_hex")]

    def __str__(self) -> str:
        return f"key of {self.epoch}"


class EpochArchive(models.Model):
    """An edition of a released epoch's archive. It never changes; more that may be told makes another."""

    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="archives")
    edition = models.PositiveIntegerField(help_text="From 1.")
    state = models.CharField(max_length=64, help_text="Of what it rests on: documents retired, scores.")
    format = models.PositiveSmallIntegerField(help_text="The version of its files.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of its bytes.")
    size = models.BigIntegerField(help_text="In bytes.")
    told = models.CharField(
        max_length=8, help_text="How its documents annotated in full are told; empty where there are none."
    )
    figures = models.PositiveIntegerField(help_text="How many published figures it states.")
    removed = models.PositiveIntegerField(
        default=0,
        help_text="Of the documents of which it may tell the text's digest, how many had been removed.",
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["epoch", "edition"]
        constraints = [
            models.UniqueConstraint(fields=["epoch", "edition"], name="epoch_archive_once"),
            models.CheckConstraint(condition=Q(edition__gte=1), name="epoch_archive_edition"),
            models.CheckConstraint(condition=Q(digest__regex=_SHA256), name="epoch_archive_digest"),
        ]

    def __str__(self) -> str:
        return f"{self.epoch}, edition {self.edition}"

    @property
    def place(self) -> str:
        """Where its bytes are in the store of files."""
        return f"media/archives/{self.epoch_id}-{self.edition}-{self.digest[:16]}.zip"

    @property
    def name(self) -> str:
        """Its name among a corpus' files, for good."""
        return f"epoch-{self.epoch.number}-edition-{self.edition}.zip"
