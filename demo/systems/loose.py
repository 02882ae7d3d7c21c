"""One word is enough: where a trigger stands near two mentions of the right types, the relation is claimed.

It finds much of what there is and a good deal that is not: *born* reaches for every place in the sentence.
"""

import re
from collections.abc import Iterator, Sequence

from demo.markup import Document
from demo.systems.pairs import pairs
from demo.systems.reading import Claim, Extraction, Sentence, extract_each

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
"""What each relation needs to find between the two mentions, or up to 30 characters before them."""

NEARNESS = {"per:title": 40, "per:employee_or_member_of": 90}
"""Relations that need no trigger, only few characters between the two."""

REACH = 110
_TRIGGERS = {relation: re.compile(rf"\b(?:{words})\b") for relation, words in TRIGGERS.items()}


def extract(documents: Sequence[Document]) -> list[Extraction]:
    """Say what the triggers suggest; every capitalized name is somebody or something."""
    return extract_each(documents, _claims, guess=True)


def _claims(sentence: Sentence) -> Iterator[Claim]:
    start = sentence.span.start
    for pair in pairs(sentence, reach=REACH):
        gap = pair.second.span.start - pair.first.span.end
        heard = sentence.text[max(0, pair.first.span.start - start - 30) : pair.second.span.start - start]
        for relation, subject, obj in pair.choices:
            if relation in _TRIGGERS:
                holds = _TRIGGERS[relation].search(heard) is not None
            else:
                holds = gap <= NEARNESS.get(relation, -1)
            if holds:
                yield Claim(relation, subject, obj, round(0.9 - gap / 150, 4))
