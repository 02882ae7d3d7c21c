"""The help page walks through a real file."""

import gzip
import io

from demo.build import CORPUS, knowledge_base
from demo.markup import read_folder
from demo.systems import SYSTEMS
from evaluation.models import Submission
from evaluation.views.help import MEANINGS
from evaluation.views.walk import DOCUMENT, FILES, TEXT
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.tac.reader import read
from tests.ontologies import TAC


def documents():
    return [document for document, _ in read_folder(CORPUS)]


def test_the_text_is_that_of_the_document() -> None:
    (text,) = (document["text"] for document in documents() if document["doc_id"] == DOCUMENT)
    assert text.startswith(TEXT)


def test_the_example_is_read_without_a_problem_and_makes_three_claims() -> None:
    texts = Texts({document["doc_id"]: document["text"] for document in documents()})
    reading = read(io.BytesIO(FILES["claims.kb"].encode()), documents=texts, ontology=TAC)
    assert [problem.code for problem in reading.problems if problem.severity == "ERROR"] == []
    assert [prediction.predicate for prediction in reading.predictions] == [
        "per:place_of_birth",
        "per:schools_attended",
        "per:date_of_birth",
    ]


def test_every_line_of_the_example_is_needles() -> None:
    (needle,) = (system for system in SYSTEMS if system.name == "needle")
    written = gzip.decompress(knowledge_base(needle, documents())).decode().splitlines()
    assert [line for line in FILES["claims.kb"].splitlines() if line not in written] == []


def test_every_state_is_explained() -> None:
    assert set(MEANINGS) == set(Submission.State.values)
