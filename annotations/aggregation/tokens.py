"""What several people mark in a document, word by word: one set of mentions, and how far they agree.

The rules, in order.

- *Words*: a word belongs to a mention of a type if more than half of the voters have it in one of that type.
- *Mentions*: words of a type that follow each other are one mention. Between two of them there is a boundary
  if more voters end or begin a mention there than run one over both; a tie runs on.
- *Voters of a mention*: those who marked these very words with this type; if nobody did, everybody who marked
  some of them so, each with the mention that shares most characters.
- *Canonical mentions*: what most of a mention's voters say, in terms of the settled mentions of its type. A
  tie goes to the longest, then to the first in the text. A canonical mention that has another itself stands
  for that one; where they go in a circle, the longest of it is canonical, or the first of these.
- *Links*: those of the canonical mention, by most of its voters; a tie gives no link.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from annotations.aggregation import _checks
from annotations.aggregation.agreement import Kappa, fleiss_kappa_of
from annotations.texts.records import MentionRecord
from kbpo_formats.spans import Span

Choice = TypeVar("Choice")


@dataclass(frozen=True, slots=True)
class Tally(Generic[Choice]):
    """What was chosen, and by how many.

    Attributes
    ----------
    chosen : Choice
    votes : tuple of (Choice, int)
        Every choice that somebody made, the most frequent first.
    is_tie : bool
        Whether a rule had to decide between choices with as many votes.
    """

    chosen: Choice
    votes: tuple[tuple[Choice, int], ...]
    is_tie: bool

    @property
    def is_unanimous(self) -> bool:
        """Say whether nobody chose otherwise."""
        return len(self.votes) <= 1


@dataclass(frozen=True, slots=True)
class SettledMention:
    """A mention that the votes amount to.

    Attributes
    ----------
    record : MentionRecord
        Its span, type, canonical mention and link.
    votes : int
        How many marked this very span with this type.
    canonical : Tally of Span
        What they say its canonical mention is. `record` has another where that one's stands for it.
    link : Tally of str
        What they say its link is; `record` has its canonical mention's.
    """

    record: MentionRecord
    votes: int
    canonical: Tally[Span]
    link: Tally[str]


class Marked(NamedTuple):
    """A span with a type, and how many marked it."""

    span: Span
    type: str
    votes: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the votes on a document amount to.

    Attributes
    ----------
    voters : int
    mentions : tuple of SettledMention
        In the order of the text.
    rejected : tuple of Marked
        What somebody marked, and the outcome does not have.
    ties : tuple of Marked
        Words, each with a type, that exactly half of the voters have in a mention: they are left out.
    """

    voters: int
    mentions: tuple[SettledMention, ...]
    rejected: tuple[Marked, ...]
    ties: tuple[Marked, ...]

    @property
    def records(self) -> tuple[MentionRecord, ...]:
        """Return the mentions alone."""
        return tuple(mention.record for mention in self.mentions)

    @property
    def disputed(self) -> tuple[SettledMention, ...]:
        """Return the mentions on which not all say the same, in whatever respect."""
        return tuple(
            mention
            for mention in self.mentions
            if mention.votes < self.voters
            or not (mention.canonical.is_unanimous and mention.link.is_unanimous)
        )


@dataclass(frozen=True, slots=True)
class Ratings:
    """What the voters say of each item; an item is a mapping of category to number of ratings.

    Attributes
    ----------
    spans : tuple of mapping
        For each word of the document: the types of the mentions that it is in, and whether it begins them.
    canonical, links : tuple of mapping
        For each word and type that somebody has in a mention: its canonical mention, its link, as those say
        who have it in one. Titles have no links.
    """

    spans: tuple[Mapping[Hashable, int], ...]
    canonical: tuple[Mapping[Hashable, int], ...]
    links: tuple[Mapping[Hashable, int], ...]


@dataclass(frozen=True, slots=True)
class TokenAgreement:
    """Fleiss' κ by word, each None where it is not estimable."""

    spans: Kappa | None
    canonical: Kappa | None
    links: Kappa | None


class _Vote(NamedTuple):
    """A voter's mentions of one type: which of them each token is in, by the token's number."""

    mentions: Mapping[Span, MentionRecord]
    at: Mapping[int, Span]


def settle(tokens: Sequence[Span], votes: Sequence[Collection[MentionRecord]]) -> Outcome:
    """Settle what a document mentions.

    Parameters
    ----------
    tokens : sequence of Span
        The document's words, in order.
    votes : sequence of collections of MentionRecord
        What each voter marked. Mentions of one type do not overlap.

    Returns
    -------
    Outcome
        The same in whichever order the voters come. No two mentions of a type overlap, and every canonical
        mention is its own.

    Raises
    ------
    InvalidInput
        If a mention does not begin and end with words, or overlaps another of its type.

    Examples
    --------
    >>> words = [Span(0, 3), Span(4, 9), Span(10, 13)]
    >>> ada, quill = (MentionRecord(span, "PER", span) for span in (Span(0, 9), Span(4, 9)))
    >>> settle(words, [[ada], [ada], [quill]]).records == (ada,)
    True
    """
    by_type = _by_type(tokens, votes)
    mentions: list[SettledMention] = []
    ties: list[Marked] = []
    for mention_type, type_votes in sorted(by_type.items()):
        counts = Counter(number for vote in type_votes for number in vote.at)
        spans = _spans(tokens, counts, type_votes)
        mentions += _settled(mention_type, spans, type_votes)
        ties += [
            Marked(tokens[number], mention_type, votes_for)
            for number, votes_for in counts.items()
            if 2 * votes_for == len(votes)
        ]
    settled = {(mention.record.span, mention.record.type) for mention in mentions}
    marked = Counter(
        (span, mention_type)
        for mention_type, type_votes in by_type.items()
        for vote in type_votes
        for span in vote.mentions
    )
    return Outcome(
        len(votes),
        tuple(sorted(mentions, key=lambda mention: mention.record)),
        tuple(sorted(Marked(*key, number) for key, number in marked.items() if key not in settled)),
        tuple(sorted(ties)),
    )


def ratings(
    tokens: Sequence[Span],
    votes: Sequence[Collection[MentionRecord]],
    unlinked: Collection[str] = (),
) -> Ratings:
    """Count what the voters say of each word of a document.

    Parameters
    ----------
    tokens, votes
        As `settle`.
    unlinked : collection of str
        Types whose mentions are linked to nothing.

    Raises
    ------
    InvalidInput
        As `settle`.
    """
    by_type = _by_type(tokens, votes)
    spans = []
    canonical: list[Mapping[Hashable, int]] = []
    links: list[Mapping[Hashable, int]] = []
    for number, token in enumerate(tokens):
        marked: Counter[Hashable] = Counter()
        for voter in range(len(votes)):
            found = [(name, of_type[voter].at.get(number)) for name, of_type in sorted(by_type.items())]
            marked[tuple((name, span.start == token.start) for name, span in found if span)] += 1
        spans.append(marked)
        for name, of_type in sorted(by_type.items()):
            records = [vote.mentions[vote.at[number]] for vote in of_type if number in vote.at]
            if records:
                canonical.append(Counter(record.canonical for record in records))
            if records and name not in unlinked:
                links.append(Counter(record.link for record in records))
    return Ratings(tuple(spans), tuple(canonical), tuple(links))


def agreement(documents: Iterable[Ratings], *, level: float = 0.95) -> TokenAgreement:
    """Measure how far people agree on documents.

    Parameters
    ----------
    documents : iterable of Ratings
        One a document. Canonical mentions of different documents are different categories.
    level : float
        Of the intervals, between 0 and 1.

    Raises
    ------
    InvalidInput
        If the level is out of range.
    """
    spans: list[Mapping[Hashable, int]] = []
    canonical: list[Mapping[Hashable, int]] = []
    links: list[Mapping[Hashable, int]] = []
    for number, document in enumerate(documents):
        spans += document.spans
        canonical += [{(number, span): count for span, count in item.items()} for item in document.canonical]
        links += document.links
    return TokenAgreement(*(fleiss_kappa_of(items, level=level) for items in (spans, canonical, links)))


def _by_type(tokens: Sequence[Span], votes: Sequence[Collection[MentionRecord]]) -> dict[str, list[_Vote]]:
    first = {token.start: number for number, token in enumerate(tokens)}
    last = {token.end: number for number, token in enumerate(tokens)}
    types = {mention.type for vote in votes for mention in vote}
    by_type: dict[str, list[_Vote]] = {name: [] for name in types}
    for vote in votes:
        mentions: dict[str, dict[Span, MentionRecord]] = {name: {} for name in types}
        at: dict[str, dict[int, Span]] = {name: {} for name in types}
        for mention in vote:
            span, name = mention.span, mention.type
            if span.start not in first or span.end not in last:
                _checks.refuse("votes", f"the mention {span} does not begin and end with words")
            mentions[name][span] = mention
            for number in range(first[span.start], last[span.end] + 1):
                if number in at[name]:
                    _checks.refuse("votes", f"two mentions of type {name} have the word at {tokens[number]}")
                at[name][number] = span
        for name in types:
            by_type[name].append(_Vote(mentions[name], at[name]))
    return by_type


def _spans(tokens: Sequence[Span], counts: Mapping[int, int], votes: Sequence[_Vote]) -> list[Span]:
    """List the mentions of a type: runs of words of a majority, cut at boundaries."""
    covered = sorted(number for number, votes_for in counts.items() if 2 * votes_for > len(votes))
    if not covered:
        return []
    runs = [[covered[0], covered[0]]]
    for earlier, later in pairwise(covered):
        if later > earlier + 1 or _is_boundary(earlier, later, votes):
            runs.append([later, later])
        runs[-1][1] = later
    return [Span(tokens[start].start, tokens[end].end) for start, end in runs]


def _is_boundary(earlier: int, later: int, votes: Sequence[_Vote]) -> bool:
    sides = [(vote.at.get(earlier), vote.at.get(later)) for vote in votes]
    over = sum(one is not None and one == other for one, other in sides)
    return sum(one != other for one, other in sides) > over


def _settled(mention_type: str, spans: Sequence[Span], votes: Sequence[_Vote]) -> list[SettledMention]:
    voters = {span: _voters(span, votes) for span in spans}
    canonical = {}
    for span in spans:
        said = [_nearest(record.canonical, spans) for record in voters[span]]
        canonical[span] = _tally([one for one in said if one is not None], span)
    final = _roots({span: tally.chosen for span, tally in canonical.items()})
    links = {span: _link_tally([record.link for record in voters[span]]) for span in spans}
    return [
        SettledMention(
            MentionRecord(span, mention_type, final[span], links[final[span]].chosen),
            sum(span in vote.mentions for vote in votes),
            canonical[span],
            links[span],
        )
        for span in spans
    ]


def _voters(span: Span, votes: Sequence[_Vote]) -> list[MentionRecord]:
    exact = [vote.mentions[span] for vote in votes if span in vote.mentions]
    if exact:
        return exact
    nearest = [(vote, _nearest(span, list(vote.mentions))) for vote in votes]
    return [vote.mentions[found] for vote, found in nearest if found is not None]


def _nearest(span: Span, among: Sequence[Span]) -> Span | None:
    """Return the span itself, or the one that shares most characters with it; of several the first."""
    if span in among:
        return span
    shared = {other: min(span.end, other.end) - max(span.start, other.start) for other in among}
    touching = [other for other in among if shared[other] > 0]
    return min(touching, key=lambda other: (-shared[other], other)) if touching else None


def _tally(said: Sequence[Span], otherwise: Span) -> Tally[Span]:
    """Count canonical mentions; the longest of those with most votes is chosen, then the first."""
    counts = Counter(said)
    ranked = sorted(counts, key=lambda span: (-counts[span], -(span.end - span.start), span))
    votes = tuple((span, counts[span]) for span in ranked)
    tie = len(votes) > 1 and votes[0][1] == votes[1][1]
    return Tally(ranked[0] if ranked else otherwise, votes, tie)


def _link_tally(said: Sequence[str]) -> Tally[str]:
    counts = Counter(said)
    votes = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    tie = len(votes) > 1 and votes[0][1] == votes[1][1]
    return Tally("" if tie or not votes else votes[0][0], votes, tie)


def _roots(canonical: Mapping[Span, Span]) -> dict[Span, Span]:
    """Follow canonical mentions to those that are their own; of a circle the longest is, or the first."""
    roots = {}
    for span in canonical:
        path = [span]
        while (following := canonical[path[-1]]) not in path:
            path.append(following)
        circle = path[path.index(following) :]
        roots[span] = min(circle, key=lambda one: (one.start - one.end, one))
    return roots
