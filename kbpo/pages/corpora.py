"""Corpora as their organisers run them on pages: made, told about, filled with texts and gold."""

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files import File
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotations import ontologies, roles
from annotations.challenges import dates
from annotations.challenges.shown import Life, read_life
from annotations.corpora import AnnotationReport, LoadReport
from annotations.data import agreements
from annotations.models import (
    Corpus,
    CorpusGuidelines,
    CorpusRole,
    DataAgreement,
    OntologyVersion,
    Takedown,
)
from annotations.roles import Act
from annotations.texts.inputs import PromptRecord
from annotations.texts.jsonlines import Limits
from evaluation.design.loading import load_texts
from evaluation.kbp.recall.gold import load_gold
from evaluation.kbp.task import TASK as KBP
from evaluation.models import DocumentSample, Edition, Epoch
from evaluation.registry import task_of
from evaluation.scoring import releasing
from evaluation.scoring.published import freezing
from evaluation.submissions import quotes
from evaluation.task import Task
from kbpo.accounts.models import User
from kbpo.core.acts import What, changed, record, values
from kbpo.core.errors import InvalidInput, NotAllowed, TooLarge
from kbpo_formats.ontologies.ontology import Ontology

#: Of a file that comes through a page: read while somebody waits. Larger ones come in parts, or by command.
MOST_BYTES = 8 << 20  # as it is sent
UNPACKED = Limits(line=4 << 20, total=32 << 20, lines=5_000)


@dataclass(frozen=True, slots=True)
class Details:
    """What may change of a corpus at any time, whatever was sampled."""

    name: str
    description: str
    weekly_quota: int
    weekly_quota_of_person: int
    opens_at: datetime | None
    closes_at: datetime | None
    anonymous_days: int = 0
    contact: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """A corpus at the desk, as far as who looks may see it.

    Attributes
    ----------
    corpus : Corpus
    task : Task
    ontology : Ontology or None
        As it is asked now; None where its task has none.
    guidelines : CorpusGuidelines or None
        Of its own.
    documents : int
    epoch : Epoch or None
        The open one.
    has_batches : bool
        Whether anything is sampled in it.
    sample : DocumentSample or None
        Of the documents annotated in full; None where who looks may not know.
    takedowns : QuerySet of Takedown
    agreement : DataAgreement or None
        That teams accept before they read the texts, as it holds.
    roles : QuerySet of CorpusRole
    may : mapping of str to bool
        By the acts' names in lower case.
    competes : bool
        Whether a team of theirs competes, so that what is sealed is closed to them.
    life : Life
        Its dates, phases, rules, terms and news.
    """

    corpus: Corpus
    task: Task
    ontology: Ontology | None
    guidelines: CorpusGuidelines | None
    documents: int
    epoch: Epoch | None
    has_batches: bool
    sample: DocumentSample | None
    takedowns: QuerySet[Takedown]
    agreement: DataAgreement | None
    roles: QuerySet[CorpusRole]
    may: dict[str, bool]
    competes: bool
    life: Life


def overview(corpus: Corpus, viewer: User) -> Overview:
    """Read what the desk says of a corpus."""
    may = {act.name.lower(): roles.may(viewer, act, corpus) for act in Act}
    epoch = corpus.epochs.filter(released_at=None).first()
    task = task_of(corpus)
    guidelines = ontologies.newest_of(corpus) if task.has_ontology else None
    return Overview(
        corpus=corpus,
        task=task,
        ontology=ontologies.ontology_under(corpus, guidelines) if task.has_ontology else None,
        guidelines=guidelines,
        documents=corpus.documents.count(),
        epoch=epoch,
        has_batches=epoch is not None and epoch.batches.exists(),
        sample=DocumentSample.current(corpus) if may["design"] else None,
        takedowns=Takedown.objects.filter(document__corpus=corpus).select_related("document", "removed_by"),
        agreement=agreements.newest(corpus),
        roles=corpus.roles.select_related("user", "given_by"),
        may=may,
        competes=not viewer.is_operator and roles.competes(viewer, corpus),
        life=read_life(corpus, timezone.now()),
    )


@transaction.atomic
def make_corpus(
    *,
    by: User,
    now: datetime,
    file: "File[bytes]",
    tag: str,
    name: str,
    language: str,
    policy: str,
    task: str,
    ontology: OntologyVersion | None = None,
    classes: "File[bytes] | None" = None,
    prompt: PromptRecord | None = None,
    audit_share: float | None = None,
) -> LoadReport:
    """Make a corpus of a file of texts; who makes it is its organiser.

    Raises
    ------
    NotAllowed
        If they may not make corpora.
    InvalidInput, Conflict, TooLarge
        As `load_texts` says; `Conflict` too if there is a corpus of that tag.
    """
    if not roles.may_make(by):
        raise NotAllowed("You may not make corpora; ask an operator to let you.")
    with _stored(file) as path, _maybe_stored(classes) as of_classes:
        report = load_texts(
            path=path,
            tag=tag,
            task=task,
            ontology=None if ontology is None else ontology.reference,
            classes=of_classes,
            prompt=prompt,
            find_task=task_of,
            name=name,
            language=language,
            policy=policy,
            audit_share=audit_share,
            limits=UNPACKED,
            is_new=True,
            by=by,
        )
    if not by.is_operator:
        roles.grant(user=by, corpus=report.corpus, role=CorpusRole.Role.ORGANISER, by=by, now=now)
    return report


def add_texts(*, corpus: Corpus, by: User, file: "File[bytes]") -> LoadReport:
    """Load more texts into a corpus; what is there stays as it is.

    Raises
    ------
    NotAllowed, InvalidInput, Conflict, TooLarge
        As `load_texts` says; `NotAllowed` if they may not.
    """
    roles.check(by, Act.KEEP, corpus)
    with _stored(file) as path:
        return load_texts(path=path, tag=corpus.tag, find_task=task_of, limits=UNPACKED, by=by)


def add_gold(
    *, corpus: Corpus, by: User, file: "File[bytes]", documents: int | None
) -> tuple[AnnotationReport, DocumentSample]:
    """Load what experts say of documents, and draw those on which recall rests.

    Raises
    ------
    NotAllowed, InvalidInput, Conflict, TooLarge
        As `load_gold` says; `NotAllowed` if they may not.
    """
    roles.check(by, Act.DESIGN, corpus)
    KBP.check_corpus(corpus)
    with _stored(file) as path:
        return load_gold(path=path, corpus=corpus, documents=documents, limits=UNPACKED, by=by)


def release_epoch(*, corpus: Corpus, by: User, number: int, retire: float | None) -> tuple[Epoch, str | None]:
    """Release the open epoch; return it, and in words what was retired with it.

    Parameters
    ----------
    number : int
        The epoch that the page showed as open: a page that is sent twice releases one.
    retire : float or None
        The share of the documents annotated in full that are retired with it; none if left out.

    Raises
    ------
    NotAllowed, InvalidInput, Conflict
        As `releasing.release` says; `NotAllowed` if they may not.
    """
    roles.check(by, Act.DESIGN, corpus)
    task = task_of(corpus)
    epoch = releasing.release(corpus=corpus, task=task, number=number, retire=retire, by=by)
    return epoch, task.retired(epoch)


def take_snapshot(*, corpus: Corpus, by: User, note: str, now: datetime) -> tuple[Edition, bool]:
    """Keep the leaderboard of a corpus as it stands; return the snapshot, and whether it is new.

    Raises
    ------
    NotAllowed, InvalidInput, Conflict
        As `freezing.freeze` says; `NotAllowed` if they may not: who competes would choose the moment.
    """
    roles.check(by, Act.DESIGN, corpus)
    return freezing.freeze(corpus=corpus, task=task_of(corpus), note=note, by=by, now=now)


@transaction.atomic
def change_details(*, corpus: Corpus, by: User, details: Details | Mapping[str, Any]) -> Corpus:
    """Change what is said of a corpus: with its quota, and when systems may be submitted; or of its texts.

    Dates that are moved are written down for everybody to see. Where texts are no longer public, what was
    quoted of them goes.

    Parameters
    ----------
    corpus : Corpus
    by : User
    details : Details or mapping
        A mapping has some of `Details`, or what is said of texts, by name: the others stay as they are now.

    Raises
    ------
    NotAllowed
        If they may not.
    InvalidInput
        If it would close before it opens, or is given a name that is not seen or looks like another corpus'.
    """
    given = details if isinstance(details, Mapping) else dataclasses.asdict(details)
    roles.check(by, Act.KEEP, corpus)
    locked = Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    fields = list(given)
    before = values(locked, fields)
    for field in fields:
        setattr(locked, field, given[field])
    if "name" in given:
        try:
            locked.clean()
        except ValidationError as error:
            raise InvalidInput(error.message_dict["name"][0], where="name") from None
    if locked.opens_at and locked.closes_at and locked.opens_at >= locked.closes_at:
        raise InvalidInput("It must close after it opens.", where="closes_at")
    locked.save(update_fields=fields)
    if before.get("texts") == Corpus.Texts.PUBLIC != locked.texts:  # they are quoted where all read them
        quotes.remove(corpus=locked, codes=task_of(locked).reader.codes)
    old, new = changed(before, values(locked, fields))
    if new:
        record(What.CORPUS_CHANGED, by=by, about=locked, before=old, after=new)
        dates.note_moved(corpus=locked, before=old, after=new, by=by, now=timezone.now())
    return locked


@contextmanager
def _stored(file: "File[bytes]", name: str = "the file") -> Iterator[Path]:
    """Have a file that was sent in a folder of its own, while it is read; errors call it by the name."""
    if file.size > MOST_BYTES:
        raise TooLarge(
            f"The file has {file.size:,} bytes; one that comes through this page may have {MOST_BYTES:,}."
            " Compress it with gzip, load it in parts, or ask an operator to load it."
        )
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        with path.open("wb") as to:
            for chunk in file.chunks():
                to.write(chunk)
        yield path


def _maybe_stored(classes: "File[bytes] | None") -> AbstractContextManager[Path | None]:
    return nullcontext() if classes is None else _stored(classes, "the file of classes")
