"""People, their teams and their roles."""

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower


class UserManager(BaseUserManager["User"]):
    """Creates people known by their email address."""

    use_in_migrations = True

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a person; the address is kept in lower case."""
        user = self.model(email=email.lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create an operator who may also use the admin."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, is_operator=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        """Find a person by address, whatever its case."""
        return self.get(email__iexact=username)


class User(AbstractUser):
    """A person.

    Everybody may submit for the teams that they belong to; annotators judge claims; operators run corpora,
    budgets and releases, and settle what the annotators could not.
    """

    username = None  # type: ignore[assignment]
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    email = models.EmailField("email address", unique=True)
    name = models.CharField(max_length=150, blank=True)
    is_annotator = models.BooleanField(default=False)
    is_operator = models.BooleanField(default=False)
    #: No column: False in memory where somebody asks by a token that does not pass their roles on.
    acts_by_roles: bool = True

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()  # type: ignore[assignment,misc]

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_once")]

    def __str__(self) -> str:
        return self.name or self.email


class Team(models.Model):
    """A group that submits systems. Its members never judge a corpus in which it competes."""

    name = models.CharField(max_length=100, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    approved_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when its systems may be judged, where operators approve teams.",
    )
    members = models.ManyToManyField(User, through="Membership", related_name="teams")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(Lower("name"), name="team_name_once"),
            models.CheckConstraint(condition=~models.Q(name=""), name="team_name_not_empty"),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's place in a team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    joined_at = models.DateTimeField(auto_now_add=True)
    is_shown = models.BooleanField(default=False, help_text="Whether the team's public page names them.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class PastMembership(models.Model):
    """A place in a team that somebody has left: they still do not judge where it competes."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="past_memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="past_memberships")
    left_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.user}, once in {self.team}"


class Invitation(models.Model):
    """A member's word that the person with an email address may join a team. Joining is theirs to say.

    It is used once, and for as long as `expires_at` says.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField("email address")
    invited_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [models.UniqueConstraint("team", Lower("email"), name="invitation_once")]

    def __str__(self) -> str:
        return f"{self.email} to {self.team}"


class UnwantedMail(models.Model):
    """A kind of mail that somebody switched off: by their account, or, where there is none, by an address."""

    user = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, blank=True, related_name="unwanted_mail"
    )
    address = models.CharField(max_length=64, blank=True, help_text="Its digest, which nobody can read back.")
    kind = models.CharField(max_length=16, help_text="One of `kbpo.accounts.mails.kinds`.")

    class Meta:
        verbose_name_plural = "unwanted mail"
        constraints = [
            models.UniqueConstraint(fields=["user", "kind"], name="unwanted_mail_once"),
            models.UniqueConstraint(
                fields=["address", "kind"],
                condition=~models.Q(address=""),
                name="unwanted_mail_of_address_once",
            ),
            models.CheckConstraint(
                condition=models.Q(user=None) ^ models.Q(address=""), name="unwanted_mail_of_one"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    kind__in=[
                        *("read", "refused", "scored", "failed"),
                        *("released", "invited", "webhook", "waiting", "news"),
                    ]
                ),
                name="unwanted_mail_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}, not for {self.user or 'an address'}"


class WorkerIdentity(models.Model):
    """The name under which a provider of work knows a person.

    The built-in marketplace writes the names of its own workers here, so that a requester, who is told
    nothing but the name, keeps people from judging a corpus in which their team competes.
    """

    class Provider(models.TextChoices):
        MARKETPLACE = "marketplace", "the built-in marketplace"
        MTURK = "mturk", "another service with MTurk's API"
        PROLIFIC = "prolific", "Prolific"

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="worker_identities")
    provider = models.CharField(max_length=16, choices=Provider)
    worker_id = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["provider", "worker_id"], name="worker_identity_once"),
            models.CheckConstraint(condition=~models.Q(worker_id=""), name="worker_identity_not_empty"),
            models.CheckConstraint(
                condition=models.Q(provider__in=["marketplace", "mturk", "prolific"]),
                name="worker_identity_provider",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker_id} ({self.get_provider_display()})"


class ApiToken(models.Model):
    """A secret by which a program asks the API as its person. It itself is kept nowhere."""

    class Scope(models.TextChoices):
        READ = "read", "read"
        SUBMIT = "submit", "submit"
        ORGANISE = "organise", "organise"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token.")
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope))
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="To the minute.")

    class Meta:
        verbose_name = "API token"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "name"], condition=models.Q(revoked_at=None), name="api_token_name_once"
            ),
            models.CheckConstraint(condition=~models.Q(name=""), name="api_token_name_not_empty"),
            models.CheckConstraint(
                condition=models.Q(digest__regex=r"^[0-9a-f]{64}$"), name="api_token_digest"
            ),
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=["read", "submit", "organise"])
                & models.Q(scopes__contains=["read"]),
                name="api_token_scopes",
            ),
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("created_at")), name="api_token_expires"
            ),
        ]

    def __str__(self) -> str:
        return self.name
