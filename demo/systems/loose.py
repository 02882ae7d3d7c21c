"""One word is enough: where a trigger stands near two mentions of the right types, the relation is claimed.

It finds much of what there is and a good deal that is not: *born* reaches for every place in the sentence.
"""

import re
from collections.abc import Sequence

from demo.markup import Document
from demo.systems.pairs import candidates
from demo.systems.reading import Claim, Extraction, Mention, Sentence, read

TRIGGERS = {
    "per:date_of_birth": r"born|birth",
    "per:place_of_birth": r"born|birth",
    "per:date_of_death": r"died|death|late",
    "per:place_of_death": r"died|death",
    "per:place_of_residence": r"lives?|lived|house|flat|moved|grew up",
    "per:parents": r"father|mother|son|daughters?|children|child",
    "per:siblings": r"brothers?|sisters?|twins?",
    "per:spouse": r"married|wife|husband|divorced",
    "per:other_family": r"uncle|aunt|cousin|nephew|grand\w+|great-\w+",
    "per:schools_attended": r"studied|studying|students?|graduate\w*|attends|attended|school|trained|degree",
    "per:organizations_founded": r"founded|founder",
    "per:holds_shares_in": r"shares?|stake|owns|holds",
    "org:date_founded": r"founded|opened",
    "org:date_dissolved": r"dissolved",
    "org:place_of_headquarters": r"based|offices?|head office|of|seat",
    "org:parents": r"subsidiary|part of|belongs?|owned",
    "org:member_of": r"member",
    "org:holds_shares_in": r"shares?|owns|holds|bought",
    "gpe:member_of": r"members?",
}
"""What a claim of each relation needs to find between the two mentions, or up to 30 characters before them."""

REACH = 60
_TRIGGERS = {relation: re.compile(rf"\b(?:{words})\b") for relation, words in TRIGGERS.items()}


def extract(documents: Sequence[Document]) -> list[Extraction]:
    """Say what the triggers suggest; every capitalized name is somebody or something."""
    extractions = []
    for document in documents:
        sentences = read(document, guess=True)
        claims = [claim for sentence in sentences for claim in _claims(sentence)]
        mentions = tuple(mention for sentence in sentences for mention in sentence.mentions)
        extractions.append(Extraction(document["doc_id"], mentions, tuple(claims)))
    return extractions


def _claims(sentence: Sentence) -> list[Claim]:
    claims = []
    for first, second, options in candidates(sentence, reach=REACH):
        gap = second.span.start - first.span.end
        confidence = round(0.9 - gap / 100, 4)
        start = sentence.span.start
        before = sentence.text[max(0, first.span.start - start - 30) : second.span.start - start]
        for option in options:
            subject, obj = (first, second) if option.subject == 0 else (second, first)
            name = option.relation.name
            trigger = _TRIGGERS.get(name)
            if trigger is None:
                holds = name in _BY_TYPE and gap <= _BY_TYPE[name] and not _other_between(sentence, first, second)
            else:
                holds = trigger.search(before) is not None
            if holds:
                claims.append(Claim(name, subject, obj, confidence))
    return claims


_BY_TYPE = {"per:title": 15, "per:employee_or_member_of": 60}
"""Relations that are claimed of mentions this near to each other, whatever the words between them."""


def _other_between(sentence: Sentence, first: Mention, second: Mention) -> bool:
    """Say whether another person stands between the two."""
    return any(
        mention.type == "PER" and first.span.end <= mention.span.start < second.span.start
        for mention in sentence.mentions
    )
