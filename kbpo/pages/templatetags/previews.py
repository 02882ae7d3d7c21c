"""What a link to a page is shown as elsewhere (Open Graph)."""

import re

from django import template
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)


@register.tag
def previewed(parser: Parser, token: Token) -> "_Previewed":
    """Say the title between the tags once more, as previews of links read it."""
    inside = parser.parse(("endpreviewed",))
    parser.delete_first_token()
    return _Previewed(inside)


class _Previewed(template.Node):
    def __init__(self, inside: NodeList) -> None:
        self._inside = inside

    def render(self, context: Context) -> SafeString:
        """Write the title on one line, and again; it is escaped already, but for quotes of templates."""
        found = _TITLE.search(self._inside.render(context))
        title = " ".join(found[1].split()) if found else ""
        quoted = title.replace('"', "&quot;")
        return mark_safe(  # noqa: S308 - what is in it was escaped by the template
            f'<title>{title}</title>\n    <meta property="og:title" content="{quoted}">'
        )
