from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotations.selectors import corpus_by_tag
from evaluation.generation import importing
from evaluation.registry import task_of
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import InvalidInput, UsageError
from kbpo_formats.ontologies.faults import Faulty


class Command(BaseCommand):
    help = (
        "Bring in judgements of generated text that were recorded elsewhere, as an epoch that is released: "
        "before the first system is sampled. The same file again changes nothing. Of the inputs a system may "
        "lack some here; a system that is submitted has an output for each. To submit systems that lack "
        "some, load the inputs that all of them have as a data set of its own."
    )
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="JSON Lines: input_id, systems, worker, seconds, ...")
        parser.add_argument("--corpus", required=True, metavar="TAG")
        parser.add_argument(
            "--outputs",
            action="extend",
            nargs="+",
            default=[],
            metavar="[SYSTEM=]FILE",
            help="What systems wrote, as it is submitted, a file for each. Without a name that of the file, "
            "which is then outputs.SYSTEM.jsonl.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_by_tag(options["corpus"])
        task = task_of(corpus)
        task.check_corpus(corpus)
        if not task.has_prompt:
            raise UsageError(f"{corpus.tag} is of {task.label}: only of outputs are judgements imported")
        outputs: dict[str, dict[str, str]] = {}
        for one in options["outputs"]:
            name, texts = _read(one)
            if name in outputs:
                raise UsageError(f"--outputs names the system {name} twice; each has one file")
            outputs[name] = texts
        try:
            report = importing.import_judgements(
                path=options["file"], corpus=corpus, task=task, outputs=outputs
            )
        except Faulty as refused:
            if options["json"]:
                faults = [{"line": one.line, "message": one.message} for one in refused.faults]
                self.print_json({"accepted": False, "faults": faults})
            else:
                for one in refused.faults:
                    self.stdout.write(str(one))
            number = len(refused.faults)
            message = f"{number} fault{'' if number == 1 else 's'}, so nothing was imported"
            raise InvalidInput(message, where=options["file"].name) from None
        epoch = None if report.epoch is None else report.epoch.number
        if options["json"]:
            said = ("judgements", "outputs", "workers", "created")
            values = {name: getattr(report, name) for name in said}
            self.print_json({"accepted": True, "faults": [], **values, "epoch": epoch})
        else:
            released = "nothing changes" if epoch is None else f"epoch {epoch} is released with them"
            self.stdout.write(
                f"{corpus.tag}: {report.judgements} judgements of {report.outputs} outputs by"
                f" {report.workers} people, {report.created} of them new; {released}"
            )


def _read(given: str) -> tuple[str, dict[str, str]]:
    """Return a system's name and what it wrote."""
    name, is_named, path = given.partition("=")
    if not is_named or "/" in name:
        path = given
        name = Path(path).name.removesuffix(".gz").removesuffix(".jsonl").removeprefix("outputs.")
    return name, importing.read_outputs(path)
