"""A vote: what at least two of the other systems claim."""

from collections import defaultdict
from collections.abc import Sequence

from demo.systems.reading import Claim, Extraction, Mention
from kbpo_formats.spans import Span

End = tuple[str, Span]
Key = tuple[str, End, End]


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
        is the sum of theirs over the number of systems.
    """
    return [_merge(extractions, quorum) for extractions in zip(*ballots, strict=True)]


def _merge(extractions: tuple[Extraction, ...], quorum: int) -> Extraction:
    votes: dict[Key, list[float]] = defaultdict(list)
    mentions: dict[End, Mention] = {}
    for extraction in extractions:
        for mention in extraction.mentions:
            mentions.setdefault((mention.type, mention.span), mention)
        for key, confidence in _ballot(extraction).items():
            votes[key].append(confidence)
    claims = [
        Claim(
            relation=relation,
            subject=mentions[subject],
            object=mentions[obj],
            confidence=round(sum(given) / len(extractions), 4),
        )
        for (relation, subject, obj), given in sorted(votes.items())
        if len(given) >= quorum
    ]
    ordered = tuple(sorted(mentions.values(), key=lambda mention: mention.span))
    return Extraction(extractions[0].doc_id, ordered, tuple(claims))


def _ballot(extraction: Extraction) -> dict[Key, float]:
    """Give each claim once, with the largest of its confidences."""
    ballot: dict[Key, float] = {}
    for claim in extraction.claims:
        subject, obj = claim.subject, claim.object
        key = claim.relation, (subject.type, subject.span), (obj.type, obj.span)
        ballot[key] = max(claim.confidence, ballot.get(key, 0.0))
    return ballot
