"""Keys that several models have alike."""

from typing import Any

from django.db import models


def versions_key(model: type[models.Model], help_text: str) -> "models.ForeignKey[Any, Any]":
    """Return a key to a version of something, or to none; nobody looks for the rows of a version."""
    return models.ForeignKey(
        model,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        help_text=help_text,
    )
