"""The audit log: what operators, and holders of roles, did.

A row is written by the service that acts, in its transaction: an act that is undone leaves none. Postgres
refuses to change or delete one. People stand in it as accounts, never by name or address, so that it needs no
change when an account is deleted; neither secrets nor the texts of mail belong in it.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import Model

from kbpo.core.errors import InvalidInput
from kbpo.core.models import AuditEntry

LONGEST = 500  # characters of a text in a row


class What(StrEnum):
    """The names of the acts. A name stays what it is once a row has it."""

    WORK_APPROVED = "work approved"
    WORK_REJECTED = "work rejected"
    REJECTION_TAKEN_BACK = "rejection taken back"
    WORKER_BLOCKED = "worker blocked"
    WORKER_UNBLOCKED = "worker unblocked"
    EXPERT_ANSWERED = "expert answered"
    BUDGET_OPENED = "budget opened"
    BUDGET_CHANGED = "budget changed"
    BATCH_OPENED = "batch opened"
    BATCH_PAUSED = "batch paused"
    BATCH_RESUMED = "batch resumed"
    BATCH_TAKEN_BACK = "batch taken back"
    BATCH_EXTENDED = "batch extended"
    BATCH_CANCELLED = "batch cancelled"
    CORPUS_LOADED = "corpus loaded"
    CORPUS_CHANGED = "corpus changed"
    ONTOLOGY_LOADED = "ontology loaded"
    GUIDELINES_CHANGED = "guidelines changed"
    ANNOTATIONS_LOADED = "annotations loaded"
    DOCUMENTS_DRAWN = "documents drawn"
    DOCUMENT_REMOVED = "document removed"
    EPOCH_RELEASED = "epoch released"
    SNAPSHOT_TAKEN = "snapshot taken"
    TEAM_APPROVED = "team approved"
    ACCOUNT_CHANGED = "account changed"
    ACCOUNT_DELETED = "account deleted"
    FACTORS_RESET = "factors reset"
    TOKEN_MADE = "token made"  # noqa: S105
    TOKEN_REVOKED = "token revoked"  # noqa: S105
    ROLE_GIVEN = "role given"
    ROLE_TAKEN = "role taken"
    SUBMISSION_CHANGED = "submission changed"
    QUESTION_SENT_ON = "question sent to an expert"
    TRIED_AGAIN = "tried again"
    KEY_MADE = "key made"
    KEY_REVOKED = "key revoked"
    MONEY_DEPOSITED = "money deposited"
    TRASH_PUT_BACK = "trash put back"
    INSTALLATION_JOINED = "installation joined"


def record(
    what: What,
    *,
    by: AbstractBaseUser | None,
    about: Model | str,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Write down an act. Call it inside the transaction of the act.

    Parameters
    ----------
    what : What
    by : User or None
        Who did it; None: somebody at the command line.
    about : Model or str
        The saved object that it is about; a name, where it is about none.
    before, after : mapping, optional
        The fields that changed, of the small kind: numbers, names, states.

    Raises
    ------
    InvalidInput
        If the object is not saved, so that nobody could find it.
    """
    if isinstance(about, Model) and about.pk is None:
        raise InvalidInput(f"{about._meta.verbose_name} is not saved yet; record an act after it")
    return AuditEntry.objects.create(
        what=what,
        by_id=None if by is None else by.pk,
        kind=str(about._meta.verbose_name) if isinstance(about, Model) else "",
        about=str(about.pk if isinstance(about, Model) else about)[:200],
        before=_plain(before or {}),
        after=_plain(after or {}),
    )


def values(row: Model, fields: Collection[str]) -> dict[str, Any]:
    """Return an object's fields as they are now, for what `changed` compares."""
    return {name: getattr(row, name) for name in fields}


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what differs: as it was, and as it is.

    Examples
    --------
    >>> changed({"name": "A", "quota": 3}, {"name": "A", "quota": 4})
    ({'quota': 3}, {'quota': 4})
    """
    names = [name for name in before if before[name] != after[name]]
    return {name: before[name] for name in names}, {name: after[name] for name in names}


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(value) for name, value in fields.items()}


def _value(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
