"""What the environment says of where files are.

============================  ========================================================================
variable                      meaning
============================  ========================================================================
``FILE_STORE``                ``s3://bucket/prefix``: the S3-compatible store that all machines share;
                              unset: folders below ``KBPO_HOME``, for one machine
``FILE_STORE_ENDPOINT``       the store's address, ``https://host:port``; unset: Amazon's
``FILE_STORE_REGION``         its region; ``us-east-1`` unless given
``FILE_STORE_KEY``            the access key's id; unset: as boto3 finds it (``AWS_ACCESS_KEY_ID``, a file
                              of credentials, the machine's own role)
``FILE_STORE_SECRET``         and the secret that goes with it
``TEXTS_CACHE_GB``            how much of this machine's disk copies of corpora's texts may take, which are
                              made anew wherever they are needed; 10 unless given
============================  ========================================================================

Those of ``FILE_STORE_…`` mean nothing without ``FILE_STORE``, and are refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from kbpo.core.errors import InvalidInput
from kbpo.core.store_address import Address

_OF_THE_STORE = ("FILE_STORE_ENDPOINT", "FILE_STORE_REGION", "FILE_STORE_KEY", "FILE_STORE_SECRET")
VARIABLES = frozenset({"FILE_STORE", "TEXTS_CACHE_GB", *_OF_THE_STORE})
EXAMPLE = "s3://bucket/prefix"
ENDPOINT_EXAMPLE = "https://store.example.org:9000"
TEXTS_CACHE = 10  # gigabytes
LARGEST_CACHE = 100_000

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"([A-Za-z0-9_.-]+/)*")
_REGION = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True)
class StorageEnvironment:
    """Where files are.

    Attributes
    ----------
    store : Address or None
        None: folders of this machine.
    texts_cache : int
        Bytes.
    """

    store: Address | None
    texts_cache: int


def read(given: Mapping[str, str]) -> StorageEnvironment:
    """Read and check these variables.

    Parameters
    ----------
    given : mapping of str to str
        Those that are set, and not empty.

    Raises
    ------
    InvalidInput
        Naming the variable that is wrong or missing, and what would be right.
    """
    return StorageEnvironment(store=_store(given), texts_cache=_gigabytes(given) * 10**9)


def _store(given: Mapping[str, str]) -> Address | None:
    beside = [name for name in _OF_THE_STORE if name in given]
    if "FILE_STORE" not in given:
        if beside:
            raise InvalidInput(
                f"is unset, and {', '.join(beside)} says something of it: set it to {EXAMPLE},"
                " or unset the others to keep files in folders",
                where="FILE_STORE",
            )
        return None
    bucket, prefix = _bucket(given["FILE_STORE"])
    region = given.get("FILE_STORE_REGION", "us-east-1")
    if not _REGION.fullmatch(region):
        raise InvalidInput(f"should be like eu-central-1, not {region[:60]!r}", where="FILE_STORE_REGION")
    return Address(bucket, prefix, _endpoint(given.get("FILE_STORE_ENDPOINT", "")), region, _keys(given))


def _bucket(value: str) -> tuple[str, str]:
    scheme, _, rest = value.partition("://")
    if scheme != "s3" or "@" in rest or "?" in rest:
        raise InvalidInput(
            f"should be like {EXAMPLE}; the store's address is FILE_STORE_ENDPOINT's,"
            " the keys are FILE_STORE_KEY's and FILE_STORE_SECRET's",
            where="FILE_STORE",
        )
    bucket, _, path = rest.partition("/")
    if not _BUCKET.fullmatch(bucket):
        raise InvalidInput(
            f"names no bucket: {bucket[:70]!r} should have 3 to 63 small letters, digits, dots and hyphens,"
            f" as in {EXAMPLE}",
            where="FILE_STORE",
        )
    prefix = f"{path.rstrip('/')}/" if path.strip("/") else ""
    if not _PREFIX.fullmatch(prefix) or {".", ".."} & set(prefix.split("/")):
        raise InvalidInput(
            f"has a prefix that keys cannot begin with ({prefix[:60]!r}): letters, digits, dots, hyphens and"
            f" underscores between single slashes, as in {EXAMPLE}",
            where="FILE_STORE",
        )
    return bucket, prefix


def _endpoint(value: str) -> str:
    if not value:
        return ""
    wrong = InvalidInput(f"should be like {ENDPOINT_EXAMPLE}, without a path", where="FILE_STORE_ENDPOINT")
    try:
        url = urlsplit(value)
        port = url.port
    except ValueError:
        raise wrong from None
    if url.scheme not in ("http", "https") or not url.hostname or port == 0 or url.username:
        raise wrong
    if url.path.strip("/") or url.query or url.fragment:
        raise wrong
    return f"{url.scheme}://{url.netloc}"


def _keys(given: Mapping[str, str]) -> tuple[str, str] | None:
    names = ("FILE_STORE_KEY", "FILE_STORE_SECRET")
    missing = [name for name in names if name not in given]
    if len(missing) == 1:
        (other,) = set(names) - set(missing)
        raise InvalidInput(
            f"is unset, and {other} is given: set both, or neither to have boto3 find them",
            where=missing[0],
        )
    return None if missing else (given["FILE_STORE_KEY"], given["FILE_STORE_SECRET"])


def _gigabytes(given: Mapping[str, str]) -> int:
    value = given.get("TEXTS_CACHE_GB", str(TEXTS_CACHE))
    if not (value.isascii() and value.isdigit() and len(value) < 9 and 1 <= int(value) <= LARGEST_CACHE):
        raise InvalidInput(
            f"must be a number of gigabytes from 1 to {LARGEST_CACHE}, not {value[:20]!r}",
            where="TEXTS_CACHE_GB",
        )
    return int(value)
