"""What processes remember of rows: a test whose rows are gone, or that counts queries, has it forgotten."""

from django.core.cache import cache

from evaluation.scoring import board_digest


def forget() -> None:
    """Forget what is cached, and what pages of leaderboards are made from."""
    cache.clear()
    board_digest._shared.clear()
