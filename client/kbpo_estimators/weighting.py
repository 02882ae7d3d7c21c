"""What a system's precision is an average over: the distribution p_i on the instances that it predicts.

Each function takes the subjects, predicates and objects of one system's instances, all after turning, and
returns weights that sum to 1. What counts as one subject or object is the caller's to say: KBP's name keys,
never the system's own entities (docs/estimation.md, 1).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kbpo_estimators._checks import FloatArray, IntArray, not_empty, same_length, strings

Names = Sequence[str] | NDArray[Any]


def _codes(values: list[str]) -> IntArray:
    index = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return np.fromiter(map(index.__getitem__, values), dtype=np.int64, count=len(values))


def _checked(subjects: Names, predicates: Names, objects: Names) -> tuple[IntArray, IntArray, IntArray]:
    lists = strings("subjects", subjects), strings("predicates", predicates), strings("objects", objects)
    not_empty("subjects", len(lists[0]))
    same_length("predicates", len(lists[1]), len(lists[0]))
    same_length("objects", len(lists[2]), len(lists[0]))
    return _codes(lists[0]), _codes(lists[1]), _codes(lists[2])


def _sizes(codes: IntArray) -> IntArray:
    """Count, for each instance, the instances with its code."""
    return np.bincount(codes)[codes]


def _normalised(weights: FloatArray) -> FloatArray:
    # The exact sum does not depend on the order of the instances, so neither do the weights.
    return weights / math.fsum(weights.tolist())


def instance(subjects: Names, predicates: Names, objects: Names) -> FloatArray:
    """Weigh every instance alike: the micro average.

    Parameters
    ----------
    subjects, predicates, objects : sequence of str, length n
        The subject entity, predicate and object entity of each instance.

    Returns
    -------
    float[n]
        Summing to 1.

    Raises
    ------
    InvalidInput
        If there are no instances, the lengths differ, or a value is not a string.

    Examples
    --------
    >>> instance(["a", "a", "b", "b"], ["r", "r", "r", "s"], ["c", "d", "c", "c"]).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    return _instance(*_checked(subjects, predicates, objects))


def subject(subjects: Names, predicates: Names, objects: Names) -> FloatArray:
    """Weigh every subject entity alike: p ∝ 1/|subj(x)|.

    Parameters, returns and errors are those of `instance`.

    Examples
    --------
    >>> subject(["a", "b", "b"], ["r", "r", "s"], ["c", "c", "c"]).tolist()
    [0.5, 0.25, 0.25]
    """
    return _subject(*_checked(subjects, predicates, objects))


def relation(subjects: Names, predicates: Names, objects: Names) -> FloatArray:
    """Weigh every predicate alike: p ∝ 1/|rel(x)|.

    Parameters, returns and errors are those of `instance`.

    Examples
    --------
    >>> relation(["a", "b", "b"], ["r", "r", "s"], ["c", "c", "c"]).tolist()
    [0.25, 0.25, 0.5]
    """
    return _relation(*_checked(subjects, predicates, objects))


def subject_relation(subjects: Names, predicates: Names, objects: Names) -> FloatArray:
    """Weigh subjects and predicates together: p ∝ |subj-relns(x)| / (|subj(x)| · |rel(x)|).

    |subj-relns(x)| counts the distinct (predicate, object entity) pairs of the subject entity, so that
    entities with several relations count more, and repeated justifications of one relation do not.
    Parameters, returns and errors are those of `instance`.

    Examples
    --------
    Two justifications of one relation share what one would have:

    >>> subject_relation(["a", "a", "b"], ["r", "r", "r"], ["c", "c", "c"]).tolist()
    [0.25, 0.25, 0.5]
    """
    return _subject_relation(*_checked(subjects, predicates, objects))


def every(subjects: Names, predicates: Names, objects: Names) -> dict[str, FloatArray]:
    """Weigh in every way: the weights of `WEIGHTINGS`, by name.

    Parameters and errors are those of `instance`.
    """
    codes = _checked(subjects, predicates, objects)
    return {
        "instance": _instance(*codes),
        "subject": _subject(*codes),
        "relation": _relation(*codes),
        "subject_relation": _subject_relation(*codes),
    }


def _instance(subject: IntArray, predicate: IntArray, object_: IntArray) -> FloatArray:
    return _normalised(np.ones(subject.size))


def _subject(subject: IntArray, predicate: IntArray, object_: IntArray) -> FloatArray:
    return _normalised(1.0 / _sizes(subject))


def _relation(subject: IntArray, predicate: IntArray, object_: IntArray) -> FloatArray:
    return _normalised(1.0 / _sizes(predicate))


def _subject_relation(subject: IntArray, predicate: IntArray, object_: IntArray) -> FloatArray:
    pair = predicate * (object_.max() + 1) + object_
    _, pair = np.unique(pair, return_inverse=True)
    distinct = np.unique(subject * (pair.max() + 1) + pair)
    relations = np.bincount(distinct // (pair.max() + 1), minlength=int(subject.max()) + 1)
    return _normalised(relations[subject] / (_sizes(subject) * _sizes(predicate)))


WEIGHTINGS: Mapping[str, Callable[[Names, Names, Names], FloatArray]] = MappingProxyType(
    {"instance": instance, "subject": subject, "relation": relation, "subject_relation": subject_relation}
)
DEFAULT = "instance"
