"""ROUGE: what an output and a reference have in common (Lin 2004), as F of precision and recall.

Of several references the one with the highest F counts, as in the package rouge-score. No stems are made.
"""

from collections.abc import Sequence

from annotations.texts.alignment import common_length
from evaluation.generation.metrics.ngrams import f_score, ngrams


def rouge_n(output: Sequence[str], references: Sequence[Sequence[str]], n: int) -> float:
    """Return ROUGE-n, of words."""
    mine = ngrams(output, n)
    total = mine.total()

    def score(reference: Sequence[str]) -> float:
        theirs = ngrams(reference, n)
        return f_score((mine & theirs).total(), total, theirs.total())

    return max(map(score, references))


def rouge_l(output: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return ROUGE-L, of words: of the longest common subsequence, the text taken as one sentence."""
    return max(
        f_score(common_length(output, reference), len(output), len(reference)) for reference in references
    )
