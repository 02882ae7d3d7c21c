"""The life of a corpus at the desk: its dates, phases, rules, terms and news."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotations.challenges import dates, news, versions
from annotations.challenges.shown import read_life
from annotations.models import Corpus, CorpusNews, CorpusPhase
from annotations.roles import Act
from kbpo.core.errors import KbpoError
from kbpo.pages import corpora as service
from kbpo.pages.access import corpus_for, for_desk, person
from kbpo.pages.challenge_forms import DatesForm, NewsForm, PhaseForm, VersionForm
from kbpo.pages.forms import as_it_stands

ON_PAGE = 50  # posts


@require_safe
@for_desk
def challenge(request: HttpRequest, tag: str) -> HttpResponse:
    """Show the life of a corpus, and what may be changed of it."""
    return _show(request, corpus_for(request, Act.KEEP, tag))


@require_POST
@for_desk
def act(request: HttpRequest, tag: str, action: str) -> HttpResponse:
    """Change dates or texts, publish news, or add a phase."""
    if action not in ACTIONS:
        raise Http404("no such action")
    found = corpus_for(request, Act.KEEP, tag)
    form_class, do = ACTIONS[action]
    form = form_class(request.POST, auto_id="id_%s" if action == "dates" else f"{action}_%s")
    return _do(request, found, action, form, lambda given: do(request, found, given))


@require_POST
@for_desk
def change_phase(request: HttpRequest, tag: str, pk: int) -> HttpResponse:
    """Change a phase, or remove it."""
    found = corpus_for(request, Act.KEEP, tag)
    phase = get_object_or_404(found.phases, pk=pk)
    name = f"phase_{phase.pk}"
    if "remove" in request.POST:
        return _do(request, found, name, None, lambda _: _remove(request, phase))
    form = PhaseForm(request.POST, auto_id=f"{name}_%s")
    return _do(request, found, name, form, lambda given: _change(request, phase, given))


@require_POST
@for_desk
def withdraw_news(request: HttpRequest, tag: str, pk: int) -> HttpResponse:
    """Show a post to nobody any more."""
    found = corpus_for(request, Act.KEEP, tag)
    post = get_object_or_404(found.news, pk=pk)
    news.withdraw(post=post, by=person(request), now=timezone.now())
    messages.success(request, f"{post.title} is withdrawn.")
    return redirect("desk_challenge", found.tag)


def _do(
    request: HttpRequest,
    found: Corpus,
    name: str,
    form: forms.Form | None,
    do: Callable[[Any], str],
) -> HttpResponse:
    """Do what a form asks for, or show the page with what is wrong with it."""
    status, refusal = 400, ""
    if form is None or form.is_valid():
        try:
            messages.success(request, do(form))
        except KbpoError as error:
            status = error.status
            if form is None:
                refusal = str(error)
            else:
                form.add_error(None, str(error))
        else:
            return redirect("desk_challenge", found.tag)
    return _show(request, found, {name: form} if form is not None else {}, status, refusal)


def _show(
    request: HttpRequest,
    found: Corpus,
    given: Mapping[str, forms.Form] | None = None,
    status: int = 200,
    refusal: str = "",
) -> HttpResponse:
    now, given = timezone.now(), given or {}
    life = read_life(found, now)
    fresh: dict[str, forms.Form] = {
        "dates": as_it_stands(DatesForm, found),
        "rules": VersionForm.of("rules", life.rules),
        "terms": VersionForm.of("terms", life.terms),
        "phase": PhaseForm(auto_id="phase_%s"),
        "news": NewsForm(auto_id="news_%s"),
    }
    context = {
        "corpus": found,
        "life": life,
        "now": now,
        "refusal": refusal,
        "forms": fresh | dict(given),
        "phases": [
            (one, given.get(f"phase_{one.pk}") or _phase_form(one), _is_outside(found, one))
            for one in life.phases
        ],
        "accepted": versions.count_accepted(life.terms),
        "posts": CorpusNews.objects.filter(corpus=found).select_related("written_by")[:ON_PAGE],
        "takes_part": news.taking_part(found).distinct().count(),
    }
    return render(request, "desk/challenge.html", context, status=status)


def _phase_form(phase: CorpusPhase) -> PhaseForm:
    return as_it_stands(PhaseForm, phase, auto_id=f"phase_{phase.pk}_%s")


def _is_outside(corpus: Corpus, phase: CorpusPhase) -> bool:
    """Say whether a phase is partly outside of its corpus' own dates, so that nothing is taken there."""
    begins_early = corpus.opens_at is not None and phase.starts_at < corpus.opens_at
    closes = corpus.closes_at
    ends_late = closes is not None and (phase.ends_at is None or phase.ends_at > closes)
    return phase.takes_submissions and (begins_early or ends_late)


def _dates(request: HttpRequest, found: Corpus, form: forms.Form) -> str:
    service.change_details(corpus=found, by=person(request), details=form.cleaned_data)
    return "The dates are changed. One that was moved stands on its page as it was, too."


def _rules(request: HttpRequest, found: Corpus, form: forms.Form) -> str:
    made = versions.write_rules(
        corpus=found, text=form.cleaned_data["text"], by=person(request), now=timezone.now()
    )
    return f"Version {made.version} of the rules holds." if made and made.text else "No rules hold."


def _terms(request: HttpRequest, found: Corpus, form: forms.Form) -> str:
    made = versions.write_terms(
        corpus=found, text=form.cleaned_data["text"], by=person(request), now=timezone.now()
    )
    if made is None or not made.text:
        return "No terms hold."
    return f"Version {made.version} of the terms holds: teams are asked before they submit again."


def _add(request: HttpRequest, found: Corpus, form: PhaseForm) -> str:
    made = dates.add_phase(corpus=found, by=person(request), details=form.details, now=timezone.now())
    return f"The phase {made.name} is there."


def _change(request: HttpRequest, phase: CorpusPhase, form: PhaseForm) -> str:
    dates.change_phase(phase=phase, by=person(request), details=form.details, now=timezone.now())
    return "The phase is changed."


def _remove(request: HttpRequest, phase: CorpusPhase) -> str:
    dates.remove_phase(phase=phase, by=person(request), now=timezone.now())
    return f"The phase {phase.name} is removed."


def _publish(request: HttpRequest, found: Corpus, form: forms.Form) -> str:
    post = news.publish(corpus=found, by=person(request), now=timezone.now(), **form.cleaned_data)
    to_whom = ", and goes by mail to those who take part and want such mail"
    return f"{post.title} is published{'' if post.mailed_after is None else to_whom}."


_Do = Callable[[HttpRequest, Corpus, Any], str]
ACTIONS: Mapping[str, tuple[type[forms.Form], _Do]] = MappingProxyType(
    {
        "dates": (DatesForm, _dates),
        "rules": (VersionForm, _rules),
        "terms": (VersionForm, _terms),
        "phase": (PhaseForm, _add),
        "news": (NewsForm, _publish),
    }
)
