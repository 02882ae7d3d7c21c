"""Scores of earlier in an epoch from an archive: those of a snapshot, and of a system's history."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from kbpo_archive.errors import BadArchive
from kbpo_archive.figures import Choice, Figure, Place
from kbpo_archive.reading import Archive
from kbpo_archive.recomputing import AGREE, Compared, find_task

SNAPSHOT = "kbpo-snapshot-1"
ROUNDED = 0.0005 + AGREE
"""Within which a figure agrees with one that is rounded to a tenth of a hundredth."""
OTHER_EPOCH = "are of other epochs, which have archives of their own"
UNKNOWN = "are of systems whose page the archive does not name, such as one that was hidden by then"
NOT_TOLD = "rest on what the archive does not tell"


def compare_snapshot(archive: Archive, kept: Mapping[str, Any]) -> Compared[Place]:
    """Compute the figures of a snapshot of a leaderboard, and hold them against those that it has.

    Its rows may be of when fewer systems of the epoch had arrived: then the sample is what it was. Held back
    are rows of other epochs and of systems without a number here; and, of an earlier moment, what the task
    says (`why_not_then`): recalls of knowledge bases that take labelled claims into account, independent
    draws, and classifications where a hidden system's classes are withheld.

    Parameters
    ----------
    archive : Archive
    kept : mapping
        A snapshot's file (docs/data.md).

    Raises
    ------
    BadArchive
        If it is no snapshot, or one of another corpus.
    """
    try:
        tag, form, tables = kept["snapshot"]["corpus"], kept["snapshot"]["format"], kept["tables"]
    except (KeyError, TypeError):
        raise BadArchive("is no snapshot of a leaderboard", where="--snapshot") from None
    if form != SNAPSHOT or tag != archive.manifest["corpus"]["tag"]:
        raise BadArchive(
            f"is a {form!r:.30} of the corpus {tag!r:.60}; a {SNAPSHOT!r} of"
            f" {archive.manifest['corpus']['tag']!r} is needed",
            where="--snapshot",
        )
    try:
        by_moment, reasons = _read_tables(archive, tables)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise BadArchive("has a table that is none of a leaderboard", where="--snapshot") from None
    figures: dict[Place, Figure] = {}
    stated_then: dict[Place, Figure] = {}
    for through, published in sorted(by_moment.items()):
        found, told, why = _as_after(archive, through, published)
        reasons += why
        figures |= found
        stated_then |= told
    return Compared(figures, stated_then, reasons.total(), reasons)


def _read_tables(
    archive: Archive, tables: Sequence[Mapping[str, Any]]
) -> tuple[dict[int, dict[Place, Figure]], Counter[str]]:
    """Return an archive's figures by how many systems they rest on; and how many others there are, by why."""
    systems = archive.table("systems")
    number = dict(zip(systems["submission"].tolist(), systems["system"].tolist(), strict=True))
    by_moment: dict[int, dict[Place, Figure]] = {}
    reasons: Counter[str] = Counter()
    for table in tables:
        choice = Choice(*(table[name] for name in Choice._fields))
        for row in table["rows"]:
            if row["epoch"] != archive.manifest["epoch"] or row["system"] not in number:
                is_other = row["epoch"] != archive.manifest["epoch"]
                reasons[OTHER_EPOCH if is_other else UNKNOWN] += len(row["measures"])
                continue
            moment = by_moment.setdefault(row["batch"], {})
            for measure, figure in row["measures"].items():
                place = Place(number[row["system"]], *choice, table["level"], measure)
                moment[place] = Figure(*figure)
    return by_moment, reasons


def compare_history(
    archive: Archive, rows: Sequence[Mapping[str, Any]]
) -> Mapping[tuple[int, int], Compared[Place]]:
    """Compute the figures of a system's history, and hold them against those that it has, which are rounded.

    Held back are changes of other epochs, and what `compare_snapshot` holds back.

    Parameters
    ----------
    archive : Archive
    rows : sequence of mapping
        As a submission's ``history.json`` has them.

    Returns
    -------
    mapping of (int, int) to Compared of Place
        By submission, and the number of the change: how the address of its scores ends.

    Raises
    ------
    BadArchive
        If it is no history.
    """
    systems = archive.table("systems")
    number = dict(zip(systems["submission"].tolist(), systems["system"].tolist(), strict=True))
    published: dict[tuple[int, int], dict[Place, Figure]] = defaultdict(dict)
    moments: dict[tuple[int, int], int] = {}
    reasons: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    try:
        for row in rows:
            change = int(row["submission"]), int(row["number"])
            moments[change] = int(row["systems"])
            if row["epoch"] == archive.manifest["epoch"] and row["submission"] in number:
                choice = Choice(*(row[name] for name in Choice._fields))
                place = Place(number[row["submission"]], *choice, int(row["level"]), row["measure"])
                published[change][place] = Figure(row["estimate"], row["low"], row["high"])
            else:
                is_other = row["epoch"] != archive.manifest["epoch"]
                reasons[change][OTHER_EPOCH if is_other else UNKNOWN] += 1
    except (KeyError, TypeError, ValueError):
        raise BadArchive("is no history of a submission", where="--history") from None
    found: dict[tuple[int, int], Compared[Place]] = {}
    for change in moments:
        own = published[change]
        figures, told, why = _as_after(archive, moments[change], own)
        why += reasons[change]
        found[change] = Compared(figures, told, why.total(), why)
    return found


def _as_after(
    archive: Archive, through: int, published: Mapping[Place, Figure]
) -> tuple[dict[Place, Figure], dict[Place, Figure], Counter[str]]:
    """Return figures as after so many systems, computed and published, and why others cannot be computed."""
    task = find_task(archive)
    is_end = through == archive.table("systems")["system"].size
    told, reasons = {}, Counter[str]()
    for place, one in published.items():
        if is_end:
            why = NOT_TOLD if task.is_held_back(archive, place) else None
        else:
            why = task.why_not_then(archive, place)
        if why is None:
            told[place] = one
        else:
            reasons[why] += 1
    scored = task.score(archive, None if is_end else through) if told else ()
    found = {place: one for some in scored for place, one in some.figures if place in told}
    return found, told, reasons
