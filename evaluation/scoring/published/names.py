"""Under which name the numbers of a system stand that was shown once, whatever became of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from evaluation.models import Submission
from evaluation.submissions.visibility import Viewer, visible


@dataclass(frozen=True, slots=True)
class Named:
    """A system as somebody may know it now.

    Attributes
    ----------
    submission : int
    name, team : str
        `name` says what became of one that is shown no more; then `team` is empty.
    is_shown : bool
        Whether there is a page of it for them.
    """

    submission: int
    name: str
    team: str
    is_shown: bool


def name_systems(submissions: Collection[int], viewer: Viewer) -> Mapping[int, Named]:
    """Name systems as a viewer may know them today, in two queries.

    An anonymous one has its alias until its date. One that was withdrawn, or is hidden by its team now, has
    no name but for those who may see it.
    """
    found = {
        one.pk: Named(
            one.pk,
            f"{one.shown_name} (withdrawn)" if one.state == Submission.State.WITHDRAWN else one.shown_name,
            one.shown_team,
            True,
        )
        for one in visible(viewer).filter(pk__in=submissions)
    }
    missing = Submission.objects.filter(pk__in=set(submissions) - found.keys())
    for pk, state in missing.values_list("pk", "state"):
        words = "Withdrawn" if state == Submission.State.WITHDRAWN else "Hidden by its team"
        found[pk] = Named(pk, words, "", False)
    return found
