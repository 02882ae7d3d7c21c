"""HITs, workers and money at Prolific. ADR 26 says how they fit its studies."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from decimal import Decimal

from django.utils import timezone

from crowd.models import ProlificObject, ProlificRequest, ProlificTask
from crowd.providers.base import NewHit, NoAnswer, NotFound, PublishedHit, Refused, SubmittedWork
from crowd.providers.prolific import once, rules
from crowd.providers.prolific.addresses import parts_of, provider_id
from crowd.providers.prolific.api import JSON, Api
from crowd.providers.prolific.claims import PATIENCE, claimed
from crowd.providers.prolific.groups import BLOCKED, Groups, qualified
from crowd.providers.prolific.money import Wallet
from crowd.providers.prolific.studies import (
    ACTIVE,
    COMPLETED,
    DRAFT,
    PAUSED,
    Studies,
    annotation_of,
)
from crowd.providers.prolific.submissions import GONE, Submissions, read_time
from kbpo.core.errors import InvalidInput

_LONGEST_ANNOTATION = 39  # characters: a study's id goes with it into the 64 of Hit.provider_id
_UNSURE_AFTER = timedelta(hours=24)


class Prolific:
    """A `crowd.providers.base.Provider`: HITs of a group share a study, each an address of its own.

    Parameters
    ----------
    api : Api
    project : str
        The id of the project that pays.
    fee_percent : Decimal
        Prolific's fee on rewards and bonuses.
    hits_per_worker : int
        How many HITs of a study one worker may do.
    clock : callable
        Returns the time.
    patience : float
        Seconds to wait for another process that is at the same study.
    """

    name = "prolific"
    reopens_rejected = True

    def __init__(
        self,
        api: Api,
        *,
        project: str,
        fee_percent: Decimal,
        hits_per_worker: int = 1,
        clock: Callable[[], datetime] = timezone.now,
        patience: float = PATIENCE,
    ) -> None:
        self._api = api
        self._clock = clock
        self._patience = patience
        self._wallet = Wallet(api, project=project, fee_percent=fee_percent)
        self._groups = Groups(api, self._wallet, self._claim)
        self._submissions = Submissions(api, clock)
        self._studies = Studies(
            api, self._wallet, self._groups, project=project, hits_per_worker=hits_per_worker, clock=clock
        )

    def fee_cents(self, *, reward_cents: int, places: int) -> int:
        """Return the fee for one assignment."""
        return self._wallet.fee(reward_cents)

    def bonus_fee_cents(self, *, cents: int) -> int:
        """Return the fee for a bonus."""
        return self._wallet.fee(cents)

    def balance_cents(self) -> int:
        """Return what the workspace can still spend; `Refused` if that is not in dollars."""
        return self._wallet.balance()

    def publish(self, hit: NewHit) -> PublishedHit:
        """Publish a HIT as an address of its group's study, which is made with the first of them."""
        if len(hit.annotation) > _LONGEST_ANNOTATION:
            raise Refused(
                f"annotation has {len(hit.annotation)} characters; at most {_LONGEST_ANNOTATION} fit"
            )
        begun = ProlificTask.objects.filter(annotation=hit.annotation).select_related("study").first()
        if begun is None:
            self._studies.check_pay(hit)
        with self._claim_study(begun.study.name if begun else self._studies.name(hit)) as study:
            # Kept before anything is sent: a later try goes to the same study, whatever is offered by then.
            now = self._clock()
            task, _ = ProlificTask.objects.get_or_create(
                annotation=hit.annotation,
                defaults={
                    "study": study,
                    "created_at": now,
                    "expires_at": now + timedelta(seconds=hit.lifetime_seconds),
                },
            )
            try:
                self._studies.place(study, hit)
            except Refused:
                task.delete()  # it is not there: that was looked at first
                raise
            try:
                self._studies.transition(study, "START", when={PAUSED})
            except Refused as error:
                raise NoAnswer(f"The HIT is at Prolific, in a paused study. {error}") from error
        return PublishedHit(
            provider_id=provider_id(study.remote_id or "", hit.annotation),
            annotation=hit.annotation,
            created_at=task.created_at,
            expires_at=task.expires_at,
            places=hit.places,
            open=hit.places,
            held=0,
        )

    def get(self, provider_id: str) -> PublishedHit:
        """Return a HIT as it stands. One whose time is over is closed first: no address ends by itself."""
        task = self._task(provider_id)
        if task.closed_at is None and task.expires_at <= self._clock():
            self.expire(provider_id)
            task.refresh_from_db()
        # Who came in the last moments counts where nobody can come any more.
        remote, addresses = self._studies.look(task.study, fresh=task.closed_at is not None)
        if remote["status"] == DRAFT:
            raise NoAnswer("The study is a draft again: look at Prolific's page of it.")
        return self._as_published(task, remote, _found(addresses, task))

    def submission(self, submission_id: str) -> JSON:
        """Return a submission as Prolific has it now, for a page that waits; `NotFound` if there is none."""
        return self._api.get_at_once(f"submissions/{submission_id}/")

    def published_since(self, since: datetime) -> Iterator[PublishedHit]:
        """Go through the HITs that were made since a time."""
        for remote in self._studies.ours():
            for address in self._studies.addresses(remote["id"]):
                annotation = annotation_of(address)
                task = ProlificTask.objects.filter(annotation=annotation).select_related("study").first()
                if task is not None:
                    if task.created_at >= since:
                        yield self._as_published(task, remote, address)
                elif read_time(remote["date_created"]) >= since:
                    yield _unknown(remote, address)

    def extend(self, provider_id: str, *, places: int, token: str) -> None:
        """Add places to a HIT, once for a token."""
        task = self._task(provider_id)
        with self._claim_study(task.study.name) as study:
            request = ProlificRequest.objects.filter(token=token).first()
            if request is not None and request.done_at is not None:
                return
            address = self._address(task)
            so_far = int(address["total_allocation"])
            if request is None:
                request = once.begin(
                    token=token,
                    kind=ProlificRequest.Kind.EXTEND,
                    subject=task.annotation,
                    target=so_far + places,
                    now=self._clock(),
                )
            if (missing := request.target - so_far) > 0:
                with once.sending(request):
                    self._studies.add_places(study, address, missing)
            once.finish(request, self._clock())
            if task.closed_at is None:
                self._studies.transition(study, "START", when={PAUSED})

    def expire(self, provider_id: str) -> None:
        """Let nobody begin a HIT any more.

        Prolific cannot close a single address. The study is paused when all its HITs are closed; until then
        the HIT's page sends newcomers back.
        """
        task = self._task(provider_id)
        with self._claim_study(task.study.name) as study:
            ProlificTask.objects.filter(pk=task.pk, closed_at=None).update(closed_at=self._clock())
            if not study.tasks.filter(closed_at=None).exists():
                self._studies.transition(study, "PAUSE", when={ACTIVE})

    def prolong(self, provider_id: str, *, until: datetime) -> None:
        """Let a HIT be found until a time."""
        task = self._task(provider_id)
        with self._claim_study(task.study.name) as study:
            ProlificTask.objects.filter(pk=task.pk).update(expires_at=until, closed_at=None, removed_at=None)
            self._studies.transition(study, "START", when={PAUSED})

    def remove(self, provider_id: str) -> None:
        """Note that a HIT is done with. A study whose HITs all are is stopped, which frees its money."""
        task = self._task(provider_id)
        with self._claim_study(task.study.name) as study:
            now = self._clock()
            ProlificTask.objects.filter(pk=task.pk, closed_at=None).update(closed_at=now)
            ProlificTask.objects.filter(pk=task.pk, removed_at=None).update(removed_at=now)
            if not study.tasks.filter(removed_at=None).exists():
                self._studies.transition(study, "STOP", when={ACTIVE, PAUSED})

    def collect(self, provider_id: str) -> Iterator[SubmittedWork]:
        """Go through all that was sent for a HIT. The answers themselves are with its page."""
        task = self._task(provider_id)
        yield from self._submissions.completed(task, lambda: int(self._address(task).get("allocated", 0)))

    def check_pay(self, *, reward_cents: int, seconds: int) -> None:
        """Refuse pay below Prolific's minimum (`rules.check_pay`), before anything is written down."""
        rules.check_pay(reward_cents, rules.estimated_minutes(seconds, seconds))

    def check_rejection(self, feedback: str) -> None:
        """Refuse a reason that is against Prolific's rules (`rules.read_rejection`)."""
        rules.read_rejection(feedback)

    def approve(self, assignment_id: str, *, feedback: str, override: bool = False) -> None:
        """Approve a submission. Prolific has no message to go with it."""
        self._submissions.forget()
        if override and self._submission(assignment_id)["status"] == "REJECTED":
            self._move(assignment_id, action="UNREJECT")
        after = self._move(assignment_id, action="APPROVE")
        if after.get("status") in GONE:
            raise Refused(f"The submission cannot be approved any more: it is {after['status'].lower()}.")

    def reject(self, assignment_id: str, *, feedback: str) -> None:
        """Reject a submission, for a reason that keeps to Prolific's rules (`rules.read_rejection`)."""
        try:
            why = rules.read_rejection(feedback)
        except InvalidInput as error:
            raise Refused(str(error)) from error
        self._submissions.forget()
        self._move(assignment_id, action="REJECT", message=why.message, rejection_category=why.category)

    def pay_bonus(self, *, worker_id: str, assignment_id: str, cents: int, message: str, token: str) -> None:
        """Pay a bonus, once for a token.

        Paying is the one act that Prolific repeats when it is asked again, so it is asked once. Where the
        answer is lost, the submission's own list of bonuses tells in time; else a person must look.
        """
        request = ProlificRequest.objects.filter(token=token).first()
        if request is not None and request.done_at is not None:
            return
        submission = self._submission(assignment_id)
        if submission.get("participant") != worker_id:
            raise Refused(f"Submission {assignment_id} is not by {worker_id}.")
        paid = round(sum(submission.get("bonus_payments") or []))
        if request is not None:
            self._look_for_bonus(request, paid)
            return
        # A list of bonuses that is not paid does no harm: where this answer is lost, another one is made.
        bonus = self._api.post(
            "submissions/bonus-payments/",
            {
                "study_id": submission["study_id"],
                "csv_bonuses": f"{assignment_id},{Decimal(cents) / 100:.2f}",
            },
        )
        self._wallet.check(bonus["total_amount"])
        request = once.begin(
            token=token,
            kind=ProlificRequest.Kind.BONUS,
            subject=assignment_id,
            target=paid + cents,
            now=self._clock(),
        )
        with once.sending(request):
            self._api.post(f"bulk-bonus-payments/{bonus['id']}/pay/")
        once.finish(request, self._clock())

    def grant(self, worker_id: str, *, kind: str) -> None:
        """Put a worker into the group of those who may do a kind of work."""
        self._groups.add(qualified(kind), worker_id)

    def block(self, worker_id: str, *, reason: str) -> None:
        """Put a worker into the group to which none of our studies is shown."""
        self._groups.add(BLOCKED, worker_id)

    def unblock(self, worker_id: str, *, reason: str) -> None:
        """Take a worker out of that group."""
        self._groups.drop(BLOCKED, worker_id)

    def _claim(self, name: str, kind: str) -> AbstractContextManager[ProlificObject]:
        return claimed(name, kind, clock=self._clock, patience=self._patience)

    def _claim_study(self, name: str) -> AbstractContextManager[ProlificObject]:
        return self._claim(name, ProlificObject.Kind.STUDY)

    def _task(self, provider_id: str) -> ProlificTask:
        study_id, annotation = parts_of(provider_id)
        tasks = ProlificTask.objects.select_related("study")
        task = tasks.filter(study__remote_id=study_id, annotation=annotation).first()
        if task is None:
            raise NotFound(f"No HIT at Prolific is named {provider_id!r}.")
        return task

    def _address(self, task: ProlificTask) -> JSON:
        return _found(self._studies.addresses(task.study.remote_id or ""), task)

    def _as_published(self, task: ProlificTask, remote: JSON, address: JSON) -> PublishedHit:
        places, allocated = int(address["total_allocation"]), int(address.get("allocated", 0))
        done, given_up = self._submissions.count(task)
        is_open = task.closed_at is None and remote["status"] != COMPLETED
        return PublishedHit(
            provider_id=provider_id(remote["id"], task.annotation),
            annotation=task.annotation,
            created_at=task.created_at,
            expires_at=task.expires_at,
            places=places + given_up,  # whose places are open again
            open=max(places - allocated, 0) if is_open else 0,
            held=max(allocated - done, 0),
            sent=done,
        )

    def _submission(self, submission_id: str) -> JSON:
        return self._api.get(f"submissions/{submission_id}/")

    def _move(self, submission_id: str, **body: str) -> JSON:
        return self._api.post(f"submissions/{submission_id}/transition/", body)

    def _look_for_bonus(self, request: ProlificRequest, paid: int) -> None:
        if paid >= request.target:
            once.finish(request, self._clock())
            return
        if self._clock() - (request.sent_at or request.created_at) < _UNSURE_AFTER:
            raise NoAnswer("Prolific has not said yet whether the bonus was paid.", retry_after=600.0)
        raise Refused(
            "Prolific never said whether the bonus was paid, and asking again might pay it twice: look at"
            f" submission {request.subject} on its pages, and pay it there if it is missing."
        )


def _found(addresses: list[JSON], task: ProlificTask) -> JSON:
    for address in addresses:
        if annotation_of(address) == task.annotation:
            return address
    raise NotFound(f"Prolific knows nothing of {task.annotation}.")


def _unknown(remote: JSON, address: JSON) -> PublishedHit:
    """Return a HIT of which nothing is written here, in which nobody new is wanted."""
    annotation, made = annotation_of(address), read_time(remote["date_created"])
    return PublishedHit(
        provider_id=provider_id(remote["id"], annotation),
        annotation=annotation,
        created_at=made,
        expires_at=made,
        places=int(address["total_allocation"]),
        open=0,
        held=int(address.get("allocated", 0)),
    )
