"""Mentions that are too long for any true mention to be near them."""

from bisect import bisect_right

from kbpo_formats.corpus import Documents
from kbpo_formats.spans import Span

MOST_WORDS = 12
#: Where texts are not public: what is said of words would tell whoever asks often enough where each one ends.
MOST_CHARACTERS = 100


def why_too_long(documents: Documents, doc_id: str, span: Span) -> str | None:
    """Say why a mention is too long: more than `MOST_WORDS` words, or across sentences; None if it is not.

    Where problems may not quote texts, nothing of them is looked at: it is too long by its characters alone.
    """
    start, end = span
    if not documents.about.get("quotes_texts", True):
        return f"has {end - start} characters" if end - start > MOST_CHARACTERS else None
    return why_text_too_long(documents, doc_id, span, documents.text(doc_id)[start:end])


def why_text_too_long(documents: Documents, doc_id: str, span: Span, text: str) -> str | None:
    """Say the same of a mention whose words are at hand, where problems may quote texts."""
    start, end = span
    if text.isalnum():
        return None  # most are one word
    if end - start > 2 * MOST_WORDS and (words := len(text.split())) > MOST_WORDS:
        return f"has {words} words"
    if text.replace(" ", "").isalpha():
        return None  # a sentence ends with a mark or a line
    begins = documents.sentences(doc_id)
    following = bisect_right(begins, start)
    if following < len(begins) and begins[following] < end:
        return "goes on into another sentence"
    return None
