"""What the API nests, as flat rows: a column for each number."""

from collections.abc import Mapping
from typing import Any


def with_measures(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with each measure's estimate and interval, and each count, as columns of their own.

    Examples
    --------
    >>> with_measures({"rank": 1, "measures": {"f1": {"estimate": 0.5, "low": 0.4, "high": 0.6}}})
    {'rank': 1, 'f1': 0.5, 'f1_low': 0.4, 'f1_high': 0.6}
    >>> with_measures({"rank": 1, "measures": {}, "counts": {"saved": 12.0}})
    {'rank': 1, 'saved': 12.0}
    """
    flat = {name: value for name, value in row.items() if name not in ("measures", "counts")}
    flat |= row.get("counts", {})
    for name, measure in row["measures"].items():
        flat |= _interval(name, measure)
    return flat


def of_comparison(comparison: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a comparison of two systems, a row for each measure."""
    found = []
    for name, one in comparison["measures"].items():
        among = one["among"] or {}
        found.append(
            {
                "measure": name,
                **_interval("a", one["a"]),
                **_interval("b", one["b"]),
                **_interval("difference", one["difference"]),
                **_interval("among_all", among),
                "is_significant": among.get("is_significant"),
            }
        )
    return found


def _interval(name: str, of: Mapping[str, Any] | None) -> dict[str, Any]:
    of = of or {}
    return {name: of.get("estimate"), f"{name}_low": of.get("low"), f"{name}_high": of.get("high")}
