"""Judgements that are published already, of a text or of one that looks the same."""

from collections.abc import Collection, Mapping
from datetime import datetime

from annotations.models import Corpus, Question
from evaluation.generation.asking import asked_of, asking_of
from kbpo_formats.normal import nfc

Place = tuple[int, str]
"""The row id of an input, and a text that was written for it."""


def as_read(text: str) -> str:
    r"""Return what a text has in common with all that nobody can tell from it on a page.

    Blanks count as one and at the ends of lines for nothing, and letters with marks however they are coded.

    Examples
    --------
    >>> as_read(" Paid  at once.\u00a0\nNo cafe\u0301 ") == "Paid at once.\nNo café"
    True
    """
    lines = nfc(text).split("\n")
    return "\n".join(" ".join(line.split()) for line in lines).strip("\n")


def find(corpus: Corpus, places: Collection[Place], before: datetime | None = None) -> Mapping[Place, int]:
    """Return the question about each text whose judgements are published.

    That is the one about the very text; else the first about one that looks the same. A judgement is not
    undone by a blank: whoever knows it could else keep those that turned out well, and have the others drawn
    anew.

    Parameters
    ----------
    corpus : Corpus
    places : collection of (int, str)
    before : datetime, optional
        When they must have been; at any time if left out.
    """
    published = Question.objects.filter(
        document__in={document for document, _ in places}, audits=None, published_at__isnull=False
    )
    if before is not None:
        published = published.filter(published_at__lt=before)
    keyed = published.order_by("-pk").values_list("document_id", "key", "pk")
    by_key = {(document, key): pk for document, key, pk in keyed}
    if not by_key:
        return {}
    listed = list(places)
    keys = [(document, one.key) for (document, _), one in zip(listed, asked_of(corpus, listed), strict=True)]
    found = {place: by_key[key] for place, key in zip(listed, keys, strict=True) if key in by_key}
    left = {document for document, text in listed if (document, text) not in found}
    field = asking_of(corpus).field
    by_look: dict[Place, int] = {}
    rows = published.filter(document__in=left).order_by("-pk").values_list("document_id", "pk", "payload")
    for document, pk, payload in rows.iterator(chunk_size=2_000):
        by_look[document, as_read(payload[field])] = pk
    alike = ((place, by_look.get((place[0], as_read(place[1])))) for place in listed if place not in found)
    return found | {place: pk for place, pk in alike if pk is not None}
