"""A system check: whether files and database know each other (kbpo.W002)."""

from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import DatabaseError

from kbpo.core.errors import StoreAway
from kbpo.core.keeping import installation


@register(Tags.database)
def files_and_database_know_each_other(**_: Any) -> list[CheckMessage]:
    """Warn of files that belong to another database, or to another state of it."""
    try:
        trouble = installation.standing().trouble
    except DatabaseError:  # its table is not there yet
        return []
    except StoreAway as error:
        return [Warning(error.detail, id="kbpo.W002")]
    return [Warning(trouble, id="kbpo.W002")] if trouble else []
