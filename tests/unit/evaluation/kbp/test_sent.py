import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.kbp.files import sent
from evaluation.kbp.name_keys import Names
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.predictions import Predictions, ReadPrediction
from kbpo_formats.spans import Span

_spans = st.builds(
    lambda start, length: Span(start, start + length), st.integers(0, 10**9), st.integers(1, 150)
)
_names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_predictions = st.builds(
    ReadPrediction,
    doc_id=_names,
    predicate=_names,
    subject=_spans,
    object=_spans,
    subject_type=st.sampled_from(["PER", "ORG"]),
    object_type=st.sampled_from(["PER", "DATE"]),
    subject_entity=_names,
    object_entity=_names,
    subject_canonical=_spans,
    object_canonical=st.none() | _spans,
    confidence=st.floats(0, 1, exclude_min=True),
    line=st.integers(1, 10**7),
    official=st.just("per:title"),
    turned=st.booleans(),
    provenance=st.just("D:0-1"),
)


class Anywhere(Texts):
    """The same text, whatever a document is called."""

    def text(self, doc_id: str) -> str:
        return "Ann Lee, boss of Bolt & Co, met her there."


TEXTS = Anywhere({})

PREDICTION = ReadPrediction(
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
    subject_canonical=Span(0, 3),
    object_canonical=None,
    line=7,
    turned=False,
    confidence=0.5,
)


def rows(predictions: sent.Predictions) -> list[tuple[object, ...]]:
    names = [predictions.names(column) for column in sent.NAMES]
    offsets = [list(predictions.offsets(column)) for column in sent.OFFSETS]
    return list(zip(*names, *offsets, predictions.confidences, predictions.integers["line"], strict=True))


@given(st.lists(_predictions, max_size=5))
def test_columns_hold_what_was_put_into_them(predictions):
    assert rows(sent.gather(Predictions(predictions), TEXTS)) == [
        (
            *(getattr(one, name) for name in sent.NAMES[:6]),
            *(Names(one.doc_id, TEXTS.text(one.doc_id)).key(*span) for span in (one.subject, one.object)),
            *one.subject,
            *one.object,
            *one.subject_canonical,
            *(one.object_canonical or (None, None)),
            one.confidence,
            one.line,
        )
        for one in predictions
    ]


@given(predictions=st.lists(_predictions, max_size=5))
def test_columns_are_the_same_when_read_from_a_file(predictions, tmp_path_factory):
    path = tmp_path_factory.mktemp("columns") / "file"
    written = sent.gather(Predictions(predictions), TEXTS)
    with path.open("wb") as stream:
        sent.write(written, stream)
    with path.open("rb") as stream:
        assert sent.read(stream) == written


def test_names_that_take_several_lines_are_all_read(monkeypatch, tmp_path):
    monkeypatch.setattr(sent, "BATCH", 2)
    one = PREDICTION
    several = [one, one._replace(doc_id="E"), one._replace(object_entity=":é\n")]
    written = sent.gather(Predictions(several), TEXTS)
    with (tmp_path / "file").open("w+b") as stream:
        sent.write(written, stream)
        stream.seek(0)
        assert sent.read(stream) == written


@pytest.mark.parametrize("end", range(1, 140, 7))
def test_a_file_that_is_cut_off_is_refused(end, tmp_path):
    with (tmp_path / "file").open("w+b") as stream:
        sent.write(sent.gather(Predictions([PREDICTION]), TEXTS), stream)
        stream.truncate(stream.tell() - end)
        stream.seek(0)
        with pytest.raises(EOFError):
            sent.read(stream)
