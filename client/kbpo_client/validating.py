"""A file checked offline: by the service's own readers, against a corpus that was downloaded."""

import gzip
import json
import zlib
from array import array
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kbpo_client.errors import WrongUsage
from kbpo_formats.corpus import Texts
from kbpo_formats.problems import LISTED_PER_CODE
from kbpo_formats.reading import check

ABOUT = "corpus.json"  # the corpus as the API has it
TEXTS = "corpus.jsonl.gz"
ONTOLOGY, CLASSES = "ontology.json", "classes.json"
NEEDED: Mapping[str, str] = {"kbp": ONTOLOGY, "classification": CLASSES, "generation": TEXTS}
"""What says what a file may claim, for each task."""


@dataclass(frozen=True, slots=True)
class Validation:
    """What was found in a file.

    Attributes
    ----------
    accepted : bool
        Whether it has no error.
    problems : list of dict
        What is wrong with it, by line: ``line``, ``column``, ``code``, ``severity``, ``message``, ``text``,
        and ``attachment``, the file beside it that has the fault; empty for the file itself.
    counts : dict
        What became of it, in numbers.
    """

    accepted: bool
    problems: list[dict[str, Any]]
    counts: dict[str, Any]


def validate(
    path: Path | str,
    *,
    data: Path | str,
    format: str | None = None,
    metrics: Path | str | None = None,
    lists_all: bool = False,
) -> Validation:
    """Check a file as the service does, without it.

    What the service would find is found, but for what it does not read to the end: it limits time and memory.
    Of texts under an agreement more is said, since they are here. They are held in memory.

    Parameters
    ----------
    path : Path or str
        Plain or gzip.
    data : Path or str
        The folder into which `Client.download_data` has put a corpus.
    format : str, optional
        One of the corpus'; left out, it is recognised.
    metrics : Path or str, optional
        Of outputs: the table of metrics that comes beside them.
    lists_all : bool
        Whether every problem is listed, and not only the first thousand of each code, as on the site.

    Raises
    ------
    WrongUsage
        If a file is not there, or not what it should be.
    KbpoError
        If there is no such format, or no metrics come beside files of the corpus.
    """
    folder = Path(data)
    about = _read_json(folder / ABOUT)
    task = str(about.get("task"))
    if task not in NEEDED:
        raise WrongUsage(
            f"{folder / ABOUT} has task {task!r:.40}, which this client does not know: update it"
        )
    known: dict[str, Any] = {}
    if task == "kbp":
        known = {"ontology": _read(folder / NEEDED[task]), "quotes_texts": True}
    elif task == "classification":
        classes = _read_json(folder / CLASSES)
        known = {"classes": [one["name"] for one in classes["classes"]]}
    texts: dict[str, str] = {}
    sentences: dict[str, array[int]] = {}
    for doc_id, text, begins in _documents(folder / TEXTS):
        texts[doc_id], sentences[doc_id] = text, begins
    documents = Texts(texts, sentences, known)
    try:
        with ExitStack() as opened:
            stream = opened.enter_context(Path(path).open("rb"))
            beside = {} if metrics is None else {"metrics": opened.enter_context(Path(metrics).open("rb"))}
            most = None if lists_all else LISTED_PER_CODE
            found = check(
                stream, task=task, documents=documents, format=format, attachments=beside, most=most
            )
    except OSError as error:
        raise WrongUsage(f"{error.filename or path} cannot be read: {error.strerror}") from None
    return Validation(found.accepted, [asdict(one) for one in found.problems], dict(found.counts))


def _documents(path: Path) -> "Iterator[tuple[str, str, array[int]]]":
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                document = json.loads(line)
                yield document["doc_id"], document["text"], array("i", document["sentences"])
    except FileNotFoundError:
        raise _missing(path) from None
    except (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError):
        raise WrongUsage(f"{path} is damaged: fetch it again with kbpo data") from None


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_read(path))
    except ValueError:
        raise WrongUsage(f"{path} is damaged: fetch it again with kbpo data") from None
    if not isinstance(found, dict):
        raise WrongUsage(f"{path} is damaged: fetch it again with kbpo data")
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise _missing(path) from None


def _missing(path: Path) -> WrongUsage:
    return WrongUsage(
        f"there is no {path}: kbpo data fetches a corpus into a folder, if its texts are open to you"
    )
