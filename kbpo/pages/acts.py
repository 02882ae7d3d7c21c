"""The audit log as its page shows it: who did what, and when."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from kbpo.accounts.models import User
from kbpo.core.models import AuditEntry

COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class Sought:
    """What somebody looks for in the audit log.

    Attributes
    ----------
    who : str
        An account's number, `COMMAND_LINE`, or empty for everybody.
    what : str
        The name of an act, or empty.
    about : str
        The id or name of an object, or empty.
    since, until : date or None
        Both days are included.
    """

    who: str = ""
    what: str = ""
    about: str = ""
    since: date | None = None
    until: date | None = None


def listed(sought: Sought) -> QuerySet[AuditEntry]:
    """Return the acts that somebody looks for, the newest first."""
    found = AuditEntry.objects.select_related("by")
    if sought.who == COMMAND_LINE:
        found = found.filter(by=None)
    elif sought.who:
        found = found.filter(by_id=int(sought.who))
    if sought.what:
        found = found.filter(what=sought.what)
    if sought.about:
        found = found.filter(about=sought.about)
    if sought.since:
        found = found.filter(at__gte=_midnight(sought.since))
    if sought.until:
        found = found.filter(at__lt=_midnight(sought.until) + timedelta(days=1))
    return found


def actors() -> list[tuple[str, str]]:
    """Return everybody who stands in the audit log, as choices of a form."""
    people = User.objects.filter(pk__in=AuditEntry.objects.values("by")).order_by("email")
    return [(COMMAND_LINE, COMMAND_LINE), *((str(user.pk), str(user)) for user in people)]


def changes(act: AuditEntry) -> list[tuple[str, Any, Any]]:
    """Return the fields that an act changed: name, as it was, as it is since."""
    names = [*act.before, *(name for name in act.after if name not in act.before)]
    return [(name.replace("_", " "), act.before.get(name), act.after.get(name)) for name in names]


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
