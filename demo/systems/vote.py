"""A vote: what at least two of the other systems claim."""

from collections import defaultdict
from collections.abc import Sequence

from demo.systems.reading import Claim, Extraction, Mention
from kbpo.core.spans import Span


def merge(ballots: Sequence[Sequence[Extraction]], *, quorum: int = 2) -> list[Extraction]:
    """Keep the claims that `quorum` systems make of the same two spans.

    Parameters
    ----------
    ballots : sequence of sequences of Extraction
        For each system its extractions, of the same documents in the same order.
    quorum : int
        How many systems must agree.

    Returns
    -------
    list of Extraction
        The mentions are those of the first system that has them, canonical mentions included; the confidence
        is the share of systems that agree times the mean of theirs.
    """
    return [_merge(extractions, quorum) for extractions in zip(*ballots, strict=True)]


def _merge(extractions: tuple[Extraction, ...], quorum: int) -> Extraction:
    votes: dict[tuple[str, Span, Span], list[float]] = defaultdict(list)
    mentions: dict[tuple[str, Span], Mention] = {}
    for extraction in extractions:
        confidences: dict[tuple[str, Span, Span], float] = {}
        for claim in extraction.claims:
            key = claim.relation, claim.subject.span, claim.object.span
            confidences[key] = max(claim.confidence, confidences.get(key, 0.0))
            for mention in (claim.subject, claim.object):
                mentions.setdefault((mention.type, mention.span), mention)
        for key, confidence in confidences.items():
            votes[key].append(confidence)
    claims = []
    for (relation, subject, obj), confidences_given in sorted(votes.items()):
        ...
    return Extraction(extractions[0].doc_id, tuple(mentions.values()), tuple(claims))
