"""Scores from an archive alone, for the command line."""

from pathlib import Path

from kbpo_client.errors import WrongUsage
from kbpo_client.output import Output
from kbpo_formats.errors import InvalidInput

LISTED = 10
"""Figures that differ, of which so many are named."""


def show(path: Path, output: Output) -> int:
    """Print every published score of an archive as computed now; return 1 if one is not as it was published.

    Raises
    ------
    WrongUsage
        If NumPy and SciPy are not there, or the file is no archive.
    """
    try:
        from kbpo_archive.reading import Archive
        from kbpo_archive.recomputing import AGREE, compare
    except ImportError as error:
        raise WrongUsage(f"{error.name} is needed: pip install 'kbpo-client[recompute]'") from None
    try:
        with Archive(path) as archive:
            names = archive.table("systems")["name"] if archive.has("systems") else []
            checked = archive.check()
            found = compare(archive)
    except InvalidInput as error:
        raise WrongUsage(str(error)) from None
    output.rows(
        [
            {
                "name": names[place.system - 1],
                **place._asdict(),
                "estimate": figure.estimate,
                "low": figure.low,
                "high": figure.high,
            }
            for place, figure in sorted(found.figures.items())
        ]
    )
    output.tell(f"{checked} files are as the manifest has them")
    if found.held_back:
        output.tell(f"{found.held_back:,} more figures rest on documents that are still sealed")
    for place, difference in list(found.differences.items())[:LISTED]:
        output.tell(f"not as published, by {difference:.1e}: {', '.join(map(str, place))}")
    if not found.agrees:
        output.tell(
            f"{len(found.differences):,} of {len(found.stated):,} published figures come out otherwise"
        )
        return 1
    output.tell(f"all {len(found.stated):,} published figures come out again, within {AGREE:g}")
    return 0
