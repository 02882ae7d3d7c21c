"""Keys of instances: the texts from which their random numbers are made."""

from typing import NoReturn

from kbpo.core.errors import InvalidInput

VERSION = "v1"


def instance_key(doc_id: str, predicate: str, subject: tuple[int, int], object: tuple[int, int]) -> str:
    """Return the text from which an instance's random number is made.

    The format is ``v1|predicate|start-end|start-end|doc_id`` with half-open offsets. The document's id comes
    last because it is the only part that may contain the separator. It must never change in an open epoch.

    Parameters
    ----------
    doc_id, predicate : str
        The document's id and the stored relation's name.
    subject, object : (int, int)
        Half-open character offsets of the two mentions, in the stored direction.

    Returns
    -------
    str

    Raises
    ------
    InvalidInput
        If the predicate is empty or contains ``|``, the id is empty, or a span is empty or negative.

    Examples
    --------
    >>> instance_key("D|1", "per:spouse", (0, 4), (9, 13))
    'v1|per:spouse|0-4|9-13|D|1'
    """
    if not predicate or "|" in predicate:
        _refuse("predicate", f"is {predicate!r}; a relation's name without '|' is needed")
    if not doc_id:
        _refuse("doc_id", "is empty; the document's id is needed")
    for name, (start, end) in (("subject", subject), ("object", object)):
        if not 0 <= start < end:
            _refuse(name, f"the span {start}-{end} is wrong; 0 <= start < end is needed")
    (first, last), (from_, to) = subject, object
    return f"{VERSION}|{predicate}|{int(first)}-{int(last)}|{int(from_)}-{int(to)}|{doc_id}"


def _refuse(where: str, message: str) -> NoReturn:
    raise InvalidInput(message, where=where)
