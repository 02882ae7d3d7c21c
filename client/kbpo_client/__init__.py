"""The client of KBP Online: its files checked offline, and its API for Python and the command line.

>>> from kbpo_client import Client  # doctest: +SKIP
>>> rows = Client("https://kbpo.example.org").leaderboard("news")  # doctest: +SKIP
"""

from kbpo_client.client import Client
from kbpo_client.errors import (
    ClientError,
    Later,
    NetworkError,
    NotAllowed,
    NotFound,
    Outdated,
    Refused,
    Unwritable,
    WrongUsage,
)
from kbpo_client.validating import Validation, validate
from kbpo_client.version import __version__

__all__ = [
    "Client",
    "ClientError",
    "Later",
    "NetworkError",
    "NotAllowed",
    "NotFound",
    "Outdated",
    "Refused",
    "Unwritable",
    "Validation",
    "WrongUsage",
    "__version__",
    "validate",
]
