"""A few exact patterns: what it says is nearly always true, and it says little.

A pattern is matched against a sentence in which every mention stands as its type: ``S:PER`` is the subject,
``O:GPE`` the object, a bare ``PER`` some other mention, ``~`` up to 40 characters without a mention.
"""

import re
from collections.abc import Sequence

from demo.markup import Document
from demo.systems.reading import Claim, Extraction, Sentence, extract_each

PATTERNS = (
    ("per:place_of_birth", r"S:PER,? (?:who )?(?:was|were) born (?:on DATE )?in O:GPE"),
    ("per:place_of_birth", r"S:PER was born (?:in|on) DATE,? (?:and )?in O:GPE"),
    ("per:date_of_birth", r"S:PER,? (?:who )?was born (?:in GPE )?(?:on|in) O:DATE"),
    ("per:date_of_death", r"S:PER died (?:in GPE )?(?:on|in) O:DATE"),
    ("per:place_of_death", r"S:PER died in O:GPE"),
    ("per:place_of_death", r"S:PER~ and died in O:GPE"),
    ("per:place_of_residence", r"S:PER (?:now )?(?:lives|has lived) in O:GPE"),
    ("per:place_of_residence", r"S:PER~ (?:live|lives|lived|moved) in O:GPE"),
    ("per:spouse", r"S:PER (?:is|was) married to O:PER"),
    ("per:spouse", r"S:PER married O:PER"),
    ("per:spouse", r"S:PER (?:former )?(?:wife|husband),? (?:is )?O:PER"),
    ("per:parents", r"S:PER (?:mother|father),? (?:is )?O:PER"),
    ("per:parents", r"O:PER(?:'s)? (?:son|daughter),? S:PER"),
    ("per:parents", r"S:PER, the (?:son|daughter) of O:PER"),
    ("per:siblings", r"S:PER(?:'s)? (?:twin )?(?:brother|sister),? O:PER"),
    ("per:schools_attended", r"S:PER (?:studied|trained|was educated)~(?:at|from) (?:the )?O:ORG"),
    ("per:schools_attended", r"S:PER (?:is a graduate of|attended|attends|entered) (?:the )?O:ORG"),
    ("per:schools_attended", r"S:PER graduated from (?:the )?O:ORG"),
    ("per:title", r"S:PER, (?:the |a |an |its )?(?:\w+ )?O:TITLE"),
    ("per:title", r"S:PER (?:is|was) (?:the |a |an )?(?:\w+ )?O:TITLE"),
    ("per:title", r"S:PER[^<>.;]{1,12}O:TITLE"),
    ("per:title", r"[Tt]he O:TITLE,? (?:of (?:GPE|ORG),? )?S:PER"),
    ("per:employee_or_member_of", r"S:PER,? (?:is |was )?(?:the |a )?TITLE (?:of|at|with) (?:the )?O:ORG"),
    ("per:employee_or_member_of", r"S:PER,? (?:is |was )?(?:the |a |an )?(?:\w+ )?TITLE of O:GPE"),
    ("per:employee_or_member_of", r"S:PER,? of (?:the )?O:ORG"),
    ("per:employee_or_member_of", r"TITLE of (?:the )?O:GPE, S:PER"),
    ("per:employee_or_member_of", r"S:PER (?:joined|works? (?:for|at)|has worked for|runs) (?:the )?O:ORG"),
    ("per:organizations_founded", r"S:PER (?:had )?founded (?:the )?O:ORG"),
    ("per:organizations_founded", r"O:ORG was founded (?:in DATE )?by S:PER"),
    ("org:date_founded", r"S:ORG,? (?:which )?(?:was|were) founded in O:DATE"),
    ("org:date_founded", r"founded (?:the )?S:ORG~ in O:DATE"),
    ("org:date_dissolved", r"S:ORG,? (?:which )?(?:itself )?(?:was|will be) dissolved (?:on|in) O:DATE"),
    ("org:place_of_headquarters", r"S:ORG,? (?:which )?(?:is|was) based in O:GPE"),
    ("org:place_of_headquarters", r"S:ORG,? (?:which )?(?:has|had) its~ in O:GPE"),
    ("org:parents", r"S:ORG(?:,| is) (?:a subsidiary|(?:now )?part) of (?:the )?O:ORG"),
    ("org:member_of", r"S:ORG,?~ (?:is a member of|belongs to) (?:the )?O:ORG"),
    ("org:holds_shares_in", r"S:ORG (?:holds|owns|bought)~ of O:ORG"),
    ("per:holds_shares_in", r"S:PER (?:holds|owns)~ (?:of|in) (?:the )?O:ORG"),
)  # fmt: skip


def extract(documents: Sequence[Document]) -> list[Extraction]:
    """Say what the patterns find; names of which the lexicon knows nothing are left alone."""
    return extract_each(documents, _match)


def _compile(pattern: str) -> re.Pattern[str]:
    for role, group in (("S:", "s"), ("O:", "o")):
        pattern = re.sub(rf"{role}([A-Z]+)", rf"<\1(?P<{group}>\\d+)>", pattern, count=1)
    pattern = re.sub(r"(?<![<A-Z:])(PER|ORG|GPE|DATE|TITLE)(?![A-Z(])", r"<\1\\d+>", pattern)
    return re.compile(pattern.replace("~", "[^<>]{0,40}"))


_COMPILED = tuple((relation, _compile(pattern)) for relation, pattern in PATTERNS)


def _match(sentence: Sentence) -> list[Claim]:
    shown = _show_types(sentence)
    return [
        Claim(
            relation,
            sentence.mentions[int(match["s"])],
            sentence.mentions[int(match["o"])],
            0.7 if "pronoun" in {sentence.mentions[int(match[role])].kind for role in "so"} else 0.9,
        )
        for relation, pattern in _COMPILED
        for match in pattern.finditer(shown)
    ]


def _show_types(sentence: Sentence) -> str:
    shown, at = [], 0
    for number, mention in enumerate(sentence.mentions):
        start, end = mention.span.start - sentence.span.start, mention.span.end - sentence.span.start
        shown += [sentence.text[at:start], f"<{mention.type}{number}>"]
        at = end
    return "".join([*shown, sentence.text[at:]])
