"""Names of metrics: those that the service computes itself, and what others may be called."""

import re

LONGEST_NAME = 40  # characters

#: What the service computes itself, where it can.
BUILT_IN = (
    *("bleu-2", "bleu-4", "chrf", "ter", "rouge-1", "rouge-2", "rouge-l", "length"),
    *("repeated-1", "repeated-2", "repeated-3", "repeated-4", "overlap", "unknown"),
    *("question-overlap", "passage-overlap"),
)
#: What stands for something else where a metric may be named.
RESERVED = ("none", "house", "perfect")
#: What a column is called that has the name of a metric which the service computes itself.
RENAMED = "{}-uploaded"

_NAME = re.compile(rf"[A-Za-z][A-Za-z0-9._-]{{0,{LONGEST_NAME - 1}}}")


def is_name(text: str) -> bool:
    """Say whether a metric may be called so.

    Examples
    --------
    >>> is_name("BERTScore"), is_name("my metric")
    (True, False)
    """
    return _NAME.fullmatch(text) is not None
