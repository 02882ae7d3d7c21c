"""Names that nobody can guess, in the alphabet of MTurk's."""

import secrets

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LENGTH = 30


def new_id() -> str:
    """Return a fresh id of a HIT, a type or an assignment: 30 characters, ``3…``."""
    return "3" + _random(LENGTH - 1)


def new_worker_id() -> str:
    """Return a fresh id of a worker: 14 characters, ``A…``."""
    return "A" + _random(13)


def new_access_key_id() -> str:
    """Return a fresh access key id: 20 characters, ``AKIA…``."""
    return "AKIA" + _random(16)


def new_secret() -> str:
    """Return a fresh secret: 40 characters."""
    return secrets.token_urlsafe(30)


def _random(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
