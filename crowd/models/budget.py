"""What may be spent, and every cent that was promised or paid."""

from datetime import datetime

from django.db import models
from django.db.models import F, Q

from annotations.models import Corpus
from kbpo.accounts.models import WorkerIdentity


class Budget(models.Model):
    """A cap on what is promised and paid together, for one corpus, one submission, or one month.

    Its sums are those of its entries in the ledger; the cap is a constraint, whoever spends at the same time.
    """

    class Scope(models.TextChoices):
        CORPUS = "corpus", "a corpus"
        SUBMISSION = "submission", "a submission"
        MONTH = "month", "a month"

    scope = models.CharField(max_length=16, choices=Scope)
    key = models.CharField(max_length=64, help_text="A corpus' tag, a submission's id, or a month: 2026-11.")
    cap_cents = models.BigIntegerField()
    reserved_cents = models.BigIntegerField(default=0, help_text="Promised, not yet paid.")
    paid_cents = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["scope", "key"]
        constraints = [
            models.UniqueConstraint(fields=["scope", "key"], name="budget_once"),
            models.CheckConstraint(
                condition=Q(scope__in=["corpus", "submission", "month"]), name="budget_scope"
            ),
            models.CheckConstraint(
                condition=Q(reserved_cents__gte=0, paid_cents__gte=0, cap_cents__gte=0),
                name="budget_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(cap_cents__gte=F("reserved_cents") + F("paid_cents")), name="budget_within_cap"
            ),
        ]

    def __str__(self) -> str:
        if self.scope == self.Scope.MONTH:
            return f"{datetime.strptime(self.key, '%Y-%m'):%B %Y}"  # noqa: DTZ007  (a month has no zone)
        return f"{self.scope} {self.key}"


class LedgerEntry(models.Model):
    """A change in what is promised or paid.

    Entries are only ever added, and `key` keeps each from coming twice.
    """

    class Kind(models.TextChoices):
        RESERVED = "reserved", "promised"
        RELEASED = "released", "not needed after all"
        REWARD = "reward", "paid for an assignment"
        FEE = "fee", "the provider's fee"
        BONUS = "bonus", "a bonus"
        BONUS_FEE = "bonus_fee", "the provider's fee for a bonus"

    kind = models.CharField(max_length=16, choices=Kind)
    key = models.CharField(max_length=128, unique=True)
    reserved_change_cents = models.BigIntegerField()
    paid_change_cents = models.BigIntegerField()
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="ledger_entries")
    submission_id = models.BigIntegerField(null=True, blank=True, help_text="For which it was asked.")
    hit = models.ForeignKey(
        "crowd.Hit", on_delete=models.PROTECT, null=True, blank=True, related_name="ledger_entries"
    )
    batch = models.ForeignKey(
        "crowd.HitBatch",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="ledger_entries",
        help_text="As a whole, while its HITs are being planned.",
    )
    assignment = models.ForeignKey(
        "crowd.Assignment", on_delete=models.PROTECT, null=True, blank=True, related_name="ledger_entries"
    )
    worker = models.ForeignKey(
        WorkerIdentity, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger_entries"
    )
    budgets = models.ManyToManyField(Budget, related_name="entries")
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "ledger entries"
        ordering = ["at", "id"]
        indexes = [models.Index(fields=["at"], name="ledger_by_time")]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="reserved", reserved_change_cents__gt=0, paid_change_cents=0)
                | Q(kind="released", reserved_change_cents__lt=0, paid_change_cents=0)
                | Q(
                    kind__in=["reward", "fee", "bonus", "bonus_fee"],
                    paid_change_cents__gt=0,
                    reserved_change_cents=-F("paid_change_cents"),
                ),
                name="ledger_entry_kind",
            )
        ]

    def __str__(self) -> str:
        return self.key
