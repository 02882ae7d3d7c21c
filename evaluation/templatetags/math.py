"""Formulas: LaTeX in a template becomes MathML in the page, which browsers draw by themselves."""

from functools import cache

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from latex2mathml.converter import convert

register = template.Library()


@cache
def _mathml(latex: str, display: str) -> SafeString:
    return mark_safe(convert(latex, display=display))  # noqa: S308  # templates are ours


@register.simple_tag
def math(latex: str) -> SafeString:
    """Set a formula within a line."""
    return _mathml(latex, "inline")


@register.simple_tag
def display_math(latex: str) -> SafeString:
    """Set a formula on a line of its own, which scrolls where it is too narrow."""
    return format_html('<div class="formula" tabindex="0">{}</div>', _mathml(latex, "block"))
