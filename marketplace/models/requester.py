"""Who asks for work, with which keys and which money."""

from django.db import models
from django.utils import timezone

from kbpo.accounts.models import User


class Requester(models.Model):
    """An account that posts HITs and pays for them. Its two balances are sums over its ledger."""

    name = models.CharField(max_length=100, unique=True, help_text="What workers see.")
    owner = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, help_text="Gets the workers' replies by mail."
    )
    available_cents = models.BigIntegerField(default=0)
    held_cents = models.BigIntegerField(default=0, help_text="Set aside for work that was asked for.")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=~models.Q(name=""), name="requester_name_not_empty"),
            models.CheckConstraint(
                condition=models.Q(available_cents__gte=0, held_cents__gte=0), name="requester_solvent"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class RequesterKey(models.Model):
    """A pair of keys with which requests are signed, and its rate limit.

    The secret is kept as it is: a signature of version 4 can only be checked by who knows the secret.
    """

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="keys")
    access_key_id = models.CharField(max_length=128, unique=True)
    secret = models.CharField(max_length=128)
    is_active = models.BooleanField(default=True)
    rate = models.FloatField(default=20, help_text="Requests a second.")
    burst = models.FloatField(default=100, help_text="Requests in a period of burst / rate seconds.")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(rate__gt=0, burst__gte=1), name="requester_key_rate"),
            models.CheckConstraint(
                condition=~models.Q(access_key_id="") & ~models.Q(secret=""), name="requester_key_not_empty"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.access_key_id} of {self.requester}"


class RequestToken(models.Model):
    """A request that must not be carried out twice, and what came of it."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="tokens")
    operation = models.CharField(max_length=64)
    token = models.CharField(max_length=64)
    result = models.CharField(max_length=64, help_text="The id of what was made.")
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["requester", "operation", "token"], name="request_token_once")
        ]

    def __str__(self) -> str:
        return f"{self.operation} {self.token}"


class LedgerEntry(models.Model):
    """A movement of a requester's money: what it does to the two balances, and whom it paid."""

    class Kind(models.TextChoices):
        DEPOSIT = "deposit", "paid in"
        HOLD = "hold", "set aside for a HIT"
        RELEASE = "release", "no longer needed for a HIT"
        REWARD = "reward", "paid for an assignment"
        FEE = "fee", "fee on a reward"
        BONUS = "bonus", "paid as a bonus"
        BONUS_FEE = "bonus_fee", "fee on a bonus"

    requester = models.ForeignKey(Requester, on_delete=models.PROTECT, related_name="entries")
    kind = models.CharField(max_length=16, choices=Kind)
    available_cents = models.BigIntegerField(default=0, help_text="What it adds to the available balance.")
    held_cents = models.BigIntegerField(default=0, help_text="What it adds to the balance on hold.")
    hit = models.ForeignKey("Hit", null=True, blank=True, on_delete=models.PROTECT, related_name="entries")
    assignment = models.ForeignKey(
        "Assignment", null=True, blank=True, on_delete=models.PROTECT, related_name="entries"
    )
    worker = models.ForeignKey(
        "Worker", null=True, blank=True, on_delete=models.PROTECT, related_name="entries"
    )
    reason = models.TextField(blank=True, help_text="What the worker is told of a bonus.")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "ledger entries"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind="deposit", available_cents__gt=0, held_cents=0)
                | models.Q(kind="hold", available_cents__lt=0, held_cents=-models.F("available_cents"))
                | models.Q(kind="release", available_cents__gt=0, held_cents=-models.F("available_cents"))
                | models.Q(kind__in=["reward", "fee"], available_cents=0, held_cents__lte=0)
                | models.Q(kind__in=["bonus", "bonus_fee"], available_cents__lt=0, held_cents=0),
                name="ledger_kind",
            ),
            models.CheckConstraint(
                condition=~models.Q(kind__in=["reward", "bonus"])
                | models.Q(worker__isnull=False, assignment__isnull=False),
                name="ledger_pays_somebody",
            ),
            models.UniqueConstraint(
                fields=["assignment"], condition=models.Q(kind="reward"), name="ledger_reward_once"
            ),
        ]
        indexes = [models.Index(fields=["worker", "at"], name="ledger_by_worker")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.requester}, {self.at:%Y-%m-%d}"

    @property
    def paid_cents(self) -> int:
        """Return what the entry pays out, in cents."""
        return -(self.available_cents + self.held_cents)
