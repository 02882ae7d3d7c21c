from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotations.corpora import AUDIT_SHARE, Said
from annotations.models import Corpus
from annotations.policies.registry import DEFAULT, POLICIES
from annotations.texts.inputs import MEASURES, PromptRecord, read_planning
from evaluation.design.loading import load_texts
from evaluation.registry import TASKS, find_task, task_of
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import UsageError


class Command(BaseCommand):
    help = (
        "Load documents from JSON Lines (doc_id, title, date, text; of generation input_id, question,"
        " passages, references), and open the corpus' first epoch."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--corpus", required=True, metavar="TAG")
        parser.add_argument("--name", default="", help="The corpus' name on the pages; its tag if left out.")
        parser.add_argument(
            "--task",
            default=None,
            help=f"What its systems do, from its first load on: {', '.join(TASKS)}; kbp if left out.",
        )
        parser.add_argument(
            "--design",
            choices=Corpus.Design.values,
            help="How its systems are sampled, from its first load on: coordinated samples, or iid, "
            "independent draws as in the paper, and a leaderboard as there; coordinated if left out.",
        )
        parser.add_argument(
            "--language",
            metavar="TAG",
            help="In which its documents are written, from its first load on, as en, ar or zh-Hant (BCP 47); "
            "English if left out.",
        )
        parser.add_argument(
            "--policy",
            choices=list(POLICIES),
            help="When a question has votes enough, from its first load on: two votes, a third where they "
            f"differ, or three at once; {DEFAULT} if left out, and for generation single, the one it has.",
        )
        parser.add_argument(
            "--classes",
            type=Path,
            metavar="FILE",
            help="Among which systems choose, from its first load on, for --task classification: TOML.",
        )
        parser.add_argument(
            "--audit-share",
            type=float,
            metavar="P",
            help="Of its settled questions, that others answer again to learn how often judges err, from its "
            f"first load on: from 0, none, to 1, all; {AUDIT_SHARE:g} if left out, 0 under iid and for "
            "generation.",
        )
        parser.add_argument(
            "--prompt",
            choices=list(MEASURES),
            help="What is asked of outputs, from its first load on, for --task generation.",
        )
        parser.add_argument(
            "--metric",
            default="",
            metavar="NAME",
            help="The metric by which its judgements are corrected: a built-in one, or a column that systems "
            "submit.",
        )
        parser.add_argument(
            "--planning",
            action="append",
            default=[],
            metavar="MEASURE=OUTPUTS,JUDGEMENTS,CORRELATION",
            help="How outputs and judgements of it are expected to vary, and to go with the metric, as "
            "overall=0.14,0.28,0.3; once for each measure.",
        )
        parser.add_argument(
            "--ontology",
            metavar="NAME[@VERSION]",
            help="Its types and relations, from its first load on: tac-kbp or one that load_ontology has "
            "loaded, in its newest version if it has none; tac-kbp@1 if left out.",
        )

        parser.add_argument("--description", default="", help="What it is, for everybody who looks at it.")
        parser.add_argument(
            "--licence",
            default="",
            help="Of its texts, as 'CC BY 4.0'. Without one, nobody can download them.",
        )
        parser.add_argument("--source", default="", metavar="URL", help="Where its texts come from.")
        parser.add_argument(
            "--texts",
            choices=Corpus.Texts.values,
            default="",
            help="Who may read them on the site: everybody, teams that accept an agreement, or operators; "
            f"{Corpus.Texts.PUBLIC.value} if left out.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        prompt = None
        if options["prompt"]:
            planning = read_planning(options["planning"])
            prompt = PromptRecord(options["prompt"], options["metric"], planning)
        elif options["metric"] or options["planning"]:
            raise UsageError("--metric and --planning go with --prompt")
        report = load_texts(
            path=options["file"],
            tag=options["corpus"],
            find_task=task_of,
            name=options["name"],
            task=options["task"] and find_task(options["task"]).name,
            design=options["design"],
            language=options["language"],
            policy=options["policy"],
            audit_share=options["audit_share"],
            ontology=options["ontology"],
            classes=options["classes"],
            prompt=prompt,
            said=Said(**{name: options[name] for name in ("description", "licence", "source", "texts")}),
        )
        self.stdout.write(
            f"{report.corpus.tag}: {report.created} documents loaded, {report.unchanged} were there already"
        )
