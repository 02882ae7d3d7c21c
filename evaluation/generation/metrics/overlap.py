"""How much of a text stands elsewhere too: in its other sentences, in the question, in a passage."""

from collections.abc import Iterable, Sequence

SENTENCES = 50  # of a text that are compared, each with those before it


def between_sentences(sentences: Iterable[Sequence[str]]) -> float:
    """Return the largest share of its words that one of two sentences has in common with the other.

    The words of a sentence count once each, and the share is of the words of both (Jaccard); 0 for fewer than
    two sentences.
    """
    most, before = 0.0, list[frozenset[str]]()
    for sentence, _ in zip(map(frozenset, sentences), range(SENTENCES), strict=False):
        for other in before:
            most = max(most, len(sentence & other) / len(sentence | other))
        before.append(sentence)
    return most


def share_of(words: Sequence[str], text: Sequence[str]) -> float:
    """Return which share of words stand in a text; 0 where there are no words."""
    stands = frozenset(text)
    return sum(word in stands for word in words) / len(words) if words else 0.0
