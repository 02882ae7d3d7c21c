"""A history of two hosts: systems are handed in at either; both read, sample, judge, audit and score them."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path
from random import Random
from typing import Any

from tests.hosts import disturbing
from tests.hosts.disturbing import Keeper, Kill, Killer
from tests.hosts.hosts import SENT
from tests.hosts.inside import CORPUS
from tests.hosts.place import Place, two_hosts

SYSTEMS = 7
FIRST_SCORED = re.compile(r"\d+ systems? in the pool")

Rows = dict[str, list[str]]


@dataclass(frozen=True)
class Outcome:
    """What a history left.

    Attributes
    ----------
    rows : dict of str to list of str
        Every row and file (`tests.kills.rows`), the mail of both hosts, and the board.
    kills : list of Kill
    ended : list of str
        What ended by itself, and should not have.
    beats : list of int
        How many reminders the beat of each host sent.
    """

    rows: Rows
    kills: list[Kill]
    ended: list[str]
    beats: list[int]


def play(folder: Path, *, seed: int | None = None, kills: int = 0, **between: Any) -> Outcome:
    """Play it.

    Parameters
    ----------
    folder : Path
        An empty one.
    seed : int or None
        Of what is killed when; nobody is, without it.
    kills : int
        At least so many.
    between
        What stands between the hosts and what they share (`tests.hosts.place.two_hosts`).
    """
    with two_hosts(folder, **between) as place:
        tokens, keeper = begin(place)
        killer = None if seed is None else Killer(keeper, Random(seed))
        with disturbing.kept_and_killed(keeper, killer):
            for number in range(SYSTEMS):
                hand_in(place, tokens, number)
                while killer is not None and len(killer.kills) < kills * (number + 1) // SYSTEMS:
                    time.sleep(0.1)
        with disturbing.kept_and_killed(keeper, None):
            disturbing.wait_until_settled(place.first)
        return end(place, keeper, killer.kills if killer else [])


def begin(place: Place) -> tuple[dict[str, str], Keeper]:
    """Load a corpus, and start everything at both hosts; return the members' tokens by team."""
    corpus = place.world.write_corpus(place.folder / "corpus.jsonl")
    gold = place.world.write_gold(place.folder / "gold.jsonl")
    place.first.manage("load_corpus", str(corpus), "--corpus", CORPUS, "--licence", "CC0")
    # With a seed: without one, other documents are drawn each time, and recall is another.
    place.second.manage("load_gold", str(gold), "--corpus", CORPUS, "--documents", "6", "--seed", "1")
    tokens = disturbing.ask(place.second, "prepare")
    keeper = Keeper(place.hosts, gold)
    for host in place.hosts:
        for role in disturbing.ROLES:
            keeper.start(host, role)
    return tokens, keeper


def hand_in(place: Place, tokens: dict[str, str], number: int) -> None:
    """Hand in a system: at the first host two times, then at the second two times."""
    team = ("Alpha", "Beta")[number % 2]
    at = place.hosts[number // 2 % 2]
    disturbing.hand_in(at, tokens[team], place.system(number), team, f"system {number}")


def end(place: Place, keeper: Keeper, kills: list[Kill]) -> Outcome:
    """End everything, and read what there is."""
    for role in disturbing.ROLES:
        keeper.end(role)
    rows = disturbing.ask(place.second, "rows")
    for name in ("timelines", "evaluation.SubmissionEvent"):
        # With how many others a system was first scored says when; all are scored again with the last.
        rows[name] = sorted(FIRST_SCORED.sub("", row) for row in rows[name])
    rows["mail"] = sorted(_mail(place))
    rows["board"] = [place.first.manage("leaderboard", "--corpus", CORPUS, "--json")]
    beats = [host.said("beat").count(f"{SENT} kbpo.") for host in place.hosts]
    return Outcome(rows, kills, keeper.ended, beats)


def _mail(place: Place) -> Iterator[str]:
    for host in place.hosts:
        for path in (host.home / "mail").glob("*.eml"):
            message = message_from_bytes(path.read_bytes())
            yield f"{message['To']}: {message['Subject']}"
