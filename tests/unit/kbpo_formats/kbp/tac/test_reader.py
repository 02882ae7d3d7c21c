import csv
import gzip
import io
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo.core.errors import InvalidInput
from kbpo_formats import problems
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.tac import entities
from kbpo_formats.kbp.tac.reader import Reading, read
from tests.knowledgenet import FOLDER as KNOWLEDGENET
from tests.knowledgenet import exact
from tests.ontologies import TAC
from tests.unit.kbpo_formats.kbp.tac.kb import BASE, BLANK, DOCUMENTS, NEXT, extend, tabbed

SYSTEMS = (
    "A1_rules_strict",
    "A2_rules_medium",
    "A3_rules_loose",
    "B1_logreg_high",
    "B2_logreg_mid",
    "B3_logreg_low",
    "C1_crf_knn",
    "C2_memory",
    "D1_union",
    "D2_vote",
)


def true_instances(system: str) -> Iterator[tuple[object, ...]]:
    path = KNOWLEDGENET / "instances" / f"{system}.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            offsets = ("subject_start", "subject_end", "object_start", "object_end")
            yield (
                row["doc_id"],
                row["predicate"],
                *(int(row[offset]) for offset in offsets),
                row["subject_entity"],
                row["object_entity"],
                float(row["confidence"]),
            )


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_real_file_gives_exactly_its_instances(system, corpus):
    with (KNOWLEDGENET / "submissions" / f"{system}.kb.gz").open("rb") as stream:
        reading = read(stream, documents=corpus, ontology=TAC)
    read_instances = [
        (p.doc_id, p.predicate, *p.subject, *p.object, p.subject_entity, p.object_entity, p.confidence)
        for p in reading.predictions
    ]
    assert reading.accepted
    assert reading.run_id == system
    left_out = set(true_instances(system)) - set(read_instances)
    assert set(read_instances) <= set(true_instances(system))
    assert len(left_out) == reading.counts["overlapping"] == exact()[system]["overlapping"]


def check_invariants(reading: Reading) -> None:
    counts = reading.counts
    assert reading.accepted is (counts["errors"] == 0)
    assert counts["errors"] + counts["warnings"] == len(reading.problems) + counts["unlisted"]
    assert counts["instances"] == len(reading.predictions)
    assert [p.line for p in reading.problems] == sorted(p.line for p in reading.problems)
    keys = {(p.doc_id, p.predicate, p.subject, p.object) for p in reading.predictions}
    assert len(keys) == len(reading.predictions)
    for p in reading.predictions:
        assert TAC.relations_by_name[p.predicate].admits(p.subject_type, p.object_type)
        assert 0 < p.confidence <= 1
        assert (p.object_canonical is None) is (p.object_type in {"DATE", "TITLE"})
        for span in (p.subject, p.object, p.subject_canonical, p.object_canonical or p.object):
            assert 0 <= span.start < span.end <= DOCUMENTS[p.doc_id]
        if TAC.relations_by_name[p.predicate].is_symmetric:
            assert p.subject <= p.object


@given(st.binary(max_size=400))
def test_any_bytes_give_a_reading(data):
    check_invariants(read(io.BytesIO(data), documents=BLANK, ontology=TAC))


@given(st.binary(max_size=400))
def test_any_bytes_that_claim_to_be_gzip_give_a_reading(data):
    check_invariants(read(io.BytesIO(b"\x1f\x8b\x08" + data), documents=BLANK, ontology=TAC))


_names = st.sampled_from([":A", ":B", ":C", ":D", "A", ":", '"A"', "", ":é"])
_verbs = st.sampled_from(
    [
        *TAC.predicates_by_name,
        *(one.bare_name for one in TAC.predicates),
        *("type", "link", "mention", "canonical_mention", "nominal_mention", "PER:mention", "mentions"),
        *("per:", ":", "", "per:employee_of", "fac:members"),
    ]
)
_objects = _names | st.sampled_from(["PER", "org", "GPE", "FAC", '"x"', '"x', "x # y", '"\\"', "kb:1", "kb:"])
_places = st.builds(
    "{}:{}-{}".format,
    st.sampled_from(["D1", "D2", "LONG", "D9", ""]),
    st.integers(-1, 120) | st.just("x"),
    st.integers(0, 200),
)
_provenance = st.lists(_places, max_size=5).map(",".join)
_confidences = st.sampled_from(["0.5", "1.0", "1", "0.0", "2.0e-01", "x", ""])
_columns = st.tuples(_names, _verbs, _objects, _provenance, _confidences)
_lines = st.lists(
    st.builds(lambda cells, count: "\t".join(cells[:count]), _columns, st.integers(3, 5)), max_size=15
)


@given(st.booleans(), _lines, st.sampled_from(["tac2015", "tac2016"]))
def test_any_lines_give_a_reading(on_base, lines, format):
    text = (tabbed(BASE).decode() if on_base else "run\n") + "\n".join(lines)
    check_invariants(read(io.BytesIO(text.encode()), format=format, documents=BLANK, ontology=TAC))


_legal_places = st.builds(
    lambda start, length: f"D1:{start}-{start + length}", st.integers(0, 80), st.integers(0, 19)
)
_typed = {"PER": ":A", "ORG": ":B", "GPE": ":C", **dict.fromkeys(("STRING", "DATE", "TITLE"), '"x"')}
_triples = [
    (_typed[predicate.subject_type], predicate.name, _typed[object_type])
    for predicate in TAC.predicates
    for object_type in predicate.object_types
]
_relation = st.builds(
    lambda triple, places, confidence: "\t".join([*triple, ",".join(places), f"0.{confidence}"]),
    st.sampled_from(_triples),
    st.lists(_legal_places, min_size=1, max_size=4),
    st.integers(1, 9),
)
lines_of_relations = st.lists(_relation, max_size=8)


@given(lines_of_relations)
def test_relations_that_fit_their_entities_are_accepted_and_all_accounted_for(lines):
    reading = extend(*lines)
    check_invariants(reading)
    counts = reading.counts
    assert reading.accepted
    assert (
        counts["instances"] + counts["overlapping"] + counts["merged_lines"] + counts["dropped_lines"]
        == counts["relation_lines"]
        == len(lines)
    )


@given(lines_of_relations)
def test_line_ends_and_packing_change_nothing(lines):
    text = tabbed(BASE) + "".join(f"{line}\n" for line in lines).encode()
    plain = read(io.BytesIO(text), documents=BLANK, ontology=TAC)
    for other in (text.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + text, gzip.compress(text)):
        assert read(io.BytesIO(other), documents=BLANK, ontology=TAC) == plain


def test_a_first_line_that_cannot_be_read_is_one_problem():
    reading = read(io.BytesIO(b"run\xff\n:A\ttype\tPER\n"), documents=BLANK, ontology=TAC)
    assert [problem.code for problem in reading.problems] == ["UNDECODABLE_BYTES", "NO_MENTIONS"]


def test_a_document_is_found_however_its_id_is_coded():
    file = tabbed(BASE.replace("D1:", "cafe\u0301:"))
    found = read(io.BytesIO(file), format="tac2016", documents=Texts({"caf\u00e9": "." * 100}), ontology=TAC)
    assert "ILLEGAL_DOCID" not in found.counts["problems"]


def test_a_format_that_does_not_exist_is_refused():
    with pytest.raises(InvalidInput, match="no format 'tac2099'; use tac2015 or tac2016"):
        read(io.BytesIO(b"run\n"), format="tac2099", documents=BLANK, ontology=TAC)  # type: ignore[arg-type]


def test_a_mention_is_found_among_many_that_are_too_long_for_the_span():
    many = 2_000
    mentions = "".join(f':A\tmention\t"x"\tLONG:{start}-{start + 149}\n' for start in range(many))
    canonical = ':A\tcanonical_mention\t"x"\tLONG:0-149\n'
    titles = "".join(f':A\tper:title\t"{i}"\tLONG:{2 * i}-{2 * i},LONG:{i}-{i + 1}\n' for i in range(many))
    text = tabbed(BASE).decode() + mentions + canonical + titles
    reading = read(io.BytesIO(text.encode()), documents=BLANK, ontology=TAC)
    assert [p.subject.start for p in reading.predictions] == list(range(many))


@pytest.mark.parametrize("data", [b"", b"\n", b"\0", b"\xff\xfe", b"\x1f\x8b", b"PK\x03\x04"])
def test_what_is_no_knowledge_base_is_refused_with_a_reason(data):
    reading = read(io.BytesIO(data), documents=BLANK, ontology=TAC)
    assert not reading.accepted
    assert reading.problems


def test_nothing_is_said_of_a_whole_file_that_was_not_read_to_its_end():
    data = gzip.compress(b'run\n:A\ttype\tPER\n:B\tmention\t"x"\tD1:0-0\n', 0)
    reading = read(io.BytesIO(data[:-8]), documents=BLANK, ontology=TAC)
    assert {problem.code for problem in reading.problems} == {"BROKEN_GZIP", "MENTION_TEXT_DIFFERS"}
    assert (reading.counts["lines"], reading.counts["entities"]) == (3, 2)


@pytest.mark.parametrize(
    ("line", "code"),
    [("one\ttwo", "WRONG_NUM_ENTRIES"), (":A\tper:none\t:B\tD1:0-2", "ILLEGAL_PREDICATE")],
    ids=["of lines", "of relations"],
)
def test_reading_ends_when_there_are_too_many_errors(line, code, monkeypatch):
    monkeypatch.setattr(problems, "MOST_ERRORS", 10)
    reading = extend(*[line] * 20)
    assert reading.counts["problems"] == {code: 10, "TOO_MANY_ERRORS": 1}
    assert (reading.problems[-1].line, reading.accepted) == (NEXT + 9, False)


@pytest.mark.parametrize(
    ("line", "said"), [("one", "has 1 column where"), ("one\ttwo", "has 2 columns where")]
)
def test_columns_are_counted_in_good_english(line, said):
    assert said in extend(line).problems[-1].message


def test_a_file_that_names_too_many_entities_is_too_large(monkeypatch):
    monkeypatch.setattr(entities, "MOST_ENTITIES", 4)
    reading = extend(":D | type | PER", ":E | type | PER", ":F | type | PER")
    assert [(problem.line, problem.code) for problem in reading.problems] == [(NEXT + 1, "TOO_LARGE")]
