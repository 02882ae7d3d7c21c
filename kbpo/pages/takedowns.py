"""Taking a document down: its text, and everything that is made of it."""

from datetime import datetime

from django.db import transaction

from annotations import takedowns
from annotations.data import files
from annotations.models import Document, Takedown
from crowd import posting
from evaluation.kbp.explorer.entity_index import forget_index
from evaluation.submissions import normalised, problem_files, texts
from kbpo.accounts.models import User


@transaction.atomic
def take_down(*, document: Document, reason: str, by: User, now: datetime) -> Takedown:
    """Remove a document's text: from pages and searches at once, from files as soon as this is committed.

    Work that asks about it is taken back. The index of entities, the texts that uploads are read against,
    the corpus' own files and the normalised files are made anew, without it; files of all problems go.

    Raises
    ------
    NotAllowed, InvalidInput, Conflict
        As `annotations.takedowns.take_down` says.
    """
    posting.lock_hits(document=document)
    made = takedowns.take_down(document=document, reason=reason, by=by, now=now)
    posting.withdraw_document(document=document, now=now)
    forget_index(corpus=document.corpus)
    normalised.discard_all(corpus=document.corpus)
    problem_files.discard_all(corpus=document.corpus)
    transaction.on_commit(lambda: texts.forget(document.corpus))
    transaction.on_commit(lambda: files.forget(document.corpus))
    return made
