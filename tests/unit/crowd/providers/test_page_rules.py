"""What our pages know of providers."""

import pytest

from crowd.models import Hit
from crowd.providers.page_rules import PAGE_RULES
from kbpo.accounts.models import WorkerIdentity


def test_every_provider_has_rules() -> None:
    assert set(PAGE_RULES) == set(WorkerIdentity.Provider.values)


@pytest.mark.parametrize(
    ("provider", "is_closed"), [("marketplace", False), ("mturk", False), ("prolific", True)]
)
def test_only_prolific_sends_workers_to_a_hit_that_is_over(provider: str, is_closed: bool) -> None:
    assert PAGE_RULES[provider].is_closed(Hit(state=Hit.State.CLOSED)) is is_closed
