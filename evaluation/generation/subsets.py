"""Which inputs and outputs go together: by their length, and by what the question asks."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np

from annotations.models import Document, Input
from evaluation.generation.outputs import read_texts
from evaluation.task import Subsets
from evaluation.units import IntArray, Pool

BY_OUTPUT, BY_INPUT, BY_QUESTION = "output", "input", "question"
_OUTPUTS = (5, 10, 25, 50, 100)
_INPUTS = (50, 100, 300, 1000)
_QUESTIONS = ("what", "how", "who", "when", "where", "why", "which")
OTHER = "another word"


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
    texts = read_texts(pool.sorted_ids.tolist())
    of_unit = np.full(pool.size, -1)
    for pk, (_, text) in texts.items():
        of_unit[pool.positions(np.array([pk]))[0]] = _class(text, _OUTPUTS)
    yield BY_OUTPUT, np.full(documents.size, -1), of_unit
    rows = Document.objects.filter(pk__in=documents.tolist()).values_list("pk", "text")
    lengths = {pk: _class(text, _INPUTS) for pk, text in rows.iterator(chunk_size=2_000)}
    if len(set(lengths.values())) > 1:
        yield BY_INPUT, np.array([lengths[pk] for pk in documents.tolist()]), None
    asked = Input.objects.filter(document__in=documents.tolist(), question__isnull=False)
    first = {one.pk: _first_word(one) for one in asked.select_related("document").iterator(chunk_size=2_000)}
    if first:
        yield BY_QUESTION, np.array([first.get(pk, -1) for pk in documents.tolist()]), None


def _class(text: str, ends: tuple[int, ...]) -> int:
    words = len(text.split())
    return 1 + bisect_left(ends, words) if words else 0


def _first_word(given: Input) -> int:
    start, end = given.question or (0, 0)
    word = next(iter(given.document.text[start:end].casefold().split()), "").strip("\"'“”‘’.,:;?!")
    word = word.removesuffix("'s").removesuffix("’s")
    return _QUESTIONS.index(word) if word in _QUESTIONS else len(_QUESTIONS)
