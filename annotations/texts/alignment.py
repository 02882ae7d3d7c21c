"""The longest common subsequence of two lists of words, by the bits of integers (Crochemore et al. 2001)."""

from collections.abc import Hashable, Iterator, Sequence


def common_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return how long the longest common subsequence is."""
    *_, last = _rows(one, other)
    return len(one) - last.bit_count()


def common(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the places in both of a longest common subsequence, in order."""
    rows = list(_rows(one, other))
    pairs, place = [], len(one)
    row = len(other)
    while row and place:
        if rows[row] >> (place - 1) & 1:
            place -= 1
        elif rows[row - 1] >> (place - 1) & 1:
            row, place = row - 1, place - 1
            pairs.append((place, row))
        else:
            row -= 1
    return pairs[::-1]


def _rows(one: Sequence[Hashable], other: Sequence[Hashable]) -> Iterator[int]:
    """Yield, for the first 0, 1, … of the others, a bit for each of the one: 0 where more is in common."""
    places: dict[Hashable, int] = {}
    for number, item in enumerate(one):
        places[item] = places.get(item, 0) | 1 << number
    mask = (1 << len(one)) - 1
    row = mask
    yield row
    for item in other:
        grown = row & places.get(item, 0)
        row = ((row + grown) | (row - grown)) & mask
        yield row
