"""How texts that anybody may have written are shown: whatever they hold can be seen, and does nothing."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotations.models import Corpus
from annotations.templatetags.languages import written_in
from annotations.texts.word_diff import Change, Piece, word_diff
from kbpo.core import showable

register = template.Library()


@register.filter
def visible(text: str) -> str:
    """Return a text with the code of each character in its place that nobody sees, or turns directions."""
    return showable.visible(text)


@register.simple_tag
def word_changes(text: str, edit: str, corpus: Corpus | str = "") -> SafeString:
    """Write what an edit kept, removed and added, word by word."""
    pieces = word_diff(showable.visible(text), showable.visible(edit))
    written = format_html_join("", "{}", ((_piece(one),) for one in pieces))
    return format_html('<div class="diff" {}>{}</div>', written_in(corpus), written)


def _piece(piece: Piece) -> SafeString:
    if piece.change is Change.KEPT:
        return format_html("{}", piece.text)
    words = piece.text.lstrip()
    spoken = format_html('<span class="visually-hidden" lang="en">{}: </span>', piece.change.value)
    gap = piece.text[: len(piece.text) - len(words)]
    if piece.change is Change.REMOVED:
        return format_html("{}<del>{}{}</del>", gap, spoken, words)
    return format_html("{}<ins>{}{}</ins>", gap, spoken, words)
