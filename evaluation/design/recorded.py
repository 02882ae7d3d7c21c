"""Judgements that were recorded elsewhere: a corpus' open epoch publishes them, and is released."""

from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from annotations.models import Corpus, Question
from evaluation.design import epochs, released
from evaluation.models import Epoch, SampleBatch
from evaluation.task import Task
from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.errors import Conflict


def refuse_sampled(corpus: Corpus) -> None:
    """Refuse a corpus of which anything was sampled: what counts as known for a sample never changes.

    Raises
    ------
    Conflict
    """
    sampled = SampleBatch.objects.filter(epoch__corpus=corpus).count()
    if sampled:
        raise Conflict(
            f"{corpus.tag} has {sampled} sampled system{'s' * (sampled != 1)}: recorded judgements come"
            " before the first one"
        )


@transaction.atomic
def release_recorded(*, corpus: Corpus, task: Task, questions: Collection[int], by: User | None) -> Epoch:
    """Publish settled questions with the open epoch, release it, and open the next.

    They count as published before anything was submitted, as they were.

    Raises
    ------
    Conflict
        If anything of the corpus was sampled, or no epoch is open.
    """
    task.check_corpus(corpus)
    # before its epochs, as everywhere
    locked = Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    epoch = Epoch.objects.select_for_update(of=("self",)).filter(corpus=corpus, released_at=None).first()
    if epoch is None:
        raise Conflict(f"no epoch of {corpus.tag} is open")
    refuse_sampled(locked)
    epoch.recorded.add(*questions)
    epoch.released_at = timezone.now()
    epoch.save(update_fields=["released_at"])
    Question.objects.filter(pk__in=questions, state=Question.State.SETTLED, published_at=None).update(
        published_at=locked.created_at
    )
    sealed = released.seal(epoch)
    epochs.open_epoch(corpus=corpus, task=task)
    after = {"corpus": corpus.tag, "number": epoch.number, "retired": None, "labels": sealed.digest}
    record(What.EPOCH_RELEASED, by=by, about=epoch, after=after)
    return epoch
