"""A study's submissions, and to which of its HITs each belongs."""

import json
from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from crowd.models import Assignment, ProlificRequest, ProlificTask
from crowd.providers.base import NoAnswer, SubmittedWork
from crowd.providers.prolific.api import JSON, Api

#: What Prolific's states of a completed submission are to us.
STATES = {
    "AWAITING REVIEW": "submitted",
    "APPROVED": "approved",
    "PARTIALLY APPROVED": "approved",
    "REJECTED": "rejected",
}
_TAKEN_BACK = frozenset({"RETURNED", "TIMED-OUT"})
GONE = _TAKEN_BACK | {"REJECTED"}  # their places are open again
_FRESH = timedelta(seconds=20)  # for which a list serves the next HITs of its study as well
_STRAY_AFTER = timedelta(minutes=10)

Key = tuple[str, str]


class Submissions:
    """The submissions of studies, listed once for HITs that are looked at in a row.

    Parameters
    ----------
    api : Api
    clock : callable
        Returns the time.
    """

    def __init__(self, api: Api, clock: Callable[[], datetime]) -> None:
        self._api = api
        self._clock = clock
        self._listed: dict[str, tuple[datetime, list[JSON]]] = {}

    def forget(self) -> None:
        """List anew at the next look."""
        self._listed.clear()

    def of(self, study_id: str) -> list[JSON]:
        """List a study's submissions, in the order in which they were begun."""
        now = self._clock()
        if study_id not in self._listed or now - self._listed[study_id][0] > _FRESH:
            rows = list(self._api.pages("submissions/", study=study_id, ordering="started_at"))
            self._listed[study_id] = now, rows
        return self._listed[study_id][1]

    def count(self, task: ProlificTask) -> tuple[int, int]:
        """Count a HIT's completed submissions that keep their places, and those that gave theirs up.

        The latter were rejected, or returned after they had been collected.
        """
        here = seen_at([task.annotation])
        strays = ProlificRequest.objects.filter(kind=ProlificRequest.Kind.STRAY, subject=task.annotation)
        given = {request.token.partition(" ")[2] for request in strays}
        kept = given_up = 0
        for row in self.of(task.study.remote_id or ""):
            if key(row) not in here and row["id"] not in given:
                continue
            if row["status"] in GONE:
                given_up += row["status"] == "REJECTED" or _was_collected(here.get(key(row)))
            else:
                kept += row["status"] in STATES
        return kept, given_up

    def completed(self, task: ProlificTask, allocated: Callable[[], int]) -> Iterator[SubmittedWork]:
        """Go through a HIT's completed submissions.

        Prolific does not tell at which address of a study a submission was made; the HIT's own page does.
        Those whose worker never opened a page are given to HITs that have room for them.

        Parameters
        ----------
        task : ProlificTask
        allocated : callable
            Returns how many participants Prolific has sent to the HIT.
        """
        listed = self.of(task.study.remote_id or "")
        here = seen_at([task.annotation])
        completed = [row for row in listed if row["status"] in STATES]
        yield from (as_work(row) for row in completed if key(row) in here)
        for row in listed:
            # Collected, and then taken back by its worker, who is not to be paid any more.
            if row["status"] in _TAKEN_BACK and _was_collected(here.get(key(row))):
                yield as_work(row)
        known = seen_at(task.study.tasks.values_list("annotation", flat=True))
        if strays := [row for row in completed if key(row) not in known]:
            present = sum(key(row) in here and row["status"] not in GONE for row in listed)
            owners = self._owners(task, strays, present, allocated)
            yield from (as_work(row) for row in strays if owners.get(row["id"]) == task.annotation)

    def _owners(
        self, task: ProlificTask, strays: list[JSON], present: int, allocated: Callable[[], int]
    ) -> dict[str, str]:
        """Return which HIT each stray belongs to, for good, and give this one those it has room for."""
        given = ProlificRequest.objects.filter(
            kind=ProlificRequest.Kind.STRAY, token__in=[_token(row["id"]) for row in strays]
        )
        owners = {request.token.partition(" ")[2]: request.subject for request in given}
        now = self._clock()
        late = now - _STRAY_AFTER
        free = [row for row in strays if row["id"] not in owners and completed_at(row) <= late]
        if free:
            room = allocated() - present - sum(owner == task.annotation for owner in owners.values())
            for row in free[: max(room, 0)]:
                request, _ = ProlificRequest.objects.get_or_create(
                    token=_token(row["id"]),
                    defaults={
                        "kind": ProlificRequest.Kind.STRAY,
                        "subject": task.annotation,
                        "created_at": now,
                    },
                )
                owners[row["id"]] = request.subject
        return owners


def seen_at(annotations: Collection[str]) -> dict[Key, str]:
    """Return the submissions, with their workers, that were seen on HITs' pages, and our states of them."""
    seen = Assignment.objects.filter(hit__annotation__in=annotations)
    rows = seen.values_list("provider_id", "provider_worker_id", "state")
    return {(submission, worker): state for submission, worker, state in rows}


def key(row: JSON) -> Key:
    """Return what a submission is known by: its own id and its worker's."""
    return row["id"], row["participant_id"]


def as_work(row: JSON) -> SubmittedWork:
    """Return a submission as the requester reads it. What the worker answered is with the HIT's page."""
    return SubmittedWork(
        assignment_id=row["id"],
        worker_id=row["participant_id"],
        state=STATES.get(row["status"], "rejected"),
        accepted_at=read_time(row["started_at"]),
        submitted_at=completed_at(row),
        fields={},
        raw=json.dumps(row),
    )


def completed_at(row: JSON) -> datetime:
    """Return when a submission was completed."""
    return read_time(row.get("completed_at") or row["started_at"])


def read_time(text: str) -> datetime:
    """Read a time of Prolific's; one without a zone is UTC."""
    moment = parse_datetime(text)
    if moment is None:
        raise NoAnswer(f"Prolific gave a time that cannot be read: {text!r}.")
    return timezone.make_aware(moment) if timezone.is_naive(moment) else moment


def _was_collected(state: str | None) -> bool:
    return state not in (None, Assignment.State.BEGUN)


def _token(submission_id: str) -> str:
    return f"stray {submission_id}"
