"""Which inputs and outputs go together: by their length, and by what the question asks."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from annotations.models import Input
from evaluation.models import Submission
from evaluation.task import Subsets
from evaluation.units import IntArray, Pool
from kbpo.core.database.bulk import array_literal, read_columns

BY_OUTPUT, BY_INPUT, BY_QUESTION = "output", "input", "question"
_OUTPUTS = (5, 10, 25, 50, 100)
_INPUTS = (50, 100, 300, 1000)
_QUESTIONS = ("what", "how", "who", "when", "where", "why", "which")
OTHER = "another word"
_BLANKS = (r"\t", r"\n", r"\013", r"\f", r"\r", r"\u00a0", r"\u2028", r"\u2029", r"\u3000")
# Cutting at a regular expression takes three times as long; blanks beside each other leave empty words.
_WORDS = (
    f"cardinality(array_remove(string_to_array({'replace(' * len(_BLANKS)}text"
    + "".join(f", E'{blank}', ' ')" for blank in _BLANKS)
    + ", ' '), ''))"
)


def _ranges(ends: tuple[int, ...]) -> tuple[str, ...]:
    firsts = (1, *(end + 1 for end in ends))
    between = [f"{first} to {end} words" for first, end in zip(firsts, ends, strict=False)]
    return ("no word", *between, f"more than {ends[-1]} words")


NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        BY_OUTPUT: _ranges(_OUTPUTS),
        BY_INPUT: _ranges(_INPUTS),
        BY_QUESTION: (*_QUESTIONS, OTHER),
    }
)
SUBSETS: Mapping[str, Subsets] = MappingProxyType(
    {
        BY_OUTPUT: Subsets("By the output’s length", lambda corpus: str),
        BY_INPUT: Subsets("By the input’s length", lambda corpus: str),
        BY_QUESTION: Subsets("By the question’s first word", lambda corpus: str),
    }
)


def read(pool: Pool, documents: IntArray) -> Iterator[tuple[str, IntArray, IntArray | None]]:
    """Yield each division that says something of a pool.

    Parameters
    ----------
    pool : Pool
    documents : int[I]
        The row ids of its inputs.

    Yields
    ------
    name : str
    of_input : int[I]
        The subset of each input; −1 for none.
    of_unit : int[N] or None
        That of each unit of the pool, where it goes by the output.
    """
    counted = read_columns(
        f"SELECT unit_id, {_WORDS} FROM evaluation_outputtext WHERE unit_id = ANY(%s::bigint[])",  # noqa: S608
        [array_literal(pool.sorted_ids.tolist())],
        {"unit": "bigint", "words": "bigint"},
    )
    of_unit = np.full(pool.size, -1)
    of_unit[pool.positions(counted["unit"])] = _classes(counted["words"], _OUTPUTS)
    yield BY_OUTPUT, np.full(documents.size, -1), of_unit
    counted = read_columns(
        f"SELECT id, {_WORDS} FROM annotations_document WHERE id = ANY(%s::bigint[])",  # noqa: S608
        [array_literal(documents.tolist())],
        {"document": "bigint", "words": "bigint"},
    )
    order = np.argsort(counted["document"])
    place = order[np.searchsorted(counted["document"], documents, sorter=order)]
    lengths = _classes(counted["words"], _INPUTS)[place]
    if np.unique(lengths).size > 1:
        yield BY_INPUT, lengths, None
    asked = Input.objects.filter(document__in=documents.tolist(), question__isnull=False)
    first = {
        pk: _first_word(text, span)
        for pk, span, text in asked.values_list("pk", "question", "document__text").iterator(2_000)
    }
    if first:
        yield BY_QUESTION, np.array([first.get(pk, -1) for pk in documents.tolist()]), None


def read_of(submission: Submission, division: str) -> IntArray:
    """Return the subset that each output of a submission is of, in the order of its file; −1 for none.

    Parameters
    ----------
    submission : Submission
    division : str
        A key of `SUBSETS`.
    """
    size = submission.outputs.count()
    found = np.full(size, -1)
    if division == BY_QUESTION:
        asked = submission.outputs.filter(document__given__question__isnull=False)
        rows = asked.values_list("place", "document__given__question", "document__text")
        for place, span, text in rows:
            found[place] = _first_word(text, span)
        return found
    text, key, ends = {
        BY_OUTPUT: ("evaluation_outputtext", "unit_id", _OUTPUTS),
        BY_INPUT: ("annotations_document", "id", _INPUTS),
    }[division]
    own = "unit_id" if division == BY_OUTPUT else "document_id"
    counted = read_columns(
        f"SELECT output.place, {_WORDS} FROM evaluation_output AS output"  # noqa: S608
        f" JOIN {text} AS texts ON texts.{key} = output.{own} WHERE output.submission_id = %s",
        [submission.pk],
        {"place": "bigint", "words": "bigint"},
    )
    found[counted["place"]] = _classes(counted["words"], ends)
    return found


def _classes(words: IntArray, ends: tuple[int, ...]) -> IntArray:
    """Return the range of each number of words: 0 for none."""
    return np.where(words > 0, 1 + np.searchsorted(ends, words), 0)


def _first_word(text: str, question: Sequence[int] | None) -> int:
    start, end = question or (0, 0)
    word = next(iter(text[start:end].casefold().split()), "").strip("\"'“”‘’.,:;?!")
    word = word.removesuffix("'s").removesuffix("’s")
    return _QUESTIONS.index(word) if word in _QUESTIONS else len(_QUESTIONS)
