"""Write the demo's files.

``corpus.jsonl`` and ``gold.jsonl`` are what `load_corpus` and `load_gold` read; each example system gets a
``NAME.jsonl.gz`` or ``NAME.kb.gz``. The same sources make the same bytes.
"""

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from demo.markup import Document, read_folder
from demo.systems import SYSTEMS, System

CORPUS = Path(__file__).parent / "corpus"


def build(folder: Path) -> list[Path]:
    """Write corpus, gold and knowledge bases into a folder, which is made if need be.

    Returns
    -------
    list of Path
        The files: corpus, gold, and the systems' in the order of `demo.systems.SYSTEMS`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    examples = read_folder(CORPUS)
    documents = [document for document, _ in examples]
    paths = [
        write_lines(folder / "corpus.jsonl", documents),
        write_lines(folder / "gold.jsonl", [gold for _, gold in examples]),
    ]
    for system in SYSTEMS:
        path = folder / system.file
        path.write_bytes(knowledge_base(system, documents))
        paths.append(path)
    return paths


def knowledge_base(system: System, documents: Sequence[Document]) -> bytes:
    """Run a system on documents and return its knowledge base, compressed by gzip."""
    text = "".join(f"{line}\n" for line in system.write(documents))
    return gzip.compress(text.encode(), mtime=0)


def write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    """Write rows as JSON Lines; return the file."""
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
    return path
