"""How long Prolific asks to wait."""

from datetime import UTC, datetime

import httpx2
import pytest

from crowd.providers.base import NoAnswer
from crowd.providers.prolific.api import LONGEST_WAIT, Api

HALF_PAST_NINE = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("7", 7.0),
        ("Fri, 20 Nov 2026 09:31:30 GMT", 90.0),
        ("Fri, 20 Nov 2026 09:29:00 GMT", 0.0),
        ("Sat, 21 Nov 2026 09:30:00 GMT", LONGEST_WAIT),
        ("soon", None),
    ],
)
def test_a_wait_is_seconds_or_lasts_until_a_date_by_the_clock_that_was_given(
    said: str, seconds: float | None
) -> None:
    busy = httpx2.MockTransport(lambda request: httpx2.Response(429, headers={"Retry-After": said}))
    api = Api("https://prolific.test", "token", transport=busy, clock=lambda: HALF_PAST_NINE)
    with pytest.raises(NoAnswer) as caught:
        api.get("studies/")
    assert caught.value.retry_after == seconds
