"""What a corpus gives to those who take part: its files, and the agreement that may stand before them."""

from django.db import models
from django.db.models import Q

from annotations.models.corpus import Corpus
from kbpo.accounts.models import Team, User

_SHA256 = r"^[0-9a-f]{64}$"


class DataAgreement(models.Model):
    """A version of what a team promises before it reads a corpus' texts. Postgres refuses to change one."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="agreements_on_data")
    version = models.PositiveSmallIntegerField(help_text="From 1; the largest holds.")
    text = models.TextField()
    written_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["corpus", "version"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "version"], name="data_agreement_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="data_agreement_from_1"),
            models.CheckConstraint(condition=~Q(text=""), name="data_agreement_text"),
        ]

    def __str__(self) -> str:
        return f"{self.corpus}, version {self.version}"


class AcceptedAgreement(models.Model):
    """A team's word on a version of an agreement, given by one of its members."""

    agreement = models.ForeignKey(DataAgreement, on_delete=models.PROTECT, related_name="accepted")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="accepted_agreements")
    accepted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="accepted_agreements")
    accepted_at = models.DateTimeField()

    class Meta:
        ordering = ["accepted_at"]
        constraints = [
            models.UniqueConstraint(fields=["agreement", "team"], name="accepted_agreement_once"),
        ]

    def __str__(self) -> str:
        return f"{self.team} accepts {self.agreement}"


class CorpusFiles(models.Model):
    """The files that were made of a corpus' documents, and what was counted on the way.

    The files themselves can be made again, and come out the same.
    """

    corpus = models.OneToOneField(Corpus, on_delete=models.CASCADE, related_name="files")
    state = models.CharField(max_length=64, help_text="Of the documents, as the files have them.")
    texts_digest = models.CharField(max_length=64, help_text="SHA-256 of the file of texts.")
    texts_size = models.BigIntegerField(help_text="In bytes.")
    ids_digest = models.CharField(max_length=64, help_text="SHA-256 of the file of ids and digests.")
    ids_size = models.BigIntegerField(help_text="In bytes.")
    documents = models.PositiveIntegerField()
    removed = models.PositiveIntegerField()
    characters = models.BigIntegerField()
    shortest = models.PositiveIntegerField(null=True, blank=True, help_text="In characters.")
    longest = models.PositiveIntegerField(null=True, blank=True, help_text="In characters.")
    sentences = models.BigIntegerField()
    tokens = models.BigIntegerField()
    dated = models.PositiveIntegerField(help_text="Documents with a date.")
    first_date = models.DateField(null=True, blank=True)
    last_date = models.DateField(null=True, blank=True)
    made_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "corpus files"
        constraints = [
            models.CheckConstraint(
                condition=Q(texts_digest__regex=_SHA256, ids_digest__regex=_SHA256),
                name="corpus_files_digests",
            ),
            models.CheckConstraint(
                condition=Q(removed__lte=models.F("documents"), dated__lte=models.F("documents")),
                name="corpus_files_counts",
            ),
        ]

    def __str__(self) -> str:
        return f"files of {self.corpus}"
