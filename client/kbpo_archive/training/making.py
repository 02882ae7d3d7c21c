"""Training data, made: files in the layout that Hugging Face `datasets` reads without code of its own."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from kbpo_archive.errors import BadArchive
from kbpo_archive.pool import ArchivedPool
from kbpo_archive.reading import Archive
from kbpo_archive.training.annotated import Annotated
from kbpo_archive.training.card import CARD, write_card
from kbpo_archive.training.judged import Judged
from kbpo_archive.training.schema import FORMAT, SETS, SPLITS, split_of
from kbpo_archive.training.texts import Text, read_texts
from kbpo_archive.writing import as_json

TASK = "kbp"


class Files(Protocol):
    """Where files go: `kbpo_archive.writing.Writer`, or a folder."""

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a file."""

    def finish(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest, in the end."""


@dataclass(frozen=True, slots=True)
class Made:
    """What was made.

    Attributes
    ----------
    examples : mapping of (str, str) to int
        By set and split, how many; none where there are none.
    has_texts : bool
    """

    examples: Mapping[tuple[str, str], int]
    has_texts: bool


class Folder:
    """A folder that files are written into.

    Parameters
    ----------
    path : Path
        It is made; empty if it is there.

    Raises
    ------
    BadArchive
        If something is in it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files: dict[str, dict[str, Any]] = {}
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise BadArchive("is there already: name a new or an empty folder", where=str(path))

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a file."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        with path.open("xb") as stream:
            for chunk in chunks:
                digest.update(chunk)
                size += stream.write(chunk)
        self.files[name] = {"bytes": size, "sha256": digest.hexdigest()}

    def finish(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest, with the digests of all files."""
        whole = {**manifest, "files": dict(sorted(self.files.items()))}
        self.add("manifest.json", [as_json(whole)])


def make(archive: Archive, files: Files, texts: Path | None = None) -> Made:
    """Write the training data of an archive.

    Parameters
    ----------
    archive : Archive
    files : Files
    texts : Path, optional
        The corpus' file of texts, or a folder with it; without it examples have places alone.

    Returns
    -------
    Made

    Raises
    ------
    BadArchive
        If the archive is of another task or damaged, or the texts are not those of its corpus.
    """
    if archive.manifest["task"] != TASK:
        raise BadArchive(
            f"is of the task {archive.manifest['task']!r:.40}: only archives of {TASK} make training data",
            where=str(archive.path),
        )
    known: Mapping[str, Text] = {}
    if texts is not None:
        wanted = Judged(ArchivedPool(archive), {}).doc_ids if archive.has("units") else set()
        known = read_texts(texts, wanted | set(Annotated(archive, {}).table["doc_id"]))
        _check(archive, known)
    counts: dict[tuple[str, str], int] = {}
    for name, examples in _sets(archive, known).items():
        by_split: dict[str, list[bytes]] = defaultdict(list)
        for example in examples:
            line = json.dumps(example, ensure_ascii=False, allow_nan=False)
            by_split[split_of(example["doc_id"])].append(line.encode() + b"\n")
        for split in SPLITS:
            if by_split[split]:
                files.add(SETS[name].file(split), by_split[split])
                counts[name, split] = len(by_split[split])
    made = Made(counts, bool(known))
    left_out = Judged(ArchivedPool(archive), {}).left_out() if archive.has("units") else {}
    card = write_card(archive, counts, left_out, has_texts=made.has_texts)
    files.add(CARD, [card.encode()])
    manifest = archive.manifest
    about = {name: manifest[name] for name in ("edition", "corpus", "task", "epoch", "licence")}
    missing = [{"system": number, **asdict(one)} for number, one in left_out.items()]
    files.finish({"training_format": FORMAT, **about, "texts": made.has_texts, "left_out": missing})
    return made


def _sets(archive: Archive, texts: Mapping[str, Text]) -> Mapping[str, Iterator[dict[str, Any]]]:
    annotated = Annotated(archive, texts)
    found = {
        "entity_linking_documents": annotated.links(),
        "relation_extraction_documents": annotated.relations(),
        "coreference": annotated.coreference(),
    }
    if archive.has("units"):
        judged = Judged(ArchivedPool(archive), texts)
        found |= {"relation_extraction": judged.relations(), "entity_linking": judged.names()}
    return {name: found[name] for name in SETS if name in found}


def _check(archive: Archive, texts: Mapping[str, Text]) -> None:
    """Hold the texts to the digests that the archive has of them."""
    table = Annotated(archive, {}).table
    for doc_id, digest in zip(table["doc_id"], table.get("sha256", ()), strict=True):
        text = texts.get(doc_id)
        if text and digest and hashlib.sha256(text.text.encode()).hexdigest() != digest:
            raise BadArchive(f"the text of {doc_id} is another than the archive's: its SHA-256 differs")
