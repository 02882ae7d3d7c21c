"""Long tables by Jinja2 say what Django's templates say."""

from datetime import UTC, date, datetime

import pytest
from django.template import engines
from django.utils import timezone

from kbpo.tables import environment

LATE = datetime(2026, 3, 1, 20, 30, tzinfo=UTC)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
@pytest.mark.parametrize("value", [LATE, LATE.replace(tzinfo=None), LATE.date()])
def test_dates_are_those_of_djangos_filter_in_any_time_zone(zone, value):
    django = engines["django"].from_string('{{ value|date:"j M Y" }} {{ value|date:"c" }}')
    table = environment().from_string("{{ value|day }} {{ value|iso }}")
    with timezone.override(zone):
        said = table.render(value=value)
        assert said == django.render({"value": value})
    if zone == "Asia/Tokyo" and value is LATE:
        assert said.startswith("2 Mar 2026 2026-03-02T05:30:00+09:00")
    if isinstance(value, date) and not isinstance(value, datetime):
        assert said.startswith("1 Mar 2026")
