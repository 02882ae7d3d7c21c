"""Django's ``url`` tag and ``date`` filter, quicker: a long table asks for them hundreds of times.

They say what Django's say. Addresses are remembered, since nothing changes them while a process runs; dates
in the two forms that tables have are written without looking at each letter of the form.
"""

import datetime
from functools import lru_cache
from typing import Any

from django.template import Library
from django.template.base import Parser, Token
from django.template.context import Context
from django.template.defaultfilters import date as any_date
from django.template.defaulttags import URLNode
from django.template.defaulttags import url as any_url
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, get_urlconf, reverse
from django.utils.dates import MONTHS_3
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

register = Library()

DAY, ISO = "j M Y", "c"
_MONTHS = [str(MONTHS_3[number]).title() for number in range(1, 13)]


class RememberedURLNode(URLNode):
    """An address, which is worked out once for each name and arguments."""

    def render(self, context: Context) -> str:
        """Write the address, or keep it under the name that the template gives."""
        name = self.view_name.resolve(context)
        arguments = tuple(one.resolve(context) for one in self.args)
        named = tuple((key, one.resolve(context)) for key, one in self.kwargs.items())
        try:
            found = address(name, get_urlconf(), arguments, named)
        except NoReverseMatch:
            if self.asvar is None:
                raise
            found = ""
        if self.asvar:
            context[self.asvar] = found
            return ""
        return conditional_escape(found) if context.autoescape else found


@lru_cache(maxsize=20_000)
def address(
    name: str, urlconf: str | None, arguments: tuple[Any, ...], named: tuple[tuple[str, Any], ...]
) -> str:
    """Return the address of a view among those of a table of addresses (`None`: the site's).

    Raises
    ------
    NoReverseMatch
        There is none.
    """
    return reverse(name, urlconf, args=arguments, kwargs=dict(named))


@register.tag
def url(parser: Parser, token: Token) -> RememberedURLNode:
    """Read Django's tag, to the letter."""
    node = any_url(parser, token)
    return RememberedURLNode(node.view_name, node.args, node.kwargs, node.asvar)


@register.filter(expects_localtime=True, is_safe=False)
def date(value: Any, form: str | None = None) -> str:
    """Write a date in a form.

    Examples
    --------
    >>> date(datetime.date(2026, 3, 1), "j M Y")
    '1 Mar 2026'
    """
    if form == DAY and isinstance(value, datetime.date):
        return f"{value.day} {_MONTHS[value.month - 1]} {value.year}"
    if form == ISO and isinstance(value, datetime.datetime):
        return value.isoformat()
    written: str = any_date(value, form)
    return written


@register.simple_tag
def table(name: str, **given: Any) -> SafeString:
    """Write the rows of a long table by a template of ``templates/tables``; it knows what is given alone."""
    return SafeString(render_to_string(name, given, using="tables"))
