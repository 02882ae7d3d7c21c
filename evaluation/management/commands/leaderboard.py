from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from kbpo.core.commands import Command as BaseCommand

from annotations.selectors import corpus_by_tag
from evaluation import leaderboard
from evaluation.estimators import intervals, weighting
from evaluation.estimators.scores import PARTS
from kbpo.core.errors import UsageError


class Command(BaseCommand):
    help = "Print a corpus' leaderboard: precision, recall and F1 of its public systems, with intervals."
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", required=True, metavar="TAG")
        parser.add_argument("--level", type=float, default=intervals.DEFAULT_LEVEL, choices=intervals.LEVELS)
        parser.add_argument("--part", default="all", choices=PARTS)
        parser.add_argument("--weighting", default=weighting.DEFAULT, choices=list(weighting.WEIGHTINGS))
        parser.add_argument(
            "--estimator",
            choices=sorted({name for names in leaderboard.ESTIMATORS.values() for name in names}),
            help="Of the corpus' design; the design's default if left out.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_by_tag(options["corpus"])
        offered = leaderboard.ESTIMATORS[corpus.design]
        if options["estimator"] not in (None, *offered):
            raise UsageError(
                f"--estimator {options['estimator']} does not go with {corpus.tag}, whose design is"
                f" {corpus.design}: choose {' or '.join(offered)}"
            )
        rows = leaderboard.rows(
            corpus,
            level=round(100 * options["level"]),
            part=options["part"],
            weighting=options["weighting"],
            estimator=options["estimator"],
        )
        if options["json"]:
            self.print_json({"rows": [self.as_json(row) for row in rows]})
            return
        for row in rows:
            cells = "  ".join(
                f"{name} "
                + (f"{cell.estimate:.3f} [{cell.low:.3f}, {cell.high:.3f}]" if cell else "not estimable")
                for name, cell in (("P", row.precision), ("R", row.recall), ("F1", row.f1))
            )
            self.stdout.write(f"{row.team}  {row.name}  {cells}")

    def as_json(self, row: leaderboard.Row) -> dict[str, Any]:
        return {
            "submission": row.submission,
            "team": row.team,
            "name": row.name,
            **{
                measure: asdict(cell) if (cell := getattr(row, measure)) else None
                for measure in ("precision", "recall", "f1")
            },
            "labels": row.labels,
            "cost": None,
        }
