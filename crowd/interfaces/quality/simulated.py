"""What simulated people say of a text. Pure."""

from collections import Counter
from itertools import pairwise
from random import Random

from annotations.kinds.quality import LEVELS, RATINGS, QualityQuestion, is_best
from annotations.texts.records import AnnotationRecord

_SOME, _MUCH = 0.05, 0.2  # of the pairs of words: repeated ones, from which on a text says some or much twice
_SLIP = "slightly"


def right(asked: QualityQuestion, gold: AnnotationRecord) -> dict[str, object]:
    """Return the right answer: what gold says of this text; else one by what stands in it.

    A text that says pairs of words again is redundant, and one that neither begins with a capital nor ends
    with a full stop reads badly.
    """
    if (judged := gold.judgements.get(asked.text)) is not None:
        return asked.read_answer(judged)
    words = asked.text.split()
    repeated = sum(number - 1 for number in Counter(pairwise(words)).values()) / max(len(words) - 1, 1)
    faults = [not asked.text[:1].isupper(), not asked.text.endswith((".", "!", "?"))]
    ratings = {
        "fluency": LEVELS[sum(faults)],
        "redundancy": LEVELS[(repeated >= _SOME) + (repeated >= _MUCH)],
    }
    ratings["overall"] = min(ratings.values())
    return _answer(asked, ratings, _improved(words))


def given(asked: QualityQuestion, gold: AnnotationRecord, error: float, rng: Random) -> dict[str, object]:
    """Return the right answer, but with the probability of an error each rating is another."""
    found = right(asked, gold)
    edit = found["edit"]
    ratings: dict[str, int] = {}
    for name in RATINGS:
        level = found[name]
        assert isinstance(level, int)
        ratings[name] = rng.choice([one for one in LEVELS if one != level]) if rng.random() < error else level
    return _answer(asked, ratings, edit if isinstance(edit, str) else _improved(asked.text.split()))


def _answer(asked: QualityQuestion, ratings: dict[str, int], edit: str) -> dict[str, object]:
    needs_edit = not is_best(ratings) and bool(asked.text.strip())
    if needs_edit and asked.is_unchanged(edit):
        words = edit.split()
        edit = " ".join([*words[:1], _SLIP, *words[1:]])
    return asked.read_answer({**ratings, "edit": edit if needs_edit else None})


def _improved(words: list[str]) -> str:
    """Return a text that says no pair of words again, begins with a capital and ends with a full stop."""
    seen: set[tuple[str, str]] = set()
    kept = words[:1]
    for word in words[1:]:
        pair = (kept[-1].lower(), word.lower())
        if pair not in seen:
            seen.add(pair)
            kept.append(word)
    text = " ".join(kept)
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
