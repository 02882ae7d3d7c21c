"""Workers: people who may annotate, under a name of their own in the marketplace."""

from django.db import IntegrityError, transaction

from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core.errors import NotAllowed
from marketplace.models import Worker
from marketplace.protocol.errors import missing_worker
from marketplace.protocol.identifiers import new_worker_id


def worker_for(user: User) -> Worker:
    """Return a person's worker, made at their first visit.

    Raises
    ------
    NotAllowed
        If the person is no annotator.
    """
    if not user.is_annotator:
        raise NotAllowed("Work is for annotators: ask an operator to make you one.")
    worker = Worker.objects.filter(user=user).first()
    if worker is None:
        try:
            with transaction.atomic():
                worker = Worker.objects.create(user=user, worker_id=new_worker_id())
                WorkerIdentity.objects.create(
                    user=user, provider=WorkerIdentity.Provider.MARKETPLACE, worker_id=worker.worker_id
                )
        except IntegrityError:  # another window was first
            worker = Worker.objects.get(user=user)
    return worker


def find_worker(worker_id: str) -> Worker:
    """Return a worker.

    Raises
    ------
    RequestError
        If there is none of that id.
    """
    worker = Worker.objects.filter(worker_id=worker_id).first()
    if worker is None:
        raise missing_worker(worker_id)
    return worker
