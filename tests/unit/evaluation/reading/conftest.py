from pathlib import Path

import pytest

from evaluation.reading.text_file import write_texts
from tests.unit.kbpo_formats.kbp.tac.kb import BASE, DOCUMENTS, texts_for


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The text file of the documents that the examples are about."""
    path = tmp_path_factory.mktemp("texts") / "corpus.sqlite"
    documents = texts_for(BASE)
    write_texts(path, ((doc_id, documents.text(doc_id), [0]) for doc_id in DOCUMENTS))
    return path
