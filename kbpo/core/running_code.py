"""Which code runs: of two versions at work side by side, each keeps for itself what it makes."""

from functools import cache
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PARTS = ("annotations", "client", "crowd", "evaluation", "kbpo", "marketplace", "static", "templates")
LIBRARIES = "requirements/runtime.txt"
MADE = ("__pycache__", ".egg-info", "build")  # folders of what is made from the rest


@cache
def code_digest() -> str:
    """Return a digest of what pages are made by: code, templates, what goes with them, and libraries.

    It is read once: each process does so as it starts, since files may be of another version later.
    """
    digest = sha256()
    files = [ROOT / LIBRARIES, *(path for part in PARTS for path in sorted((ROOT / part).rglob("*")))]
    for path in files:
        name = path.relative_to(ROOT)
        if path.is_file() and not any(folder.endswith(MADE) for folder in name.parts[:-1]):
            digest.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_key(key: object, prefix: str, version: int) -> str:
    """Return what a value is kept as in the cache, which another version's processes ask as well."""
    return f"{prefix}{code_digest()}:{version}:{key}"
