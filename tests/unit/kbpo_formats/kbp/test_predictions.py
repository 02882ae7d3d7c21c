import pytest

from kbpo_formats.kbp.predictions import Predictions, ReadPrediction
from kbpo_formats.spans import Span

ONE = ReadPrediction(
    doc_id="D",
    predicate="per:title",
    subject_type="PER",
    object_type="TITLE",
    subject_entity=":A",
    object_entity="boss",
    official="per:title",
    provenance="D:0-1",
    subject=Span(0, 3),
    object=Span(5, 9),
    subject_canonical=Span(1, 3),
    object_canonical=None,
    line=7,
    turned=False,
    confidence=0.5,
)
OTHER = ONE._replace(doc_id="E", object_canonical=Span(20, 30), turned=True, line=8, confidence=1.0)
THIRD = ONE._replace(doc_id="F")


def test_predictions_are_those_that_were_added():
    predictions = Predictions([ONE, OTHER])
    predictions.append(THIRD)
    assert list(predictions) == [ONE, OTHER, THIRD]
    assert (predictions[-1], predictions[1:], len(predictions)) == (THIRD, [OTHER, THIRD], 3)


def test_a_prediction_takes_anothers_place():
    predictions = Predictions([ONE, OTHER, THIRD])
    predictions.replace(1, THIRD._replace(line=9))
    assert list(predictions) == [ONE, THIRD._replace(line=9), THIRD]


def test_there_is_nothing_beyond_the_last():
    with pytest.raises(IndexError):
        Predictions([ONE])[1]


def test_predictions_are_equal_when_all_of_them_are():
    assert Predictions([ONE, OTHER]) == Predictions([ONE, OTHER])
    assert Predictions([ONE, OTHER]) != Predictions([OTHER, ONE])


def test_a_column_has_every_predictions_value():
    predictions = Predictions([ONE, OTHER])
    assert predictions.names("doc_id") == ["D", "E"]
    assert predictions.integers("object_canonical_start").tolist() == [-1, 20]
    assert predictions.confidences.tolist() == [0.5, 1.0]
