"""Marked text as HTML, without the white space that a template would add to a document's own."""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from annotations.models import Corpus
from annotations.templatetags.languages import words_of
from crowd.interfaces.steps import Part
from kbpo.core.marking import Segment

register = template.Library()


@register.simple_tag
def marked(segments: Iterable[Segment]) -> SafeString:
    """Write a document's text, each stretch in the classes of its marks, each mark's label where it opens.

    The element around it says the text's language; labels are English.
    """
    return mark_safe("".join(_segment(segment) for segment in segments))  # noqa: S308  (each is escaped)


@register.simple_tag
def sentence(parts: Iterable[Part], corpus: Corpus | str = "") -> SafeString:
    """Write an English sentence about mentions in a corpus, each mention with its letter."""
    return mark_safe("".join(_part(part, corpus) for part in parts))  # noqa: S308  (each is escaped)


def _segment(segment: Segment) -> SafeString:
    tags = format_html_join(
        "",
        '<span data-tag="{}"><span class="tag" lang="en" dir="ltr">{}</span>&nbsp;</span>',
        ((mark.kind, mark.label) for mark in segment.opens if mark.label),
    )
    classes = " ".join(mark.kind for mark in segment.marks)
    if not classes:
        return format_html("{}", segment.text)
    return format_html('<span class="{}">{}{}</span>', classes, tags, segment.text)


def _part(part: Part, corpus: Corpus | str) -> SafeString:
    if part.text.isspace():
        return mark_safe("&#32;")  # which `spaceless` leaves between two mentions
    if not part.letter:
        return format_html("{}", part.text)
    return format_html(
        '<b class="mention-{}"><span class="tag">{}</span>&nbsp;{}</b>',
        part.letter.lower(),
        part.letter,
        words_of(part.text, corpus),
    )
