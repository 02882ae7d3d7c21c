"""Small documents for the tests of the example systems."""

from demo.markup import Document, Gold, parse
from demo.systems.reading import Extraction, Mention
from kbpo_formats.spans import Span


def document(text: str, doc_id: str = "d") -> Document:
    return Document(doc_id=doc_id, title="A title", date="2031-04-02", text=text)


def annotated(body: str) -> tuple[Document, Gold]:
    return parse(f"A title\n2031-04-02\n\n{body}", doc_id="d")


def said(extractions: list[Extraction]) -> set[tuple[str, str, str]]:
    """Give what is claimed, with the words of the mentions."""
    return {
        (claim.relation, claim.subject.words, claim.object.words)
        for extraction in extractions
        for claim in extraction.claims
    }


def mention(words: str, type: str, start: int, *, name: str | None = None, at: int | None = None) -> Mention:
    """Make a mention; `name` and `at` are the words and the start of its canonical mention."""
    name, at = name or words, start if at is None else at
    return Mention(
        span=Span(start, start + len(words)),
        type=type,
        words=words,
        canonical=Span(at, at + len(name)),
        name=name,
        kind="string" if type in ("DATE", "TITLE") else "name",
    )
