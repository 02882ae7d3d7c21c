"""A small pool of systems with its truth, labelled in part: what scores are made of."""

from dataclasses import dataclass

import numpy as np

from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.documents import Documents
from kbpo_estimators.kbp.labels import Labels
from kbpo_estimators.scores import CoordinatedSample, IidSample, System
from kbpo_estimators.subsets import Relations


@dataclass(frozen=True)
class SmallPool:
    """Instances are spread over documents; an instance that holds matches one true relation, one to one."""

    systems: list[System]
    correct: np.ndarray
    right_names: np.ndarray
    document: np.ndarray
    size: int

    def labels(self, shown=None):
        shown = np.ones(self.correct.size, dtype=bool) if shown is None else shown
        linking = [
            np.where(shown[s.rows], self.right_names[s.rows], np.nan).astype(float) for s in self.systems
        ]
        return Labels(np.where(shown, self.correct, np.nan).astype(float), linking)

    def truth(self, system, part="relation"):
        one = self.systems[system]
        f = self.correct if part == "relation" else self.correct & self.right_names
        if part == "linking":
            f = self.right_names
        precision = float((one.weights["subject_relation"] * f[one.rows]).sum())
        return precision, f[one.rows].sum() / self.correct.sum()

    def relations(self, population=None):
        """Every instance that holds is a true relation of its document, whoever finds it."""
        where = np.flatnonzero(self.correct)
        found = {}
        for part in ("relation", "all"):
            right = self.correct if part == "relation" else self.correct & self.right_names
            found[part] = np.array([np.isin(where, s.rows[right[s.rows]]) for s in self.systems])
        return Relations(SimpleRandom(population or self.size), self.size, self.document[where], found)

    def documents(self, population=None):
        relations = self.relations(population)

        def count(flags):
            return np.bincount(relations.document[flags], minlength=self.size)

        found = {part: np.array([count(g) for g in by]) for part, by in relations.found.items()}
        pool = {part: count(by.any(axis=0)) for part, by in relations.found.items()}
        true = np.bincount(relations.document, minlength=self.size)
        return Documents(relations.sample, true, found, found, pool)

    def sample(self, seed, pi=None):
        rng = np.random.default_rng(seed)
        pi = rng.uniform(0.3, 0.9, self.correct.size) if pi is None else pi
        sampled = (rng.random(pi.size) < pi) | (pi == 1)
        return CoordinatedSample(pi, sampled, rng.integers(5, size=pi.size))

    def draws(self, seed, n):
        rng = np.random.default_rng(seed)
        return IidSample(
            [np.sort(rng.choice(s.rows, size=n, p=s.weights["subject_relation"])) for s in self.systems],
            "subject_relation",
        )


def small_pool(seed=0, instances=120, documents=12, systems=4):
    rng = np.random.default_rng(seed)
    correct = rng.random(instances) < 0.6
    correct[:2] = True
    claimed = rng.random((systems, instances)) < rng.uniform(0.4, 0.9, size=(systems, 1))
    claimed[0] |= ~claimed.any(axis=0)  # what nobody claims is not in a pool
    members = []
    for number in range(systems):
        rows = np.flatnonzero(claimed[number])
        p = rng.uniform(0.5, 1.5, rows.size)
        members.append(
            System(
                rows, {"subject_relation": p / p.sum()}, rng.uniform(0.1, 1.0, rows.size), team=number // 2
            )
        )
    document = rng.integers(documents, size=instances)
    document[:documents] = np.arange(documents)
    return SmallPool(members, correct, rng.random(instances) < 0.8, document, documents)
