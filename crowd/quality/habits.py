"""Habits of a worker that a person should look at, read from what they and the others answered.

Only answers since a person last approved work of theirs count: what somebody has looked at is not said again.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from django.db.models import Exists, Max, OuterRef, Q

from annotations.models import Response
from crowd.interfaces.given import GivenAnswer
from crowd.interfaces.interface import Interface
from crowd.interfaces.registry import find_interface
from crowd.models import Assignment
from crowd.quality import patterns

LOOKED_AT = 60  # answers of the worker, the newest
OTHERS = 500  # answers of the others, the newest
ENOUGH = 20  # of these, before they say what is usual
#: Work of an answer that something speaks against, or that nobody has decided.
_SUSPECTED = Assignment.objects.filter(responses=OuterRef("pk")).filter(
    ~Q(flag="") | Q(state=Assignment.State.SUBMITTED)
)


def found(assignment: Assignment) -> list[str]:
    """Say which habits an assignment's worker shows, in sentences for a person."""
    if assignment.worker is None or assignment.hit.batch.is_tutorial:
        return []
    interface = find_interface(assignment.hit.batch.kind)
    user, corpus = assignment.worker.user_id, assignment.hit.batch.corpus_id
    said = []
    for kind in interface.kinds:
        rows = _own(user, kind)
        if len(rows) < patterns.FEWEST:
            continue
        given = [_given(interface, row) for row in rows]
        none = [one.is_none is True for one in given]
        first = [one.is_first is True for one in given]
        usual = _usual(interface, kind, user, corpus) if all(none) or all(first) else (None, None)
        said.append(patterns.always_none(none, usual[0]))
        said.append(patterns.always_first(first, usual[1]))
        said.append(patterns.small_edits([one.changed for one in given if one.changed is not None]))
        if any(one.marks for one in given):
            said.append(_copied(interface, rows, given, user))
    return [words for words in said if words]


def _own(user: int, kind: str) -> list[Response]:
    """Read the newest answers of a worker that were given for pay, since a person approved some."""
    own = Response.objects.filter(
        worker=user, question__kind=kind, is_expert=False, assignments__isnull=False
    )
    decided = own.filter(
        assignments__decided_by__isnull=False,
        assignments__decision__in=[Assignment.Decision.APPROVE, Assignment.Decision.OVERRIDE],
    )
    seen = decided.aggregate(pk=Max("pk"))["pk"] or 0
    rows = own.filter(pk__gt=seen).select_related("question").order_by("-pk").distinct()
    return list(rows[:LOOKED_AT])


def _usual(interface: Interface, kind: str, user: int, corpus: int) -> tuple[float | None, float | None]:
    """Return how often the others say none, and the first option, in work that does not wait for a person."""
    rows = (
        Response.objects.filter(
            question__kind=kind, question__document__corpus=corpus, is_valid=True, is_expert=False
        )
        .exclude(worker=user)
        .exclude(assignments__state=Assignment.State.SUBMITTED)
        .select_related("question")
        .order_by("-pk")[:OTHERS]
    )
    given = [_given(interface, row) for row in rows]
    if len(given) < ENOUGH:
        return None, None
    none = sum(one.is_none is True for one in given)
    first = sum(one.is_first is True for one in given)
    return none / len(given), first / len(given)


def _copied(interface: Interface, rows: Sequence[Response], given: Sequence[GivenAnswer], user: int) -> str:
    """Compare a worker's marks with those that each other worker had made of the same documents before.

    What is usual among others is read from work that nothing spoke against and that is decided, and never
    from pairs with the one compared with: else the first copy would make the second look usual.
    """
    own = {row.question_id: (row.pk, one.marks) for row, one in zip(rows, given, strict=True)}
    others = (
        Response.objects.filter(question__in=own, is_expert=False)
        .exclude(worker=user)
        .annotate(is_suspected=Exists(_SUSPECTED))
        .select_related("question")
    )
    marks: dict[int, dict[int, frozenset[object]]] = defaultdict(dict)
    same: dict[int, list[bool]] = defaultdict(list)
    for row in others:
        theirs = _given(interface, row).marks
        if row.is_valid and not row.is_suspected:
            marks[row.question_id][row.worker_id] = theirs
        pk, mine = own[row.question_id]
        if row.pk < pk and (mine or theirs):
            same[row.worker_id].append(mine == theirs)
    pairs = [
        ({worker, other}, one == two)
        for by_worker in marks.values()
        for (worker, one), (other, two) in combinations(by_worker.items(), 2)
        if one or two
    ]
    for source, equal in same.items():
        usual = [is_equal for both, is_equal in pairs if source not in both]
        if said := patterns.copied(sum(equal), len(equal), sum(usual), len(usual)):
            return said
    return ""


def _given(interface: Interface, row: Response) -> GivenAnswer:
    return interface.given(row.question.kind, row.question.payload, row.answer)
