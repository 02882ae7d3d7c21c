import pytest

from crowd.quality import patterns


@pytest.fixture(autouse=True)
def everybody_may_say_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers here say "none" to all of a HIT's ten questions, which is a pattern elsewhere."""
    monkeypatch.setattr(patterns, "FEWEST", 1000)
