"""Long tables are written by Jinja2, which compiles a template to Python: a row costs a tenth of the time.

Their templates are in ``templates/tables``; a page's own template asks for one by the tag ``table``. What
they may use is named here, and says what Django's tags and filters of the same names say.
"""

from datetime import datetime
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.template.defaultfilters import capfirst, floatformat, pluralize, urlencode
from django.utils.timezone import is_aware, localtime
from jinja2 import Environment

from annotations.templatetags import languages
from evaluation.templatetags import scores
from kbpo.core.template_builtins import DAY, ISO, address, date


def environment(**options: Any) -> Environment:
    """Return what the templates of tables are compiled in."""
    made = Environment(trim_blocks=True, lstrip_blocks=True, **(options | {"autoescape": True}))  # noqa: S701  # it does
    made.globals |= {
        "url": _url,
        "measured": scores.measured,
        "of_counts": scores.of_counts,
        "written_in": languages.written_in,
    }
    made.filters |= {
        "breakable": scores.breakable,
        "day": _day,
        "iso": _iso,
        "or_dash": _or_dash,
        "capfirst": capfirst,
        "floatformat": floatformat,
        "intcomma": intcomma,
        "pluralize": pluralize,
        "urlencode": urlencode,
        "words_of": languages.words_of,
    }
    return made


def _url(name: str, *arguments: Any) -> str:
    return address(name, None, arguments, ())


def _day(value: Any) -> str:
    return date(_local(value), DAY)


def _iso(value: Any) -> str:
    return date(_local(value), ISO)


def _local(value: Any) -> Any:
    """Return a time in the zone of whoever reads, as Django's templates have it."""
    return localtime(value) if isinstance(value, datetime) and is_aware(value) else value


def _or_dash(value: Any) -> Any:
    return "–" if value is None else value
