import pytest

from evaluation.divisions import bands, divisions
from tests.factories import (
    ADA,
    HALLOW,
    PRESS,
    SHE,
    DocumentFactory,
    InstanceFactory,
    PredictionFactory,
    SubmissionFactory,
)


@pytest.mark.parametrize(
    ("frequencies", "names", "tops"),
    [
        ([], ["at most 3", "more than 3"], [3]),
        ([1] * 10, ["at most 3", "more than 3"], [3]),
        ([1] * 8 + [4, 9], ["at most 3", "4", "more than 4"], [3, 4]),
        ([1] * 5 + [10] * 4 + [99], ["at most 3", "4 to 10", "more than 10"], [3, 10]),
    ],
)
def test_bands_follow_the_names_of_the_pool(frequencies, names, tops):
    assert bands(frequencies) == (names, tops)


@pytest.mark.django_db
def test_a_claim_stands_with_its_relation_its_subjects_type_and_its_canonical_name():
    submission = SubmissionFactory()
    document = DocumentFactory(corpus=submission.corpus)
    for number in range(4):  # Ada Quill occurs in five documents, Quill Press in one
        DocumentFactory(corpus=submission.corpus, text=f"Ada Quill, {number}.")
    document.text = document.text.replace("Quill Press", "Xxxxx Press")
    document.save()
    rows = [
        PredictionFactory(
            submission=submission,
            instance=InstanceFactory(document=document, subject=SHE, object=HALLOW),
            subject_canonical_start=ADA.start,
            subject_canonical_end=ADA.end,
        ),
        PredictionFactory(
            submission=submission,
            instance=InstanceFactory(
                document=document, predicate="org:place_of_headquarters", subject=PRESS, object=HALLOW
            ),
            subject_type="ORG",
        ),
    ]
    found = dict(divisions(submission.corpus, [rows], []))
    assert {
        kind: [division.names[code] for code in division.of_claims[0]] for kind, division in found.items()
    } == {
        "predicate": ["per:place_of_birth", "org:place_of_headquarters"],
        "type": ["PER", "ORG"],
        "frequency": ["4 to 5", "at most 3"],
    }
    assert all(division.of_relations.size == 0 for division in found.values())
