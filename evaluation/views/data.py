"""A corpus' data: what it is, its files, and the agreement that may stand before them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_POST, require_safe

from annotations.data import agreements, readers
from annotations.data import files as corpus_files
from annotations.models import Corpus, CorpusFiles
from annotations.ontologies import plain_ontology_of
from annotations.roles import Person
from evaluation.archives import making as archives
from evaluation.models import Edition
from evaluation.registry import TASKS
from evaluation.starting import SmallFile, small_files
from evaluation.task import SampleFile, Task
from evaluation.views.forms import AgreementForm
from evaluation.views.parts import send_file
from kbpo import __version__
from kbpo.accounts.models import User
from kbpo.core.errors import Gone
from kbpo.core.revalidating import public_page
from kbpo.core.storage import store

RETRY_AFTER = 30  # seconds: about as often as the files are made
GZIP = "application/gzip"
WHAT = {
    corpus_files.TEXTS: "The texts, one a line: doc_id, title, date, text, and where sentences begin",
    corpus_files.IDS: "Each document’s id, date, length, and the SHA-256 of its text in UTF-8",
    "ontology.toml": "The types and relations, as they can be loaded elsewhere",
    "ontology.json": "The same for programs; its SHA-256 is the ontology’s",
    "classes.toml": "The classes, as they can be loaded elsewhere",
    "classes.json": "The same for programs",
    "kit.zip": "A small system in plain Python to start from: it reads the texts and writes a file",
}
_ARCHIVE = re.compile(r"epoch-([1-9][0-9]{0,8})-(edition|leaderboard)-([1-9][0-9]{0,8})\.zip")
_KINDS = {"edition": Edition.Kind.EPOCH, "leaderboard": Edition.Kind.LEADERBOARD}
INPUTS = "The inputs: one a line, with input_id, text, and in it question and passages; and references"


@dataclass(frozen=True, slots=True)
class Listed:
    """A file as the page lists it.

    Attributes
    ----------
    name, what : str
    size : int or None
        In bytes; None where it is made as it is sent.
    digest : str
        Its SHA-256; empty where it is made as it is sent.
    is_open : bool
        Whether who looks may download it now.
    """

    name: str
    what: str
    size: int | None
    digest: str
    is_open: bool


@require_safe
@public_page
def data(request: HttpRequest, tag: str) -> HttpResponse:
    """Show what a corpus gives to those who take part."""
    return _show(request, get_object_or_404(Corpus, tag=tag))


@login_required
@require_POST
def accept(request: HttpRequest, tag: str) -> HttpResponse:
    """Accept a corpus' agreement for a team."""
    corpus = get_object_or_404(Corpus, tag=tag)
    user = cast(User, request.user)
    form = AgreementForm(request.POST, corpus=corpus, user=user)
    if not form.is_valid():
        return _show(request, corpus, form, status=400)
    agreements.accept(corpus=corpus, by=user, now=timezone.now(), **form.accepted)
    return redirect("data", corpus.tag)


@require_safe
def file(request: HttpRequest, tag: str, name: str) -> HttpResponseBase:
    """Send one of a corpus' files; 202 while it is being made."""
    return send(request, get_object_or_404(Corpus, tag=tag), name)


def send(request: HttpRequest, corpus: Corpus, name: str) -> HttpResponseBase:
    """Send one of a corpus' files to whoever may have it; 202 while it is being made."""
    if name in corpus_files.NAMES:
        return _send_large(request, corpus, name)
    if archive := _ARCHIVE.fullmatch(name):
        editions = Edition.objects.filter(epoch__corpus=corpus, kind=_KINDS[archive[2]])
        found = editions.filter(epoch__number=archive[1], edition=archive[3])
        return _send_archive(request, corpus, get_object_or_404(found.select_related("epoch")))
    task = TASKS.get(corpus.task)
    if task is None:
        raise Http404("no such file")
    sample = next((one for one in task.samples.values() if one.name == name), None)
    if sample is not None:
        return _send_sample(request, corpus, sample)
    small = small_files(corpus, task).get(name)
    if small is None:
        raise Http404("no such file")
    return _send_small(request, corpus, small)


def _send_large(request: HttpRequest, corpus: Corpus, name: str) -> HttpResponseBase:
    if name == corpus_files.TEXTS:
        readers.check_download(request.user, corpus)
    found = corpus_files.current(corpus)
    if found is None:
        return _being_made()
    digest = found.texts_digest if name == corpus_files.TEXTS else found.ids_digest
    unchanged = get_conditional_response(request, etag=f'"{digest}"')
    if unchanged is not None:
        return unchanged
    stored, called = corpus_files.place_of(found, name), f"{corpus.tag}-{name}"
    try:
        response = send_file(request, store().open(stored), name=called, kind=GZIP, etag=f'"{digest}"')
    except FileNotFoundError:  # documents have come, or were removed, this very moment
        return _being_made()
    return _marked(response, corpus, digest)


def _send_archive(request: HttpRequest, corpus: Corpus, archive: Edition) -> HttpResponseBase:
    """Send an archive edition: everybody may have it, and it never changes.

    It is withdrawn once a document that it describes was removed.
    """
    removed = archives.removed_documents(archive.epoch)
    if not archives.is_given(archive, removed):
        raise Gone(_withdrawn(archive, archives.newest(archive.epoch), removed))
    etag = f'"{archive.digest}"'
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None:
        return unchanged
    called = f"{corpus.tag}-{archive.name}"
    try:
        response = send_file(request, archive.open(), name=called, kind="application/zip", etag=etag)
    except FileNotFoundError:
        if archive != archives.newest(archive.epoch):
            raise Http404("the file of this edition is lost") from None
        return _being_made()
    return _marked(response, corpus, archive.digest)


def _send_small(request: HttpRequest, corpus: Corpus, found: SmallFile) -> HttpResponseBase:
    unchanged = get_conditional_response(request, etag=f'"{found.digest}"')
    if unchanged is not None:
        return unchanged
    response = HttpResponse(found.content, content_type=found.kind)
    response["Content-Disposition"] = f'attachment; filename="{corpus.tag}-{found.name}"'
    return _marked(response, corpus, found.digest)


def _send_sample(request: HttpRequest, corpus: Corpus, sample: SampleFile) -> HttpResponseBase:
    if sample.quotes_texts:
        readers.check_download(request.user, corpus)
    digest = _digest_of(corpus, sample)
    unchanged = get_conditional_response(request, etag=f'"{digest}"') if digest else None
    if unchanged is not None:
        return unchanged
    lines = sample.write(corpus)
    first = next(lines, None)
    if first is None:
        raise Http404("its documents allow none")
    response = StreamingHttpResponse(_with(first, lines), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{corpus.tag}-{sample.name}"'
    return _marked(response, corpus, digest)


def _digest_of(corpus: Corpus, sample: SampleFile) -> str:
    """Return the digest of what an example is made from: the documents, and the service's own code."""
    made = corpus_files.current(corpus)
    if made is None:
        return ""
    said = f"{sample.name}|{made.state}|{corpus.ontology_id}|{corpus.classes_id}|{__version__}"
    return sha256(said.encode()).hexdigest()


def _with(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _being_made() -> HttpResponse:
    words = "The file is being made; come again in half a minute.\n"
    return HttpResponse(words, "text/plain", status=202, headers={"Retry-After": str(RETRY_AFTER)})


def _marked(response: HttpResponseBase, corpus: Corpus, digest: str = "") -> HttpResponseBase:
    """Say what it is by its digest, and that nobody between keeps it who does not know to whom it may go."""
    if digest:
        response["ETag"] = f'"{digest}"'
    response["Cache-Control"] = "no-cache" if corpus.texts == Corpus.Texts.PUBLIC else "private, no-cache"
    return response


def _show(
    request: HttpRequest, corpus: Corpus, form: AgreementForm | None = None, status: int = 200
) -> HttpResponse:
    task, made = TASKS.get(corpus.task), corpus_files.current(corpus)
    may_download = readers.may_download(request.user, corpus)
    is_agreed = corpus.texts == Corpus.Texts.AGREEMENT
    teams = agreements.may_accept(corpus, request.user) if is_agreed else None
    if form is None and teams is not None and teams.exists():
        form = AgreementForm(corpus=corpus, user=cast(User, request.user))
    context = {
        "corpus": corpus,
        "task": task,
        "made": made,
        "ontology": plain_ontology_of(corpus) if task is not None and task.has_ontology else None,
        "files": list_files(corpus, request.user),
        "is_open": readers.may_read(request.user, corpus),
        "may_download": may_download,
        "agreement": agreements.newest(corpus) if is_agreed else None,
        "is_agreed": is_agreed,
        "accepted": agreements.accepted(corpus, request.user) if is_agreed else (),
        "form": form,
        "has_agreements": corpus.agreements.filter(questions__gt=0).exists(),
        "released": corpus.epochs.filter(released_at__isnull=False).order_by("-number"),
    }
    return render(request, "evaluation/data.html", context, status=status)


def list_files(corpus: Corpus, person: Person) -> list[Listed]:
    """Return all of a corpus' files, as somebody may have them."""
    made, may_download = corpus_files.current(corpus), readers.may_download(person, corpus)
    return [
        *_large(made, TASKS.get(corpus.task), may_download=may_download),
        *_others(corpus, TASKS.get(corpus.task), made, may_download=may_download),
        *_archives(corpus),
    ]


def _large(made: CorpusFiles | None, task: Task | None, *, may_download: bool) -> Iterator[Listed]:
    texts, ids = corpus_files.TEXTS, corpus_files.IDS
    what = INPUTS if task is not None and task.has_prompt else WHAT[texts]
    if made is None:
        yield Listed(texts, what, None, "", is_open=False)
        yield Listed(ids, WHAT[ids], None, "", is_open=False)
    else:
        yield Listed(texts, what, made.texts_size, made.texts_digest, is_open=may_download)
        yield Listed(ids, WHAT[ids], made.ids_size, made.ids_digest, is_open=True)


def _archives(corpus: Corpus) -> Iterator[Listed]:
    editions = Edition.objects.filter(epoch__corpus=corpus).select_related("epoch").defer("content")
    ordered = list(editions.order_by("epoch__number", "edition"))
    newest = {one.epoch_id: one for one in ordered if one.kind == Edition.Kind.EPOCH}
    removed = archives.removed_by_epoch(corpus) if newest else {}
    for one in ordered:
        contents = "judgements, the sample with every probability, and the "
        if one.kind == Edition.Kind.LEADERBOARD:
            contents = "the leaderboard, with its "
        what = f"The archive of epoch {one.epoch.number}: {contents}{one.figures:,} published figures"
        now = removed.get(one.epoch_id, 0)
        is_open = archives.is_given(one, now)
        if not is_open:
            what = _withdrawn(one, newest.get(one.epoch_id), now)
        yield Listed(one.name, what, one.size, one.digest, is_open=is_open)


def _withdrawn(archive: Edition, newest: Edition | None, removed: int) -> str:
    """Return why an edition was withdrawn, and which one replaces it."""
    other = "another edition, without it, is being made"
    if newest is not None and archives.is_given(newest, removed):
        other = f"{newest.name} is without it"
    return (
        f"Edition {archive.edition} of the archive of epoch {archive.epoch.number} is not given any more:"
        f" a document was removed of whose text it may have the SHA-256; {other}"
    )


def _others(
    corpus: Corpus, task: Task | None, made: CorpusFiles | None, *, may_download: bool
) -> Iterator[Listed]:
    if task is None:
        return
    for one in small_files(corpus, task).values():
        yield Listed(one.name, WHAT[one.name], one.size, one.digest, is_open=True)
    beside = {one.format: f"with {one.label.lower()}" for one in task.reader.attachments}
    written = {format: f"in {name}" for format, name in task.reader.formats.items()}
    for format, sample in task.samples.items():
        how = {**beside, **written}[format]
        what = f"A file as systems submit it, {how}: right in form, not in what it says"
        is_open = made is not None and made.documents > 0 and (may_download or not sample.quotes_texts)
        yield Listed(sample.name, what, None, "", is_open=is_open)
