"""What a corpus' own words stand in, on pages whose other words are English."""

from django import template
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from annotations.models import Corpus
from annotations.texts.languages import ENGLISH

register = template.Library()


@register.simple_tag
def written_in(corpus: Corpus | str) -> SafeString:
    """Return `lang` and `dir` of an element that holds words of a corpus; English where there is none."""
    language = corpus.written_in if isinstance(corpus, Corpus) else ENGLISH
    return format_html('lang="{}" dir="{}"', language.tag, language.direction)


@register.filter
def words_of(text: str, corpus: Corpus | str) -> SafeString:
    """Set words of a corpus apart from English words on the same line; English ones stand as they are."""
    if not isinstance(corpus, Corpus) or corpus.language == ENGLISH.tag:
        return conditional_escape(text)
    return format_html("<bdi {}>{}</bdi>", written_in(corpus), text)
