import pytest

from kbpo_formats.kbp.predictions import ReadPrediction
from kbpo_formats.spans import Span
from tests.unit.kbpo_formats.kbp.tac.kb import NEXT, extend

# more people, so that relations between two have something to hold on to
PEOPLE = (
    ":P | type | PER",
    ':P | canonical_mention | "Pat" | D1:60-62',
    ':P | mention | "Pat" | D1:60-62',
    ':P | mention | "he" | D1:70-71',
)


def claims(*lines: str) -> list[tuple[str, Span, Span]]:
    reading = extend(*PEOPLE, *lines)
    assert reading.accepted, reading.problems
    return [(p.predicate, p.subject, p.object) for p in reading.predictions]


def test_a_line_between_entities_is_one_instance():
    (prediction,) = extend(":A | per:schools_attended | :B | D1:0-40 | 0.75").predictions
    assert prediction == ReadPrediction(
        doc_id="D1",
        predicate="per:schools_attended",
        subject=Span(0, 3),
        object=Span(30, 34),
        subject_type="PER",
        object_type="ORG",
        subject_entity=":A",
        object_entity=":B",
        subject_canonical=Span(0, 3),
        object_canonical=Span(30, 34),
        confidence=0.75,
        line=NEXT,
        official="per:schools_attended",
        turned=False,
        provenance="D1:0-40",
    )


def test_a_line_with_a_string_is_one_instance():
    (prediction,) = extend(r':A | per:title | "the \"boss\"" | D1:80-89,D1:18-30').predictions
    assert prediction == ReadPrediction(
        doc_id="D1",
        predicate="per:title",
        subject=Span(20, 23),
        object=Span(80, 90),
        subject_type="PER",
        object_type="TITLE",
        subject_entity=":A",
        object_entity='the "boss"',
        subject_canonical=Span(0, 3),
        object_canonical=None,
        confidence=1.0,
        line=NEXT,
        official="per:title",
        turned=False,
        provenance="D1:80-89,D1:18-30",
    )


def test_a_date_is_typed_as_one():
    (prediction,) = extend(':B | org:date_founded | "1950" | D1:80-83,D1:30-33').predictions
    assert (prediction.predicate, prediction.object_type) == ("org:date_founded", "DATE")


def test_the_mention_is_the_first_inside_the_first_span_that_contains_one():
    lines = (":A | per:schools_attended | :B | D1:50-55,D1:18-33,D1:0-2",)
    assert claims(*lines) == [("per:schools_attended", Span(20, 23), Span(30, 34))]


def test_a_mention_that_a_span_cuts_is_not_inside():
    assert claims(":A | per:schools_attended | :B | D1:1-35") == [
        ("per:schools_attended", Span(20, 23), Span(30, 34))
    ]


def test_of_mentions_that_start_together_the_shorter_is_first():
    lines = (':A | mention | "she who" | D1:20-26', ":A | per:schools_attended | :B | D1:18-33")
    assert claims(*lines) == [("per:schools_attended", Span(20, 23), Span(30, 34))]


def test_where_no_mention_is_inside_the_first_after_a_start_is_taken():
    assert claims(":A | per:schools_attended | :B | D1:10-15") == [
        ("per:schools_attended", Span(20, 23), Span(30, 34))
    ]


def test_a_later_span_with_a_mention_inside_goes_before_what_follows_the_first():
    assert claims(":A | per:schools_attended | :B | D1:10-15,D1:0-2") == [
        ("per:schools_attended", Span(0, 3), Span(30, 34))
    ]


def test_a_nominal_mention_is_found_too():
    lines = (':B | nominal_mention | "firm" | D1:25-28', ":A | per:schools_attended | :B | D1:0-33")
    assert claims(*lines) == [("per:schools_attended", Span(0, 3), Span(25, 29))]


def test_the_canonical_mention_is_that_of_the_document():
    reading = extend(
        ':A | mention | "Annie" | D2:0-4',
        ':A | canonical_mention | "Annie" | D2:0-4',
        ':A | mention | "her" | D2:10-12',
        ':A | per:title | "boss" | D2:20-23,D2:9-13',
    )
    (prediction,) = reading.predictions
    assert (prediction.subject, prediction.subject_canonical) == (Span(10, 13), Span(0, 5))


def test_an_inverse_is_turned():
    (prediction,) = extend(":B | org:students | :A | D1:0-40").predictions
    assert (prediction.predicate, prediction.subject, prediction.object) == (
        "per:schools_attended",
        Span(0, 3),
        Span(30, 34),
    )
    assert (prediction.subject_entity, prediction.subject_type) == (":A", "PER")


@pytest.mark.parametrize(
    ("line", "predicate", "subject"),
    [
        (":A | per:city_of_birth | :C | D1:0-50", "per:place_of_birth", ":A"),
        (":C | gpe:residents_of_country | :A | D1:0-50", "per:place_of_residence", ":A"),
        (":B | org:top_members_employees | :A | D1:0-50", "per:employee_or_member_of", ":A"),
        (":B | org:founded_by | :A | D1:0-50", "per:organizations_founded", ":A"),
        (":B | org:founded_by | :C | D1:0-50", "gpe:organizations_founded", ":C"),
        (":B | org:members | :C | D1:0-50", "gpe:member_of", ":C"),
        (":B | org:shareholders | :A | D1:0-50", "per:holds_shares_in", ":A"),
        (":C | gpe:subsidiaries | :B | D1:0-50", "org:parents", ":B"),
        (":A | per:children | :P | D1:0-75", "per:parents", ":P"),
    ],
)
def test_a_claim_is_stored_in_one_direction(line, predicate, subject):
    (prediction,) = extend(*PEOPLE, line).predictions
    assert (prediction.predicate, prediction.subject_entity) == (predicate, subject)


@pytest.mark.parametrize("line", [":A | per:spouse | :P | D1:0-75", ":P | per:spouse | :A | D1:0-75"])
def test_of_a_symmetric_pair_the_mention_that_starts_first_is_the_subject(line):
    (prediction,) = extend(*PEOPLE, line).predictions
    assert (prediction.subject_entity, prediction.object_entity) == (":A", ":P")


def test_a_claim_and_its_inverse_are_one_instance_with_the_larger_confidence():
    reading = extend(
        ":A | per:schools_attended | :B | D1:0-40 | 0.25",
        ":B | org:students | :A | D1:0-40 | 0.5",
    )
    (prediction,) = reading.predictions
    assert (prediction.confidence, prediction.line) == (0.5, NEXT + 1)
    counts = reading.counts
    assert (counts["instances"], counts["merged_lines"], counts["turned"]) == (1, 1, 1)


def test_on_ties_the_first_line_gives_the_entities():
    twin = (
        ":T | type | ORG",
        ':T | mention | "Bolt" | D1:30-33',
        ':T | canonical_mention | "Bolt" | D1:30-33',
    )
    reading = extend(
        *twin,
        ":A | per:schools_attended | :T | D1:0-40 | 0.5",
        ":A | per:schools_attended | :B | D1:0-40 | 0.5",
    )
    (prediction,) = reading.predictions
    assert prediction.object_entity == ":T"


def test_each_justification_is_an_instance():
    assert claims(
        ":A | per:schools_attended | :B | D1:0-40",
        ":A | per:schools_attended | :B | D1:20-40",
    ) == [
        ("per:schools_attended", Span(0, 3), Span(30, 34)),
        ("per:schools_attended", Span(20, 23), Span(30, 34)),
    ]


def test_two_predicates_on_one_pair_are_two_instances():
    assert {
        predicate
        for predicate, _, _ in claims(
            ":A | per:city_of_birth | :C | D1:0-50",
            ":A | per:city_of_death | :C | D1:0-50",
        )
    } == {"per:place_of_birth", "per:place_of_death"}


def test_dropped_lines_are_counted_with_their_reasons():
    reading = extend(
        ':A | per:age | "50" | D1:5-6,D1:0-2',
        ':A | per:age | "50" | D1:5-6,D1:0-2',
        ':A | per:title | "boss" | D1:5-8',
        ':A | per:title | "boss" | D1:5-8,D1:0-2',
    )
    assert reading.counts["relation_lines"] == 4
    assert reading.counts["instances"] == 1
    assert reading.counts["dropped_lines"] == 3
    assert reading.counts["dropped_by_reason"]["PREDICATE_NOT_SCORED"] == 1
    assert reading.counts["dropped_by_reason"]["REPEATED_ASSERTION"] == 1
    assert reading.counts["dropped_by_reason"]["NO_MENTION_FOUND"] == 1


TO_BE_READ_AGAIN = ("line", "provenance")  # these say where a claim stands, not what it is

# a repair: what is written, and what it must be read as
REPAIRS = {
    "the colon": (
        ("A | per:schools_attended | B | D1:0-40",),
        (":A | per:schools_attended | :B | D1:0-40",),
    ),
    "a fifth span": (
        (':A | per:title | "x" | D1:5-5,D1:0-2,D1:0-2,D1:0-2,D9:0-2',),
        (':A | per:title | "x" | D1:5-5,D1:0-2,D1:0-2,D1:0-2',),
    ),
    "a span too long": (
        (':A | canonical_mention | "Ann" | LONG:0-400', ':A | per:title | "x" | LONG:0-0,LONG:0-400'),
        (':A | canonical_mention | "Ann" | LONG:0-149', ':A | per:title | "x" | LONG:0-0,LONG:0-149'),
    ),
    "a document without canonical mention": (
        (':A | mention | "Ann" | D2:0-2', ':A | per:title | "x" | D2:5-5,D2:0-2'),
        (
            ':A | mention | "Ann" | D2:0-2',
            ':A | canonical_mention | "Ann" | D2:0-2',
            ':A | per:title | "x" | D2:5-5,D2:0-2',
        ),
    ),
    "a canonical mention that is no mention": (
        (':A | canonical_mention | "Ann" | D2:0-2', ':A | per:title | "x" | D2:5-5,D2:0-2'),
        (
            ':A | mention | "Ann" | D2:0-2',
            ':A | canonical_mention | "Ann" | D2:0-2',
            ':A | per:title | "x" | D2:5-5,D2:0-2',
        ),
    ),
    "a confidence without decimal point": (
        (':A | per:title | "x" | D1:5-5,D1:0-2 | 1',),
        (':A | per:title | "x" | D1:5-5,D1:0-2 | 1.0',),
    ),
    "a confidence in scientific notation": (
        (':A | per:title | "x" | D1:5-5,D1:0-2 | 2.5e-01',),
        (':A | per:title | "x" | D1:5-5,D1:0-2 | 0.25',),
    ),
    "a deprecated name": (
        (":A | per:employee_of | :B | D1:0-40", ":A | stateorprovinces_of_residence | :C | D1:0-50"),
        (
            ":A | per:employee_or_member_of | :B | D1:0-40",
            ":A | per:statesorprovinces_of_residence | :C | D1:0-50",
        ),
    ),
    "a string without quotes": (
        (r':A | per:title | the "boss\ | D1:5-5,D1:0-2',),
        (r':A | per:title | "the \"boss\\" | D1:5-5,D1:0-2',),
    ),
    "an illegal link": (
        (":A | link | nowhere", ':A | per:title | "x" | D1:5-5,D1:0-2'),
        (':A | per:title | "x" | D1:5-5,D1:0-2',),
    ),
    "a mention of two spans": (
        (':A | mention | "her" | D1:10-12,D1:50-52', ':A | per:title | "x" | D1:5-5,D1:10-60'),
        (':A | mention | "her" | D1:10-12', ':A | per:title | "x" | D1:5-5,D1:10-60'),
    ),
    "a repetition with more confidence": (
        (':A | per:title | "x" | D1:5-5,D1:0-2 | 0.5', ':A | per:title | "x" | D1:5-5,D1:0-2 | 0.75'),
        (':A | per:title | "x" | D1:5-5,D1:0-2 | 0.5',),
    ),
}


@pytest.mark.parametrize("fault", REPAIRS)
def test_a_repaired_file_reads_like_one_that_was_right(fault):
    def content(lines):
        reading = extend(*lines)
        assert reading.accepted
        assert reading.predictions
        return [(*vars_of(p),) for p in reading.predictions]

    def vars_of(prediction):
        return (getattr(prediction, name) for name in ReadPrediction._fields if name not in TO_BE_READ_AGAIN)

    written, meant = REPAIRS[fault]
    assert content(written) == content(meant)
