"""What each command takes."""

import argparse
from pathlib import Path

from kbpo_client.client import UNTIL

SCORES, RANKS, SUBSETS = "scores", "ranks", "subsets"
"""Figures of an archive."""

CHOICES = ("level", "part", "weighting", "estimator", "standard")
ROWS = ("sort", "q", "team", "labels", "baselines", "runs", "mine")


def for_corpus(command: argparse.ArgumentParser) -> None:
    """Take a corpus."""
    command.add_argument("corpus", help="its tag")


def for_data(command: argparse.ArgumentParser) -> None:
    """Take which files of a corpus, and where to."""
    for_corpus(command)
    command.add_argument(
        "names", nargs="*", metavar="FILE", help="which files; all that are open if left out"
    )
    command.add_argument("--to", default="", help="the folder; named as the corpus if left out")
    command.add_argument("--list", action="store_true", help="list the files, and download nothing")


def for_archive(command: argparse.ArgumentParser) -> None:
    """Take which archive, and where to."""
    for_corpus(command)
    command.add_argument("epoch", type=int, help="its number")
    command.add_argument("--edition", type=int, default=0, help="the newest if left out")
    command.add_argument("--to", default="", metavar="FILE")


def for_recomputing(command: argparse.ArgumentParser) -> None:
    """Take an archive, and what of it is printed."""
    _archive(command)
    command.add_argument(
        "--of",
        choices=(SCORES, RANKS, SUBSETS),
        default=SCORES,
        help="which figures are printed; all are computed (default: %(default)s)",
    )


def _archive(command: argparse.ArgumentParser) -> None:
    command.add_argument("archive", type=Path, help="as kbpo archive fetched it")


def for_training(command: argparse.ArgumentParser) -> None:
    """Take an archive, texts or none, and where to."""
    _archive(command)
    command.add_argument(
        "--texts", type=Path, metavar="FOLDER", help="the corpus' data, as kbpo data fetched it"
    )
    command.add_argument("out", type=Path, help="a new or an empty folder")


def for_file(command: argparse.ArgumentParser) -> None:
    """Take a file."""
    command.add_argument("file", type=Path, help="plain or gzip")
    command.add_argument("--format", default="", help="recognised if left out")
    command.add_argument("--metrics", type=Path, metavar="TABLE", help="of outputs: what comes beside them")


def for_validating(command: argparse.ArgumentParser) -> None:
    """Take the corpus as it was downloaded."""
    command.add_argument("--data", required=True, type=Path, help="the folder that kbpo data filled")
    command.add_argument(
        "--all", action="store_true", help="list every problem, not the first thousand of each code"
    )


def for_submitting(command: argparse.ArgumentParser) -> None:
    """Take what a submission is."""
    command.add_argument("--corpus", required=True, help="its tag")
    command.add_argument("--team", required=True, help="one of yours, by its name")
    command.add_argument("--name", required=True, help="of the system, on the leaderboard")
    command.add_argument("--description", default="")
    command.add_argument("--paper", default="", metavar="URL", help="address of its paper, https")
    command.add_argument("--code", default="", metavar="URL", help="address of its code, https")
    command.add_argument("--go-ahead", action="store_true", help="have it judged once it is accepted")
    command.add_argument("--private", action="store_true", help="keep it off the leaderboard")
    command.add_argument("--again", action="store_true", help="the same bytes were submitted before: meant")


def for_waiting(command: argparse.ArgumentParser) -> None:
    """Take how long to wait."""
    command.add_argument("--wait", action="store_true", help="wait until its file is read")
    command.add_argument("--until", choices=sorted(UNTIL), default="", help="wait until then")
    command.add_argument("--timeout", type=float, metavar="SECONDS", help="the longest to wait")


def for_submission(command: argparse.ArgumentParser) -> None:
    """Take a submission."""
    command.add_argument("submission", type=int, help="its number")


def for_upload(command: argparse.ArgumentParser) -> None:
    """Take an upload."""
    command.add_argument("upload", help="its id, as kbpo uploads lists it")


def for_status(command: argparse.ArgumentParser) -> None:
    """Take a submission, or none."""
    command.add_argument("submission", type=int, nargs="?", help="its number")
    command.add_argument("--corpus", help="only of this corpus")


def for_problems(command: argparse.ArgumentParser) -> None:
    """Take which problems."""
    command.add_argument(
        "--all",
        action="store_true",
        help="every problem, not the first thousand of each code, each as a line of JSON",
    )
    command.add_argument("--severity", type=str.upper, choices=("ERROR", "WARNING"))


def for_epoch(command: argparse.ArgumentParser) -> None:
    """Take an epoch."""
    for_corpus(command)
    command.add_argument("epoch", type=int, help="its number; it is released")


def for_predictions(command: argparse.ArgumentParser) -> None:
    """Take which predictions."""
    for_submission(command)
    command.add_argument("--doc-id", help="only of this document")
    command.add_argument("--label", help="only of this relation, or class")


def for_checking(command: argparse.ArgumentParser) -> None:
    """Take the corpus that a file is checked for."""
    command.add_argument("--corpus", required=True, help="its tag")
    command.add_argument("--timeout", type=float, metavar="SECONDS", help="the longest to wait")


def for_downloading(command: argparse.ArgumentParser) -> None:
    """Take where to."""
    command.add_argument("--to", default="", help="the file; submission-NUMBER.gz if left out")


def for_snapshots(command: argparse.ArgumentParser) -> None:
    """Take a corpus, and a snapshot of it or none."""
    for_corpus(command)
    command.add_argument("snapshot", nargs="?", help="its number, such as 1.2")


def for_citing(command: argparse.ArgumentParser) -> None:
    """Take what is cited, and how."""
    command.add_argument("what", help="the number of a submission; or a corpus' tag, with --snapshot")
    command.add_argument("--snapshot", metavar="NUMBER", help="of the corpus, such as 1.2")
    command.add_argument(
        "--score",
        type=int,
        metavar="NUMBER",
        help="the scores from a change on, as kbpo history numbers them",
    )
    command.add_argument("--system", action="store_true", help="the system, not its scores")
    command.add_argument("--plain", action="store_true", help="in words, not as BibTeX")


def for_pair(command: argparse.ArgumentParser) -> None:
    """Take two submissions."""
    command.add_argument("a", type=int, help="the number of a submission")
    command.add_argument("b", type=int, help="the number of another")


def for_accepting(command: argparse.ArgumentParser) -> None:
    """Take for which team terms are accepted, and which version was read."""
    for_corpus(command)
    command.add_argument("--team", required=True, help="one of yours, by its name")
    command.add_argument("--version", required=True, type=int, help="the one that you read: kbpo terms")


def for_board(command: argparse.ArgumentParser) -> None:
    """Take which rows of a leaderboard, and in which order."""
    command.add_argument("--sort", help="a column; --sort=-f1 from the largest down")
    command.add_argument("--search", dest="q", help="part of a system's or a team's name")
    command.add_argument("--team", help="only of this team")
    command.add_argument("--labels", type=int, help="only systems with as many")
    command.add_argument("--baselines", choices=("hide", "only"), help="both kinds if left out")
    command.add_argument("--runs", choices=("all", "one"), help="one of each team: chosen, or its best")
    command.add_argument("--mine", action="store_true", default=None, help="only of your teams")


def for_choices(command: argparse.ArgumentParser) -> None:
    """Take how scores are computed."""
    command.add_argument("--level", type=int, help="of the intervals, in per cent")
    for name in CHOICES[1:]:
        command.add_argument(f"--{name}", help="as on the leaderboard's page")
