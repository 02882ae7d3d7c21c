"""Scores from an archive alone, for the command line."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbpo_client.archives import opened
from kbpo_client.options import RANKS, SCORES, SUBSETS
from kbpo_client.output import Output

if TYPE_CHECKING:
    from kbpo_archive.reading import Archive
    from kbpo_archive.recomputing import Recomputed

_DOCUMENTS = "documents that are sealed or whose text was removed"
_RESTS = {
    "scores": _DOCUMENTS,
    "ranks": f"systems of other epochs, {_DOCUMENTS}, or hidden systems whose scores it does not state",
    "scores of subsets": _DOCUMENTS,
}
_WHY = "the lines above say why"
LISTED = 10
"""Figures that differ, of which so many are named."""


def show(path: Path, output: Output, *, of: str = SCORES) -> int:
    """Print the published figures of an archive as computed now; return 1 if one is not as it was published.

    Parameters
    ----------
    path : Path
    output : Output
    of : {"scores", "ranks", "subsets"}
        Which are printed; all are computed.

    Raises
    ------
    WrongUsage
        If NumPy and SciPy are not there, or the file is no archive.
    """
    with opened(path) as archive:
        from kbpo_archive.recomputing import compare

        names = archive.table("systems")["name"] if archive.has("systems") else []
        checked = archive.check()
        found = compare(archive)
        output.rows(list(_rows(archive, found, names, of)))
    output.tell(f"{checked} files are as the manifest has them")
    return _compared(found, output)


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
