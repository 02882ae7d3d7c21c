"""What our tag and filter write is what Django's write; rows of tables are escaped."""

import datetime

import pytest
from django.template import Context, Template, defaultfilters, engines
from django.urls import NoReverseMatch, reverse

from kbpo.core.template_builtins import DAY, ISO, date, table

MOMENTS = (
    datetime.datetime(2026, 1, 9, 7, 5, tzinfo=datetime.UTC),
    datetime.datetime(2026, 5, 31, 23, 59, 59, 123456, tzinfo=datetime.UTC),
    datetime.datetime(2026, 9, 1, 12, 0, tzinfo=datetime.UTC),
    datetime.datetime(2026, 12, 24, 0, 0),  # noqa: DTZ001  # without a zone, too
)


@pytest.mark.parametrize("form", [DAY, ISO, "j M Y, H:i", None])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_moment_is_written_as_django_writes_it(moment, form):
    assert date(moment, form) == defaultfilters.date(moment, form)


@pytest.mark.parametrize("value", [None, "", "no date", datetime.date(2026, 6, 3)])
def test_what_is_no_moment_is_written_as_django_writes_it(value):
    assert date(value, DAY) == defaultfilters.date(value, DAY)


def test_a_template_has_the_quick_tag_and_its_addresses_are_the_site_s():
    said = Template("{% url 'corpus' tag %}|{% url 'corpus' tag=tag as kept %}{{ kept }}").render(
        Context({"tag": "a b&c"})
    )
    assert said.split("|") == [reverse("corpus", args=["a b&c"]).replace("&", "&amp;")] * 2


def test_an_address_that_is_none_is_refused_or_kept_empty():
    with pytest.raises(NoReverseMatch):
        Template("{% url 'nowhere' %}").render(Context())
    assert Template("{% url 'nowhere' as kept %}[{{ kept }}]").render(Context()) == "[]"


def test_a_table_escapes_what_it_is_given():
    assert "<script>" not in table("statement.html", statement=[Said("<script>")], corpus="", anchors=False)
    assert engines["tables"].env.autoescape is True


class Said:
    span = None

    def __init__(self, text):
        self.text = text
