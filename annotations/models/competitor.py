"""Who competes where."""

from django.db import models

from annotations.models.corpus import Corpus
from kbpo.accounts.models import Team


class Competitor(models.Model):
    """A team that competes in a corpus: from its first upload on, whatever becomes of what it uploads.

    Every submission's corpus and team are a pair of these: `evaluation` has a foreign key to it.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="competitors")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="competes_in")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["corpus", "team"], name="competitor_once")]

    def __str__(self) -> str:
        return f"{self.team} in {self.corpus}"
