"""Archive editions: frozen results of an epoch, each a ZIP file that never changes."""

import secrets
from io import BytesIO
from typing import BinaryIO

from django.db import models
from django.db.models import Q
from django.utils import timezone

from evaluation.models.sample import Epoch
from kbpo.core.storage import store

_SHA256 = r"^[0-9a-f]{64}$"


def new_key() -> str:
    """Return 32 random bytes in hexadecimal."""
    return secrets.token_hex(32)


class ArchiveKey(models.Model):
    """The secret key of a release's pseudonyms: never published, and another for each release."""

    epoch = models.OneToOneField(Epoch, on_delete=models.PROTECT, related_name="archive_key")
    key = models.CharField(max_length=64, default=new_key, editable=False)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(key__regex=_SHA256), name="archive_key_hex")]

    def __str__(self) -> str:
        return f"key of {self.epoch}"


class Edition(models.Model):
    """An archive edition of an epoch: its leaderboard, or all of a released epoch. No edition ever changes.

    Postgres refuses to change or delete a row. A released epoch gets another edition when more may be
    published, or when its scores were computed again.
    """

    class Kind(models.TextChoices):
        LEADERBOARD = "leaderboard", "the leaderboard alone"
        EPOCH = "epoch", "a released epoch"

    class Reason(models.TextChoices):
        RELEASE = "release", "at the release of an epoch"
        ORGANIZER = "organizer", "by an organizer"

    epoch = models.ForeignKey(Epoch, on_delete=models.PROTECT, related_name="editions")
    edition = models.PositiveIntegerField(help_text="From 1, in its epoch.")
    kind = models.CharField(max_length=16, choices=Kind)
    reason = models.CharField(max_length=16, choices=Reason)
    note = models.CharField(max_length=200, blank=True, help_text="Its purpose, in the organizer's words.")
    made_at = models.DateTimeField(default=timezone.now)
    code_version = models.CharField(max_length=64, help_text="The version that wrote it.")
    systems = models.PositiveIntegerField(help_text="Systems in it.")
    figures = models.PositiveIntegerField(help_text="Published figures in it.")
    contents_digest = models.CharField(
        max_length=64, blank=True, help_text="Of a leaderboard: SHA-256 of its tables."
    )
    state = models.CharField(
        max_length=64, blank=True, help_text="Of a released epoch: the retired documents and scores in it."
    )
    told = models.CharField(
        max_length=8,
        blank=True,
        help_text="How it describes the documents annotated in full; empty where there are none.",
    )
    removed = models.PositiveIntegerField(
        default=0,
        help_text="Removed documents among those whose text's digest it may contain.",
    )
    content = models.BinaryField(
        null=True, help_text="Bytes of a leaderboard. Those of a released epoch are in the file store."
    )
    digest = models.CharField(max_length=64, help_text="SHA-256 of its bytes.")
    size = models.BigIntegerField(help_text="In bytes.")

    class Meta:
        ordering = ["epoch", "edition"]
        constraints = [
            models.UniqueConstraint(fields=["epoch", "edition"], name="edition_once"),
            models.UniqueConstraint(
                fields=["epoch"],
                condition=Q(reason="release", kind="leaderboard"),
                name="edition_one_leaderboard_at_release",
            ),
            models.CheckConstraint(condition=Q(edition__gte=1), name="edition_from_1"),
            models.CheckConstraint(condition=Q(digest__regex=_SHA256), name="edition_digest"),
            models.CheckConstraint(condition=Q(kind__in=["leaderboard", "epoch"]), name="edition_kind"),
            models.CheckConstraint(condition=Q(reason__in=["release", "organizer"]), name="edition_reason"),
            # A leaderboard cannot be made again, so it goes with the rows of every backup.
            models.CheckConstraint(
                condition=Q(kind="leaderboard", content__isnull=False)
                | Q(kind="epoch", content__isnull=True),
                name="edition_content",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.epoch}, edition {self.edition}"

    @property
    def number(self) -> str:
        """Its number in its corpus, for good: that of its epoch, a point, its own."""
        return f"{self.epoch.number}.{self.edition}"

    @property
    def place(self) -> str:
        """The place of a released epoch's bytes in the file store."""
        return f"media/archives/{self.epoch_id}-{self.edition}-{self.digest[:16]}.zip"

    def open(self) -> BinaryIO:
        """Open its bytes.

        Raises
        ------
        FileNotFoundError
            If the file of a released epoch is not there.
        """
        return store().open(self.place) if self.content is None else BytesIO(self.content)

    @property
    def name(self) -> str:
        """Its name among a corpus' files, for good."""
        word = "leaderboard" if self.kind == self.Kind.LEADERBOARD else "edition"
        return f"epoch-{self.epoch.number}-{word}-{self.edition}.zip"
