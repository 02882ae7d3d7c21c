"""Epochs: the secret that decides who is sampled, sealed until its release."""

import hashlib
import hmac
import secrets

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotations import labels
from annotations.models import Corpus, Question
from evaluation.design import notices, released
from evaluation.design.batches import last_scored
from evaluation.models import DocumentSample, Epoch, SampleBatch
from evaluation.task import Task
from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.errors import Conflict, InvalidInput


def derive_secret(base: bytes, tag: str, number: int) -> bytes:
    """Return the secret of an epoch in a run that must come out the same.

    Parameters
    ----------
    base : bytes
        What ``KBPO_EPOCH_SECRET`` says.
    tag : str
        The corpus' tag.
    number : int
        The epoch's number, from 1.

    Returns
    -------
    bytes
        HMAC-SHA256(base, tag|number): 32 bytes.
    """
    return hmac.digest(base, f"{tag}|{number}".encode(), "sha256")


def commitment(secret: bytes) -> str:
    """Return the SHA-256 of a secret in hexadecimal: public from the epoch's start."""
    return hashlib.sha256(secret).hexdigest()


@transaction.atomic
def open_epoch(*, corpus: Corpus, task: Task) -> Epoch:
    """Open a corpus' next epoch; the open one, if there is one, is returned as it is."""
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    last = corpus.epochs.order_by("-number").first()
    if last is not None and last.released_at is None:
        return last
    number = 1 if last is None else last.number + 1
    fixed: bytes | None = settings.KBPO_EPOCH_SECRET
    secret = derive_secret(fixed, corpus.tag, number) if fixed else secrets.token_bytes(32)
    return Epoch.objects.create(
        corpus=corpus,
        number=number,
        secret=secret.hex(),
        commitment=commitment(secret),
        key_version=task.key_version,
        weighting=task.choices.default_weighting(corpus.design),
        growth=task.growth,
        document_sample=DocumentSample.current(corpus),
    )


@transaction.atomic
def release(
    *,
    corpus: Corpus,
    task: Task,
    number: int | None = None,
    retire: float | None = None,
    by: User | None = None,
) -> Epoch:
    """Publish the open epoch's labels and secret, and open the next.

    Parameters
    ----------
    corpus : Corpus
    task : Task
        The corpus'.
    number : int, optional
        The epoch that is meant; whichever is open if left out.
    retire : float or None
        The share of the documents annotated in full that are retired with it; none if left out.
    by : User, optional
        Who says so; somebody at the command line if left out.

    Returns
    -------
    Epoch
        The one that was released. `Task.retired` says what was retired with it.

    Raises
    ------
    InvalidInput
        If the share is none, or the task annotates no documents in full.
    Conflict
        If none is open, or another than is meant, nothing was sampled in it, a batch still waits for answers,
        or its scores are not up to date: a label published before the scores rest on it could be submitted
        against them. Or if that share of the documents cannot be retired.
    """
    task.check_corpus(corpus)
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)  # before its epochs, as everywhere
    epoch = Epoch.objects.select_for_update(of=("self",)).filter(corpus=corpus, released_at=None).first()
    if epoch is None:
        raise Conflict(f"no epoch of {corpus.tag} is open: there is nothing to release")
    if number not in (None, epoch.number):
        raise Conflict(f"epoch {number} of {corpus.tag} is not open: epoch {epoch.number} is")
    batches = SampleBatch.objects.filter(epoch=epoch)
    if not batches.exists():
        raise Conflict(
            f"epoch {epoch.number} of {corpus.tag} has sampled nothing yet: there is nothing to release"
        )
    needed = Question.objects.filter(Q(batches__epoch=epoch) | Q(audits__batches__epoch=epoch))
    waiting = needed.exclude(state=Question.State.SETTLED).distinct().count()
    if waiting:
        raise Conflict(
            f"epoch {epoch.number} of {corpus.tag} still waits for the answers to {waiting}"
            f" question{'s' * (waiting != 1)}: release it after them"
        )
    is_behind = last_scored(epoch) < batches.count()
    if epoch.scores_due or epoch.subsets_due or is_behind:
        raise Conflict(
            f"the scores of epoch {epoch.number} of {corpus.tag} are not up to date: run advance first"
        )
    epoch.released_at = timezone.now()
    epoch.save(update_fields=["released_at"])
    labels.publish(Question.objects.filter(batches__epoch=epoch), now=epoch.released_at)
    labels.publish(Question.objects.filter(audits__batches__epoch=epoch), now=epoch.released_at)
    sealed = released.seal(epoch)
    if retire is not None:
        if task.retire is None:
            raise InvalidInput(f"{corpus.tag} has no documents to retire: none is annotated in full")
        task.retire(corpus, retire, epoch.released_at)
    open_epoch(corpus=corpus, task=task)
    after = {"corpus": corpus.tag, "number": epoch.number, "retired": retire, "labels": sealed.digest}
    record(What.EPOCH_RELEASED, by=by, about=epoch, after=after)
    notices.tell_released(epoch, labels=sealed.labels, retired=task.retired(epoch) or "")
    return epoch
