from collections.abc import Collection, Mapping
from typing import Any

from django.core.management.base import CommandParser

from annotations.selectors import corpus_by_tag
from evaluation.registry import task_of
from evaluation.scoring import leaderboard
from evaluation.scoring.stored import Measure
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import UsageError
from kbpo.pages.money import costs


def as_json(measure: Measure) -> dict[str, float | None] | None:
    """Return an estimate and its interval; None where it is not estimable."""
    if measure.estimate is None:
        return None
    return {"estimate": measure.estimate, "low": measure.low, "high": measure.high}


def as_text(name: str, measure: Measure) -> str:
    """Return the same in words."""
    if measure.estimate is None:
        return f"{name} {measure.reason}"
    return f"{name} {measure.estimate:.3f} [{measure.low:.3f}, {measure.high:.3f}]"


class Command(BaseCommand):
    help = "Print a corpus' leaderboard: what is measured of its public systems, with intervals."
    offers_json = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", required=True, metavar="TAG")
        parser.add_argument("--level", type=float, help="Of the intervals; the task's default if left out.")
        parser.add_argument("--part", help="Of the task's; its first if left out.")
        parser.add_argument("--weighting", help="Of the corpus' design; the design's first if left out.")
        parser.add_argument("--estimator", help="Of the corpus' design; the design's first if left out.")
        parser.add_argument(
            "--standard",
            help="What counts as right; if left out, corrected for judges' errors where it can be.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_by_tag(options["corpus"])
        choices = task_of(corpus).choices
        offered = choices.estimators_of[corpus.design]
        self.refuse_others(options, "level", [level / 100 for level in choices.levels])
        self.refuse_others(options, "part", choices.parts)
        self.refuse_others(options, "weighting", choices.weightings)
        self.refuse_others(options, "estimator", choices.estimators)
        self.refuse_others(options, "standard", choices.standards_of[corpus.design])
        if options["estimator"] not in (None, *offered):
            raise UsageError(
                f"--estimator {options['estimator']} does not go with {corpus.tag}, whose design is"
                f" {corpus.design}: choose {' or '.join(offered)}"
            )
        rows = leaderboard.rows(
            corpus,
            choices,
            level=None if options["level"] is None else round(100 * options["level"]),
            part=options["part"],
            weighting=options["weighting"],
            estimator=options["estimator"],
            standard=options["standard"],
        )
        if options["json"]:
            paid = costs.paid([row.submission for row in rows])
            self.print_json({"rows": [self.row_as_json(row, paid.get(row.submission)) for row in rows]})
            return
        for row in rows:
            words = [as_text(choices.measures[name], measure) for name, measure in row.measures.items()]
            words += [
                f"{choices.counts[name].heading} {value:g}"
                for name, value in row.counts.items()
                if value is not None
            ]
            shown = "  ".join([*(words if row.is_scored else []), *([row.why] if row.why else [])])
            self.stdout.write(f"{row.rank or '-'}  {row.team}  {row.name}  {shown}")

    def refuse_others(self, options: Mapping[str, Any], name: str, admitted: Collection[Any]) -> None:
        """Refuse a choice that the corpus' task does not offer."""
        if options[name] is not None and options[name] not in admitted:
            known = ", ".join(map(str, admitted))
            raise UsageError(f"--{name}: invalid choice: {options[name]!r} (choose from {known})")

    def row_as_json(self, row: leaderboard.Row, paid_cents: int | None) -> dict[str, Any]:
        return {
            "submission": row.submission,
            "team": row.team,
            "name": row.name,
            "rank": row.rank,
            "standard": row.standard,
            **{name: as_json(measure) for name, measure in row.measures.items()},
            "labels": row.labels,
            **row.counts,
            "cost": paid_cents,
        }
