"""Accounts with providers of work."""

from django.db import models

from kbpo.accounts.models import WorkerIdentity


class ProviderAccount(models.Model):
    """What an account held when it was last looked at."""

    provider = models.CharField(max_length=16, choices=WorkerIdentity.Provider, unique=True)
    balance_cents = models.BigIntegerField(null=True, blank=True, help_text="Empty where it is not said.")
    noted_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True, help_text="Why the last look failed.")

    def __str__(self) -> str:
        return f"the account with {self.get_provider_display()}"
