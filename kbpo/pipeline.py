"""The pipeline: every stage in order, each a claim on rows and one call to a service.

The database is the queue. A stage takes the rows that are due, one transaction each, and can run anywhere,
at any time, twice, or be killed: what it did not commit is still due. Celery only says when; `advance` runs
everything that is due in this process.
"""

import logging
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial, wraps
from random import Random, SystemRandom
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from annotations import labels, pairs, takedowns
from annotations.challenges import news
from annotations.data import files as corpus_files
from annotations.models import Corpus
from crowd import accounts, collecting, posting, qualifying, review
from crowd.providers import prolific, registry
from crowd.providers.base import ProviderError
from crowd.quality import measures
from evaluation.archives import making as archives
from evaluation.design import batches, sampling
from evaluation.kbp.explorer import entity_index
from evaluation.kbp.recall import document_phases
from evaluation.models import Epoch, SampleBatch, Submission
from evaluation.registry import TASKS, task_of
from evaluation.scoring import auditing, estimation
from evaluation.submissions import (
    checks,
    files,
    normalised,
    preparing,
    quota,
    submitting,
    texts,
    uploads,
    work,
)
from kbpo.accounts import sessions, teams, tokens
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core import disk, rate_limits
from kbpo.core.database import leases
from kbpo.core.database.locks import claim
from kbpo.core.database.outages import is_outage, later_if_away
from kbpo.core.health import logs, signs, troubles
from kbpo.core.keeping import installation, trash
from kbpo.core.mail import sending
from kbpo.pages import stuck
from kbpo.pages.money.costs import Prices
from kbpo.webhooks import delivering
from marketplace import lifecycle

logger = logging.getLogger(__name__)

AT_MOST = 60.0  # seconds in which a stage goes on acting at a provider; what is left is due the next time
_rng = SystemRandom()


def validate_submissions() -> int:
    """Read what was uploaded; return how many submissions moved on."""
    return _each_submission(Submission.State.UPLOADED, submitting.read_submission, "reading the file")


def prepare_submissions() -> int:
    """Work out what samples wait for; return of how many submissions."""
    return _each_submission(
        Submission.State.ACCEPTED,
        preparing.prepare_submission,
        "working out what its sample waits for",
        lambda submission: not task_of(submission.corpus).is_prepared(submission),
    )


def sample_submissions() -> int:
    """Draw the samples of accepted submissions that may go ahead; return how many moved on."""
    quota.note_waiting(now=timezone.now())
    due = sampling.all_due()
    return _each_submission(
        Submission.State.ACCEPTED,
        sampling.sample_submission,
        "drawing the sample",
        lambda submission: submission.pk in due,
    )


def settle_questions() -> int:
    """Turn votes into labels; return how many questions moved on."""
    return takedowns.withdraw_questions() + labels.settle_questions()


def settle_documents() -> int:
    """Ask about the relations of documents whose mentions are settled, and settle them; return how many."""
    return pairs.settle_documents(now=timezone.now())


def draw_documents() -> int:
    """Draw exhaustive documents whose first phase is annotated, and notice annotations; return how many."""
    return document_phases.draw_due_phases() + document_phases.notice_annotations()


def count_names() -> int:
    """Count the names of documents that came in; return how many documents."""
    corpora = Corpus.objects.filter(task__in=TASKS).order_by("pk")
    return sum(task_of(corpus).count_names(corpus) for corpus in corpora)


def measure_work() -> int:
    """Measure workers and batches of work again where it is due; return how many were."""
    return measures.measure_work(now=timezone.now())


def close_batches() -> int:
    """Mark the batches that are fully labelled; return how many."""
    open_batches = SampleBatch.objects.filter(labelled_at=None)
    return sum(
        batches.close_batches(epoch=epoch)
        for epoch in Epoch.objects.filter(batches__in=open_batches).distinct()
    )


def audit_labels() -> int:
    """Have labels judged again, as batches are labelled; return for how many epochs something happened."""
    waiting = SampleBatch.objects.filter(labelled_at__isnull=False, audited_at=None)
    due = Epoch.objects.filter(batches__in=waiting, released_at=None, corpus__audit_share__gt=0).distinct()
    return _each_epoch(due, auditing.audit_epoch)


def score_epochs() -> int:
    """Compute the scores whose inputs have changed; return for how many epochs something happened."""
    score = partial(estimation.score_epoch, prices=Prices())
    return _each_epoch(Epoch.objects.filter(scores_due=True), score)


def score_subsets() -> int:
    """Compute the scores of subsets after the scores; return for how many epochs something happened."""
    return _each_epoch(Epoch.objects.filter(subsets_due=True), estimation.score_subsets)


def _each_epoch(due: QuerySet[Epoch], act: Callable[..., bool]) -> int:
    due = due.filter(leases.is_over("scoring_not_before", timezone.now(), longest=work.PAUSES[-1]))
    moved = 0
    for epoch in list(due.select_related("corpus").order_by("id")):
        with logs.about(epoch=epoch.pk):
            moved += _score(epoch, act)
    return moved


def _score(epoch: Epoch, act: Callable[..., bool]) -> bool:
    try:
        with claim(f"scores of epoch {epoch.pk}") as is_ours:  # nobody queues behind who is at it
            return is_ours and act(epoch_id=epoch.pk, task=task_of(epoch.corpus))
    except Exception as error:
        if is_outage(error):
            raise  # the epoch is still due
        logger.exception("epoch %s: scoring failed", epoch.pk)
        estimation.note_failure(epoch_id=epoch.pk)
        return True


def post_hits() -> int:
    """Plan what still lacks votes, and tell providers what they do not know; return how much was done."""
    done = _while_due(_plan_next) + posting.plan_batches(now=timezone.now())
    return done + _while_due(posting.post_next)


def collect_work() -> int:
    """Take in what workers have sent; return how much was new."""
    started, news = timezone.now(), 0
    until = time.monotonic() + AT_MOST
    while time.monotonic() < until:
        with logs.about():
            found = collecting.collect_next(now=timezone.now(), due_by=started, rng=_rng)
        if found is None:
            break
        news += found
    return news


def review_work() -> int:
    """Approve what nothing speaks against, and tell providers what was decided; return how much was done."""
    approved = review.approve_by_rule(now=timezone.now())
    return approved + _while_due(review.tell_next) + _while_due(review.tell_next_block)


def pay_bonuses() -> int:
    """Pay the bonuses that are due; return how many were tried."""
    return _while_due(review.pay_next_bonus)


def grant_qualifications() -> int:
    """Tell providers who has passed a tutorial; return how many were tried."""
    return _while_due(qualifying.grant_next)


def index_entities() -> int:
    """Make the indexes of entities again of which something has changed; return how many."""
    return entity_index.index_entities(now=timezone.now())


def read_checks() -> int:
    """Read the files that are only checked; return how many moved on."""
    return checks.read_checks(find_task=task_of)


def normalise_files() -> int:
    """Write the accepted files anew that somebody asked for; return how many moved on."""
    return normalised.normalise_files(find_task=task_of)


def make_corpus_files() -> int:
    """Make the files of corpora whose documents have changed; return of how many corpora."""
    return corpus_files.make_files(now=timezone.now())


def make_archives() -> int:
    """Make the archives of released epochs that lack one; return how many."""
    return archives.make_archives(find_task=task_of, now=timezone.now())


def mail_news() -> int:
    """Write mail of corpora's news, some people at a time; return how many were asked after."""
    return _counted_while_due(news.mail_next)


def send_mail() -> int:
    """Send the mail that is due; return how many messages were sent."""
    return sending.send_mail()


def send_webhooks() -> int:
    """Send what is due to the addresses that teams named; return how many deliveries were tried."""
    return delivering.send_webhooks()


def watch_disk() -> int:
    """Warn where a disk fills up; return how many do. No stage either."""
    return disk.warn_if_low()


def forget_mail() -> int:
    """Delete the rows of mail that was dealt with long ago; return how many. No stage either."""
    return sending.forget()


def forget_deliveries() -> int:
    """Delete what webhooks were sent long ago; return how many deliveries. No stage either."""
    return delivering.forget(now=timezone.now())


def watch_troubles() -> int:
    """Tell operators what has been wrong for a while, and what is over; return of how many. No stage either.

    Where beat or the worker is dead, or its children hang, so that nobody has looked for a while, the sign of
    life of a process does it (`kbpo.core.health.signs`).
    """
    now = timezone.now()
    told = troubles.remember(
        stuck.wrong(now=now),
        to=list(User.objects.filter(is_operator=True, is_active=True).values_list("email", flat=True)),
        page=f"{settings.SITE_URL}{reverse('desk_stuck')}",
        now=now,
    )
    signs.give([signs.WATCH], now=now)
    return told


def remove_orphans() -> int:
    """Move files that nothing has into the trash, and delete what has been there long; return how many.

    No stage: once an hour will do.
    """
    now = timezone.now()
    standing = installation.look(now=now)
    removed = files.remove_orphans(now=now) + texts.remove_unfinished(now=now)
    if standing.is_together:
        removed += corpus_files.remove_unfinished(now=now) + archives.remove_unfinished(now=now)
    return removed + trash.empty(now=now, named=files.named)


def end_studies() -> int:
    """End the studies at Prolific of which nothing more is wanted; return how many HITs. No stage either."""
    if WorkerIdentity.Provider.PROLIFIC not in registry.configured():
        return 0
    try:
        return prolific.end_studies(registry.provider(WorkerIdentity.Provider.PROLIFIC))
    except ProviderError as error:
        logger.warning("studies at Prolific are not ended yet: %s", error)
        return 0


def remove_hits() -> int:
    """Have providers forget HITs that were closed long ago; return how many were tried. No stage either."""
    return _while_due(posting.remove_next)


def note_balances() -> int:
    """Look up what the accounts with providers hold; return how many said so. No stage either."""
    return accounts.note_balances(now=timezone.now())


def sweep_counts() -> int:
    """Delete counts, sessions and invitations that have ended; return how many. No stage: none is heeded."""
    now = timezone.now()
    ended = sessions.sweep(now=now) + tokens.sweep(now=now) + teams.sweep(now=now)
    return rate_limits.sweep(now=now) + ended


def remind_operators() -> int:
    """Tell operators of work that waits for them and nears its time; return how much. No stage either."""
    return review.remind_operators(now=timezone.now())


def sweep_marketplace() -> int:
    """Do what the built-in marketplace owes to the clock; return how much. No stage: its pages do it too."""
    return lifecycle.sweep(timezone.now())


def remove_expired() -> int:
    """Throw away uploads that were left lying, and checks that are a day old; return how many."""
    now = timezone.now()
    installation.look(now=now)
    return uploads.remove_expired(now=now)


STAGES: tuple[Callable[[], int], ...] = (
    validate_submissions,
    prepare_submissions,
    sample_submissions,
    settle_questions,
    settle_documents,
    draw_documents,
    count_names,
    measure_work,
    close_batches,
    audit_labels,
    score_epochs,
    score_subsets,
    post_hits,
    collect_work,
    review_work,
    pay_bonuses,
    grant_qualifications,
    index_entities,
    read_checks,
    normalise_files,
    make_corpus_files,
    make_archives,
    mail_news,
    send_mail,
    send_webhooks,
    remove_expired,
)


def advance() -> dict[str, int]:
    """Run every stage, again and again, until nothing more can be done now without people.

    What ended in an error is tried again after a pause, and so not here: `work.next_try` says when.

    Returns
    -------
    dict of str to int
        For each stage, how many rows it moved on.
    """
    moved = {stage.__name__: 0 for stage in STAGES}
    while True:
        step = {stage.__name__: _named(stage)() for stage in STAGES}
        if not any(step.values()):
            return moved
        for name, count in step.items():
            moved[name] += count


def _named(stage: Callable[[], int]) -> Callable[[], int]:
    """Have the log's lines say which stage they are of."""

    @wraps(stage)
    def named() -> int:
        with logs.about(stage=stage.__name__):
            return stage()

    return named


def _plan_next(*, now: datetime, rng: Random) -> bool:
    """Put the next HITs of large batches together, or let go of them; nothing outside is told."""
    return posting.plan_next(now=now) or posting.drop_next(now=now)


def _while_due(act: Callable[..., bool]) -> int:
    """Act on one row after another, each with the time that it is then."""
    done, until = 0, time.monotonic() + AT_MOST
    while time.monotonic() < until:
        with logs.about():
            if not act(now=timezone.now(), rng=_rng):
                break
        done += 1
    return done


def _counted_while_due(act: Callable[[], int]) -> int:
    """Act until nothing is left, or for as long as a stage may; return the sum of what was done."""
    done, until = 0, time.monotonic() + AT_MOST
    while time.monotonic() < until and (step := act()):
        done += step
    return done


def _each_submission(
    state: str,
    act: work.Act,
    doing: str,
    is_due: Callable[[Submission], bool] = lambda submission: True,
) -> int:
    def act_by_task(*, submission_id: int) -> bool:
        corpus = Corpus.objects.get(submissions=submission_id)
        return act(submission_id=submission_id, task=task_of(corpus))

    def run(submission: Submission) -> bool:
        with logs.about(submission=submission.pk):
            return work.run(submission_id=submission.pk, stage=state, act=act_by_task, doing=doing)

    waiting = Submission.objects.filter(state=state).select_related("corpus", "team").order_by("id")
    due = [submission for submission in waiting if is_due(submission)]
    if due and state == Submission.State.UPLOADED:
        installation.require_ours()  # before any row is touched: another process sees the right files
    return sum(run(submission) for submission in due)


#: What hangs is ended, and its rows are due again: far later than anything takes that works.
LONGEST: dict[str, Any] = {"time_limit": 6 * 3600}
#: A mail server that dribbles is cut off before its message's lease ends; so is what webhooks are sent to.
LIMITS: dict[str, Any] = {
    "send_mail": {"time_limit": sending.LEASE.total_seconds() - 10},
    "send_webhooks": {"time_limit": delivering.LEASE.total_seconds() - 10},
}

for _stage in (
    *STAGES,
    forget_mail,
    forget_deliveries,
    watch_disk,
    watch_troubles,
    remove_orphans,
    end_studies,
    remove_hits,
    note_balances,
    remind_operators,
    sweep_counts,
    sweep_marketplace,
):
    limits_of: dict[str, Any] = LIMITS.get(_stage.__name__, LONGEST)
    task: Callable[..., Any] = shared_task(
        name=f"kbpo.pipeline.{_stage.__name__}", ignore_result=True, **limits_of
    )
    task(later_if_away(_named(_stage)))
