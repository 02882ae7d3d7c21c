"""Every number of a released epoch, on its pages and in the API, is what its archive says."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

import pytest

from kbpo.core.storage.folder import path_of
from kbpo_archive.figures import Choice, Place
from kbpo_archive.ranking import RANK, SYSTEMS
from kbpo_archive.reading import Archive
from kbpo_archive.recomputing import AGREE, Recomputed, compare
from kbpo_estimators.scores import VOTES
from tests.archives import differences as differences_of
from tests.archives import leaderboard, released

pytestmark = pytest.mark.django_db
API, BOARD = "/api/v1", "/corpora/small/"
MEASURES = ("precision", "recall", "f1")
NOT_OF_SYSTEMS = {
    "3.10": "a version of Python",
    "1.1": "the number of a snapshot",
    "-1.1": "the number of a snapshot, in its BibTeX key",
}
"""Numbers with a point on these pages that are of no system, with what they are."""
LEFT_OUT = ("/method/", "/help", "/accounts", "/static", "/api", f"{BOARD}documents/", f"{BOARD}entities/")
"""What has numbers of other things: experiments, examples, files; and claims, of which labels are."""


@dataclass(frozen=True)
class Said:
    """What an archive says: its figures computed again, its tables, and the number of each submission."""

    again: Recomputed
    tables: Mapping[str, Mapping[str, list]]
    differences: Mapping[tuple, object]
    number: Mapping[int, int]
    defaults: Mapping[str, str]
    settings: Mapping[str, float]


@pytest.fixture
def said(judged):
    with Archive(path_of(released(1.0).place)) as archive:
        again = compare(archive)
        assert again.agrees
        tables = {
            name: {
                column: values if isinstance(values, list) else values.tolist()
                for column, values in archive.table(name).items()
            }
            for name in ("systems", "units", "predictions", "labels", "questions", "agreement")
        }
        differences = {
            (*pair, one.choice, one.level, one.measure): one
            for pair in ((1, 3), (3, 1))
            for one in differences_of(archive, *pair)
        }
        settings = archive.manifest["settings"]
    systems = tables["systems"]
    number = dict(zip(systems["submission"], systems["system"], strict=True))
    public = {pk: one for pk, one in number.items() if systems["shown"][one - 1] == "public"}
    shown = leaderboard()["manifest"]["shown"]
    defaults = {name: str(value) for name, value in shown.items()}
    return Said(again, tables, differences, public, defaults, settings)


def fetch(client, address):
    answer = client.get(address)
    assert answer.status_code == 200, address
    return b"".join(answer).decode()


def asked(address, defaults):
    """Return the choice that an address asks for."""
    return {
        **defaults,
        **{one: value for one, value in parse_qsl(urlsplit(address).query) if one in defaults},
    }


def is_near(figure, measure):
    own = figure.estimate, figure.low, figure.high
    other = measure["estimate"], measure["low"], measure["high"]
    return all(
        one is two or (one is not None and two is not None and abs(one - two) <= AGREE)
        for one, two in zip(own, other, strict=True)
    )


def choices(said):
    return sorted({(Choice(*place[1:5]), place.level) for place in said.again.scores.stated})


def query(choice, level):
    return "&".join(f"{name}={value}" for name, value in {**choice._asdict(), "level": level}.items())


@pytest.mark.slow
def test_leaderboards_of_the_api_under_every_choice(said, client):
    counted = 0
    for choice, level in choices(said):
        told = json.loads(fetch(client, f"{API}{BOARD}leaderboard/?{query(choice, level)}"))
        assert {row["submission"] for row in told["rows"]} == set(said.number)
        for row in told["rows"]:
            number = said.number[row["submission"]]
            for measure, figures in row["measures"].items():
                if figures["estimate"] is not None:
                    counted += 1
                    place = Place(number, *choice, level, measure)
                    assert is_near(said.again.scores.figures[place], figures), place
            rank = said.again.ranks.figures.get(Place(number, *choice, level, RANK))
            assert row["rank"] == (rank and rank.estimate)
    own = [place for place in said.again.scores.stated if place.system in said.number.values()]
    assert counted == sum(said.again.scores.figures[place].estimate is not None for place in own) > 500


@pytest.mark.slow
def test_scores_and_subsets_of_the_api(said, client):
    for pk, number in said.number.items():
        told = json.loads(fetch(client, f"{API}/submissions/{pk}/scores/"))
        assert told["scores"]
        for one in told["scores"]:
            place = Place(number, *(one[name] for name in Choice._fields), one["level"], "")
            for measure, figures in one["measures"].items():
                if figures["estimate"] is not None:
                    assert is_near(said.again.scores.figures[place._replace(measure=measure)], figures)
        assert told["subsets"]
        of_system = [
            (place, figure)
            for place, figure in said.again.subsets.figures.items()
            if place.system == number and place.part == said.defaults["part"]
        ]
        for table in told["subsets"]:
            for row in table["rows"]:
                for measure, figures in row["measures"].items():
                    if figures["estimate"] is not None:
                        assert any(
                            place.measure == measure and is_near(figure, figures)
                            for place, figure in of_system
                        ), (table["title"], row["name"], measure)


@pytest.mark.slow
def test_comparisons_of_the_api_under_every_choice(said, client):
    (first, _), (second, _) = sorted(said.number.items(), key=lambda one: one[1])
    compared = 0
    for choice, level in choices(said):
        address = f"{API}{BOARD}compare/?a={first}&b={second}&{query(choice, level)}"
        for measure, told in json.loads(fetch(client, address))["measures"].items():
            if told["difference"] is None:
                continue
            own = said.differences[said.number[first], said.number[second], choice, level, measure]
            assert is_near(own.difference, told["difference"])
            if told["among"] is not None:
                assert is_near(own.among.difference, told["among"])
                assert own.among.is_significant == told["among"]["is_significant"]
                compared += 1
    assert compared > 100


@pytest.mark.slow
def test_labels_and_samples_in_files(said, client):
    tables = said.tables
    place = dict(
        zip(
            tables["questions"]["question"],
            zip(tables["questions"]["doc_id"], tables["questions"]["key"], strict=True),
            strict=True,
        )
    )
    labels = tables["labels"]
    own = Counter(
        (place[question][0], value, votes_for, votes, source)
        for question, value, votes_for, votes, source in zip(
            *(labels[one] for one in ("question", "value", "votes_for", "votes", "source")), strict=True
        )
    )
    lines = fetch(client, f"{BOARD}epochs/1/labels.jsonl").splitlines()
    names = ("doc_id", "value", "votes_for", "votes", "source")
    assert Counter(tuple(one[name] for name in names) for one in map(json.loads, lines)) == own
    units, predictions = tables["units"], tables["predictions"]
    key = units["key"]
    stored = {
        (system, key[unit]): (p, variance)
        for system, unit, p, variance in zip(
            *(predictions[one] for one in ("system", "unit", "p_instance", "planned_variance")),
            strict=True,
        )
    }
    last_pi, drawn = {}, Counter()
    for one in map(json.loads, fetch(client, f"{BOARD}epochs/1/sample.jsonl").splitlines()):
        if "key" in one:
            p, variance = stored[one["batch"], one["key"]]
            assert one["p"] in (None, p)
            assert one["variance"] is None or one["variance"] == variance
            if one["pi"] is not None:
                last_pi[one["key"]] = max(one["pi"], last_pi.get(one["key"], 0))
            drawn[one["key"]] += one["drawn"]
    sampled = {key[unit] for unit, is_sampled in enumerate(units["sampled"]) if is_sampled}
    assert {one for one, times in drawn.items() if times} == sampled
    pi = dict(zip(key, units["pi"], strict=True))
    assert last_pi
    assert all(value <= pi[one] for one, value in last_pi.items())  # it grows as systems arrive
    assert any(value == pi[one] for one, value in last_pi.items())


@pytest.mark.slow
def test_every_number_on_pages(said, client):
    """Those with a point; whole numbers beside them count labels, claims and systems."""
    first, second = sorted(said.number)
    compared = f"{BOARD}compare/?a={first}&b={second}"
    seen, todo, counted = set(), ["/", BOARD, "/leaderboard/", compared], Counter()
    while todo:
        address = todo.pop()
        if address in seen or address.startswith(LEFT_OUT):
            continue
        seen.add(address)
        answer = client.get(address)
        if answer.status_code != 200 or not answer["Content-Type"].startswith("text/html"):
            continue
        page = b"".join(answer).decode()
        for href in re.findall(r'href="([^"#]+)', page):
            href = href.replace("&amp;", "&")
            todo.append(f"{urlsplit(address).path}{href}" if href.startswith("?") else href)
        todo = [one for one in todo if is_followed(one)]
        allowed = shown_of(said, address)
        for number, beside in numbers(page):
            counted[urlsplit(address).path] += 1
            assert number in allowed or number in NOT_OF_SYSTEMS, (address, number, beside)
    assert sum(counted.values()) > 500
    for path in (
        BOARD,
        f"{BOARD}compare/",
        f"{BOARD}snapshots/1.1/",
        *(f"/submissions/{pk}/" for pk in said.number),
    ):
        assert counted[path] > 10, path


def is_followed(address):
    """Say whether a link is: within the site, with one choice at most; the API is asked under all."""
    asked = [name for name, _ in parse_qsl(urlsplit(address).query) if name not in ("a", "b")]
    return address.startswith("/") and "sort=" not in address and len(asked) <= 1


def numbers(page):
    """Yield the numbers with a point that a page shows, and what stands beside them; not in pictures."""
    shown = re.sub(r"<(style|script|svg)\b.*?</\1>", " ", page.partition("<main")[2], flags=re.DOTALL)
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", shown))
    for found in re.finditer(r"(?<![\d.])-?\d+\.\d+(?![\d.])(?! [KM]?B\b)", words.replace("−", "-")):
        yield found[0], words[max(0, found.start() - 60) : found.end() + 30]


def shown_of(said, address):
    """Return the numbers of the systems that an address is about, under what it asks for."""
    choice = asked(address, said.defaults)
    parts = urlsplit(address).path.strip("/").split("/")
    own = {said.number.get(int(parts[1]))} if parts[0] == "submissions" and parts[1:] else {1, 3}
    level, part = int(choice.pop("level")), choice["part"]
    levels = {level}
    if parts[0] == "submissions":
        choice = {}  # it shows parts, averages, estimators and standards; and its history at one level
        levels.add(int(said.defaults["level"]))
    of_pages = [
        figure
        for place, figure in said.again.scores.figures.items()
        if place.system in own
        and place.level in levels
        and all(getattr(place, name) == value for name, value in choice.items())
    ]
    if parts[0] == "submissions":
        of_pages += [one for place, one in said.again.subsets.figures.items() if place.system in own]
    for (*_, of, at, _), one in said.differences.items():
        if at == level and of.part == part and "compare" in parts:
            of_pages += [one.difference, *([one.among.difference] if one.among else [])]
    found = {
        f"{100 * value:.1f}"
        for one in of_pages
        for value in (one.estimate, one.low, one.high)
        if value is not None
    }
    aimed = round(100 * said.settings["target_level"])
    for place, one in said.again.scores.figures.items():  # how far the sample's aim was reached
        if (place.level, place.measure, place.standard) == (
            aimed,
            "precision",
            VOTES,
        ) and place.system in own:
            found.add(f"{50 * (one.high - one.low):.1f}")
    found.add(f"{100 * said.settings['target_half_width']:.1f}")
    if "compare" in parts:  # at which level each pair holds, that all of them do
        ranked = max(one.estimate for at, one in said.again.ranks.figures.items() if at.measure == SYSTEMS)
        found.add(f"{100 - (100 - level) / (ranked * (ranked - 1) / 2):.2f}")
    if "systems" in parts:
        found |= {f"{value:.2f}" for value in said.tables["predictions"]["confidence"]}
    found |= contradicted(said.tables)
    agreement = said.tables["agreement"]
    return found | {f"{value:.2f}" for name in ("kappa", "low", "high") for value in agreement[name]}


def contradicted(tables):
    """Return how many votes contradict the labels of sampled claims, and what that does to precisions."""
    labels, units = tables["labels"], tables["units"]
    votes, against = {0: 0, 1: 0}, {0: 0, 1: 0}
    sampled = set(zip(units["question"], units["claim"], strict=True))
    names = ("question", "claim", "value", "votes_for", "votes", "source")
    for question, claim, value, votes_for, of, source in zip(*(labels[one] for one in names), strict=True):
        if (question, claim) in sampled and source == "majority":
            votes[value] += of
            against[value] += of - votes_for if value else votes_for
    error = {value: against[value] / votes[value] for value in votes}
    majority = {value: 3 * one**2 - 2 * one**3 for value, one in error.items()}
    seen = [true * (1 - majority[1]) + (1 - true) * majority[0] for true in (0.1, 0.5)]
    return {f"{100 * one:.1f}" for one in (sum(against.values()) / sum(votes.values()), *seen)}
