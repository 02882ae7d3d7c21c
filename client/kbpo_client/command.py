"""The command ``kbpo``."""

import argparse
import getpass
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kbpo_client import login
from kbpo_client.client import STOPPED, UNTIL, Client
from kbpo_client.errors import ClientError, NotAllowed, WrongUsage
from kbpo_client.output import Output
from kbpo_client.validating import validate
from kbpo_client.version import __version__
from kbpo_formats.errors import KbpoError

INTERRUPTED = 130
STATUSES = """exit statuses:
  0  done; the file is right, the submission is on its way
  1  refused: the file has errors, or the server does not take what was sent
  2  wrong usage: a missing file, an option that makes no sense
  3  not allowed: no token, one that is not good any more, or one that may not do this
  4  the server cannot be reached, or has a fault
  5  not now: too much was asked, or what was waited for has not come
  6  there is no such thing, or not for you
  7  the server serves only newer clients
"""
TABLES: Mapping[str, Sequence[str]] = {
    "corpora": ("tag", "name", "task", "language", "documents", "ontology", "classes", "weekly_quota"),
    "data": ("file", "state"),
    "listed": ("name", "size", "is_open", "digest"),
    "problems": ("attachment", "line", "column", "severity", "code", "message"),
    "submissions": ("id", "corpus", "team", "name", "state", "uploaded_at"),
    "submission": ("id", "corpus", "team", "name", "state", "heading", "next_step", "work"),
}

Run = Callable[[argparse.Namespace, Client, Output], int]
Options = Callable[[argparse.ArgumentParser], None]


def main(arguments: Sequence[str] | None = None, *, output: Output | None = None, **options: Any) -> int:
    """Carry out a command line; return the exit status.

    Parameters
    ----------
    output : Output, optional
    **options
        As `Client` takes them.
    """
    asked = _parser().parse_args(arguments)
    output = output or Output()
    output.as_json = asked.json
    try:
        return _run(asked, output, options)
    except ClientError as error:
        output.tell(f"kbpo: {error}")
        return error.exit_status
    except KbpoError as error:
        output.tell(f"kbpo: {error}")
        return WrongUsage.exit_status
    except KeyboardInterrupt:
        output.tell("kbpo: interrupted; the same again goes on from there")
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more is to be written
        return 0


def _run(asked: argparse.Namespace, output: Output, options: Mapping[str, Any]) -> int:
    if asked.command == "validate":
        return _validate(asked, output)
    if asked.command == "login":
        return _login(asked, output, options)
    run: Run = asked.run
    with Client(asked.site, asked.token, tell=output.tell, **options) as client:
        return run(asked, client, output)


def _login(asked: argparse.Namespace, output: Output, options: Mapping[str, Any]) -> int:
    site = asked.site or os.environ.get(login.SITE, "") or login.read(login.folder(os.environ)).site
    if not site:
        raise WrongUsage(f"name the site: --site https://…, or {login.SITE}")
    token = asked.token or os.environ.get(login.TOKEN, "")
    if not token and sys.stdin.isatty():
        token = getpass.getpass(f"A token of {site}, from your page there: ")
    token = (token or sys.stdin.readline()).strip()
    if not token:
        raise NotAllowed(f"a token is needed: make one on {site}, under You and your teams")
    with Client(site, token, tell=output.tell, **options) as client:
        me = client.me()
        path = login.keep(login.folder(os.environ), site=client.site, token=token)
    scopes = (me["token"] or {}).get("scopes", [])
    output.one({"site": site.rstrip("/"), "email": me["email"], "may": scopes, "kept_in": str(path)})
    return 0


def _corpora(asked: argparse.Namespace, client: Client, output: Output) -> int:
    output.rows(client.corpora(), TABLES["corpora"])
    return 0


def _data(asked: argparse.Namespace, client: Client, output: Output) -> int:
    if asked.list:
        output.rows(client.data(asked.corpus), TABLES["listed"])
        return 0
    to = asked.to or asked.corpus
    done = client.download_data(asked.corpus, to, names=asked.names, progress=output.bar)
    output.rows(done, TABLES["data"])
    if any(one["state"] == "closed" for one in done):
        output.tell(f"what opens closed files stands on {client.site}/corpora/{asked.corpus}/data/")
    return 0


def _validate(asked: argparse.Namespace, output: Output) -> int:
    found = validate(asked.file, data=asked.data, format=asked.format or None, metrics=asked.metrics)
    if output.as_json:
        output.one({"accepted": found.accepted, "problems": found.problems, "counts": found.counts})
    else:
        output.rows(found.problems, TABLES["problems"])
        output.tell(f"{asked.file} {'is accepted' if found.accepted else 'has errors'}")
    return 0 if found.accepted else 1


def _submit(asked: argparse.Namespace, client: Client, output: Output) -> int:
    if asked.until == "scored" and not asked.go_ahead:
        raise WrongUsage("--until scored needs --go-ahead: nothing is judged without a team's word")
    made = client.submit(
        asked.file,
        corpus=asked.corpus,
        team=asked.team,
        name=asked.name,
        format=asked.format,
        description=asked.description,
        go_ahead=asked.go_ahead,
        is_public=not asked.private,
        again=asked.again,
        metrics=asked.metrics,
        progress=output.bar,
    )
    if not (asked.wait or asked.until):
        output.one(made, TABLES["submission"])
        return 0
    output.tell(f"handed in as submission {made['id']}")
    return _stand(client.wait(made["id"], until=asked.until or "read", seconds=asked.timeout), client, output)


def _status(asked: argparse.Namespace, client: Client, output: Output) -> int:
    if asked.submission is None:
        output.rows(client.submissions(corpus=asked.corpus, mine=True), TABLES["submissions"])
        return 0
    if not (asked.wait or asked.until):
        output.one(client.submission(asked.submission), TABLES["submission"])
        return 0
    found = client.wait(asked.submission, until=asked.until or "read", seconds=asked.timeout)
    return _stand(found, client, output)


def _stand(found: Mapping[str, Any], client: Client, output: Output) -> int:
    output.one(found, TABLES["submission"])
    if found["state"] == "refused":
        output.tell(f"its errors: kbpo problems {found['id']}")
    return 1 if found["state"] in STOPPED else 0


def _problems(asked: argparse.Namespace, client: Client, output: Output) -> int:
    output.rows(client.problems(asked.submission, severity=asked.severity), TABLES["problems"])
    return 0


def _scores(asked: argparse.Namespace, client: Client, output: Output) -> int:
    output.rows(client.scores(asked.submission, **_chosen(asked)))
    return 0


def _leaderboard(asked: argparse.Namespace, client: Client, output: Output) -> int:
    output.rows(client.leaderboard(asked.corpus, **_chosen(asked)))
    return 0


def _compare(asked: argparse.Namespace, client: Client, output: Output) -> int:
    output.rows(client.compare(asked.corpus, asked.a, asked.b, **_chosen(asked)))
    return 0


def _download(asked: argparse.Namespace, client: Client, output: Output) -> int:
    to = asked.to or f"submission-{asked.submission}.gz"
    output.rows([{"file": str(client.download(asked.submission, to, progress=output.bar))}])
    return 0


CHOICES = ("level", "part", "weighting", "estimator", "standard")


def _chosen(asked: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(asked, name) for name in CHOICES}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kbpo",
        description="KBP Online from the command line.",
        epilog=STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"kbpo {__version__}")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--site", default="", help=f"the site's address; else ${login.SITE}, or as logged in")
    common.add_argument("--token", default="", help=f"else ${login.TOKEN}, or as logged in")
    common.add_argument("--json", action="store_true", help="print JSON instead of a table")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, words: str, run: Run | None, *options: Options) -> None:
        command = commands.add_parser(name, help=words, description=words, parents=[common])
        command.set_defaults(run=run)
        for option in options:
            option(command)

    add("login", "keep a token for a site; asks for it where none is given", None)
    add("corpora", "list the corpora", _corpora)
    add("data", "download a corpus' files into a folder", _data, _for_data)
    add("validate", "check a file offline, as the site would", None, _for_file, _for_validating)
    add("submit", "hand in a file", _submit, _for_file, _for_submitting, _for_waiting)
    add("status", "say where a submission stands; all of one's own", _status, _for_status, _for_waiting)
    add("problems", "list what is wrong with a submission's file", _problems, _for_submission, _for_problems)
    add("scores", "list a submission's scores", _scores, _for_submission, _for_choices)
    add("leaderboard", "print a corpus' leaderboard", _leaderboard, _for_corpus, _for_choices)
    add("compare", "compare two submissions", _compare, _for_corpus, _for_pair, _for_choices)
    add("download", "download what a submission claims", _download, _for_submission, _for_downloading)
    return parser


def _for_corpus(command: argparse.ArgumentParser) -> None:
    command.add_argument("corpus", help="its tag")


def _for_data(command: argparse.ArgumentParser) -> None:
    _for_corpus(command)
    command.add_argument(
        "names", nargs="*", metavar="FILE", help="which files; all that are open if left out"
    )
    command.add_argument("--to", default="", help="the folder; named as the corpus if left out")
    command.add_argument("--list", action="store_true", help="list the files, and download nothing")


def _for_file(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", type=Path, help="plain or gzip")
    command.add_argument("--format", default="", help="recognised if left out")
    command.add_argument("--metrics", type=Path, metavar="TABLE", help="of outputs: what comes beside them")


def _for_validating(command: argparse.ArgumentParser) -> None:
    command.add_argument("--data", required=True, type=Path, help="the folder that kbpo data filled")


def _for_submitting(command: argparse.ArgumentParser) -> None:
    command.add_argument("--corpus", required=True, help="its tag")
    command.add_argument("--team", required=True, help="one of yours, by its name")
    command.add_argument("--name", required=True, help="of the system, on the leaderboard")
    command.add_argument("--description", default="")
    command.add_argument("--go-ahead", action="store_true", help="have it judged once it is accepted")
    command.add_argument("--private", action="store_true", help="keep it off the leaderboard")
    command.add_argument("--again", action="store_true", help="the same bytes were handed in before: meant")


def _for_waiting(command: argparse.ArgumentParser) -> None:
    command.add_argument("--wait", action="store_true", help="wait until its file is read")
    command.add_argument("--until", choices=sorted(UNTIL), default="", help="wait until then")
    command.add_argument("--timeout", type=float, metavar="SECONDS", help="the longest to wait")


def _for_submission(command: argparse.ArgumentParser) -> None:
    command.add_argument("submission", type=int, help="its number")


def _for_status(command: argparse.ArgumentParser) -> None:
    command.add_argument("submission", type=int, nargs="?", help="its number")
    command.add_argument("--corpus", help="only of this corpus")


def _for_problems(command: argparse.ArgumentParser) -> None:
    command.add_argument("--severity", type=str.upper, choices=("ERROR", "WARNING"))


def _for_downloading(command: argparse.ArgumentParser) -> None:
    command.add_argument("--to", default="", help="the file; submission-NUMBER.gz if left out")


def _for_pair(command: argparse.ArgumentParser) -> None:
    command.add_argument("a", type=int, help="the number of a submission")
    command.add_argument("b", type=int, help="the number of another")


def _for_choices(command: argparse.ArgumentParser) -> None:
    command.add_argument("--level", type=int, help="of the intervals, in per cent")
    for name in CHOICES[1:]:
        command.add_argument(f"--{name}", help="as on the leaderboard's page")
