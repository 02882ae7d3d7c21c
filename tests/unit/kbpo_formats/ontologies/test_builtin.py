"""TAC KBP as data does not change, and has the predicates of the task."""

import csv
from pathlib import Path

import pytest

from kbpo_formats.ontologies.builtin import DEFAULT, DIGESTS, builtin_ontologies, read_builtin
from kbpo_formats.ontologies.normal import compute_digest
from kbpo_formats.ontologies.reading import read_ontology
from tests.conftest import ROOT

DOCS = ROOT / "docs" / "ontologies"
TAC = ROOT.parent / "shared" / "tac"
ONE, TWO = (read_builtin(f"tac-kbp@{version}") for version in (1, 2))


@pytest.mark.parametrize("reference", DIGESTS)
def test_a_built_in_ontology_never_changes(reference: str) -> None:
    assert compute_digest(read_builtin(reference)) == DIGESTS[reference]


def test_built_in_ontologies_have_the_names_that_they_are_found_by() -> None:
    assert [one.reference for one in builtin_ontologies()] == list(DIGESTS)
    assert DEFAULT in DIGESTS


def test_version_1_links_its_types_and_gives_them_by_the_letters_of_the_interface() -> None:
    assert [(one.name, one.key, one.link) for one in ONE.mention_types] == [
        ("PER", "p", "page"),
        ("ORG", "o", "page"),
        ("GPE", "g", "page"),
        ("DATE", "d", "date"),
        ("TITLE", "t", None),
    ]


@pytest.mark.skipif(not TAC.exists(), reason="needs the tables of the task beside the project")
@pytest.mark.parametrize("ontology", [ONE, TWO], ids=str)
def test_both_versions_have_the_predicates_of_the_task(ontology: object) -> None:
    with (TAC / "predicates.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert [(one.name, one.is_single_valued) for one in ontology.predicates] == [  # type: ignore[attr-defined]
        (row["predicate"], row["single_valued"] == "1") for row in rows
    ]


def test_version_2_scores_the_predicates_that_version_1_only_reads() -> None:
    unscored = [one.name for one in ONE.predicates if not one.stored_as]

    assert len(unscored) == 10
    assert [one.name for one in TWO.predicates if not one.stored_as] == []
    assert set(unscored) == set(TWO.relations_by_name) - set(ONE.relations_by_name)
    for name in unscored:  # their objects are strings in files
        kinds = TWO.predicates_by_name[name].object_types
        assert not any(TWO.types_by_name[kind].is_entity for kind in kinds)


def test_version_2_has_all_that_version_1_scores() -> None:
    assert TWO.relations[: len(ONE.relations)] == ONE.relations
    assert TWO.mention_types[: len(ONE.mention_types)] == ONE.mention_types
    for one in ONE.predicates:
        if one.stored_as:
            assert TWO.predicates_by_name[one.name] == one


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.toml")), ids=lambda path: path.stem)
def test_an_example_of_the_documentation_is_an_ontology(path: Path) -> None:
    ontology = read_ontology(path.read_bytes(), where=path.name)

    assert ontology.examples


def test_the_documentation_has_tac_knowledgenet_and_wikidata() -> None:
    assert {path.stem: len(read_ontology(path.read_bytes()).relations) for path in DOCS.glob("*.toml")} == {
        "tac-kbp-1": 24,
        "tac-kbp-2": 34,
        "knowledgenet": 15,
        "wikidata": 12,
    }


def test_what_files_state_in_the_names_of_tac_is_a_claim_of_knowledgenet_in_the_same_direction() -> None:
    ontology = read_ontology((DOCS / "knowledgenet.toml").read_bytes())
    taken = [one for one in ontology.predicates if one.name in ONE.predicates_by_name]

    renamed: dict[str, str] = {}
    for one in taken:
        then = ONE.predicates_by_name[one.name]
        assert one.turn == then.turn
        for object_type in one.object_types:
            stored = str(then.relation_for(object_type))
            assert renamed.setdefault(stored, str(one.relation_for(object_type))) == one.relation_for(
                object_type
            )
    assert len(renamed) == len(set(renamed.values())) == 12
