"""Who has learned an interface, and who may work at it."""

from dataclasses import dataclass

from django.db import models
from django.db.models import Q

from annotations.models import CorpusGuidelines, OntologyVersion
from crowd.models.keys import versions_key
from kbpo.accounts.models import User, WorkerIdentity


@dataclass(frozen=True, slots=True)
class Skill:
    """What can be learned: an interface, and under which ontology, where it differs by that.

    As text it is what providers call it.
    """

    kind: str
    ontology: str | None = None

    def __str__(self) -> str:
        return " ".join(filter(None, (self.kind, self.ontology)))


class Learned(models.Model):
    """A kind of work for which a worker takes, or has passed, a tutorial."""

    provider = models.CharField(max_length=16, choices=WorkerIdentity.Provider)
    provider_worker_id = models.CharField(max_length=64)
    kind = models.CharField(max_length=16, help_text="Of work: the name of an interface.")
    ontology = versions_key(
        OntologyVersion, "Under which it is taught; empty where that is the same for all."
    )

    class Meta:
        abstract = True


class TutorialAttempt(Learned):
    """A worker's way through an interface's tutorial."""

    guidelines = versions_key(
        CorpusGuidelines, "A corpus' own, whose examples it asks; empty: the ontology's."
    )
    number = models.PositiveSmallIntegerField(help_text="From 1; tries are limited.")
    answers = models.JSONField(default=list, help_text="What was said to each practice question, in order.")
    right = models.PositiveSmallIntegerField(default=0)
    begun_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    has_passed = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "provider_worker_id", "kind", "ontology", "number"],
                nulls_distinct=False,
                name="tutorial_attempt_once",
            ),
            models.CheckConstraint(
                condition=Q(has_passed=False) | Q(ended_at__isnull=False), name="tutorial_attempt_ended"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider_worker_id}'s try {self.number} at {self.kind}"


class WorkerQualification(Learned):
    """That a worker may work at an interface: granted here first, then at the provider."""

    granted_at = models.DateTimeField()
    told_at = models.DateTimeField(null=True, blank=True, help_text="When the provider took it.")
    claimed_until = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["provider", "provider_worker_id", "kind", "ontology"],
                nulls_distinct=False,
                name="worker_qualification_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider_worker_id} for {self.skill}"

    @property
    def skill(self) -> Skill:
        """What they may do."""
        return Skill(self.kind, self.ontology_id)


class WorkerBlock(models.Model):
    """That a worker gets no more of our work, or gets it again: decided here first, then at the provider."""

    worker = models.OneToOneField(WorkerIdentity, on_delete=models.PROTECT, related_name="block")
    is_blocked = models.BooleanField(default=True)
    reason = models.CharField(max_length=1024)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()
    told_at = models.DateTimeField(null=True, blank=True, help_text="When the provider took it.")
    claimed_until = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="worker_block_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.worker}: {'blocked' if self.is_blocked else 'not blocked any more'}"
