"""The documents annotated in full, and what is found in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.document_samples import DocumentSample
from kbpo_estimators.labelled import ShareOfPool, weighted_labelled_recall
from kbpo_estimators.recall import RecallEstimate, document_recall
from kbpo_estimators.weighted_recall import MICRO, TrueRelations, weighted_recalls


@dataclass(frozen=True, eq=False)
class Documents:
    """The exhaustive documents; by part what is found in them, for those that have a recall.

    Attributes
    ----------
    sample : DocumentSample
        How they were drawn.
    true : int[d]
        t_d: the true relations of each document.
    found : mapping of str to int[m, d]
        g_i,d: how many of them each system finds.
    correct : mapping of str to int[m, d]
        a_i,d: how many instances of each system match one.
    pool_correct : mapping of str to int[d]
        a_pool,d: how many instances do that some system of the pool predicts.
    outside : bool[N] or None
        Which of the pool's instances are in none of the documents that these were drawn from, since those
        were retired before: no share of the pool counts them. None where all count.
    relations : TrueRelations or None
        The true relations one by one: recall is then weighted as precision is. Without them it is the
        micro-average under every weighting.
    finds : mapping of str to bool[m, T]
        By part, which of them each system finds.
    """

    sample: DocumentSample
    true: IntArray
    found: Mapping[str, IntArray]
    correct: Mapping[str, IntArray]
    pool_correct: Mapping[str, IntArray]
    outside: BoolArray | None = None
    relations: TrueRelations | None = None
    finds: Mapping[str, BoolArray] = field(default_factory=dict)

    def take(self, columns: IntArray) -> "Documents":
        """Return some of the documents."""
        relations, kept = self.relations.take(columns) if self.relations is not None else (None, columns)
        return Documents(
            self.sample.take(columns),
            self.true[columns],
            {part: g[:, columns] for part, g in self.found.items()},
            {part: a[:, columns] for part, a in self.correct.items()},
            {part: a[columns] for part, a in self.pool_correct.items()},
            self.outside,
            relations,
            {part: found[:, kept] for part, found in self.finds.items()},
        )

    @property
    def size(self) -> int:
        """How many there are."""
        return self.true.size

    @property
    def population(self) -> int:
        """N: the corpus' documents."""
        return self.sample.population

    def has_recall(self, part: str) -> bool:
        """Say whether a part has a recall; a variance needs two documents."""
        return part in self.found and self.size >= 2

    def seen(self, part: str) -> tuple[list[int] | None, int | None]:
        """Return how many true relations each system finds, and of how many; None without a recall."""
        if part not in self.found:
            return None, None
        return [int(g.sum()) for g in self.found[part]], int(self.true.sum())

    def recalls(self, part: str, weighting: str) -> list[RecallEstimate | None]:
        """Return what the documents alone say of each system."""
        if self.relations is None or weighting == MICRO:
            return [document_recall(self.true, g, self.sample) for g in self.found[part]]
        return weighted_recalls(self.relations, self.finds[part], self.sample, weighting)

    def labelled(
        self,
        part: str,
        weighting: str,
        shares: Sequence[ShareOfPool | None],
        alone: Sequence[RecallEstimate | None],
    ) -> list[RecallEstimate | None]:
        """Return each system's recall from labelled predictions, from what `recalls` returned."""
        return [
            weighted_labelled_recall(share, recall, self.pool_correct[part], own)
            for share, recall, own in zip(shares, alone, self.correct[part], strict=True)
        ]

    def inside(self, f: FloatArray, instances: IntArray) -> FloatArray:
        """Return labels of instances of the pool, the last axis of `f`, with 0 for those that are outside."""
        return f if self.outside is None else np.where(self.outside[instances], 0.0, f)
