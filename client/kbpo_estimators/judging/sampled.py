"""The audit of a sample as it was drawn and answered, before any task says what its labels are about."""

from dataclasses import dataclass

import numpy as np

from kbpo_estimators._checks import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class SampleAudit:
    """The audit of a coordinated sample, over its S units in the order of the pool.

    Attributes
    ----------
    questions : int[S]
        Which question settles each, by a number that no row id decides.
    rho : float[S]
        The probability that it is audited.
    audited : bool[S]
    doubts : float[S]
        How likely its label was thought wrong.
    answers : float[S]
        What the audit says of each, NaN where it says nothing. Where a unit goes by all claims of its
        question, the number of the one that holds, from 1 in the order of their names; 0 where none does.
    """

    questions: IntArray
    rho: FloatArray
    audited: BoolArray
    doubts: FloatArray
    answers: FloatArray

    @classmethod
    def of(
        cls,
        questions: IntArray,
        rho: FloatArray,
        audited: BoolArray,
        doubts: FloatArray,
        answers: FloatArray,
    ) -> "SampleAudit | None":
        """Return the audit of a sample; None unless it is complete.

        It is where every unit's question has a ρ, and whatever was drawn is answered.

        Parameters
        ----------
        questions : int[S]
            By any number.
        rho, doubts : float[S]
            NaN where none was drawn yet.
        audited : bool[S]
        answers : float[S]
            NaN where there is none.
        """
        incomplete = np.isnan(rho) | (audited & np.isnan(answers))
        if incomplete.any() or not rho.size:
            return None
        return cls(numbered(questions), rho, audited, doubts, np.where(audited, answers, np.nan))


def numbered(ids: IntArray) -> IntArray:
    """Return a number for each id: 0, 1, ... as they come."""
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse])
