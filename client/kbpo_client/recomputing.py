"""Scores from an archive alone, for the command line."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbpo_client.archives import opened
from kbpo_client.errors import WrongUsage
from kbpo_client.options import RANKS, SCORES, SUBSETS
from kbpo_client.output import Output

if TYPE_CHECKING:
    from kbpo_archive.ranking import Difference
    from kbpo_archive.reading import Archive
    from kbpo_archive.recomputing import Compared, Recomputed

_DOCUMENTS = "documents that are sealed or whose text was removed"
_RESTS = {
    "scores": _DOCUMENTS,
    "ranks": f"systems of other epochs, {_DOCUMENTS}, or hidden systems whose scores it does not state",
    "scores of subsets": _DOCUMENTS,
}
_ASK, _WHY = "it has no figure", "the lines above say why"
LISTED = 10
"""Figures that differ, of which so many are named."""


def show(path: Path, output: Output, *, of: str = SCORES, pair: tuple[int, int] | None = None) -> int:
    """Print the published figures of an archive as computed now; return 1 if one is not as it was published.

    Parameters
    ----------
    path : Path
    output : Output
    of : {"scores", "ranks", "subsets"}
        Which are printed; all are computed.
    pair : (int, int), optional
        The numbers of two systems: how they differ is printed instead.

    Raises
    ------
    WrongUsage
        If NumPy and SciPy are not there, or the file is no archive.
    """
    with opened(path) as archive:
        from kbpo_archive.recomputing import between, compare

        names = archive.table("systems")["name"] if archive.has("systems") else []
        checked = archive.check()
        if pair is not None:
            output.rows([_difference(one, names, pair) for one in between(archive, *pair)])
            output.tell(f"{checked} files are as the manifest has them")
            return 0
        found = compare(archive)
        output.rows(list(_rows(archive, found, names, of)))
    output.tell(f"{checked} files are as the manifest has them")
    return _compared(found, output)


def show_snapshot(path: Path, snapshot: Path, output: Output) -> int:
    """Print the figures of a snapshot as an archive has them; return 1 if one is not as it was kept.

    Raises
    ------
    WrongUsage
        If NumPy and SciPy are not there, or one of the files is not what it should be.
    """
    kept = _read(snapshot, "snapshot")
    with opened(path) as archive:
        from kbpo_archive.earlier import compare_snapshot
        from kbpo_archive.recomputing import AGREE

        names = archive.table("systems")["name"]
        found = compare_snapshot(archive, kept)
        output.rows(
            [
                {"name": names[place.system - 1], **place._asdict(), **_figure(figure)}
                for place, figure in _sorted(found.figures)
            ]
        )
    _tell_reasons([found], output)
    wrong = {place: one for place, one in found.differences.items() if not one <= AGREE}
    for place, difference in list(wrong.items())[:LISTED]:
        output.tell(f"not as kept, by {difference:.1e}: {', '.join(map(str, place))}")
    if not found.stated:
        output.tell(f"nothing of the snapshot could be compared: {_ASK if not found.held_back else _WHY}")
        return 1
    told = f"{len(wrong):,} of {len(found.stated):,} figures of the snapshot come out otherwise"
    if not wrong:
        told = f"{_all(len(found.stated), 'snapshot', found.held_back)} come out again, within {AGREE:g}"
    output.tell(told)
    return 1 if wrong else 0


def show_history(path: Path, history: Path, output: Output) -> int:
    """Print the figures of a system's history as an archive has them; return 1 if one is not as it was shown.

    Raises
    ------
    WrongUsage
        If NumPy and SciPy are not there, or one of the files is not what it should be.
    """
    rows = _read(history, "history")
    with opened(path) as archive:
        from kbpo_archive.earlier import ROUNDED, compare_history

        names = archive.table("systems")["name"]
        found = compare_history(archive, rows)
        output.rows(
            [
                {"number": number, "name": names[place.system - 1], **place._asdict(), **_figure(figure)}
                for (_, number), one in found.items()
                for place, figure in _sorted(one.figures)
            ]
        )
    _tell_reasons(found.values(), output)
    wrong = [
        (number, place, by)
        for (_, number), one in found.items()
        for place, by in one.differences.items()
        if not by <= ROUNDED
    ]
    for number, place, by in wrong[:LISTED]:
        output.tell(f"not as shown after computation {number}, by {by:.1e}: {', '.join(map(str, place))}")
    stated = sum(len(one.stated) for one in found.values())
    if not stated:
        is_empty = not any(one.held_back for one in found.values())
        output.tell(f"nothing of the history could be compared: {_ASK if is_empty else _WHY}")
        return 1
    told = f"{len(wrong):,} of {stated:,} figures of the history come out otherwise"
    if not wrong:
        held_back = sum(one.held_back for one in found.values())
        told = f"{_all(stated, 'history', held_back)} come out again, as they were rounded"
    output.tell(told)
    return 1 if wrong else 0


def _all(compared: int, what: str, others: int) -> str:
    """Say how many figures were compared: all of them, or those that can be."""
    figures = f"{compared:,} figures of the {what}"
    return f"the {figures} that can be compared" if others else f"all {figures}"


def _tell_reasons(compared: "Iterable[Compared[Any]]", output: Output) -> None:
    """Say what could not be compared, and why."""
    reasons = sum((Counter(one.reasons) for one in compared), Counter[str]())
    for why, count in sorted(reasons.items()):
        output.tell(f"not compared: {count:,} figures that {why}")


def _read(path: Path, what: str) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise WrongUsage(f"{path} is no {what}: {error}") from None


def _compared(found: "Recomputed", output: Output) -> int:
    from kbpo_archive.recomputing import AGREE

    kinds = (("scores", found.scores), ("ranks", found.ranks), ("scores of subsets", found.subsets))
    for name, one in kinds:
        if one.held_back:
            output.tell(
                f"{one.held_back:,} more figures of {name} were published, and rest on what is not in the"
                f" archive: {_RESTS[name]}"
            )
    for place, difference in list(found.differences.items())[:LISTED]:
        output.tell(f"not as published, by {difference:.1e}: {', '.join(map(str, place))}")
    sizes = ", ".join(f"{len(one.stated):,} of {name}" for name, one in kinds)
    if not found.agrees:
        output.tell(f"{len(found.differences):,} published figures come out otherwise; there are {sizes}")
        return 1
    is_partial = any(one.held_back for _, one in kinds)
    if is_partial and not any(one.stated for _, one in kinds):
        output.tell(f"none of its figures could be compared: {_WHY}")
        return 1
    which = "all published figures that can be compared" if is_partial else "all published figures"
    output.tell(f"{which} come out again, within {AGREE:g}: {sizes}")
    return 0


def _rows(archive: "Archive", found: "Recomputed", names: list[str], of: str) -> Iterator[Mapping[str, Any]]:
    if of == RANKS:
        for place, figure in _sorted(found.ranks.figures):
            name = names[place.system - 1] if place.system else "all"
            yield {"name": name, **place._asdict(), "value": int(figure.estimate or 0)}
    elif of == SUBSETS:
        divisions = archive.manifest.get("subsets", {}).get("divisions", {})
        for one, figure in _sorted(found.subsets.figures):
            subset = divisions[one.division][one.subset]
            yield {"name": names[one.system - 1], **one._asdict(), "subset": subset, **_figure(figure)}
    else:
        for place, figure in _sorted(found.scores.figures):
            yield {"name": names[place.system - 1], **place._asdict(), **_figure(figure)}


def _sorted(figures: Mapping[Any, Any]) -> Iterable[tuple[Any, Any]]:
    return sorted(figures.items())


def _figure(figure: Any) -> Mapping[str, float | None]:
    return {"estimate": figure.estimate, "low": figure.low, "high": figure.high}


def _difference(one: "Difference", names: list[str], pair: tuple[int, int]) -> Mapping[str, Any]:
    among = one.among
    return {
        "a": names[pair[0] - 1],
        "b": names[pair[1] - 1],
        **one.choice._asdict(),
        "level": one.level,
        "measure": one.measure,
        **{f"difference{end}": value for end, value in _ends(one.difference)},
        **{f"among_all{end}": value for end, value in _ends(among and among.difference)},
        "is_significant": among and among.is_significant,
    }


def _ends(interval: Any) -> Iterator[tuple[str, float | None]]:
    for end, name in (("", "estimate"), ("_low", "low"), ("_high", "high")):
        yield end, interval and getattr(interval, name)
