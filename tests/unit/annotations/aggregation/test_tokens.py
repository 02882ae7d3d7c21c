from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.aggregation.tokens import Marked, agreement, ratings, settle
from annotations.texts.records import MentionRecord
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span

# Ten words of three letters: word i is at [4i, 4i + 3).
WORDS = [Span(4 * number, 4 * number + 3) for number in range(10)]


def span(first: int, last: int | None = None) -> Span:
    return Span(WORDS[first].start, WORDS[first if last is None else last].end)


def mention(
    first: int, last: int | None = None, kind: str = "PER", canonical: Span | None = None, link: str = ""
) -> MentionRecord:
    return MentionRecord(span(first, last), kind, canonical or span(first, last), link)


@st.composite
def answers(draw: st.DrawFn) -> tuple[MentionRecord, ...]:
    """What a person may mark: runs of words, in entities with one canonical mention and link each."""
    found: list[MentionRecord] = []
    for kind in ("PER", "ORG"):
        edges = sorted(draw(st.sets(st.integers(0, 10), max_size=8)))
        spans = [
            Span(WORDS[first].start, WORDS[after - 1].end)
            for first, after in pairwise(edges)
            if draw(st.booleans())
        ]
        of = {one: draw(st.sampled_from(spans)) for one in spans}
        roots = {one: of[one] if of[of[one]] == of[one] else one for one in spans}
        roots = {one: root if roots[root] == root else one for one, root in roots.items()}
        links = {root: draw(st.sampled_from(["", "a", "b"])) for root in roots.values()}
        found += [MentionRecord(one, kind, root, links[root]) for one, root in roots.items()]
    return tuple(sorted(found))


votes = st.lists(answers(), min_size=1, max_size=5)


@given(answers(), st.integers(1, 5))
def test_a_unanimous_answer_is_returned_unchanged(answer: tuple[MentionRecord, ...], voters: int) -> None:
    outcome = settle(WORDS, [answer] * voters)
    assert outcome.records == answer
    assert (outcome.rejected, outcome.ties, outcome.disputed) == ((), (), ())


@given(votes, st.randoms())
def test_the_order_of_the_voters_does_not_matter(given_votes: list, random: object) -> None:
    shuffled = list(given_votes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert settle(WORDS, shuffled) == settle(WORDS, given_votes)


@given(votes)
def test_no_two_mentions_of_one_type_overlap(given_votes: list) -> None:
    records = settle(WORDS, given_votes).records
    for one in records:
        for other in records:
            assert one is other or one.type != other.type or not one.span.overlaps(other.span)


@given(votes)
def test_every_canonical_mention_is_its_own_and_has_the_links_of_all_that_it_stands_for(
    given_votes: list,
) -> None:
    records = {(one.span, one.type): one for one in settle(WORDS, given_votes).records}
    for one in records.values():
        canonical = records[one.canonical, one.type]
        assert canonical.canonical == canonical.span
        assert canonical.link == one.link


@given(votes)
def test_a_word_is_in_a_mention_if_more_than_half_have_it_in_one(given_votes: list) -> None:
    outcome = settle(WORDS, given_votes)
    for kind in ("PER", "ORG"):
        for word in WORDS:
            have = sum(any(m.type == kind and m.span.overlaps(word) for m in vote) for vote in given_votes)
            settled = any(m.type == kind and m.span.overlaps(word) for m in outcome.records)
            assert settled == (2 * have > len(given_votes))
            assert (Marked(word, kind, have) in outcome.ties) == (2 * have == len(given_votes) and have > 0)


def test_two_of_three_make_a_mention() -> None:
    outcome = settle(WORDS, [[mention(0, 1)], [mention(0, 1)], []])
    assert outcome.records == (mention(0, 1),)
    assert outcome.mentions[0].votes == 2


def test_one_of_three_makes_none_and_is_shown() -> None:
    outcome = settle(WORDS, [[mention(0, 1)], [], []])
    assert outcome.records == ()
    assert outcome.rejected == (Marked(span(0, 1), "PER", 1),)


def test_a_span_cut_by_one_is_whole_and_one_that_nobody_marked_can_win() -> None:
    assert settle(WORDS, [[mention(0, 2)], [mention(0, 2)], [mention(1, 2)]]).records == (mention(0, 2),)
    # Words 0 to 3 have 2, 3, 3, 2 votes of 4: 1 and 2 have more than half.
    outcome = settle(WORDS, [[mention(0, 2)], [mention(0, 2)], [mention(1, 3)], [mention(3)]])
    assert [(one.record.span, one.votes) for one in outcome.mentions] == [(span(1, 2), 0)]
    assert outcome.ties == (Marked(WORDS[0], "PER", 2), Marked(WORDS[3], "PER", 2))
    assert outcome.disputed == outcome.mentions


def test_adjacent_mentions_stay_apart_where_more_see_a_boundary() -> None:
    apart, together = [mention(0), mention(1)], [mention(0, 1)]
    assert settle(WORDS, [apart, apart, together]).records == (mention(0), mention(1))
    assert settle(WORDS, [apart, together, together]).records == (mention(0, 1),)
    assert settle(WORDS, [apart, together]).records == (mention(0, 1),)  # a tie runs on


def test_types_are_settled_apart_and_may_nest() -> None:
    line, place = mention(0, 2, "ORG"), mention(0, kind="GPE")
    assert settle(WORDS, [[line, place], [line, place], [line]]).records == (place, line)
    assert settle(WORDS, [[line], [mention(0, 2, "PER")], [mention(0, 2, "GPE")]]).records == ()


def test_canonical_mentions_and_links_go_by_those_who_have_the_span() -> None:
    name, alone = mention(0, 1, link="a"), mention(0, 1)
    she_is_ada, she = mention(5, canonical=span(0, 1), link="a"), mention(5)
    outcome = settle(WORDS, [[name, she_is_ada], [name, she_is_ada], [alone, she]])
    assert outcome.records == (name, she_is_ada)
    assert outcome.mentions[1].canonical.votes == ((span(0, 1), 2), (span(5), 1))
    assert outcome.mentions[0].link.votes == (("a", 2), ("", 1))
    assert outcome.disputed == outcome.mentions


def test_a_canonical_mention_is_said_in_terms_of_what_is_settled() -> None:
    short, long = mention(0), mention(0, 1)
    answers = [
        [long, mention(5, canonical=span(0, 1))],
        [long, mention(5, canonical=span(0, 1))],
        [short, mention(5, canonical=span(0))],
    ]
    outcome = settle(WORDS, answers)
    assert outcome.mentions[1].canonical.votes == ((span(0, 1), 3),)


def test_a_tie_of_canonical_mentions_goes_to_the_longest_and_is_shown() -> None:
    first, second, third = mention(0), mention(2, 3), mention(8)
    answers = [
        [first, second, mention(8, canonical=span(0))],
        [first, second, mention(8, canonical=span(2, 3))],
        [first, second, third],
    ]
    settled = settle(WORDS, answers).mentions[2]
    assert (settled.record.canonical, settled.canonical.is_tie) == (span(2, 3), True)


def test_a_tie_of_links_gives_none_and_is_shown() -> None:
    outcome = settle(WORDS, [[mention(0, link="a")], [mention(0, link="b")], [mention(0, link="")]])
    assert outcome.records == (mention(0),)
    assert outcome.mentions[0].link.is_tie
    assert settle(WORDS, [[mention(0, link="a")]] * 2 + [[mention(0, link="b")]]).records[0].link == "a"


def test_chains_and_circles_of_canonical_mentions_end() -> None:
    a, b, c = span(0), span(2, 3), span(5)
    say = {
        "chain": [(a, b), (b, c), (c, c)],
        "circle": [(a, b), (b, a), (c, c)],
    }
    for name, expected in (("chain", [c, c, c]), ("circle", [b, b, c])):
        # As three who each say one of these and have no other of the spans would amount to.
        answer = [MentionRecord(one, "PER", canonical) for one, canonical in say[name]]
        assert [one.canonical for one in settle(WORDS, [answer]).records] == expected


def test_without_voters_there_is_nothing() -> None:
    assert settle(WORDS, []).records == ()


@pytest.mark.parametrize(
    ("vote", "says"),
    [
        ([MentionRecord(Span(1, 3), "PER", Span(1, 3))], "the mention 1-3 does not begin and end with words"),
        ([mention(0, 2), mention(2)], "two mentions of type PER have the word at 8-11"),
    ],
)
def test_what_cannot_be_counted_is_refused(vote: list, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        settle(WORDS, [vote])


def test_kappa_of_typed_spans_by_hand() -> None:
    # Ten words, two voters: they agree on nine, both that word 0 begins a person; word 1 is one's alone.
    found = agreement([ratings(WORDS, [[mention(0, 1)], [mention(0)]])]).spans
    shares = (2 / 20, 1 / 20, 17 / 20)  # begins a person, goes on, nothing
    chance = sum(share**2 for share in shares)
    assert found is not None
    assert found.estimate == pytest.approx((9 / 10 - chance) / (1 - chance))
    assert found.items == 10


def test_kappa_of_canonical_mentions_and_links_is_over_the_words_that_two_have() -> None:
    one = [mention(0, 1, link="a"), mention(5, canonical=span(0, 1), link="a"), mention(9, kind="TITLE")]
    other = [mention(0, 1, link="a"), mention(5, link="b"), mention(9, kind="TITLE"), mention(7)]
    found = agreement([ratings(WORDS, [one, other], ["TITLE"])])
    # Words 0, 1, 9 agree, 5 does not; said were [0, 1] five times of eight, [5] once, [9] twice.
    chance = (25 + 1 + 4) / 64
    assert found.canonical is not None
    assert found.canonical.items == 4
    assert found.canonical.estimate == pytest.approx((3 / 4 - chance) / (1 - chance))
    # Links: words 0, 1 agree, 5 does not; "a" five times of six. A title has none.
    assert found.links is not None
    assert found.links.items == 3
    assert found.links.estimate == pytest.approx((2 / 3 - 26 / 36) / (10 / 36))


def test_canonical_mentions_of_different_documents_are_different() -> None:
    document = ratings(WORDS, [[mention(0)], [mention(0)]])
    assert agreement([document]).canonical is None  # one item
    both = agreement([document, document]).canonical
    assert both is not None
    assert both.estimate == 1.0
