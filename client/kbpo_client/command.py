"""The command ``kbpo``."""

import argparse
import getpass
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from kbpo_client import login, options, recomputing, training
from kbpo_client.client import ACTIONS, STOPPED, Client
from kbpo_client.errors import ClientError, NetworkError, NotAllowed, Unwritable, WrongUsage
from kbpo_client.output import Output
from kbpo_client.validating import validate
from kbpo_client.version import __version__
from kbpo_formats.errors import KbpoError
from kbpo_formats.problems import LISTED_PER_CODE

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
  8  a file cannot be read or written, or the result cannot be printed
"""
TABLES: Mapping[str, Sequence[str]] = {
    "corpora": (
        *("tag", "name", "state", "changes_at", "phase", "task", "language", "documents", "ontology"),
        *("classes", "weekly_quota"),
    ),
    "phases": ("name", "starts_at", "ends_at", "takes_submissions", "most_submissions"),
    "accepted": ("team", "version", "accepted_by", "accepted_at"),
    "data": ("file", "state"),
    "listed": ("name", "size", "is_open", "digest"),
    "problems": ("attachment", "line", "column", "severity", "code", "message"),
    "quotas": ("team", "left", "free_at", "may_compete"),
    "epochs": ("number", "opened_at", "released_at", "weighting", "growth", "commitment"),
    "snapshots": ("number", "taken_at", "reason", "note", "epoch", "systems", "digest"),
    "history": ("number", "at", "reason", "part", "standard", "measure", "estimate", "low", "high", "labels"),
    "uploads": ("id", "name", "size", "offset", "expires_at"),
    "submissions": ("id", "corpus", "team", "name", "state", "uploaded_at"),
    "submission": ("id", "corpus", "team", "name", "state", "heading", "next_step", "work"),
}

Run = Callable[[argparse.Namespace, Client, Output], int | None]
"""Carries out a command; returns the exit status, where that is not 0."""
Options = Callable[[argparse.ArgumentParser], None]


def main(arguments: Sequence[str] | None = None, *, output: Output | None = None, **of_client: Any) -> int:
    """Carry out a command line; return the exit status.

    Parameters
    ----------
    output : Output, optional
    **of_client
        As `Client` takes them.
    """
    asked = _parser().parse_args(arguments)
    output = output or Output()
    output.as_json = asked.json
    try:
        status = _status_of(asked, output, of_client)
        output.stdout.flush()
        return status
    except BrokenPipeError:
        _write_no_more()
        return 0
    except OSError as error:
        with suppress(OSError):
            where = error.filename or "the result"
            output.tell(f"kbpo: {where} cannot be read or written: {error.strerror or error}")
        _write_no_more()
        return Unwritable.exit_status


def _status_of(asked: argparse.Namespace, output: Output, of_client: Mapping[str, Any]) -> int:
    """Carry out a command line, and say what goes wrong; return the exit status."""
    try:
        return _run(asked, output, of_client)
    except ClientError as error:
        output.tell(f"kbpo: {error}")
        return error.exit_status
    except KbpoError as error:
        output.tell(f"kbpo: {error}")
        return WrongUsage.exit_status
    except KeyboardInterrupt:
        output.tell("kbpo: interrupted; the same again goes on from there")
        return INTERRUPTED


def _write_no_more() -> None:
    """Drop what is still to be written to stdout, so that Python does not fail once more as it ends."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(asked: argparse.Namespace, output: Output, of_client: Mapping[str, Any]) -> int:
    if asked.command == "validate":
        return _validate(asked, output)
    if asked.command == "recompute":
        return recomputing.show(asked.archive, output, of=asked.of)
    if asked.command == "training":
        return training.make(asked.archive, asked.out, asked.texts, output)
    if asked.command == "login":
        return _login(asked, output, of_client)
    run: Run = asked.run
    with Client(asked.site, asked.token, tell=output.tell, **of_client) as client:
        return run(asked, client, output) or 0


def _login(asked: argparse.Namespace, output: Output, of_client: Mapping[str, Any]) -> int:
    site = asked.site or os.environ.get(login.SITE, "") or login.read(login.folder(os.environ)).site
    if not site:
        raise WrongUsage(f"name the site: --site https://…, or {login.SITE}")
    token = asked.token or os.environ.get(login.TOKEN, "")
    if not token and sys.stdin.isatty():
        token = getpass.getpass(f"A token of {site}, from your page there: ")
    token = (token or sys.stdin.readline()).strip()
    if not token:
        raise NotAllowed(f"a token is needed: make one on {site}, under You and your teams")
    with Client(site, token, tell=output.tell, **of_client) as client:
        me = client.me()
        path = login.keep(login.folder(os.environ), site=client.site, token=token)
    scopes = (me["token"] or {}).get("scopes", [])
    output.one({"site": site.rstrip("/"), "email": me["email"], "may": scopes, "kept_in": str(path)})
    return 0


def _list(found: Callable[..., Sequence[Mapping[str, Any]]], *of: str) -> Run:
    """Return what prints a list that the client has, of what the command line names."""

    def run(asked: argparse.Namespace, client: Client, output: Output) -> None:
        output.rows(found(client, *(getattr(asked, name) for name in of)), TABLES[found.__name__])

    return run


def _data(asked: argparse.Namespace, client: Client, output: Output) -> None:
    if asked.list:
        output.rows(client.data(asked.corpus), TABLES["listed"])
        return
    to = asked.to or asked.corpus
    done = client.download_data(asked.corpus, to, names=asked.names, progress=output.bar)
    output.rows(done, TABLES["data"])
    if any(one["state"] == "closed" for one in done):
        output.tell(f"what opens closed files stands on {client.site}/corpora/{asked.corpus}/data/")


def _archive(asked: argparse.Namespace, client: Client, output: Output) -> None:
    done = client.download_archive(
        asked.corpus, asked.epoch, asked.to, edition=asked.edition, progress=output.bar
    )
    output.rows([done])


def _rules(asked: argparse.Namespace, client: Client, output: Output) -> int:
    return _text(client.rules(asked.corpus), "it has no rules of its own", output)


def _terms(asked: argparse.Namespace, client: Client, output: Output) -> int:
    versions = client.terms(asked.corpus)
    status = _text(versions, "it has no terms: there is nothing to accept", output)
    if versions and versions[0]["text"] and not output.as_json:
        version = versions[0]["version"]
        for one in versions[0]["accepted"]:
            output.tell(f"{one['team']} accepted it on {one['accepted_at']}, by {one['accepted_by']}")
        output.tell(f"to accept it: kbpo accept {asked.corpus} --team TEAM --version {version}")
    return status


def _accept(asked: argparse.Namespace, client: Client, output: Output) -> None:
    made = client.accept_terms(asked.corpus, team=asked.team, version=asked.version)
    output.one(made, TABLES["accepted"])


def _news(asked: argparse.Namespace, client: Client, output: Output) -> None:
    found = client.news(asked.corpus)
    if output.as_json:
        output.rows(found)
        return
    for post in found:
        output.text(f"{post['published_at']}  {post['title']}\n{post['text']}\n")
    if not found:
        output.tell("there are none")


def _text(versions: Sequence[Mapping[str, Any]], nothing: str, output: Output) -> int:
    """Print the version that holds; all of them as JSON."""
    if output.as_json:
        output.rows(versions)
    elif versions and versions[0]["text"]:
        output.tell(f"version {versions[0]['version']}, of {versions[0]['written_at']}")
        output.text(versions[0]["text"])
    else:
        output.tell(nothing)
    return 0


def _validate(asked: argparse.Namespace, output: Output) -> int:
    found = validate(
        asked.file,
        data=asked.data,
        format=asked.format or None,
        metrics=asked.metrics,
        lists_all=asked.all,
    )
    return _found(asked, found.accepted, found.problems, found.counts, output)


def _check(asked: argparse.Namespace, client: Client, output: Output) -> int:
    found = client.check(
        asked.file,
        corpus=asked.corpus,
        metrics=asked.metrics,
        format=asked.format,
        seconds=asked.timeout,
        progress=output.bar,
    )
    if found["state"] == "failed":
        raise NetworkError("the check stopped by a fault of the service; its operators see what happened")
    if found.get("looks_like"):
        output.tell(f"its documents look like those of another corpus: --corpus {found['looks_like']}")
    return _found(asked, found["state"] == "accepted", found["problems"], found["counts"], output)


def _found(
    asked: argparse.Namespace,
    accepted: bool,
    problems: Sequence[Mapping[str, Any]],
    counts: Mapping[str, Any],
    output: Output,
) -> int:
    if output.as_json:
        output.one({"accepted": accepted, "problems": problems, "counts": counts})
    else:
        output.rows(problems, TABLES["problems"])
        unlisted = sum(counts.get("problems", {}).values()) - len(problems)
        if unlisted > 0:
            output.tell(f"{unlisted:,} more are counted and not listed: kbpo validate --all lists every one")
        output.tell(f"{asked.file} {'is accepted' if accepted else 'has errors'}")
    return 0 if accepted else 1


def _submit(asked: argparse.Namespace, client: Client, output: Output) -> int:
    if asked.until in ("judging", "scored") and not asked.go_ahead:
        raise WrongUsage(f"--until {asked.until} needs --go-ahead: nothing is judged without a team's word")
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
        paper=asked.paper,
        code=asked.code,
        progress=output.bar,
    )
    if not (asked.wait or asked.until):
        output.one(made, TABLES["submission"])
        return 0
    output.tell(f"submitted as submission {made['id']}")
    return _stand(client.wait(made["id"], until=asked.until or "read", seconds=asked.timeout), client, output)


def _uploads(asked: argparse.Namespace, client: Client, output: Output) -> None:
    found = client.uploads()
    output.rows(found, TABLES["uploads"])
    if not found:
        output.tell("there are none")


def _discard(asked: argparse.Namespace, client: Client, output: Output) -> None:
    client.discard(asked.upload)
    output.tell(f"{asked.upload} was thrown away")


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


def _act(asked: argparse.Namespace, client: Client, output: Output) -> None:
    output.one(client.act(asked.submission, asked.command), TABLES["submission"])


def _predictions(asked: argparse.Namespace, client: Client, output: Output) -> None:
    chosen = {"doc_id": asked.doc_id, "label": asked.label}
    output.lines(client.predictions(asked.submission, **chosen))


def _labels(asked: argparse.Namespace, client: Client, output: Output) -> None:
    output.lines(client.labels(asked.corpus, asked.epoch))


def _problems(asked: argparse.Namespace, client: Client, output: Output) -> None:
    if asked.all:
        output.lines(client.all_problems(asked.submission, severity=asked.severity))
        return
    found = client.problems(asked.submission, severity=asked.severity)
    output.rows(found, TABLES["problems"])
    listed = Counter(one["code"] for one in found)
    full = sorted(code for code, number in listed.items() if number >= LISTED_PER_CODE)
    if full:
        output.tell(
            f"of {', '.join(full)} the first {LISTED_PER_CODE:,} are listed: kbpo problems"
            f" {asked.submission} --all lists every one"
        )
    if not found:
        output.tell("no problems were found")


def _scores(asked: argparse.Namespace, client: Client, output: Output) -> None:
    output.rows(client.scores(asked.submission, **_chosen(asked)))


def _leaderboard(asked: argparse.Namespace, client: Client, output: Output) -> None:
    rows = {name: getattr(asked, name) for name in options.ROWS}
    output.rows(client.leaderboard(asked.corpus, **_chosen(asked), **rows))


def _snapshots(asked: argparse.Namespace, client: Client, output: Output) -> None:
    if asked.snapshot is None:
        output.rows(client.snapshots(asked.corpus), TABLES["snapshots"])
    else:
        output.rows(client.snapshot(asked.corpus, asked.snapshot, **_chosen(asked)))


def _cite(asked: argparse.Namespace, client: Client, output: Output) -> None:
    if asked.snapshot is not None:
        if not asked.what or asked.score is not None:
            raise WrongUsage("a snapshot is cited as kbpo cite CORPUS --snapshot NUMBER")
        found = client.cite_snapshot(asked.what, asked.snapshot)
    else:
        if not asked.what.isdecimal():
            raise WrongUsage("name a submission by its number, or a corpus and --snapshot NUMBER")
        of = client.cite(int(asked.what), score=asked.score)
        found = of["system" if asked.system else "scores"]
        if found is None:
            raise WrongUsage("there is nothing to cite: it has no scores, or is shown no more")
    if output.as_json:
        output.one(found)
    else:
        text = str(found["plain" if asked.plain else "bibtex"])
        # what a server says may hold what moves a terminal's cursor
        output.line("".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text))


def _compare(asked: argparse.Namespace, client: Client, output: Output) -> None:
    output.rows(client.compare(asked.corpus, asked.a, asked.b, **_chosen(asked)))


def _download(asked: argparse.Namespace, client: Client, output: Output) -> None:
    to = asked.to or f"submission-{asked.submission}.gz"
    output.rows([{"file": str(client.download(asked.submission, to, progress=output.bar))}])


def _chosen(asked: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(asked, name) for name in options.CHOICES}


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

    def add(name: str, words: str, run: Run | None, *takes: Options) -> None:
        command = commands.add_parser(name, help=words, description=words, parents=[common])
        command.set_defaults(run=run)
        for take in takes:
            take(command)

    add("login", "keep a token for a site; asks for it where none is given", None)
    add("corpora", "list the corpora", _list(Client.corpora))
    add("data", "download a corpus' files into a folder", _data, options.for_data)
    add("validate", "check a file offline, as the site would", None, options.for_file, options.for_validating)
    add(
        "check",
        "have the site check a file; nothing is submitted",
        _check,
        options.for_file,
        options.for_checking,
    )
    add("phases", "list a corpus' phases", _list(Client.phases, "corpus"), options.for_corpus)
    add("rules", "print a corpus' rules", _rules, options.for_corpus)
    add("terms", "print what a team accepts before it submits", _terms, options.for_corpus)
    add("accept", "accept a corpus' terms for one's team", _accept, options.for_accepting)
    add("news", "print a corpus' news, the newest first", _news, options.for_corpus)
    add(
        "quotas",
        "say how many systems one's teams may still have judged",
        _list(Client.quotas, "corpus"),
        options.for_corpus,
    )
    add("submit", "submit a file", _submit, options.for_file, options.for_submitting, options.for_waiting)
    add(
        "status",
        "say where a submission stands; all of one's own",
        _status,
        options.for_status,
        options.for_waiting,
    )
    add("uploads", "list one's files on the server that were not submitted", _uploads)
    add("discard", "throw away a file that was not submitted", _discard, options.for_upload)
    for action, words in ACTIONS.items():
        add(action, words, _act, options.for_submission)
    add(
        "problems",
        "list what is wrong with a submission's file",
        _problems,
        options.for_submission,
        options.for_problems,
    )
    add("scores", "list a submission's scores", _scores, options.for_submission, options.for_choices)
    add(
        "leaderboard",
        "print a corpus' leaderboard",
        _leaderboard,
        options.for_corpus,
        options.for_board,
        options.for_choices,
    )
    add(
        "history",
        "list how a submission's scores changed",
        _list(Client.history, "submission"),
        options.for_submission,
    )
    add(
        "snapshots",
        "list a corpus' snapshots of its leaderboard, or print one",
        _snapshots,
        options.for_snapshots,
        options.for_choices,
    )
    add("cite", "write how a score, a system or a snapshot is cited", _cite, options.for_citing)
    add(
        "compare",
        "compare two submissions",
        _compare,
        options.for_corpus,
        options.for_pair,
        options.for_choices,
    )
    add("predictions", "list what a submission claims, as JSON Lines", _predictions, options.for_predictions)
    add("epochs", "list a corpus' epochs", _list(Client.epochs, "corpus"), options.for_corpus)
    add("labels", "list the labels of a released epoch, as JSON Lines", _labels, options.for_epoch)
    add("archive", "download the archive of a released epoch", _archive, options.for_archive)
    add(
        "recompute",
        "compute every published score from an archive alone, and compare; needs NumPy and SciPy",
        None,
        options.for_recomputing,
    )
    add(
        "training",
        "make training data from an archive, as JSON Lines that Hugging Face datasets reads; needs NumPy",
        None,
        options.for_training,
    )
    add(
        "download",
        "download what a submission claims",
        _download,
        options.for_submission,
        options.for_downloading,
    )
    return parser
