"""Who does what for a corpus."""

from django.db import models

from annotations.models.corpus import Corpus
from kbpo.accounts.models import User


class CorpusRole(models.Model):
    """What a person does for one corpus. The site's operators may do all of it, without a role."""

    class Role(models.TextChoices):
        ORGANISER = "organiser", "organiser"
        REVIEWER = "reviewer", "reviewer"
        PAYMASTER = "paymaster", "paymaster"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="corpus_roles")
    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="roles")
    role = models.CharField(max_length=16, choices=Role)
    given_by = models.ForeignKey(
        User,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="An operator, or themselves where they made the corpus.",
    )
    given_at = models.DateTimeField()

    class Meta:
        ordering = ["corpus", "role", "given_at"]
        constraints = [
            models.UniqueConstraint(fields=["user", "corpus", "role"], name="corpus_role_once"),
            models.CheckConstraint(
                condition=models.Q(role__in=["organiser", "reviewer", "paymaster"]), name="corpus_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.get_role_display()} of {self.corpus.tag}"


class CorpusMaker(models.Model):
    """A person whom an operator lets make corpora: they are the organiser of each that they make."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="makes_corpora")
    given_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    given_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user} may make corpora"
