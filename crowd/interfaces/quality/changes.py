"""How many characters an edit has changed. Pure."""

from collections import defaultdict


def count_changed(text: str, edit: str) -> int:
    """Return how many characters must be inserted, deleted or replaced to make a text another.

    By the bits of integers (Hyyrö 2003): texts of 10,000 characters take a few milliseconds.

    Examples
    --------
    >>> count_changed("He go home", "He goes home"), count_changed("same", "same"), count_changed("", "abc")
    (2, 0, 3)
    """
    if not text or not edit:
        return max(len(text), len(edit))
    places: dict[str, int] = defaultdict(int)
    for place, character in enumerate(text):
        places[character] |= 1 << place
    mask, last = (1 << len(text)) - 1, len(text) - 1
    rise, fall, distance = mask, 0, len(text)
    for character in edit:
        same = places.get(character, 0) | fall
        diagonal = (((same & rise) + rise) ^ rise) | same
        grow = (fall | ~(rise | diagonal)) & mask
        shrink = rise & diagonal
        distance += (grow >> last & 1) - (shrink >> last & 1)
        grow = grow << 1 | 1
        rise = (shrink << 1 | ~(diagonal | grow)) & mask
        fall = diagonal & grow & mask
    return distance
