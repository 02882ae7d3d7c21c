"""Where files are kept: in folders of this machine, or in one S3-compatible store that many machines share.

A file has a *place*, such as ``media/submissions/news/….kb``: in folders ``media`` is `MEDIA_ROOT` and
``home`` is `KBPO_HOME`; in a store it is the object's key, below the prefix. A file is there as a whole or
not at all, and nothing else of the service opens one by its path.
"""

import logging

from django.conf import settings

from kbpo.core.errors import StoreAway
from kbpo.core.storage.base import Arriving, Draft, Store, Stored, whole_of
from kbpo.core.storage.folder import Folders

__all__ = ["Arriving", "Draft", "Store", "Stored", "let_go", "store", "whole_of"]

logger = logging.getLogger(__name__)


def store(*, hurried: bool = False) -> Store:
    """Return where the service's files are.

    Parameters
    ----------
    hurried : bool
        Whether a second is all that may be waited for it: only to look how it is.
    """
    if settings.FILE_STORE is None:
        return Folders()
    from kbpo.core.storage.s3 import connected  # boto3 takes a while to import, and few need it

    return connected(settings.FILE_STORE, hurried=hurried)


def let_go(place: str) -> None:
    """Delete a file that no row names any more; where the store is away, the trash will have it in a day."""
    try:
        store().discard(place)
    except StoreAway as error:
        logger.error("%s is deleted later: %s", place, error.detail)
