"""Corpora at the desk: a list, a new one, and each with what its organisers do."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import roles
from annotations.challenges.dates import read_standings
from annotations.challenges.shown import left
from annotations.data import agreements
from annotations.models import Corpus
from annotations.roles import Act
from evaluation.registry import task_of
from kbpo.core.errors import InvalidInput, KbpoError
from kbpo.pages import corpora as service
from kbpo.pages import takedowns
from kbpo.pages.access import corpus_for, for_desk, for_makers, person
from kbpo.pages.corpus_forms import (
    AgreementTextForm,
    CorpusForm,
    DataForm,
    DetailsForm,
    FileForm,
    GoldForm,
    ReleaseForm,
    RetiringReleaseForm,
    SnapshotForm,
    TakedownForm,
)
from kbpo.pages.forms import as_it_stands
from kbpo.pages.reading import paged
from kbpo_formats.normal import nfc

PAGE = 50


@require_safe
@for_desk
def corpora(request: HttpRequest) -> HttpResponse:
    """List the corpora for which who asks has a role."""
    who = person(request)
    found = Corpus.objects.all() if who.is_operator else Corpus.objects.filter(roles__user=who).distinct()
    page = paged(request, found.order_by("tag"), PAGE)
    held: dict[int, list[str]] = {}
    for role in who.corpus_roles.filter(corpus__in=list(page.object_list)):
        held.setdefault(role.corpus_id, []).append(role.get_role_display())
    now = timezone.now()
    stands = read_standings(page.object_list, now)
    rows = [
        (one, held.get(one.pk, []), stands[one.pk], left(stands[one.pk], now)) for one in page.object_list
    ]
    context = {"page": page, "rows": rows, "may_make": roles.may_make(who)}
    return render(request, "desk/corpora.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@for_makers
def new(request: HttpRequest) -> HttpResponse:
    """Make a corpus."""
    form = CorpusForm(request.POST or None, request.FILES or None)
    status = 400 if form.is_bound else 200
    if form.is_bound and form.is_valid():
        try:
            report = service.make_corpus(by=person(request), now=timezone.now(), **form.cleaned_data)
        except KbpoError as error:
            form.add_error(None, str(error))
            status = error.status
        else:
            messages.success(request, f"{report.corpus} is there, with {report.created:,} documents.")
            return redirect("desk_corpus", report.corpus.tag)
    return render(request, "desk/new_corpus.html", {"form": form}, status=status)


@require_safe
@for_desk
def corpus(request: HttpRequest, tag: str) -> HttpResponse:
    """Show a corpus, and what who asks may do."""
    found = get_object_or_404(Corpus, tag=tag)
    if not roles.holds(person(request), found):
        raise Http404("no role for that corpus")
    return _show(request, found)


@require_POST
@for_desk
def act(request: HttpRequest, tag: str, action: str) -> HttpResponse:
    """Change what is said of a corpus, load texts or gold, release its epoch, or remove a document's text."""
    if action not in ACTIONS:
        raise Http404("no such action")
    needed, form_for, do = ACTIONS[action]
    found = corpus_for(request, needed, tag)
    form = form_for(found)(request.POST, request.FILES)
    status = 400
    if form.is_valid():
        try:
            messages.success(request, do(request, found, form))
        except KbpoError as error:
            form.add_error(None, str(error))
            status = error.status
        else:
            return redirect("desk_corpus", found.tag)
    return _show(request, found, {action: form}, status)


def _show(
    request: HttpRequest, found: Corpus, given: Mapping[str, forms.Form] | None = None, status: int = 200
) -> HttpResponse:
    read = service.overview(found, person(request))
    fresh = {
        "details": as_it_stands(DetailsForm, found),
        "data": as_it_stands(DataForm, found, auto_id="data_%s"),
        "agreement": AgreementTextForm(
            auto_id="agreement_%s", initial={"text": read.agreement.text if read.agreement else ""}
        ),
        "texts": FileForm(auto_id="texts_%s"),
        "gold": GoldForm(auto_id="gold_%s"),
        "release": _release_form(found)(
            auto_id="release_%s", initial={"number": read.epoch.number if read.epoch else None}
        ),
        "snapshot": SnapshotForm(auto_id="snapshot_%s"),
        "remove": TakedownForm(
            auto_id="remove_%s", initial={"doc_id": request.GET.get("document", "")[:200]}
        ),
    }
    context = {
        "read": read,
        "corpus": found,
        "forms": fresh | {**(given or {})},
    }
    return render(request, "desk/corpus.html", context, status=status)


def _details(request: HttpRequest, found: Corpus, form: forms.Form) -> str:
    service.change_details(corpus=found, by=person(request), details=form.cleaned_data)
    return "It is changed."


def _data(request: HttpRequest, found: Corpus, form: forms.Form) -> str:
    service.change_details(corpus=found, by=person(request), details=form.cleaned_data)
    return "What is said of its texts is changed."


def _agreement(request: HttpRequest, found: Corpus, form: forms.Form) -> str:
    made = agreements.write(
        corpus=found, text=form.cleaned_data["text"], by=person(request), now=timezone.now()
    )
    return f"Version {made.version} of the agreement holds."


def _texts(request: HttpRequest, found: Corpus, form: forms.Form) -> str:
    report = service.add_texts(corpus=found, by=person(request), file=form.cleaned_data["file"])
    return f"{report.created:,} documents are loaded; {report.unchanged:,} were there already."


def _gold(request: HttpRequest, found: Corpus, form: forms.Form) -> str:
    report, sample = service.add_gold(corpus=found, by=person(request), **form.cleaned_data)
    drawn = f"{sample.size:,} documents are the exhaustive sample"
    return f"{report.created:,} annotated documents are loaded; {drawn}."


def _release_form(found: Corpus) -> type[ReleaseForm]:
    return RetiringReleaseForm if task_of(found).annotates_documents else ReleaseForm


def _release(request: HttpRequest, found: Corpus, form: ReleaseForm) -> str:
    epoch, retired = service.release_epoch(
        corpus=found, by=person(request), number=form.cleaned_data["number"], retire=form.share
    )
    words = f"Epoch {epoch.number} is released, and epoch {epoch.number + 1} is open."
    return f"{words} {retired}." if retired else words


def _snapshot(request: HttpRequest, found: Corpus, form: forms.Form) -> str:
    taken, is_new = service.take_snapshot(
        corpus=found, by=person(request), note=form.cleaned_data["note"], now=timezone.now()
    )
    if is_new:
        return f"Snapshot {taken.number} is taken."
    return f"Nothing has changed since snapshot {taken.number}: it stands."


def _remove(request: HttpRequest, found: Corpus, form: forms.Form) -> str:
    document = found.documents.filter(doc_id=nfc(form.cleaned_data["doc_id"].strip())).first()
    if document is None:
        raise InvalidInput(
            f"{found.tag} has no document {form.cleaned_data['doc_id']!r}: write its id as listed."
        )
    takedowns.take_down(
        document=document, reason=form.cleaned_data["reason"], by=person(request), now=timezone.now()
    )
    return f"The text of {document.doc_id} is removed."


_Action = tuple[Act, Callable[[Corpus], type[forms.Form]], Callable[[HttpRequest, Corpus, Any], str]]
ACTIONS: Mapping[str, _Action] = MappingProxyType(
    {
        "details": (Act.KEEP, lambda found: DetailsForm, _details),
        "data": (Act.KEEP, lambda found: DataForm, _data),
        "agreement": (Act.KEEP, lambda found: AgreementTextForm, _agreement),
        "texts": (Act.KEEP, lambda found: FileForm, _texts),
        "gold": (Act.DESIGN, lambda found: GoldForm, _gold),
        "snapshot": (Act.DESIGN, lambda found: SnapshotForm, _snapshot),
        "release": (Act.DESIGN, _release_form, _release),
        "remove": (Act.DESIGN, lambda found: TakedownForm, _remove),
    }
)
