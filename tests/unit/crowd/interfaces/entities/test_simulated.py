from random import Random

from hypothesis import given
from hypothesis import strategies as st

from annotations.kinds.entities import EntitiesQuestion
from annotations.texts.records import MentionRecord
from crowd.interfaces.entities.simulated import answer, with_errors
from kbpo_formats.spans import Span
from tests.ontologies import TAC
from tests.unit.annotations.kinds.test_entities import TEXT, passage

PASSAGE = passage(TEXT)
TYPES = list(TAC.mention_types_by_name)
ASKED = EntitiesQuestion(PASSAGE, TAC)
ADA, PRESS, SHE, YEAR = (
    Span(TEXT.index(words), TEXT.index(words) + len(words))
    for words in ("Ada Quill", "Quill Press", "She", "1961")
)
WIKIPEDIA = "https://en.wikipedia.org/wiki/Ada_Quill"
MENTIONS = (
    MentionRecord(ADA, "PER", ADA, WIKIPEDIA),
    MentionRecord(PRESS, "ORG", PRESS, "http://www.wikidata.org/entity/Q1"),
    MentionRecord(SHE, "PER", ADA, WIKIPEDIA),
    MentionRecord(YEAR, "DATE", YEAR, "1961"),
)

ends = st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))).filter(lambda pair: pair[0] != pair[1])
spans = ends.map(lambda pair: Span(*sorted(pair)))
records = st.lists(st.builds(MentionRecord, spans, st.sampled_from(TYPES), spans), max_size=12)


def test_gold_is_answered_as_it_is_but_for_links_that_are_no_pages() -> None:
    found = ASKED.mentions(answer(ASKED, MENTIONS))
    assert [one.link for one in found] == [WIKIPEDIA, "", WIKIPEDIA, "1961"]
    assert [one.canonical for one in found] == [ADA, PRESS, ADA, YEAR]


def test_spans_are_widened_to_whole_words() -> None:
    cut = MentionRecord(Span(0, 6), "PER", Span(0, 6))
    assert ASKED.mentions(answer(ASKED, [cut]))[0].span == ADA


@given(records)
def test_whatever_gold_says_makes_an_answer(mentions: list[MentionRecord]) -> None:
    made = answer(ASKED, mentions)
    assert ASKED.read_answer(made) == made


@given(records, st.integers())
def test_whatever_mistakes_are_made_make_an_answer(mentions: list[MentionRecord], seed: int) -> None:
    made = answer(ASKED, with_errors(mentions, PASSAGE, TYPES, 0.6, Random(seed)))
    assert ASKED.read_answer(made) == made


def test_without_errors_nothing_changes() -> None:
    assert tuple(with_errors(MENTIONS, PASSAGE, TYPES, 0.0, Random(0))) == MENTIONS


def test_mistakes_are_as_frequent_as_said() -> None:
    rng = Random(7)
    made = [with_errors(MENTIONS[:1], PASSAGE, TYPES, 0.1, rng) for _ in range(4000)]
    kept = [one for (one,) in filter(None, made)]
    assert abs(len(kept) / 4000 - 0.9) < 0.02
    assert abs(sum(one.span != ADA for one in kept) / len(kept) - 0.05) < 0.015
    assert abs(sum(one.type != "PER" for one in kept) / len(kept) - 0.05) < 0.015
