"""What pages may take at any size of the site: queries each, and milliseconds by the median.

`QUERIES` is how many each page asks, for one person and with one filter: the most that was measured with a
hundred systems of 20,000 claims each, or with forty systems, of which that page's may be one's own, or
of an epoch with other things to look up. They must hold at every size: a query for each row would be over
them. The tests' budgets (`tests/integration/any_request/budgets.py`) are by address, on a site with a few
rows of everything.
"""

from collections.abc import Iterator, Mapping
from typing import Any

MEDIAN_MS = 150.0

QUERIES: Mapping[str, int] = {
    "member: API: problems": 9,
    "member: API: submissions": 7,
    "member: a document": 13,
    "member: a submission": 23,
    "member: an annotated document": 13,
    "member: board": 19,
    "member: claims of a system": 14,
    "member: compare": 16,
    "member: documents": 10,
    "member: first page": 17,
    "member: lines": 8,
    "member: new submission": 26,
    "member: own submission": 23,
    "member: own team": 6,
    "member: problems": 8,
    "member: problems as a table, its first lines": 5,
    "member: problems, last page": 8,
    "member: submissions": 9,
    "member: submissions, page 2": 9,
    "member: teams": 5,
    "operator: a document": 12,
    "operator: a submission": 21,
    "operator: all submissions": 9,
    "operator: all submissions, page 4": 8,
    "operator: an annotated document": 15,
    "operator: board": 19,
    "operator: claims of a system": 13,
    "operator: compare": 15,
    "operator: desk: a corpus": 16,
    "operator: desk: acts/": 5,
    "operator: desk: annotated/": 13,
    "operator: desk: answers/": 3,
    "operator: desk: budgets/": 3,
    "operator: desk: corpora/": 6,
    "operator: desk: first page": 9,
    "operator: desk: held/": 4,
    "operator: desk: ledger/": 18,
    "operator: desk: open/": 5,
    "operator: desk: questions/": 4,
    "operator: desk: roles/": 6,
    "operator: desk: stuck/": 25,
    "operator: desk: workers/": 11,
    "operator: documents": 10,
    "operator: first page": 12,
    "operator: submissions": 4,
    "operator: teams": 4,
    "visitor: API: a document": 5,
    "visitor: API: a submission": 6,
    "visitor: API: compare": 13,
    "visitor: API: corpus": 5,
    "visitor: API: documents": 5,
    "visitor: API: documents, deep": 5,
    "visitor: API: epochs": 5,
    "visitor: API: labels": 8,
    "visitor: API: labels, deep": 8,
    "visitor: API: leaderboard": 8,
    "visitor: API: predictions": 9,
    "visitor: API: predictions, deep": 9,
    "visitor: API: scores": 6,
    "visitor: a document": 10,
    "visitor: a document, one relation": 10,
    "visitor: a document, one system": 10,
    "visitor: a document, second page of claims": 10,
    "visitor: a relation": 7,
    "visitor: a submission": 13,
    "visitor: a team": 5,
    "visitor: an annotated document": 10,
    "visitor: an entity": 8,
    "visitor: an entity, page 2 of its relations": 8,
    "visitor: board": 16,
    "visitor: board, filtered, two columns": 16,
    "visitor: board, one run of each team": 17,
    "visitor: board, page 2": 16,
    "visitor: board, searched": 16,
    "visitor: board, sorted by recall": 16,
    "visitor: check": 4,
    "visitor: choose documents": 1,
    "visitor: claims of a system": 11,
    "visitor: claims of a system, one relation": 10,
    "visitor: claims of a system, page 700": 10,
    "visitor: claims of a system, right": 13,
    "visitor: claims of a system, sealed": 13,
    "visitor: claims of a system, wrong": 13,
    "visitor: compare": 13,
    "visitor: compare, nothing chosen": 4,
    "visitor: data": 6,
    "visitor: documents": 7,
    "visitor: documents, annotated ones": 3,
    "visitor: documents, far beyond the last page": 7,
    "visitor: documents, page 200": 7,
    "visitor: documents, searched": 10,
    "visitor: documents, searched by a frequent word": 10,
    "visitor: entities": 5,
    "visitor: entities, of a type": 5,
    "visitor: entities, page 100": 5,
    "visitor: entities, searched": 5,
    "visitor: first page": 9,
    "visitor: first page's board": 8,
    "visitor: help": 4,
    "visitor: labels, their first lines": 6,
    "visitor: method": 0,
    "visitor: sample, its first lines": 5,
}


def over(pages: Mapping[str, Mapping[str, Any]], *, times: bool = True) -> Iterator[str]:
    """Yield a line for each page that takes more than it may, is refused, has no budget, or was not measured.

    Parameters
    ----------
    pages : mapping
        By who asks and the page's name: ``status``, ``queries`` and ``median_ms``.
    times : bool
        Whether the median counts too: figures by the clock mean something at the full size alone.
    """
    for name, found in sorted(pages.items()):
        if found["status"] >= 400:
            yield f"{name}: status {found['status']}"
        if name not in QUERIES:
            yield f"{name}: no budget of queries; it asks {found['queries']}"
        elif found["queries"] > QUERIES[name]:
            yield f"{name}: {found['queries']} queries, {QUERIES[name]} at most"
        if times and found["median_ms"] > MEDIAN_MS:
            yield f"{name}: {found['median_ms']} ms by the median, {MEDIAN_MS:g} at most"
    for name in sorted(QUERIES.keys() - pages.keys()):
        yield f"{name}: it has a budget, and was not measured"
