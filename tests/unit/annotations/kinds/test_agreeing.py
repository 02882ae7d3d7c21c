"""Two answers that agree cannot be outvoted by a third: on this `curtailed` rests."""

from hypothesis import given
from hypothesis import strategies as st

from annotations.aggregation.tokens import settle
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Mention, RelationQuestion
from kbpo_formats.spans import Span
from tests.ontologies import TAC
from tests.unit.annotations.aggregation.test_tokens import WORDS, answers
from tests.unit.annotations.kinds.test_entities import FULL, QUESTION, changed

RELATION = RelationQuestion.about(Mention(Span(0, 3), "PER"), Mention(Span(4, 9), "ORG"), TAC)
CANONICAL = CanonicalQuestion(Span(0, 3), Span(4, 9))

ticks = st.sets(st.sampled_from(RELATION.offered)).map(lambda ticked: RELATION.answer([*ticked]))
verdicts = st.booleans().map(CANONICAL.answer)


def values(found):
    return {claim: verdict.value for claim, verdict in found.items()}


@given(ticks, ticks)
def test_two_on_a_relation_settle_what_any_three_with_them_do(both, third):
    assert RELATION.agree([both, both])
    assert values(RELATION.settle([both, both])) == values(RELATION.settle([both, both, third]))


@given(verdicts, verdicts)
def test_two_on_a_canonical_mention_settle_what_any_three_with_them_do(both, third):
    assert CANONICAL.agree([both, both])
    assert values(CANONICAL.settle([both, both])) == values(CANONICAL.settle([both, both, third]))


@given(answers(), answers())
def test_two_on_a_document_settle_what_any_three_with_them_do(both, third):
    assert settle(WORDS, [both, both]).records == settle(WORDS, [both, third, both]).records


@given(ticks, ticks)
def test_relation_answers_agree_if_they_say_the_same_of_every_claim(one, other):
    assert RELATION.agree([one, other]) == (RELATION.values(one) == RELATION.values(other))


@given(ticks, ticks)
def test_two_that_differ_on_a_relation_settle_nothing(one, other):
    if not RELATION.agree([one, other]):
        assert RELATION.settle([one, other]) is None


def test_what_mentions_are_linked_to_is_no_disagreement_on_relations():
    answer = RELATION.answer([])
    assert RELATION.agree([answer, answer | {"links": [{"none": True}]}])


def test_canonical_answers_agree_if_both_are_right_or_both_wrong():
    right, wrong = CANONICAL.answer(True), CANONICAL.answer(False)
    assert (CANONICAL.agree([right, right]), CANONICAL.agree([right, wrong])) == (True, False)


def test_answers_about_a_document_agree_if_mentions_entities_and_links_are_the_same():
    full = QUESTION.read_answer(FULL)
    fewer = {name: full[name][:-1] for name in ("mentions", "entities")} | {"version": 1}
    renamed = QUESTION.read_answer(changed(entities=FULL["entities"][::-1]))
    linked = {**full, "entities": [{**full["entities"][0], "link": {"none": True}}, *full["entities"][1:]]}
    assert QUESTION.agree([full, renamed])
    assert not QUESTION.agree([full, fewer])
    assert not QUESTION.agree([full, linked])


def test_one_answer_agrees_with_itself():
    assert RELATION.agree([RELATION.answer([])])
