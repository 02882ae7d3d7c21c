"""Real documents, for the tests that read and write real systems' files."""

import gzip
import json

import pytest

from kbpo_formats.corpus import Texts
from tests.knowledgenet import FOLDER


@pytest.fixture(scope="package")
def corpus() -> Texts:
    """The documents of KnowledgeNet; a test that needs them is skipped without them."""
    if not FOLDER.is_dir():
        pytest.skip("the KnowledgeNet files are not at hand")
    with gzip.open(FOLDER / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        return Texts({document["doc_id"]: document["text"] for document in map(json.loads, file)})
