"""Ontologies in the database: loaded once, as they are for good, and named by corpora."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from annotations import corpora, ontologies, responses
from annotations.models import Corpus, CorpusGuidelines, OntologyVersion, Response
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.core.models import AuditEntry
from kbpo_formats.ontologies.builtin import DIGESTS, read_builtin
from tests.conftest import ROOT
from tests.factories import CorpusFactory, QuestionFactory, UserFactory

pytestmark = pytest.mark.django_db

DOZEN = ROOT / "docs" / "ontologies" / "wikidata.toml"
OWN = '[types]\nPER = "People, and no animals."\n[relations]\n"per:title" = "Offices only."\n'


def written(folder: Path, text: str, name: str = "own.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def run(*arguments: object, **options: Any) -> str:
    out = StringIO()
    call_command(*map(str, arguments), stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return written(tmp_path, json.dumps({"doc_id": "A", "text": "Ada left."}), "texts.jsonl")


# What is stored -------------------------------------------------------------------------------------------


def test_the_built_in_ontologies_are_there() -> None:
    assert dict(OntologyVersion.objects.values_list("reference", "digest")) == DIGESTS


@pytest.mark.django_db(transaction=True)
def test_the_built_in_ontologies_are_there_again_when_the_database_was_emptied() -> None:
    call_command("flush", interactive=False, verbosity=0)

    assert dict(OntologyVersion.objects.values_list("reference", "digest")) == DIGESTS


def test_a_stored_version_cannot_be_changed() -> None:
    with pytest.raises(IntegrityError, match="stays as it is"), transaction.atomic():
        OntologyVersion.objects.filter(pk="tac-kbp@1").update(content="{}")


def test_a_version_that_a_corpus_names_cannot_be_deleted() -> None:
    CorpusFactory()
    with pytest.raises(ProtectedError):
        OntologyVersion.objects.get(pk="tac-kbp@1").delete()


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"digest": "0" * 64}, "ontology_version_digest"),
        ({"reference": "own@2"}, "ontology_version_reference"),
        ({"version": 0, "reference": "own@0"}, "ontology_version_from_1"),
    ],
    ids=["digest", "reference", "version"],
)
def test_a_stored_version_is_what_its_digest_and_its_reference_say(
    change: dict[str, Any], constraint: str
) -> None:
    right = {"reference": "own@1", "name": "own", "version": 1, "content": "{}"}
    digest = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    OntologyVersion(**right, digest=digest).validate_constraints()
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        OntologyVersion.objects.create(**{**right, "digest": digest, **change})


# Loading --------------------------------------------------------------------------------------------------


def test_a_file_is_loaded_once() -> None:
    first, second = (ontologies.load_ontology(path=DOZEN) for _ in range(2))

    assert (first.is_new, second.is_new) == (True, False)
    assert OntologyVersion.objects.filter(name="wikidata-dozen").count() == 1
    assert AuditEntry.objects.filter(what="ontology loaded").count() == 1


def test_a_built_in_version_may_be_loaded_from_its_file() -> None:
    assert not ontologies.load_ontology(path=ROOT / "docs/ontologies/tac-kbp-2.toml").is_new


def test_another_text_under_the_same_version_is_refused(tmp_path: Path) -> None:
    ontologies.load_ontology(path=DOZEN)
    other = written(tmp_path, DOZEN.read_text(encoding="utf-8").replace("place of birth", "birthplace"))

    with pytest.raises(Conflict, match=r"wikidata-dozen@1 is there already and says something else"):
        ontologies.load_ontology(path=other)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="it cannot be read"):
        ontologies.load_ontology(path=tmp_path)


def test_the_command_says_what_it_loaded() -> None:
    assert run("load_ontology", DOZEN) == "wikidata-dozen@1: 6 types, 12 relations; loaded\n"
    assert run("load_ontology", DOZEN).endswith("it was there already\n")


def test_the_command_lists_every_fault_and_loads_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, 'name = "own"\nversion = 0\ntitle = ""\n')
    out = StringIO()

    with pytest.raises(CommandError, match=r"own\.toml: 4 faults, so it was not loaded$"):
        call_command("load_ontology", str(path), stdout=out)

    lines = out.getvalue().splitlines()
    assert [line.split(":")[0] for line in lines] == ["line 1", "line 1", "line 2", "line 3"]
    assert not OntologyVersion.objects.filter(name="own").exists()


def test_the_command_says_a_single_fault_in_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, "\nname: own")

    with pytest.raises(CommandError, match=r"own\.toml: line 2: this is no TOML"):
        run("load_ontology", path)


def test_the_command_prints_faults_as_json(tmp_path: Path) -> None:
    path, out = written(tmp_path, "name = 1"), StringIO()

    with pytest.raises(CommandError):
        call_command("load_ontology", str(path), "--json", stdout=out)

    found = json.loads(out.getvalue())
    assert not found["accepted"]
    assert {"line": 1, "message": "name is 1; it must be a text"} in found["faults"]


# Naming one -----------------------------------------------------------------------------------------------


def test_a_corpus_that_names_none_has_the_first_version_of_tac(texts: Path) -> None:
    run("load_corpus", texts, "--corpus", "news")

    assert Corpus.objects.get().ontology_id == "tac-kbp@1"


@pytest.mark.parametrize(
    ("given", "version"), [("tac-kbp", 2), ("tac-kbp@1", 1), ("wikidata-dozen", 1)], ids=str
)
def test_a_corpus_names_a_version_or_has_the_newest(given: str, version: int, texts: Path) -> None:
    ontologies.load_ontology(path=DOZEN)

    corpora.load_corpus(path=texts, tag="news", ontology=given)

    assert Corpus.objects.get().ontology.version == version


@pytest.mark.parametrize("given", ["tac", "tac-kbp@9", "tac-kbp@", "@1", ""])
def test_an_unknown_ontology_is_refused_with_those_there_are(given: str) -> None:
    with pytest.raises(InvalidInput, match="known are tac-kbp@1, tac-kbp@2"):
        ontologies.find_version(given)


def test_a_corpus_keeps_its_ontology(texts: Path) -> None:
    corpora.load_corpus(path=texts, tag="news", ontology="tac-kbp@1")

    corpora.load_corpus(path=texts, tag="news", ontology="tac-kbp")
    with pytest.raises(Conflict, match="its ontology is tac-kbp@1"):
        corpora.load_corpus(path=texts, tag="news", ontology="tac-kbp@2")

    assert Corpus.objects.get().ontology_id == "tac-kbp@1"


def test_a_corpus_has_the_ontology_that_it_names() -> None:
    stored = ontologies.load_ontology(path=DOZEN)

    assert ontologies.ontology_of(CorpusFactory(ontology=stored.stored)) == stored.ontology
    assert ontologies.ontology_of(CorpusFactory()) == read_builtin("tac-kbp@1")


# Guidelines of its own ------------------------------------------------------------------------------------


def test_a_corpus_has_guidelines_of_its_own_in_versions(tmp_path: Path) -> None:
    corpus = CorpusFactory()
    first = ontologies.load_guidelines(path=written(tmp_path, OWN), corpus=corpus)
    again = ontologies.load_guidelines(path=written(tmp_path, OWN), corpus=corpus)
    second = ontologies.load_guidelines(path=written(tmp_path, '[types]\nPER = "All."\n'), corpus=corpus)

    assert (first.version, again.pk, second.version) == (1, first.pk, 2)
    assert AuditEntry.objects.filter(what="guidelines changed").count() == 2


def test_what_holds_is_the_newest_and_earlier_ones_can_be_read(tmp_path: Path) -> None:
    corpus, before = CorpusFactory(), read_builtin("tac-kbp@1")
    first = ontologies.load_guidelines(path=written(tmp_path, OWN), corpus=corpus)
    ontologies.load_guidelines(path=written(tmp_path, '[types]\nPER = "All."\n'), corpus=corpus)

    now, then = ontologies.ontology_of(corpus), ontologies.ontology_under(corpus, first)

    assert now.types_by_name["PER"].guideline == "All."
    assert now.relations == before.relations
    assert then.relations_by_name["per:title"].guideline == "Offices only."
    assert then.examples == before.examples
    assert ontologies.ontology_under(corpus, None) == before


def test_examples_of_its_own_take_the_place_of_all(tmp_path: Path) -> None:
    corpus = CorpusFactory()
    text = '[[examples]]\ntext = "[Ada|PER], the [captain|TITLE]."\nholds = ["per:title 1"]\n'
    text += 'explanation = "Is."\n'

    run("load_guidelines", written(tmp_path, text), "--corpus", corpus.tag)

    assert [one.explanation for one in ontologies.ontology_of(corpus).examples] == ["Is."]


def test_guidelines_about_what_the_ontology_has_not_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"own\.toml: line 2: unknown type 'CAT'"):
        ontologies.load_guidelines(path=written(tmp_path, '[types]\nCAT = "Cats."'), corpus=CorpusFactory())


@pytest.mark.parametrize("act", ["update", "delete"])
def test_guidelines_that_were_given_stay(act: str, tmp_path: Path) -> None:
    ontologies.load_guidelines(path=written(tmp_path, OWN), corpus=CorpusFactory())
    rows = CorpusGuidelines.objects.all()

    with pytest.raises(IntegrityError, match="stay as they were"), transaction.atomic():
        rows.update(version=7) if act == "update" else rows.delete()


def test_an_answer_knows_the_guidelines_under_which_it_was_given(tmp_path: Path) -> None:
    question = QuestionFactory()

    def answer() -> Response:
        return responses.record(question=question, worker=UserFactory(annotator=True), answer={"none": True})

    under = [answer().guidelines]
    for text in (OWN, '[types]\nPER = "All."\n'):
        ontologies.load_guidelines(path=written(tmp_path, text), corpus=question.document.corpus)
        under.append(answer().guidelines)

    assert [one and one.version for one in under] == [None, 1, 2]
