"""What is kept about a person, as one JSON document."""

import json
from collections.abc import Iterator, Mapping

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.core.serializers.json import DjangoJSONEncoder

from kbpo.accounts.mails import choices
from kbpo.accounts.models import Invitation, User
from kbpo.accounts.personal.mail import rows_about
from kbpo.accounts.personal.parts import Rows, registered
from kbpo.core.models import AuditEntry

AT_ONCE = 500  # rows that are in memory


def write(user: User) -> Iterator[str]:
    """Yield the document in pieces, row by row: an object with a list for each section."""
    yield "{"
    comma = ""
    for part in (_account, *(part.export for part in registered())):
        for section, rows in part(user).items():
            yield f"{comma}\n{json.dumps(section)}: ["
            comma = ","
            between = ""
            for row in rows:
                yield f"{between}\n {json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)}"
                between = ","
            yield "]"
    yield "\n}\n"


def _account(user: User) -> Mapping[str, Rows]:
    profile = User.objects.filter(pk=user.pk).values(
        *("email", "name", "date_joined", "last_login", "is_annotator", "is_operator", "is_staff")
    )
    sent = Invitation.objects.filter(invited_by=user)
    got = Invitation.objects.filter(email__iexact=user.email)
    acts = AuditEntry.objects.filter(by_id=user.pk).values("at", "what", "kind", "about", "before", "after")
    return {
        "profile": profile,
        "email addresses": EmailAddress.objects.filter(user=user).values("email", "verified", "primary"),
        "teams": user.memberships.values("team__name", "joined_at", "is_shown"),
        "past teams": user.past_memberships.values("team__name", "left_at"),
        "invitations by you": sent.values("team__name", "email", "created_at", "expires_at"),
        "invitations to you": got.values("team__name", "created_at", "expires_at"),
        "sessions": UserSession.objects.filter(user=user).values(
            "created_at", "last_seen_at", "ip", "user_agent"
        ),
        "API tokens": user.api_tokens.values(
            *("name", "scopes", "created_at", "expires_at", "revoked_at", "last_used_at")
        ),
        "second factors": Authenticator.objects.filter(user=user).values(
            "type", "created_at", "last_used_at"
        ),
        "organisations": SocialAccount.objects.filter(user=user).values(
            "provider", "uid", "date_joined", "extra_data"
        ),
        "worker identities": user.worker_identities.values("provider", "worker_id", "created_at"),
        "mail": rows_about(user),
        "mail switched off": choices.rows_about(user),
        "acts in the audit log": acts.iterator(chunk_size=AT_ONCE),
    }
