"""Run one of the experiments: ``python -m research.experiments NAME``."""

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import cast

from kbpo.core.errors import InvalidInput, KbpoError
from research.experiments.files import write
from research.experiments.outcome import DEFAULT_SEED, Experiment, Options
from research.experiments.runs import read_runs

STORED = Path(__file__).resolve().parents[2] / "static" / "experiments"
NAMES = (
    "pooling_bias",
    "bias_variance",
    "sample_size",
    "designs",
    "pilot",
    "documents",
    "annotators",
    "coverage",
    "adversary",
    "published_labels",
    "public_history",
    "label_noise",
    "ranks",
    "audits",
    "generation",
)


def main(arguments: list[str] | None = None) -> int:
    """Run the experiment that the command line names; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m research.experiments",
        description="Run an experiment; write its numbers as JSON and its figure as SVG.",
    )
    parser.add_argument("name", choices=NAMES)
    parser.add_argument(
        "--out",
        type=Path,
        default=STORED,
        metavar="DIR",
        help="default: where the method page reads",
    )
    parser.add_argument(
        "--quick", action="store_true", help="a fraction of the work, to see that it runs; needs --out"
    )
    parser.add_argument(
        "--effort", type=float, default=1.0, metavar="SHARE", help="of the full number of repetitions"
    )
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help=f"default: {DEFAULT_SEED}")
    parser.add_argument("--runs", type=Path, metavar="FILE", help="a table of run_id, precision and recall")
    parser.add_argument("--knowledgenet", type=Path, metavar="DIR", help="the ten systems on KnowledgeNet")
    parser.add_argument("--votes", type=Path, metavar="FILE", help="recorded votes on words of sentences")
    parser.add_argument(
        "--nlg", type=Path, metavar="DIR", help="recorded judgements of summaries and answers"
    )
    given = parser.parse_args(arguments)
    if given.quick and given.out == STORED:
        parser.error("--quick needs --out: its results are too rough for the method page")
    try:
        outcome = _experiment(given.name).run(_options(given))
        for path in write(given.name, outcome, given.out):
            print(path, file=sys.stderr)
    except (KbpoError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(outcome.title)
    print(outcome.says)
    for one in outcome.compared:
        print(f"{one.what}: {one.here:.4g}" + (f" (reported: {one.reported})" if one.reported else ""))
    return 0


def _experiment(name: str) -> Experiment:
    return cast(Experiment, import_module(f"research.experiments.{name}"))


def _options(given: argparse.Namespace) -> Options:
    if given.seed < 0:
        raise InvalidInput(f"is {given.seed}; a whole number of at least 0 is needed", where="--seed")
    if not 0 < given.effort <= 1:
        raise InvalidInput(f"is {given.effort}; a share above 0 and at most 1 is needed", where="--effort")
    runs = None
    if given.runs is not None:
        with given.runs.open(encoding="utf-8") as lines:
            runs = read_runs(lines)
    return Options(
        given.quick, given.seed, runs, given.knowledgenet, _say, given.effort, given.votes, given.nlg
    )


def _say(line: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
    else:
        print(line, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
