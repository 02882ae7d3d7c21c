from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotations import ontologies
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.faults import Faulty


class Command(BaseCommand):
    help = "Load a version of an ontology from TOML (docs/ontologies), once; the same again changes nothing."
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            loaded = ontologies.load_ontology(path=options["file"])
        except Faulty as refused:
            faults = [{"line": one.line, "message": one.message} for one in refused.faults]
            if options["json"]:
                self.print_json({"accepted": False, "faults": faults})
            elif len(faults) > 1:
                for one in refused.faults:
                    self.stdout.write(str(one))
            if len(faults) == 1:
                raise
            raise InvalidInput(
                f"{len(faults)} faults, so it was not loaded", where=str(options["file"])
            ) from None
        if options["json"]:
            self.print_json(
                {
                    "accepted": True,
                    "faults": [],
                    "ontology": loaded.stored.reference,
                    "digest": loaded.stored.digest,
                    "new": loaded.is_new,
                    "practice": loaded.ontology.has_practice,
                }
            )
            return
        ontology = loaded.ontology
        self.stdout.write(
            f"{ontology}: {len(ontology.mention_types)} types, {len(ontology.relations)} relations; "
            + ("loaded" if loaded.is_new else "it was there already")
        )
        if not ontology.has_practice:
            self.stdout.write(f"{ontology} {ontologies.UNTAUGHT}")
