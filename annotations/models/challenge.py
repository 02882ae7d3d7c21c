"""What a corpus says to those who take part: its rules, terms, phases, news, and dates that were moved."""

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import DateTimeRangeField, RangeOperators
from django.db import models
from django.db.models import F, Func, Q, Value

from annotations.models.corpus import Corpus
from kbpo.accounts.models import Team, User


class Version(models.Model):
    """A version of a text of a corpus: the largest holds, an empty one says that none does any more.

    Postgres refuses to change one.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="%(class)s")
    version = models.PositiveSmallIntegerField(help_text="From 1; the largest holds.")
    text = models.TextField(blank=True)
    written_by = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty: somebody at the command line.",
    )
    written_at = models.DateTimeField()

    class Meta:
        abstract = True
        ordering = ["corpus", "version"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "version"], name="%(class)s_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="%(class)s_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.corpus}, version {self.version}"


class CorpusRules(Version):
    """A version of the rules of a corpus: what systems may use, how they are compared."""

    class Meta(Version.Meta):
        verbose_name_plural = "corpus rules"


class CorpusTerms(Version):
    """A version of what a team accepts before it submits to a corpus."""

    class Meta(Version.Meta):
        verbose_name_plural = "corpus terms"


class AcceptedTerms(models.Model):
    """A team's word on a version of terms, given by one of its members."""

    terms = models.ForeignKey(CorpusTerms, on_delete=models.PROTECT, related_name="accepted")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="accepted_terms")
    accepted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="accepted_terms")
    accepted_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "accepted terms"
        ordering = ["accepted_at"]
        constraints = [models.UniqueConstraint(fields=["terms", "team"], name="accepted_terms_once")]

    def __str__(self) -> str:
        return f"{self.team} accepts {self.terms}"


class CorpusPhase(models.Model):
    """A part of a corpus' time, from its start until just before its end. Those of a corpus never overlap."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="phases")
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True, help_text="Empty: without an end.")
    takes_submissions = models.BooleanField(default=True)
    most_submissions = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Of one team in this phase; empty: no such limit."
    )

    class Meta:
        ordering = ["corpus", "starts_at"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "name"], name="corpus_phase_name_once"),
            models.CheckConstraint(condition=~Q(name=""), name="corpus_phase_name"),
            models.CheckConstraint(
                condition=Q(ends_at=None) | Q(starts_at__lt=F("ends_at")), name="corpus_phase_dates"
            ),
            models.CheckConstraint(
                condition=Q(most_submissions=None) | Q(most_submissions__gte=1, takes_submissions=True),
                name="corpus_phase_most_submissions",
            ),
            ExclusionConstraint(
                name="corpus_phases_apart",
                expressions=[
                    # The number as a range: GiST compares these without an extension.
                    (
                        Func(F("corpus_id"), F("corpus_id"), Value("[]"), function="int8range"),
                        RangeOperators.OVERLAPS,
                    ),
                    (
                        Func(
                            F("starts_at"),
                            F("ends_at"),
                            Value("[)"),
                            function="tstzrange",
                            output_field=DateTimeRangeField(),
                        ),
                        RangeOperators.OVERLAPS,
                    ),
                ],
            ),
        ]

    def __str__(self) -> str:
        return self.name


class MovedDate(models.Model):
    """A date of a corpus as it was, and as it was from then on. Postgres refuses to change one."""

    class Which(models.TextChoices):
        OPENS = "opens", "opening"
        CLOSES = "closes", "closing"
        STARTS = "starts", "start"
        ENDS = "ends", "end"

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="moved_dates")
    which = models.CharField(max_length=8, choices=Which)
    phase = models.CharField(max_length=100, blank=True, help_text="Its name then, for the dates of a phase.")
    before = models.DateTimeField(null=True, blank=True, help_text="Empty: there was none.")
    after = models.DateTimeField(null=True, blank=True, help_text="Empty: there is none any more.")
    moved_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    moved_at = models.DateTimeField()

    class Meta:
        ordering = ["corpus", "moved_at", "id"]
        constraints = [
            models.CheckConstraint(
                condition=(Q(which__in=["opens", "closes"]) & Q(phase=""))
                | (Q(which__in=["starts", "ends"]) & ~Q(phase="")),
                name="moved_date_of",
            ),
            models.CheckConstraint(
                condition=~Q(before=F("after")) & ~Q(before=None, after=None), name="moved_date_moved"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.corpus}: {self.get_which_display()} {self.phase}".strip()


class CorpusNews(models.Model):
    """A short post to those who take part in a corpus."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="news")
    title = models.CharField(max_length=150)
    text = models.TextField(blank=True)
    written_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    published_at = models.DateTimeField()
    mailed_to = models.PositiveIntegerField(default=0, help_text="People who got it by mail, so far.")
    mailed_after = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="The last account that was told, while others are still to be; empty: nobody is.",
    )
    withdrawn_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when nobody is shown it any more."
    )

    class Meta:
        verbose_name_plural = "corpus news"
        ordering = ["-published_at", "-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(title=""), name="corpus_news_title"),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None) | Q(withdrawn_at__gte=F("published_at")),
                name="corpus_news_withdrawn",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None) | Q(mailed_after=None), name="corpus_news_withdrawn_unmailed"
            ),
        ]
        indexes = [
            models.Index(fields=["corpus", "-id"], name="corpus_news_by_corpus"),
            models.Index(fields=["id"], name="corpus_news_to_mail", condition=Q(mailed_after__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.title
