import gzip
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotations.ontologies import plain_ontology_of
from annotations.selectors import corpus_by_tag
from evaluation.kbp.task import TASK
from evaluation.reading.text_file import TextFile
from evaluation.submissions.texts import text_file
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import InvalidInput
from kbpo_formats import json_lines
from kbpo_formats.kbp import files

TARGETS = (json_lines.FORMAT, "tac2016")


class Command(BaseCommand):
    help = (
        "Write a knowledge base in another format: JSON Lines as TAC KBP 2016, or the other way round."
        " Nothing that is scored is lost; names of entities may change, and mentions in no claim go."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--corpus", required=True, metavar="TAG")
        parser.add_argument(
            "--format", default="", help="As in jsonl, tac2016 or tac2015; recognised if left out."
        )
        parser.add_argument("--to", default="", choices=["", *TARGETS], help="The other one if left out.")
        parser.add_argument(
            "--out", type=Path, help="Compressed if it ends in .gz; standard output if left out."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_by_tag(options["corpus"])
        TASK.check_corpus(corpus)
        try:
            with options["file"].open("rb") as stream:
                source = options["format"] or TASK.reader.recognise(stream)
                is_lines = source == json_lines.FORMAT
                reading, lines = files.convert(
                    stream,
                    source=source,
                    target=options["to"] or TARGETS[is_lines],
                    documents=TextFile(text_file(corpus)),
                    ontology=plain_ontology_of(corpus),
                )
        except OSError as error:
            raise InvalidInput(f"cannot be read: {error.strerror}", where=str(options["file"])) from error
        if not reading.accepted:
            errors = reading.counts["errors"]
            said = f"{errors} error{'s' * (errors != 1)}; validate_kb names each"
            raise InvalidInput(said, where=str(options["file"]))
        if options["out"] is None:
            self.stdout.write("".join(lines), ending="")
            return
        try:
            _write(options["out"], lines)
        except OSError as error:
            raise InvalidInput(f"cannot be written: {error.strerror}", where=str(options["out"])) from error


def _write(path: Path, lines: Iterable[str]) -> None:
    """Write a file as a whole or not at all."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(unfinished, "wt", encoding="utf-8", newline="\n") as to:
            to.writelines(lines)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
