"""Taking in what workers sent: each assignment once, its answers as votes, whatever is lost on the way.

The provider is looked at HIT by HIT, soon after something came and ever later while nothing does. Nothing
depends on having seen an assignment before: what was taken in is found again by its id and its worker.
"""

import hashlib
import logging
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import Random

from django.db import IntegrityError, transaction
from django.db.models import Max, Q

from annotations import responses
from annotations.models import Question, Response
from annotations.responses import Answer
from crowd import budget, hit_answers, outbox, page_names, qualifying, review, seals
from crowd.hit_answers import HitAnswers
from crowd.leases import take_first
from crowd.models import Assignment, Hit, HitBatch
from crowd.providers import registry
from crowd.providers.base import NoAnswer, NotFound, PublishedHit, Refused, SubmittedWork
from crowd.quality import checking
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core.clock.nudge import nudge
from kbpo.core.database.leases import CLOCKS_DIFFER
from kbpo.core.errors import InvalidInput, KbpoError, OverBudget
from kbpo.core.plain_text import replace_faults

logger = logging.getLogger(__name__)

SOONEST = timedelta(seconds=5)
LATEST = timedelta(minutes=30)
AFTER_EXPIRY = timedelta(seconds=5)
LISTED_WITHIN = timedelta(hours=1)
LONGEST_PROBLEM = 1000  # characters

State = Assignment.State


def look_soon(*, hit_id: int, now: datetime) -> None:
    """Look at a HIT in a moment, because its page has sent an answer to the provider."""
    soon = now + SOONEST
    later = Hit.objects.filter(pk=hit_id, state=Hit.State.POSTED, next_look_at__gt=soon)
    later.update(next_look_at=soon)


def look_now(*, batch_id: int, now: datetime) -> int:
    """Look now at those HITs of a batch that could not be looked at; return how many there are."""
    failed = Hit.objects.exclude(error="").filter(batch=batch_id, state=Hit.State.POSTED)
    return failed.update(next_look_at=now)


def collect_next(*, now: datetime, due_by: datetime, rng: Random) -> int | None:
    """Look at the next HIT that is due, and take in what is new.

    Safe to run anywhere, at any time, twice.

    Parameters
    ----------
    now : datetime
    due_by : datetime
        HITs that are due later than this are left for another time.
    rng : Random
        Spreads the looks.

    Returns
    -------
    int or None
        How much was new; None if no HIT is due.
    """
    hit = _claim(now, due_by)
    if hit is None:
        return None
    provider = registry.provider(hit.batch.provider)
    assert hit.provider_id is not None
    news = 0
    try:
        # First how it stands, then what was sent: so nothing is sent after the last look.
        stands = provider.get(hit.provider_id)
        for work in provider.collect(hit.provider_id):
            if is_new := _take_in(hit, work, now):
                _flag_what_was_sent_beside(hit, work, now)
            news += is_new
        news += _end_if_done(hit, stands, now)
        _look_again(hit, now, rng)
    except NoAnswer as error:
        until = now + outbox.wait(hit.tries, rng, retry_after=error.retry_after)
        Hit.objects.filter(pk=hit.pk).update(claimed_until=None, next_look_at=until, error=str(error))
    except NotFound as error:  # nothing more can come from there
        logger.error("HIT %s is gone at the provider: %s", hit.pk, error)
        news += _end(hit, now, str(error))
        _look_again(hit, now, rng, str(error))
    except Refused as error:
        logger.error("HIT %s cannot be looked at: %s", hit.pk, error)
        Hit.objects.filter(pk=hit.pk).update(claimed_until=None, next_look_at=now + LATEST, error=str(error))
    return news


def _claim(now: datetime, due_by: datetime) -> Hit | None:
    # One that is further away than any was put off by a clock that has been put right since.
    due_now = Q(next_look_at__lte=due_by) | Q(next_look_at__gt=now + outbox.LONGEST_LEASE + CLOCKS_DIFFER)
    due = Hit.objects.filter(due_now, state=Hit.State.POSTED, batch__provider__in=registry.configured())
    return take_first(due.select_related("batch").order_by("next_look_at"), now=now)


@transaction.atomic
def _take_in(looked_at: Hit, work: SubmittedWork, now: datetime) -> int:
    """Take in one assignment, and what was decided of it at the provider; return how much was new."""
    known = Assignment.objects.filter(
        hit=looked_at, provider_id=work.assignment_id, provider_worker_id=work.worker_id
    ).first()
    if known is not None and known.counted_at is not None and known.state == work.state:
        return 0  # as nearly always; nothing is locked for it
    hit = (
        Hit.objects.select_related("batch__corpus")
        .select_for_update(no_key=True, of=("self",))
        .get(pk=looked_at.pk)
    )
    assignment, _ = Assignment.objects.get_or_create(
        hit=hit, provider_id=work.assignment_id, provider_worker_id=work.worker_id
    )
    hit, assignment = review.lock(assignment)
    news = 0
    if assignment.counted_at is None:
        _count(hit, assignment, work, now)
        news += 1
    return news + _follow(hit, assignment, work, now)


def _count(hit: Hit, assignment: Assignment, work: SubmittedWork, now: datetime) -> None:
    assignment.worker = identify(provider=hit.batch.provider, worker_id=work.worker_id)
    assignment.state = State.SUBMITTED
    assignment.accepted_at = work.accepted_at
    assignment.submitted_at = work.submitted_at
    assignment.raw = replace_faults(work.raw)
    assignment.counted_at = now
    assignment.save()
    if not hit.batch.is_tutorial:
        _vote(hit, assignment, work)  # before money is moved: questions are locked before budgets
    if budget.outstanding(hit) < budget.awaited(hit):  # more came than there were places
        try:
            review.set_aside(hit, assignment, now)
        except OverBudget as error:
            assignment.is_covered, assignment.error = False, str(error)
    if hit.batch.is_tutorial:
        _settle_tutorial(assignment, now)
    assignment.save()


def _flag_what_was_sent_beside(hit: Hit, work: SubmittedWork, now: datetime) -> None:
    """Flag all of what cannot have been read in its time together, whichever of it was taken in last."""
    found = Assignment.objects.filter(
        hit=hit, provider_id=work.assignment_id, provider_worker_id=work.worker_id, state=State.SUBMITTED
    ).first()
    if found is None:
        return
    together = checking.sent_together(assignment=found)
    for pk in together.assignments:
        review.flag(assignment_id=pk, words=together.words)


def _settle_tutorial(assignment: Assignment, now: datetime) -> None:
    try:
        with transaction.atomic():
            qualifying.settle_tutorial(assignment=assignment, now=now)
    except KbpoError as error:
        assignment.problem = assignment.flag = str(error)[:LONGEST_PROBLEM]
    else:
        assignment.flag = "\n".join(checking.flags(assignment=assignment))
    if not assignment.flag:
        assignment.hold = review.reason_to_hold(assignment)
    nudge("kbpo.pipeline.review_work")


def _vote(hit: Hit, assignment: Assignment, work: SubmittedWork) -> None:
    """Turn an assignment's answers into responses; what cannot be counted is kept, and said."""
    assert assignment.worker is not None
    questions = {question.pk: question for question in hit.questions.all()}
    asked = {**questions, **({assignment.gold.pk: assignment.gold} if assignment.gold else {})}
    problems = []
    try:
        read = _read(hit, work, assignment.answer, list(asked.values()))
        # A page that was begun after the backup that was restored: only its seal knows of it.
        if assignment.begun_at is None and assignment.answer is None:
            said = hit_answers.parse(work.fields[hit_answers.FIELD])
            assignment.guidelines_id = hit_answers.read_under(said, hit.batch.corpus)
    except InvalidInput as error:
        problems.append(str(error))
    else:
        assignment.comment = read.comment
        assignment.answer = _normal(read)
        seconds = _believed(read.seconds, checking.seconds_worked(assignment))
        given = [
            Answer(
                question=asked[pk],
                worker=assignment.worker.user,
                answer=answer,
                seconds=seconds.get(pk),
                is_vote=pk in questions,
                guidelines=assignment.guidelines_id,
            )
            for pk, answer in sorted(read.answers.items(), key=lambda one: _mixed(hit, one[0]))
        ]
        before = set(
            Response.objects.filter(worker=assignment.worker.user, question__in=asked).values_list(
                "question", flat=True
            )
        )
        problems += [f"Question {pk} was answered by this worker before." for pk in sorted(before)]
        recorded, refused = _record([answer for answer in given if answer.question.pk not in before])
        problems += refused
        assignment.responses.set(recorded)
    assignment.problem = "\n".join(problems)[:LONGEST_PROBLEM]
    if problems:
        assignment.flag = f"An answer could not be counted: {problems[0]}"[:LONGEST_PROBLEM]
    else:
        assignment.flag = "\n".join(checking.flags(assignment=assignment))
    if assignment.flag:
        # Until a person has looked its votes settle nothing; the worker's other work waits too.
        assignment.responses.update(is_valid=False)
    else:
        assignment.hold = review.reason_to_hold(assignment)
    nudge("kbpo.pipeline.review_work")


def _mixed(hit: Hit, question: int) -> bytes:
    """Return what answers are ordered by: by their questions' keys, gold would nearly always be first."""
    return hashlib.sha256(f"{hit.page_seed} {question}".encode()).digest()


def _believed(seconds: Mapping[int, float], worked: float | None) -> Mapping[int, float]:
    """Return the times that the page gives, shortened where together they are more than clocks have seen."""
    total = sum(seconds.values())
    if worked is None or total <= worked:
        return seconds
    return {pk: one * worked / total for pk, one in seconds.items()}


def _record(given: Sequence[Answer]) -> tuple[list[Response], list[str]]:
    """Record answers: together if they all can be, else each that can."""
    try:
        return responses.record_many(answers=given), []
    except KbpoError:
        pass
    recorded, problems = [], []
    for answer in given:
        try:
            recorded += responses.record_many(answers=[answer])
        except KbpoError as error:
            problems.append(f"Question {answer.question.pk}: {error}")
    return recorded, problems


def _read(hit: Hit, work: SubmittedWork, stored: object, questions: Sequence[Question]) -> HitAnswers:
    """Read what the provider handed over, or else what the page had sent to us before.

    Raises
    ------
    InvalidInput
        Of what was handed over, if neither can be read; or if it did not go through our page.
    """
    try:
        if hit_answers.FIELD not in work.fields:
            raise InvalidInput(f"there is no field {hit_answers.FIELD!r}")
        data = hit_answers.parse(work.fields[hit_answers.FIELD])
        read = hit_answers.read_answers(
            page_names.reveal(hit, data, [one.pk for one in questions]), questions
        )
    except InvalidInput:
        if (kept := _read_stored(stored, questions)) is not None:
            return kept
        raise
    if not _is_sealed(hit, work) and read != _read_stored(stored, questions):
        raise InvalidInput("it did not go through the task's page, and is not what this page had sent")
    return read


def _read_stored(stored: object, questions: Sequence[Question]) -> HitAnswers | None:
    """Return what the page had sent to us; None if it had sent nothing, or something else was asked then."""
    try:
        return None if stored is None else hit_answers.read_answers(stored, questions)
    except InvalidInput:
        return None


def _is_sealed(hit: Hit, work: SubmittedWork) -> bool:
    return seals.is_sealed(
        hit,
        work.fields.get(seals.FIELD, ""),
        assignment_id=work.assignment_id,
        worker_id=work.worker_id,
        text=work.fields[hit_answers.FIELD],
    )


def _normal(read: HitAnswers) -> dict[str, object]:
    return {
        "version": hit_answers.VERSION,
        "answers": [
            {"question": pk, "answer": answer, "seconds": read.seconds.get(pk)}
            for pk, answer in read.answers.items()
        ],
        "comment": read.comment,
    }


def identify(*, provider: str, worker_id: str) -> WorkerIdentity:
    """Return a worker's identity; one of whom nothing is known becomes a person who cannot sign in.

    Parameters
    ----------
    provider : str
    worker_id : str
        The provider's name of them.
    """
    known = WorkerIdentity.objects.select_related("user").filter(provider=provider, worker_id=worker_id)
    if (found := known.first()) is not None:
        return found
    name = worker_id.lower()
    try:
        return _new_identity(provider, worker_id, name)
    except IntegrityError:
        if (found := known.first()) is not None:  # another process was first
            return found
    # somebody has signed up with that address, or a worker has the same name but for its capitals
    return _new_identity(provider, worker_id, f"{name}-{secrets.token_hex(8)}")


@transaction.atomic
def _new_identity(provider: str, worker_id: str, name: str) -> WorkerIdentity:
    user = User(email=f"{name}@{provider}.invalid", is_annotator=True, is_active=False)
    user.set_unusable_password()
    user.save()
    return WorkerIdentity.objects.create(user=user, provider=provider, worker_id=worker_id)


def _follow(hit: Hit, assignment: Assignment, work: SubmittedWork, now: datetime) -> int:
    """Take over what was decided at the provider: by time alone, by us with the answer lost, or by others."""
    try:
        if work.state == "approved":
            return int(review.settle_approved(hit=hit, assignment=assignment, now=now))
        if work.state == "rejected":
            return int(review.settle_rejected(hit=hit, assignment=assignment, now=now))
    except OverBudget as error:
        Assignment.objects.filter(pk=assignment.pk).update(error=str(error))
    return 0


def _end_if_done(hit: Hit, stands: PublishedHit, now: datetime) -> int:
    if stands.open or stands.held:
        return 0
    came = hit.assignments.exclude(state=State.BEGUN).count()
    if came < stands.sent and now < _last_chance(hit):
        return 0  # it was sent, and is not listed yet: its money is kept
    return _end(hit, now)


def _last_chance(hit: Hit) -> datetime:
    """Return until when work that the provider counts, and does not list, is waited for."""
    assert hit.expires_at is not None
    return hit.expires_at + timedelta(seconds=hit.batch.duration_seconds) + LISTED_WITHIN


@transaction.atomic
def _end(looked_at: Hit, now: datetime, error: str = "") -> int:
    """Note that nothing more can come from a HIT: free its questions, and the money of its empty places."""
    hit = (
        Hit.objects.select_related("batch__corpus")
        .select_for_update(no_key=True, of=("self",))
        .get(pk=looked_at.pk)
    )
    is_to_grow = hit.batch.state == HitBatch.State.OPEN and hit.posted_places < hit.places
    is_changed = (hit.places, hit.posted_places) != (looked_at.places, looked_at.posted_places)
    is_to_last = hit.wanted_until is not None and hit.wanted_until > now
    if hit.state != Hit.State.POSTED or hit.ended_at is not None:
        return 0
    if not error and (is_to_grow or is_changed or is_to_last):
        return 0
    budget.release(
        key=budget.next_key("release", hit),
        hit=hit,
        cents=budget.outstanding(hit) - budget.awaited(hit),
        now=now,
    )
    hit.places = hit.posted_places
    hit.ended_at = now
    hit.wanted_until = None
    hit.save(update_fields=["places", "ended_at", "wanted_until"])
    hit.hit_questions.update(is_active=False)
    review.close_if_done(hit, now)
    nudge("kbpo.pipeline.post_hits")
    return 1


def _look_again(hit: Hit, now: datetime, rng: Random, error: str = "") -> None:
    """Look again after a quarter of the time in which nothing has come."""
    latest = hit.assignments.aggregate(latest=Max("counted_at"))["latest"]
    quiet = now - max(filter(None, (hit.posted_at, latest)))
    pause = min(max(SOONEST, quiet / 4), LATEST) * (0.9 + 0.2 * rng.random())
    look = now + pause
    if hit.expires_at is not None and now < hit.expires_at:
        look = min(look, hit.expires_at + AFTER_EXPIRY)
    Hit.objects.filter(pk=hit.pk).update(claimed_until=None, next_look_at=look, tries=0, error=error)
