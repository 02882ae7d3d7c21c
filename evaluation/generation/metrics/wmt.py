"""BLEU and chrF as sacrebleu computes them for one text, but from 0 to 1.

Characters of scripts without white space are set apart for BLEU; without these all is sacrebleu's own. Of
several references each metric takes what is its way: BLEU counts a run of words as often as it stands in
any one of them, and compares with the length that is nearest; of chrF the highest counts.
"""

from collections.abc import Sequence
from functools import cache

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

from evaluation.generation.metrics.words import spaced


def bleu(output: str, references: Sequence[str], order: int) -> float:
    """Return BLEU of runs of up to `order` words, or as many as the text has, smoothed (`exp`)."""
    return float(_bleu(order).sentence_score(spaced(output), [*map(spaced, references)]).score) / 100


def chrf(output: str, references: Sequence[str]) -> float:
    """Return chrF2: F of runs of up to six characters, recall counting twice."""
    return float(_chrf().sentence_score(output, references).score) / 100


def forget_texts() -> None:
    """Let go of the texts that sacrebleu keeps: 65,536 of them, however long."""
    for tokenizer in (Tokenizer13a, TokenizerRegexp):
        tokenizer.__call__.cache_clear()


@cache
def _bleu(order: int) -> BLEU:
    return BLEU(max_ngram_order=order, effective_order=True)


@cache
def _chrf() -> CHRF:
    return CHRF()
