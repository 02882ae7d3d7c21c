"""HITs: questions put to workers through a provider."""

from django.db import models
from django.db.models import F, Q
from django.utils.functional import cached_property

from annotations.models import Corpus, Question
from kbpo.accounts.models import User, WorkerIdentity


class HitBatch(models.Model):
    """HITs of one kind at one price, posted, paused and ended together.

    What a HIT offers is fixed here, so that a batch's pay never changes under a worker's hands.
    """

    class State(models.TextChoices):
        PLANNING = "planning", "being put together"
        OPEN = "open", "being posted"
        PAUSED = "paused", "paused: nothing more is posted"
        CANCELLED = "cancelled", "cancelled: what is out is taken back, what was done is paid"
        FINISHED = "finished", "finished"

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="hit_batches")
    submission_id = models.BigIntegerField(
        null=True, blank=True, help_text="The submission that it was posted for; empty: for the corpus."
    )
    kind = models.CharField(max_length=16, help_text="Of work: the name of an interface.")
    is_tutorial = models.BooleanField(
        default=False, help_text="Its HITs hold no questions: they teach the interface, and qualify for it."
    )
    provider = models.CharField(max_length=16, choices=WorkerIdentity.Provider)
    title = models.CharField(max_length=128)
    description = models.CharField(max_length=2000)
    keywords = models.CharField(max_length=1000, blank=True)
    reward_cents = models.PositiveIntegerField(
        help_text="For each assignment; by sentence for each question; for documents for 1,000 words."
    )
    questions_per_hit = models.PositiveSmallIntegerField(default=1, help_text="At most.")
    by_sentence = models.BooleanField(
        default=False, help_text="Whether a HIT asks about one sentence alone, and pays by the question."
    )
    duration_seconds = models.PositiveIntegerField(help_text="That a worker has for an assignment.")
    estimated_seconds = models.PositiveIntegerField(
        null=True, blank=True, help_text="That the reward was expected to be for, when it was opened."
    )
    is_time_measured = models.BooleanField(
        default=False, help_text="Whether that was the median of enough answers when it was opened."
    )
    lifetime_seconds = models.PositiveIntegerField(help_text="That a HIT can be found.")
    auto_approval_seconds = models.PositiveIntegerField(
        default=3 * 24 * 3600, help_text="Within which work is decided and paid, as workers are told."
    )
    held_answers = models.PositiveSmallIntegerField(
        default=10,
        help_text="Of a worker at this kind of work, that a person looks at before a rule pays anything.",
    )
    holds_all = models.BooleanField(default=False, help_text="Whether a person looks at all work.")
    asks_links = models.BooleanField(default=False, help_text="Whether mentions are linked to Wikipedia.")
    state = models.CharField(max_length=16, choices=State, default=State.OPEN)
    paused_because = models.TextField(blank=True, help_text="Why nothing more is posted, while it is paused.")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "HIT batches"
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["planning", "open", "paused", "cancelled", "finished"]),
                name="hit_batch_state",
            ),
            models.CheckConstraint(condition=~Q(kind=""), name="hit_batch_kind"),
            models.CheckConstraint(
                condition=Q(reward_cents__gte=1, questions_per_hit__gte=1), name="hit_batch_reward"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.corpus})"


class BatchPlan(models.Model):
    """What of a batch is still to be put into HITs; gone when all of it is."""

    batch = models.OneToOneField(HitBatch, on_delete=models.CASCADE, related_name="plan")
    groups = models.JSONField(help_text="The questions of each HIT, in the order in which they are planned.")
    total = models.PositiveIntegerField(help_text="HITs.")
    done = models.PositiveIntegerField(default=0, help_text="Of the groups.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(done__lt=F("total")), name="batch_plan_is_not_done"),
        ]

    def __str__(self) -> str:
        return f"{self.done} of {self.total} HITs of {self.batch}"


class Hit(models.Model):
    """A piece of work at a provider, written down before it is posted.

    `request_token` makes posting repeatable, and `annotation` is our own name of it at the provider, by which
    it is found again where the answer to posting was lost.
    """

    class State(models.TextChoices):
        PLANNED = "planned", "to be posted"
        POSTED = "posted", "with the provider"
        CLOSED = "closed", "everything collected and reviewed"
        CANCELLED = "cancelled", "never posted"
        FAILED = "failed", "refused by the provider"

    batch = models.ForeignKey(HitBatch, on_delete=models.PROTECT, related_name="hits")
    questions: "models.ManyToManyField[Question, HitQuestion]" = models.ManyToManyField(
        Question, through="crowd.HitQuestion", related_name="hits"
    )
    request_token = models.CharField(max_length=64, unique=True)
    annotation = models.CharField(max_length=255, unique=True)
    provider_id = models.CharField(max_length=64, null=True, blank=True, unique=True)
    places = models.PositiveSmallIntegerField(help_text="Assignments that were promised.")
    page_seed = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="Draws what all its pages have in common: gold, where that stands, the names of fields."
        " Empty until somebody accepts it.",
    )
    reward_cents = models.PositiveIntegerField()
    fee_cents = models.PositiveIntegerField(help_text="For each assignment.")
    state = models.CharField(max_length=16, choices=State, default=State.PLANNED)
    created_at = models.DateTimeField()
    posted_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When no more answers could come: its places are full, or it expired.",
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the provider was told to forget it; nothing of it changes then.",
    )
    # The outbox: what the provider does not know yet, who acts on its side, and when to try again.
    posted_places = models.PositiveSmallIntegerField(default=0, help_text="That the provider knows of.")
    can_grow = models.BooleanField(default=True, help_text="Whether more places may be asked for.")
    wanted_until = models.DateTimeField(
        null=True, blank=True, help_text="What `expires_at` is to be; the provider has not been told."
    )
    claimed_until = models.DateTimeField(null=True, blank=True)
    next_look_at = models.DateTimeField(
        null=True, blank=True, help_text="When it is next posted or collected."
    )
    tries = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True, help_text="What the last try came to, if it failed.")

    class Meta:
        verbose_name = "HIT"
        indexes = [
            models.Index(fields=["state", "next_look_at"], name="hit_by_next_look"),
            models.Index(
                fields=["id"],
                name="hit_to_tell",
                condition=Q(state="planned")
                | Q(state="posted", wanted_until__isnull=False)
                | Q(state="posted", posted_places__lt=F("places")),
            ),
            models.Index(
                fields=["closed_at"],
                name="hit_to_remove",
                condition=Q(state="closed", removed_at__isnull=True),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["planned", "cancelled", "failed"], posted_at__isnull=True)
                | Q(
                    state__in=["posted", "closed"],
                    posted_at__isnull=False,
                    provider_id__isnull=False,
                ),
                name="hit_provider_state",
            ),
            models.CheckConstraint(condition=Q(places__gte=1, reward_cents__gte=1), name="hit_has_places"),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=False) | ~Q(state="closed"), name="hit_closed_after_its_end"
            ),
            models.CheckConstraint(
                condition=Q(removed_at__isnull=True) | Q(state="closed"), name="hit_removed_when_closed"
            ),
        ]

    def __str__(self) -> str:
        return self.annotation

    @cached_property
    def asked(self) -> list[Question]:
        """Its questions in order: once posted, a HIT asks the same to its end."""
        return list(Question.objects.filter(hit_questions__hit=self).order_by("hit_questions__position"))


class HitQuestion(models.Model):
    """A question in a HIT. While it waits for votes there, no other HIT asks it."""

    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, related_name="hit_questions")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="hit_questions")
    position = models.PositiveSmallIntegerField()
    is_active = models.BooleanField(default=True, help_text="Whether votes may still come from this HIT.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hit", "question"], name="hit_question_once"),
            models.UniqueConstraint(fields=["hit", "position"], name="hit_position_once"),
            models.UniqueConstraint(
                fields=["question"],
                condition=Q(is_active=True),
                name="question_in_one_active_hit",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} in {self.hit}"


class HitGold(models.Model):
    """A settled question that may be asked besides in a HIT: drawn once, for all who accept it.

    Everybody is asked the first of them that they have never seen; which that is depends on no arrival.
    """

    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, related_name="golds")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField(help_text="In the order in which they are tried.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hit", "question"], name="hit_gold_once"),
            models.UniqueConstraint(fields=["hit", "position"], name="hit_gold_position_once"),
        ]

    def __str__(self) -> str:
        return f"{self.question} for {self.hit}"
