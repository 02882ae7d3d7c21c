from demo.systems.pairs import pairs
from demo.systems.reading import Sentence
from kbpo_formats.spans import Span
from tests.unit.demo.systems.texts import mention

RUTH = mention("Ruth Ash", "PER", 0)
ASH = mention("Ash", "PER", 20, name="Ruth Ash", at=0)
CORVEL = mention("Corvel", "GPE", 40)
YEAR = mention("1979", "DATE", 60)


def sentence(*mentions: object) -> Sentence:
    return Sentence(Span(0, 100), " " * 100, mentions)  # type: ignore[arg-type]


def test_a_pair_comes_with_every_relation_that_its_types_admit() -> None:
    (pair,) = pairs(sentence(RUTH, CORVEL), reach=100)

    assert {choice.relation for choice in pair.choices} == {
        "per:place_of_birth",
        "per:place_of_death",
        "per:place_of_residence",
        "per:employee_or_member_of",
    }


def test_the_subject_may_be_the_mention_that_comes_second() -> None:
    (pair,) = pairs(sentence(mention("1979", "DATE", 0), mention("Ruth Ash", "PER", 20)), reach=100)

    assert {choice.subject.words for choice in pair.choices} == {"Ruth Ash"}


def test_two_mentions_of_one_entity_are_no_pair() -> None:
    assert list(pairs(sentence(RUTH, ASH), reach=100)) == []


def test_types_that_admit_nothing_are_no_pair() -> None:
    assert list(pairs(sentence(CORVEL, YEAR), reach=100)) == []


def test_mentions_out_of_reach_are_no_pair() -> None:
    assert list(pairs(sentence(RUTH, CORVEL), reach=31)) == []
    assert len(list(pairs(sentence(RUTH, CORVEL), reach=32))) == 1
