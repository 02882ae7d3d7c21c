"""A bucket of requests for each key, kept in its row, so that all web processes share it."""

from datetime import datetime

from django.db import connection

from marketplace.models import RequesterKey
from marketplace.protocol.errors import ProtocolError

# One statement: two requests at once cannot both take the last one.
_TAKE = """
    UPDATE marketplace_requesterkey
    SET tokens = filled.tokens - 1, filled_at = GREATEST(filled_at, %(now)s)
    FROM (
        SELECT
            id,
            LEAST(burst, tokens + rate * GREATEST(0, EXTRACT(EPOCH FROM %(now)s - filled_at))) AS tokens
        FROM marketplace_requesterkey WHERE id = %(key)s FOR UPDATE
    ) AS filled
    WHERE marketplace_requesterkey.id = filled.id AND filled.tokens >= 1
"""


def take_request(*, key: RequesterKey, now: datetime) -> None:
    """Take one request out of a key's bucket, which fills at `rate` a second up to `burst`.

    Raises
    ------
    ProtocolError
        If it is empty.
    """
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, {"key": key.pk, "now": now})
        if not cursor.rowcount:
            raise ProtocolError(
                "ThrottlingException", f"Rate exceeded: {key.rate:g} requests a second. Try again later."
            )
