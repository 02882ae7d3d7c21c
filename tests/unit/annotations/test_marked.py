import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations import marked
from annotations.texts.records import MentionRecord
from kbpo.core.marking import cut, merge
from kbpo_formats.spans import Span
from tests.ontologies import TAC

TEXT = "Ada Quill and Ada's\nBank of Lyon met in Lyon."
ADA, ADAS, BANK, IN_BANK, LYON = Span(0, 9), Span(14, 17), Span(20, 32), Span(28, 32), Span(40, 44)
PAGE = "https://en.wikipedia.org/wiki/Ada_Quill"


def test_an_entity_has_one_type_and_one_canonical_mention():
    mentions = [
        MentionRecord(LYON, "GPE", LYON),
        MentionRecord(IN_BANK, "GPE", LYON),
        MentionRecord(LYON, "ORG", LYON),
        MentionRecord(ADA, "PER", ADA),
    ]
    found = [(one.type, one.name, one.mentions) for one in marked.entities(TEXT, mentions, TAC)]
    assert found == [
        ("PER", "Ada Quill", (ADA,)),
        ("GPE", "Lyon", (IN_BANK, LYON)),
        ("ORG", "Lyon", (LYON,)),
    ]


def test_an_entitys_link_is_its_canonical_mentions_or_else_the_first():
    mentions = [MentionRecord(ADA, "PER", ADA, ""), MentionRecord(ADAS, "PER", ADA, PAGE)]
    (ada,) = marked.entities(TEXT, mentions, TAC)
    assert (ada.link, ada.page, ada.link_name) == (PAGE, PAGE, "Ada Quill")


def test_a_date_is_linked_to_no_page():
    (year,) = marked.entities("In 1961", [MentionRecord(Span(3, 7), "DATE", Span(3, 7), "1961")], TAC)
    assert (year.page, year.link_name) == ("", "1961")


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:text/html,x", "//example.org", "Q42"])
def test_what_no_browser_should_follow_is_no_page(link):
    (ada,) = marked.entities(TEXT, [MentionRecord(ADA, "PER", ADA, link)], TAC)
    assert ada.page == ""


def test_a_mention_that_does_not_say_its_entitys_name_is_labelled_with_it():
    mentions = [MentionRecord(ADA, "PER", ADA), MentionRecord(ADAS, "PER", ADA)]
    own = marked.entities(TEXT, mentions, TAC)
    assert [(mark.label, mark.href) for mark in marked.marks(TEXT, own, {ADAS: "#x"})] == [
        ("person", ""),
        ("person Ada Quill", "#x"),
    ]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([ADA, ADAS, BANK, IN_BANK, LYON]),
            st.sampled_from(["PER", "ORG", "GPE"]),
            st.sampled_from([ADA, BANK, LYON]),
        ),
        unique_by=lambda one: one[:2],
    )
)
def test_every_mention_is_in_one_entity_and_marked_once(given_):
    mentions = [MentionRecord(*one) for one in given_]
    own = marked.entities(TEXT, mentions, TAC)
    listed = sorted((span, entity.type) for entity in own for span in entity.mentions)
    assert listed == sorted((one.span, one.type) for one in mentions)
    opens = [mark.span for part in cut(TEXT, merge(marked.marks(TEXT, own))) for mark in part.opens]
    assert sorted(opens) == sorted({one.span for one in mentions})
