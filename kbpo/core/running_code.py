"""Which code runs: of two versions at work side by side, each keeps for itself what it makes."""

from functools import cache
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PARTS = ("annotations", "client", "crowd", "evaluation", "kbpo", "marketplace", "static", "templates")
ENDINGS = {".css", ".html", ".js", ".json", ".py", ".svg", ".txt"}


@cache
def code_digest() -> str:
    """Return a digest of what pages are made by: code, templates, and what goes with them. Read once."""
    digest = sha256()
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("*")):
            if path.suffix in ENDINGS and path.is_file():
                digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_key(key: object, prefix: str, version: int) -> str:
    """Return what a value is kept as in the cache, which another version's processes ask as well."""
    return f"{prefix}{code_digest()}:{version}:{key}"
