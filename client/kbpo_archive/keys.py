"""What the keys of questions and the names of their claims say: pure."""

Span = tuple[int, int]


def read_span(text: str) -> Span:
    """Return where something begins and ends.

    Examples
    --------
    >>> read_span("4-9")
    (4, 9)
    """
    start, _, end = text.partition("-")
    return int(start), int(end)


def read_pair(key: str) -> tuple[Span, Span]:
    """Return where the two mentions of a question about their relations are.

    Examples
    --------
    >>> read_pair("relation|1|0-3|PER|8-12|GPE")
    ((0, 3), (8, 12))
    """
    one, _, other, _ = key.split("|")[-4:]
    return read_span(one), read_span(other)


def relation_of(claim: str) -> str:
    """Return the relation of a claim.

    Examples
    --------
    >>> relation_of("per:spouse|1")
    'per:spouse'
    """
    return claim.rpartition("|")[0]


def subject_of(claim: str) -> int:
    """Return which mention of a pair is the subject of a claim: 0 or 1.

    Examples
    --------
    >>> subject_of("per:spouse|1")
    1
    """
    return int(claim.rpartition("|")[2])
