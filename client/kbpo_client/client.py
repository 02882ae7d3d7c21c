"""The API for Python."""

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from kbpo_client import downloads, login, rows, uploads, validating
from kbpo_client.connection import Connection
from kbpo_client.errors import Later, WrongUsage
from kbpo_client.uploads import Progress, nowhere

Row = dict[str, Any]
ARCHIVES = "epoch-"  # what the names of archives of epochs begin with

READ = frozenset({"accepted", "judging", "scored", "refused", "cancelled", "withdrawn", "failed"})
SCORED = READ - {"accepted", "judging"}
UNTIL = {"read": READ, "judging": SCORED | {"judging"}, "scored": SCORED}
#: Of a submission that stopped.
STOPPED = frozenset({"refused", "cancelled", "withdrawn", "failed"})
#: What a team may do with a submission.
ACTIONS: Mapping[str, str] = MappingProxyType(
    {
        "go-ahead": "have an accepted submission judged",
        "cancel": "take a submission back before it is judged",
        "withdraw": "take a submission off the leaderboard",
        "resume": "try again what stopped by a fault of the service",
        "publish": "show a submission to everybody",
        "hide": "show a submission to its team alone",
        "choose": "let a submission stand for its team where one run of each team is shown",
        "give-up": "let a submission stand for its team no longer",
        "delete-file": "delete the file of a submission that was read",
    }
)
LONGEST_BETWEEN_LOOKS = 30.0  # seconds


class Client:
    """A site of KBP Online. Lists are lists of flat dicts, which ``pandas.DataFrame`` takes.

    Parameters
    ----------
    site : str
        Its address; left out, ``$KBPO_SITE``, or where ``kbpo login`` was called last.
    token : str
        Left out, ``$KBPO_TOKEN``, or that of ``kbpo login``; without one, a visitor.
    **options
        As `kbpo_client.connection.Connection` takes them.

    Raises
    ------
    WrongUsage
        If no site is named.

    Examples
    --------
    >>> from kbpo_client import Client  # doctest: +SKIP
    >>> with Client("https://kbpo.example.org") as site:  # doctest: +SKIP
    ...     board = site.leaderboard("news")
    """

    def __init__(self, site: str = "", token: str = "", **options: Any) -> None:
        site, token = login.choose(os.environ, site=site, token=token)
        self._connection = Connection(site, token, **options)

    @property
    def site(self) -> str:
        """The site's address."""
        return self._connection.site

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._connection.close()

    def me(self) -> Row:
        """Return whose token it is, and what it is for."""
        return self._get("me/")

    def corpora(self) -> list[Row]:
        """Return the corpora."""
        return list(self._connection.pages("corpora/"))

    def corpus(self, tag: str) -> Row:
        """Return a corpus."""
        return self._get(_of(tag))

    def rules(self, tag: str) -> list[Row]:
        """Return the versions of a corpus' rules, the newest first: it holds, unless its text is empty."""
        return list(self._connection.pages(f"{_of(tag)}rules/"))

    def terms(self, tag: str) -> list[Row]:
        """Return the versions of what teams accept before they submit, the newest first; as `rules`.

        Each says in ``accepted`` which of one's own teams accepted it, by whom and when.
        """
        return list(self._connection.pages(f"{_of(tag)}terms/"))

    def accept_terms(self, tag: str, *, team: str, version: int) -> Row:
        """Accept the terms of a corpus for one's team, in the version that was read."""
        body = {"team": team, "version": version}
        return self._connection.read("POST", f"{_of(tag)}terms/accept/", json=body)

    def news(self, tag: str) -> list[Row]:
        """Return the news of a corpus, the newest first."""
        return list(self._connection.pages(f"{_of(tag)}news/"))

    def phases(self, tag: str) -> list[Row]:
        """Return the phases of a corpus, in their order."""
        return list(self._connection.pages(f"{_of(tag)}phases/"))

    def moved_dates(self, tag: str) -> list[Row]:
        """Return how the dates of a corpus and its phases were set and moved, the newest first."""
        return list(self._connection.pages(f"{_of(tag)}moved-dates/"))

    def quotas(self, tag: str) -> list[Row]:
        """Return how many systems each team may still have judged for a corpus."""
        return list(self._connection.pages(f"{_of(tag)}quotas/"))

    def data(self, tag: str) -> list[Row]:
        """Return a corpus' files, with size, SHA-256, and whether they may be downloaded."""
        return list(self._connection.pages(f"{_of(tag)}data/"))

    def download_data(
        self,
        tag: str,
        to: Path | str,
        *,
        names: Sequence[str] = (),
        progress: Progress = nowhere,
    ) -> list[Row]:
        """Download a corpus' files, for `validate` and for systems.

        Parameters
        ----------
        to : Path or str
            A folder, made if it is not there.
        names : sequence of str
            Which; left out, all that may be downloaded. One that was interrupted is gone on with, one that is
            there is not fetched again.

        Returns
        -------
        list of dict
            ``file`` and ``state``: fetched, unchanged, or closed.

        Raises
        ------
        WrongUsage
            If there is no such file.
        ClientError
            As `kbpo_client.downloads.fetch`.
        """
        folder, files = Path(to), {one["name"]: one for one in self.data(tag)}
        if unknown := [name for name in names if name not in files]:
            raise WrongUsage(f"{tag} has no file {unknown[0]!r:.80}; there are {', '.join(files)}")
        about = self.corpus(tag)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / validating.ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")
        except OSError as error:
            raise WrongUsage(f"{folder} cannot be written: {error.strerror}") from None
        done = []
        # Archives of epochs are files like the others, but nobody needs all of them to take part.
        for name in names or [one for one in files if not one.startswith(ARCHIVES)]:
            if name != Path(name).name or name == validating.ABOUT:
                raise WrongUsage(f"{name!r:.80} is no name for a file here")
            if not files[name]["is_open"] and not names:
                state = "closed"
            else:
                is_new = downloads.fetch(
                    self._connection,
                    f"{_of(tag)}data/{quote(name)}",
                    folder / name,
                    digest=files[name]["digest"],
                    progress=progress,
                )
                state = "fetched" if is_new else "unchanged"
            done.append({"file": str(folder / name), "state": state})
        return done

    def download_archive(
        self, tag: str, epoch: int, to: Path | str = "", *, edition: int = 0, progress: Progress = nowhere
    ) -> Row:
        """Download the archive of a released epoch: its newest edition, or one that is named.

        Parameters
        ----------
        to : Path or str
            A file; named as it is on the site if left out.
        edition : int
            From 1; 0 is the newest.

        Returns
        -------
        dict
            ``file``, ``sha256``, and ``state``: ``fetched``, or ``unchanged`` where it was there.

        Raises
        ------
        ClientError
            As `kbpo_client.downloads.fetch`, or if there is none.
        """
        begins = f"{ARCHIVES}{epoch}-edition-"
        found = {
            int(one["name"].removeprefix(begins).removesuffix(".zip")): one
            for one in self.data(tag)
            if one["name"].startswith(begins)
        }
        if not found or (edition and edition not in found):
            raise WrongUsage(f"epoch {epoch} of {tag} has no such archive: it is made after the release")
        one = found[edition or max(found)]
        path = Path(to) if to else Path(f"{tag}-{one['name']}")
        is_new = downloads.fetch(
            self._connection, f"{_of(tag)}data/{one['name']}", path, digest=one["digest"], progress=progress
        )
        return {"file": str(path), "sha256": one["digest"], "state": "fetched" if is_new else "unchanged"}

    def submit(
        self,
        path: Path | str,
        *,
        corpus: str,
        team: str,
        name: str,
        format: str = "",
        description: str = "",
        go_ahead: bool = False,
        is_public: bool = True,
        again: bool = False,
        metrics: Path | str | None = None,
        paper: str = "",
        code: str = "",
        progress: Progress = nowhere,
    ) -> Row:
        """Upload a file, and submit it; return the submission. See the API's `submit` for what is meant.

        An upload that was interrupted is gone on with. `metrics` is the table that comes beside outputs,
        `paper` and `code` are addresses (https).
        """
        upload = uploads.send(self._connection, Path(path), progress=progress)
        body: dict[str, Any] = {"corpus": corpus, "team": team, "name": name, "upload": upload}
        given: dict[str, Any] = {
            "format": format,
            "description": description,
            "paper_url": paper,
            "code_url": code,
        }
        given |= {"go_ahead": go_ahead, "again": again}
        # What is as it is by itself goes unsaid: an older service knows no field that is newer.
        body |= {field: value for field, value in given.items() if value}
        if not is_public:
            body["is_public"] = False
        if metrics is not None:
            beside = uploads.send(self._connection, Path(metrics), progress=progress)
            body["attachments"] = {"metrics": beside}
        return self._connection.read("POST", "submissions/", json=body)

    def check(
        self,
        path: Path | str,
        *,
        corpus: str,
        metrics: Path | str | None = None,
        format: str = "",
        seconds: float | None = None,
        progress: Progress = nowhere,
    ) -> Row:
        """Have the site read a file as it reads what is submitted; nothing is submitted.

        Parameters
        ----------
        metrics : Path or str, optional
            The table that comes beside outputs.
        seconds : float, optional
            The longest to wait for it.

        Returns
        -------
        dict
            The check: ``state`` is ``accepted``, ``refused`` or ``failed``; ``problems`` are those listed.

        Raises
        ------
        Later
            If it takes longer.
        """
        upload = uploads.send(self._connection, Path(path), progress=progress)
        asked: dict[str, Any] = {"corpus": corpus, "upload": upload}
        if format:
            asked["format"] = format
        if metrics is not None:
            beside = uploads.send(self._connection, Path(metrics), progress=progress)
            asked["attachments"] = {"metrics": beside}
        made = self._connection.read("POST", "checks/", json=asked, may_repeat=True)  # replaces the last one
        address = f"checks/{quote(str(made['id']))}/"
        found = self._await(
            lambda: self._get(address), {"accepted", "refused", "failed"}, "the check", seconds
        )
        return {**found, "problems": list(self._connection.pages(f"{address}problems/"))}

    def uploads(self) -> list[Row]:
        """Return one's files that are on the server and were not submitted, the newest first."""
        return list(self._connection.pages("uploads/"))

    def discard(self, upload: str) -> None:
        """Throw away a file that was not submitted; a check of it goes as well."""
        uploads.discard(self._connection, upload)

    def submissions(
        self, *, corpus: str | None = None, team: str | None = None, mine: bool = False
    ) -> list[Row]:
        """Return the submissions that one may see, the newest first."""
        asked = {"corpus": corpus, "team": team, "mine": mine or None}
        return list(self._connection.pages("submissions/", asked))

    def submission(self, number: int) -> Row:
        """Return a submission, and where it stands."""
        return self._get(f"submissions/{number}/")

    def wait(self, number: int, *, until: str = "read", seconds: float | None = None) -> Row:
        """Wait until a submission is read, judged by people, or scored, or has stopped; return it.

        Parameters
        ----------
        until : {"read", "judging", "scored"}
        seconds : float, optional
            The longest to wait.

        Raises
        ------
        WrongUsage
            If `until` is none of these, or it waits for its team, so that it would never be judged.
        Later
            If it takes longer.
        """
        if until not in UNTIL:
            raise WrongUsage(f"nothing is waited for until {until!r:.40}; there are {', '.join(UNTIL)}")

        def look() -> Row:
            stand = self.submission(number)
            if until != "read" and stand["state"] == "accepted" and not stand["go_ahead"]:
                raise WrongUsage(
                    f"submission {number} waits for its team's word that it is to be judged: "
                    f"kbpo go-ahead {number}"
                )
            return stand

        return self._await(look, UNTIL[until], f"submission {number}", seconds)

    def act(self, number: int, action: str) -> Row:
        """Do what a team may with a submission: one of `ACTIONS`; return where it stands then."""
        if action not in ACTIONS:
            raise WrongUsage(f"there is no action {action!r:.40}; there are {', '.join(ACTIONS)}")
        return self._connection.read("POST", f"submissions/{number}/{action}/")

    def problems(self, number: int, *, severity: str | None = None) -> list[Row]:
        """Return what is wrong with a submission's file: of each code, the first thousand.

        Parameters
        ----------
        severity : {"ERROR", "WARNING"}, optional
            Only these.
        """
        return list(self._connection.pages(f"submissions/{number}/problems/", {"severity": severity}))

    def all_problems(self, number: int, *, severity: str | None = None) -> Iterator[Row]:
        """Yield every problem of a submission's file as it comes: there may be a million."""
        return self._connection.rows(f"submissions/{number}/problems/all/", {"severity": severity})

    def predictions(self, number: int, **chosen: str | None) -> Iterator[Row]:
        """Yield what a submission claims, a page at a time; `chosen` has ``doc_id`` or ``label``."""
        return self._connection.pages(f"submissions/{number}/predictions/", chosen)

    def epochs(self, tag: str) -> list[Row]:
        """Return the epochs of a corpus, the newest first."""
        return list(self._connection.pages(f"{_of(tag)}epochs/"))

    def labels(self, tag: str, epoch: int) -> Iterator[Row]:
        """Yield the labels of a released epoch, a page at a time."""
        return self._connection.pages(f"{_of(tag)}epochs/{epoch}/labels/")

    def scores(self, number: int, **chosen: Any) -> list[Row]:
        """Return a submission's scores: a row for each way to compute them, a column for each measure.

        Parameters
        ----------
        **chosen
            Of the API's choices: ``level``, ``part``, ``weighting``, ``estimator``, ``standard``.
        """
        found = self._get(f"submissions/{number}/scores/", **chosen)
        return [rows.with_measures(one) for one in found["scores"]]

    def leaderboard(self, tag: str, **chosen: Any) -> list[Row]:
        """Return a corpus' leaderboard, in its order; `chosen` as in `scores`, and which rows.

        These are, as on the page: ``sort`` (``-`` before a column: from the largest down), ``q``, ``team``,
        ``labels``, ``baselines`` (hide, only), ``runs`` (all, one), ``mine``.
        """
        found = self._get(f"{_of(tag)}leaderboard/", **chosen)
        return [rows.with_measures(one) for one in found["rows"]]

    def history(self, number: int) -> list[Row]:
        """Return how a submission's scores changed, a row for each figure from one change to the next."""
        return list(self._get(f"submissions/{number}/history/")["changes"])

    def snapshots(self, tag: str) -> list[Row]:
        """Return the snapshots of a corpus' leaderboard, the newest first."""
        return list(self._connection.pages(f"{_of(tag)}snapshots/"))

    def snapshot(self, tag: str, number: str, **chosen: Any) -> list[Row]:
        """Return a leaderboard as a snapshot has it, in its order; `chosen` as in `scores`."""
        found = self._get(f"{_of(tag)}snapshots/{number}/", **chosen)
        return [rows.with_measures(one) for one in found["rows"]]

    def cite_snapshot(self, tag: str, number: str) -> Row:
        """Return how a snapshot is cited: ``plain``, ``bibtex`` and ``address``."""
        return dict(self._get(f"{_of(tag)}snapshots/{number}/")["citation"])

    def cite(self, number: int, *, score: int | None = None) -> Row:
        """Return how a submission is cited, ``system``, and its ``scores`` as they are or were.

        Parameters
        ----------
        number : int
        score : int, optional
            The change whose scores are meant, as `history` numbers them; the newest if left out.
        """
        return self._get(f"submissions/{number}/citation/", score=score)

    def compare(self, tag: str, a: int, b: int, **chosen: Any) -> list[Row]:
        """Return how two systems differ, a row for each measure; `chosen` as in `scores`."""
        return rows.of_comparison(self._get(f"{_of(tag)}compare/", a=a, b=b, **chosen))

    def download(self, number: int, to: Path | str, *, progress: Progress = nowhere) -> Path:
        """Download what an accepted submission of one's team claims, as a file without faults, gzip.

        The server writes it first, and says its SHA-256: what was interrupted is gone on with.
        """
        path = f"submissions/{number}/file/"
        written = self._await(
            lambda: self._connection.read("POST", path, may_repeat=True),
            {"ready"},
            "the file",
            self._connection.patience,
        )
        downloads.fetch(self._connection, path, Path(to), digest=written["digest"], progress=progress)
        return Path(to)

    def _await(
        self, look: Callable[[], Row], states: Collection[str], what: str, seconds: float | None
    ) -> Row:
        """Look again and again, after longer pauses, until something is in one of some states."""
        waited, pause = 0.0, 1.0
        while (found := look())["state"] not in states:
            if seconds is not None and waited + pause > seconds:
                raise Later(f"{what} is {found['state']} still")
            self._connection.sleep(pause)
            waited, pause = waited + pause, min(LONGEST_BETWEEN_LOOKS, pause * 1.5)
        return found

    def _get(self, path: str, **asked: Any) -> Row:
        return self._connection.read("GET", path, params=asked)


def _of(tag: str) -> str:
    return f"corpora/{quote(tag, safe='')}/"
