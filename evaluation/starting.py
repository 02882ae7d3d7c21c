"""What a corpus says its systems may claim, as files, and the kit that a system can start from.

Neither has a word of the corpus' documents.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from django.conf import settings

from annotations.models import Corpus
from annotations.ontologies import plain_ontology_of
from annotations.texts.classes import ClassListRecord, ClassRecord, write_classes
from evaluation.task import Task
from kbpo_formats.ontologies.normal import write_normal
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.ontologies.writing import write_ontology

KIT = "kit.zip"
_DAY = (1980, 1, 1, 0, 0, 0)  # the first that a zip knows: it says nothing of when it was made


@dataclass(frozen=True)
class SmallFile:
    """A file that is made when it is asked for: the same bytes every time."""

    name: str
    kind: str
    content: bytes

    @cached_property
    def digest(self) -> str:
        """Its SHA-256, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.content)


def small_files(corpus: Corpus, task: Task) -> Mapping[str, SmallFile]:
    """Return what a corpus' systems may claim, as TOML and JSON, and the kit, by name."""
    said = claimable_files(corpus, task)
    return said if task.kit is None else {**said, KIT: _kit(corpus, task, said)}


@lru_cache(maxsize=16)
def _written(ontology: Ontology) -> tuple[str, str]:
    """Return an ontology as TOML and JSON."""
    return write_ontology(ontology), write_normal(ontology)


def claimable_files(corpus: Corpus, task: Task) -> Mapping[str, SmallFile]:
    """Return the ontology or the list of classes of a corpus, as TOML and JSON, by name."""
    found: dict[str, tuple[str, str]] = {}
    if task.has_ontology:
        found["ontology"] = _written(plain_ontology_of(corpus))
    if task.has_classes and corpus.classes is not None:
        classes = corpus.classes
        record = ClassListRecord(
            classes.name,
            classes.version,
            classes.cannot_tell,
            tuple(ClassRecord(name, guideline) for name, guideline in classes.classes),
        )
        plain = {
            "name": record.name,
            "version": record.version,
            "cannot_tell": record.cannot_tell,
            "classes": [{"name": one.name, "guideline": one.guideline} for one in record.classes],
        }
        found["classes"] = write_classes(record), json.dumps(plain, ensure_ascii=False, indent=2) + "\n"
    files = [
        file
        for name, (toml, plain_json) in found.items()
        for file in (
            SmallFile(f"{name}.toml", "application/toml", toml.encode()),
            SmallFile(f"{name}.json", "application/json", plain_json.encode()),
        )
    ]
    return {file.name: file for file in files}


def _kit(corpus: Corpus, task: Task, said: Mapping[str, SmallFile]) -> SmallFile:
    kit = task.kit
    assert kit is not None, "who asks has looked"
    words = {"name": corpus.name, "tag": corpus.tag, "site": settings.SITE_URL, "output": kit.output}
    parts = {
        "README.md": (kit.folder / "README.md").read_text("utf-8").format(**words).encode(),
        "baseline.py": (kit.folder / "baseline.py").read_bytes(),
        **{name: file.content for name, file in said.items() if name.endswith(".json")},
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in sorted(parts):
            info = zipfile.ZipInfo(f"{corpus.tag}-kit/{name}", _DAY)
            info.compress_type, info.external_attr, info.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
            archive.writestr(info, parts[name])
    return SmallFile(KIT, "application/zip", packed.getvalue())
