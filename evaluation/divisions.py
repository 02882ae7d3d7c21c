"""From rows to subsets: relation, type of the subject, and how often its name occurs in the corpus."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from annotations import names
from annotations.models import AnnotatedMention, AnnotatedRelation, Corpus, Document, DocumentAnnotation
from evaluation.estimators.subsets import Division
from evaluation.models import Prediction, SubsetScore
from kbpo.core.ontology import RELATIONS, TYPE_NAMES

IntArray = NDArray[np.int64]

Place = tuple[int, int, int]
"""A document's row id, and a span of its text."""

FEW_DOCUMENTS = 3
FREQUENT = 0.9
"""Above this quantile of the pool's distinct names a name is frequent."""


def divisions(
    corpus: Corpus, claims: Sequence[Sequence[Prediction]], document_ids: Collection[int]
) -> Iterator[tuple[SubsetScore.Division, Division]]:
    """Divide the claims of a pool and the true relations of the exhaustive documents.

    Parameters
    ----------
    corpus : Corpus
    claims : sequence of sequence of Prediction
        For each system, with instances.
    document_ids : collection of int
        The exhaustive documents' row ids. Their true relations are taken in the order of their row ids.

    Yields
    ------
    division : SubsetScore.Division
    Division
    """
    relations = list(
        AnnotatedRelation.objects.filter(
            annotation__document__in=document_ids, annotation__source=DocumentAnnotation.Source.EXPERT
        )
        .order_by("pk")
        .values_list("predicate", "annotation_id", "annotation__document_id", "subject_start", "subject_end")
    )
    predicates = list(RELATIONS)
    code = {predicate: number for number, predicate in enumerate(predicates)}
    of_claims = [_codes(code[row.instance.predicate] for row in rows) for rows in claims]
    of_relations = _codes(code[row[0]] for row in relations)
    yield SubsetScore.Division.PREDICATE, Division(predicates, of_claims, of_relations)

    types = sorted({relation.subject_type for relation in RELATIONS.values()}, key=list(TYPE_NAMES).index)
    type_of = np.array([types.index(RELATIONS[predicate].subject_type) for predicate in predicates])
    yield (
        SubsetScore.Division.TYPE,
        Division(types, [type_of[codes] for codes in of_claims], type_of[of_relations]),
    )
    yield SubsetScore.Division.FREQUENCY, _by_frequency(corpus, claims, relations)


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


def _codes(values: Iterator[int]) -> IntArray:
    return np.fromiter(values, dtype=np.int64)


def _by_frequency(
    corpus: Corpus,
    claims: Sequence[Sequence[Prediction]],
    relations: Sequence[tuple[str, int, int, int, int]],
) -> Division:
    canonical = {
        (annotation, start, end): (canonical_start, canonical_end)
        for annotation, start, end, canonical_start, canonical_end in AnnotatedMention.objects.filter(
            annotation__in={row[1] for row in relations}
        ).values_list("annotation_id", "start", "end", "canonical_start", "canonical_end")
    }
    claimed = [[_named(row) for row in rows] for rows in claims]
    true = [(row[2], *canonical.get((row[1], row[3], row[4]), (row[3], row[4]))) for row in relations]
    name_at = _read_names({place for places in [*claimed, true] for place in places})
    frequency = names.count_documents(corpus, set(name_at.values()))
    of_pool = {name_at[place] for places in claimed for place in places}
    labels, tops = bands([frequency[name] for name in of_pool])

    def band(places: Sequence[Place]) -> IntArray:
        counts = _codes(frequency[name_at[place]] for place in places)
        return np.searchsorted(tops, counts, side="left").astype(np.int64)

    return Division(labels, [band(places) for places in claimed], band(true))


def _named(prediction: Prediction) -> Place:
    start, end = prediction.subject_canonical_start, prediction.subject_canonical_end
    return prediction.instance.document_id, start, end


def _read_names(places: Collection[Place]) -> dict[Place, str]:
    wanted: dict[int, list[Place]] = {}
    for place in places:
        wanted.setdefault(place[0], []).append(place)
    texts = Document.objects.filter(pk__in=list(wanted)).values_list("pk", "text")
    return {
        place: names.normalised(text[place[1] : place[2]])
        for pk, text in texts.iterator(chunk_size=500)
        for place in wanted[pk]
    }
