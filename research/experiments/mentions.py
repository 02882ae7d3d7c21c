"""Canonical mentions for the ten systems on KnowledgeNet, made up: which each gives, and whether it is right.

KnowledgeNet says nothing of them. A span of a document has two right canonical mentions and two wrong ones.
Systems err as often as their shares say, half of the time at the same spans; so claims of one instance often
differ in what else they need to be right.
"""

from dataclasses import dataclass

import numpy as np

from research.experiments.runs import FloatArray, IntArray
from tests.readers.knowledgenet import KnowledgeNet

SPREAD = (0.5, 1.5)
"""The best system errs half as often as on average, the last half as often again."""
COMMON = 0.5
"""How often whether a system errs is decided by the span, not by its own luck."""
USUAL = (0.6, 0.8)
"""How often the first of two wrong, and of two right, canonical mentions is given."""
_SEED = 2_026


@dataclass(frozen=True, eq=False)
class Mentions:
    """Canonical mentions of ten systems.

    Attributes
    ----------
    questions : list of int[2, n_i]
        For each system, for subject and object: which question asks whether the canonical mention is right
        that it gives at each of its instances; −1 where the object is a date.
    correct : float[Q]
        The answers.
    teams : int[Q]
        How many teams give the mention that a question is about.
    """

    questions: list[IntArray]
    correct: FloatArray
    teams: IntArray

    @classmethod
    def none(cls, data: KnowledgeNet) -> "Mentions":
        """Return those of claims that need none."""
        nothing = [np.full((2, own.size), -1) for own in data.members]
        return cls(nothing, np.empty(0), np.empty(0, dtype=np.int64))

    @classmethod
    def made(cls, data: KnowledgeNet, share: float) -> "Mentions":
        """Make them, `share` of them right on average; the same ones whenever it is called."""
        rng = np.random.default_rng([_SEED, round(1_000 * share)])
        spans: dict[tuple[str, int, int], int] = {}
        of_systems = [
            np.array(
                [
                    [spans.setdefault((one.doc_id, *one.subject), len(spans)) for one in system.claims],
                    [
                        -1
                        if "date" in one.predicate
                        else spans.setdefault((one.doc_id, *one.object), len(spans))
                        for one in system.claims
                    ],
                ]
            )
            for system in data.systems
        ]
        common = rng.random(len(spans))
        names = [system.team for system in data.systems]
        given = []
        for more, own in zip(np.linspace(*SPREAD, len(of_systems)), of_systems, strict=True):
            luck = np.where(rng.random(len(spans)) < COMMON, common, rng.random(len(spans)))
            right = luck >= (1.0 - share) * more
            first = rng.random(len(spans)) < np.array(USUAL)[right.astype(int)]
            given.append(np.where(own < 0, -1, 4 * own + 2 * right[own] + first[own]))
        asked = np.unique(np.concatenate([one[one >= 0] for one in given]))
        teams = np.zeros(asked.size, dtype=np.int64)
        for team in dict.fromkeys(names):
            of_team = [one[one >= 0] for one, name in zip(given, names, strict=True) if name == team]
            teams += np.isin(asked, np.concatenate(of_team))
        return cls(
            [np.where(one < 0, -1, np.searchsorted(asked, one)) for one in given],
            (asked // 2 % 2).astype(float),
            teams,
        )
