"""From rows to subsets: relation, type of the subject, and in how many documents its name stands."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from annotations.models import AnnotatedRelation, Corpus, Document
from annotations.ontologies import plain_ontology_of
from evaluation.kbp import name_counts
from evaluation.kbp.name_keys import Names, digest
from evaluation.task import Subsets
from kbpo.core.database.coded import Coded
from kbpo_estimators.subsets import Division

IntArray = NDArray[np.int64]

PREDICATE, TYPE, FREQUENCY = "predicate", "type", "frequency"


def _words_of_types(corpus: Corpus) -> Callable[[str], str]:
    known = plain_ontology_of(corpus).types_by_name
    return lambda name: known[name].word


SUBSETS: Mapping[str, Subsets] = MappingProxyType(
    {
        PREDICATE: Subsets("By relation", lambda corpus: str),
        TYPE: Subsets("By type of subject", _words_of_types),
        FREQUENCY: Subsets("By how many documents name the subject so", lambda corpus: str),
    }
)

NO_NAME = "no name (she, the company)"
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
        For each system the predicate of each claim, and the digest of its subject's name key.
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
    ontology = plain_ontology_of(corpus)
    every = list(ontology.relations_by_name)
    code = {predicate: number for number, predicate in enumerate(every)}
    of_claims = [_codes(code[name] for name in column.values)[column.codes] for column in predicates]
    of_relations = _codes(code[row[0]] for row in relations)
    yield PREDICATE, Division(every, of_claims, of_relations)

    subject_types = {relation.subject_type for relation in ontology.relations}
    types = [name for name in ontology.types_by_name if name in subject_types]
    type_of = np.array([types.index(relation.subject_type) for relation in ontology.relations])
    yield (
        TYPE,
        Division(types, [type_of[codes] for codes in of_claims], type_of[of_relations]),
    )
    yield FREQUENCY, _by_frequency(corpus, subjects, relations)


def bands(frequencies: Sequence[int]) -> tuple[list[str], list[int]]:
    """Return the frequency bands that the pool's distinct names make, beside `NO_NAME`.

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
    true = np.array(_read_names(relations), dtype=np.int64)
    pool = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *(column.values for column in subjects)]))
    of_pool = pool[pool >= 0].tolist()
    documents = name_counts.read_counts(corpus, {*of_pool, *true[true >= 0].tolist()})
    labels, tops = bands([documents[name] for name in of_pool])

    def band(names: IntArray) -> IntArray:
        """Return the place of each name's band; 0 is for those that are none."""
        counts = _codes(documents.get(name, 0) for name in names.tolist())
        return np.where(names < 0, 0, 1 + np.searchsorted(tops, counts, side="left"))

    of_claims = [band(column.values)[column.codes] for column in subjects]
    return Division([NO_NAME, *labels], of_claims, band(true))


def _read_names(relations: Sequence[tuple[str, int, int, int, int]]) -> list[int]:
    """Return the digest of the name key of each true relation's subject."""
    documents = Document.objects.filter(pk__in={row[2] for row in relations})
    names = {pk: Names(doc_id, text) for pk, doc_id, text in documents.values_list("pk", "doc_id", "text")}
    return [digest(names[document].key(start, end)) for _, _, document, start, end in relations]
