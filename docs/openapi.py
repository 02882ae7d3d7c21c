"""Writes the API's description: ``python -m docs.openapi``."""

import json
import os
import sys
from typing import Any

import django


def describe() -> dict[str, Any]:
    """Return the description of the API as the code has it."""
    from kbpo.api.schema import Generator

    found: dict[str, Any] = Generator().get_schema()
    return found


def write(schema: dict[str, Any]) -> str:
    """Return the file."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Write it; return the exit status."""
    from kbpo.api.reference import schema_path

    path = schema_path()
    path.parent.mkdir(exist_ok=True)
    path.write_text(write(describe()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    django.setup()
    sys.exit(main())
