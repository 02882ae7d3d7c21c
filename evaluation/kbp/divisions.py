"""From rows to subsets: relation, type of the subject, and how often its name occurs in the corpus."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from annotations import names
from annotations.models import AnnotatedMention, AnnotatedRelation, Corpus, Document
from evaluation.estimators.subsets import Division
from evaluation.task import Subsets
from kbpo.core.database.coded import Coded
from kbpo.core.ontology import RELATIONS, TYPE_NAMES

IntArray = NDArray[np.int64]

PREDICATE, TYPE, FREQUENCY = "predicate", "type", "frequency"
SUBSETS: Mapping[str, Subsets] = MappingProxyType(
    {
        PREDICATE: Subsets("By relation", lambda name: RELATIONS[name].name),
        TYPE: Subsets("By type of subject", lambda name: TYPE_NAMES[name]),
        FREQUENCY: Subsets("By how many documents contain the subject’s name", str),
    }
)

FEW_DOCUMENTS = 3
FREQUENT = 0.9
"""Above this quantile of the pool's distinct names a name is frequent."""


def divisions(
    corpus: Corpus, predicates: Sequence[Coded], subjects: Sequence[Coded], annotation_ids: Collection[int]
) -> Iterator[tuple[str, Division]]:
    """Divide the claims of a pool and the true relations of the exhaustive documents.

    Parameters
    ----------
    corpus : Corpus
    predicates, subjects : sequence of Coded
        For each system the predicate of each claim, and its subject's name (`names.normalised`).
    annotation_ids : collection of int
        Of the exhaustive documents. Their true relations are taken in the order of their row ids.

    Yields
    ------
    str
        A key of `SUBSETS`.
    Division
    """
    relations = list(
        AnnotatedRelation.objects.filter(annotation__in=annotation_ids)
        .order_by("pk")
        .values_list("predicate", "annotation_id", "annotation__document_id", "subject_start", "subject_end")
    )
    every = list(RELATIONS)
    code = {predicate: number for number, predicate in enumerate(every)}
    of_claims = [_codes(code[name] for name in column.values)[column.codes] for column in predicates]
    of_relations = _codes(code[row[0]] for row in relations)
    yield PREDICATE, Division(every, of_claims, of_relations)

    types = sorted({relation.subject_type for relation in RELATIONS.values()}, key=list(TYPE_NAMES).index)
    type_of = np.array([types.index(RELATIONS[predicate].subject_type) for predicate in every])
    yield (
        TYPE,
        Division(types, [type_of[codes] for codes in of_claims], type_of[of_relations]),
    )
    yield FREQUENCY, _by_frequency(corpus, subjects, relations)


def bands(frequencies: Sequence[int]) -> tuple[list[str], list[int]]:
    """Return the frequency bands that the pool's distinct names make.

    Parameters
    ----------
    frequencies : sequence of int
        In how many documents each distinct name of the pool occurs.

    Returns
    -------
    names : list of str
        Of two or three bands, the rarest first.
    tops : list of int
        The most documents of each band but the last.

    Examples
    --------
    >>> bands([1, 1, 2, 3, 3, 4, 5, 8, 20, 90])
    (['at most 3', '4 to 20', 'more than 20'], [3, 20])
    >>> bands([1, 1, 2])
    (['at most 3', 'more than 3'], [3])
    """
    top = int(np.quantile(frequencies, FREQUENT, method="inverted_cdf")) if len(frequencies) else 0
    if top <= FEW_DOCUMENTS:
        return [f"at most {FEW_DOCUMENTS}", f"more than {FEW_DOCUMENTS}"], [FEW_DOCUMENTS]
    first = f"{FEW_DOCUMENTS + 1} to {top}" if top > FEW_DOCUMENTS + 1 else str(top)
    return [f"at most {FEW_DOCUMENTS}", first, f"more than {top}"], [FEW_DOCUMENTS, top]


def _codes(values: Iterable[int]) -> IntArray:
    return np.fromiter(values, dtype=np.int64)


def _by_frequency(
    corpus: Corpus, subjects: Sequence[Coded], relations: Sequence[tuple[str, int, int, int, int]]
) -> Division:
    true = _read_names(relations)
    of_pool = {name for column in subjects for name in column.values}
    frequency = names.count_documents(corpus, of_pool.union(true))
    labels, tops = bands([frequency[name] for name in of_pool])

    def band(wanted: Iterable[str]) -> IntArray:
        counts = _codes(map(frequency.__getitem__, wanted))
        return np.searchsorted(tops, counts, side="left").astype(np.int64)

    return Division(labels, [band(column.values)[column.codes] for column in subjects], band(true))


def _read_names(relations: Sequence[tuple[str, int, int, int, int]]) -> list[str]:
    """Return the text of the canonical mention of each true relation's subject."""
    canonical = {
        (annotation, start, end): (canonical_start, canonical_end)
        for annotation, start, end, canonical_start, canonical_end in AnnotatedMention.objects.filter(
            annotation__in={row[1] for row in relations}
        ).values_list("annotation_id", "start", "end", "canonical_start", "canonical_end")
    }
    texts = dict(Document.objects.filter(pk__in={row[2] for row in relations}).values_list("pk", "text"))
    found = []
    for _, annotation, document, start, end in relations:
        start, end = canonical.get((annotation, start, end), (start, end))
        found.append(names.normalised(texts[document][start:end]))
    return found
