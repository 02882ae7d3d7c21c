"""The life of a corpus for who takes part: dates, rules, terms that a team accepts, and news."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from annotations.challenges import news as posts
from annotations.challenges import versions
from annotations.challenges.shown import read_life
from annotations.models import Corpus
from evaluation.views.forms import TermsForm
from kbpo.accounts.mails.writing import address_of
from kbpo.accounts.models import User
from kbpo.core.errors import KbpoError
from kbpo.core.revalidating import public_page

IN_FEED, ON_PAGE = 50, 200  # posts


@require_safe
@public_page
def rules(request: HttpRequest, tag: str) -> HttpResponse:
    """Show a corpus' dates, rules and terms, as they hold and as they were."""
    return _show(request, get_object_or_404(Corpus, tag=tag))


@login_required
@require_POST
def accept(request: HttpRequest, tag: str) -> HttpResponse:
    """Accept the terms of a corpus for a team, and go back to where that was asked for."""
    corpus, user = get_object_or_404(Corpus, tag=tag), cast(User, request.user)
    form = TermsForm(request.POST, corpus=corpus, user=user)
    status = 400
    if form.is_valid():
        try:
            done = versions.accept(corpus=corpus, by=user, now=timezone.now(), **form.accepted)
        except KbpoError as error:
            form.add_error(None, str(error))
            status = error.status
        else:
            messages.success(request, f"{done.team} has accepted the terms of {corpus}.")
            return redirect(_next(request) or f"{reverse('rules', args=[corpus.tag])}#terms")
    return _show(request, corpus, form, status)


@require_safe
@public_page
def news(request: HttpRequest, tag: str) -> HttpResponse:
    """List the news of a corpus."""
    corpus = get_object_or_404(Corpus, tag=tag)
    return render(request, "evaluation/news.html", {"corpus": corpus, "posts": posts.shown(corpus)[:ON_PAGE]})


@require_safe
@public_page
def feed(request: HttpRequest, tag: str) -> HttpResponse:
    """Send the newest news of a corpus as a feed (Atom)."""
    corpus = get_object_or_404(Corpus, tag=tag)
    page = address_of("news", corpus.tag)
    written = Atom1Feed(
        title=f"News of {corpus.name}",
        link=page,
        description=f"What the organisers of {corpus.name} tell those who take part.",
        feed_url=address_of("news_feed", corpus.tag),
        language="en",
        author_name="KBP Online",
    )
    for post in posts.shown(corpus)[:IN_FEED]:
        written.add_item(
            title=post.title,
            link=f"{page}#news-{post.pk}",
            description=post.text,
            pubdate=post.published_at,
            updateddate=post.published_at,
        )
    return HttpResponse(written.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")


def _next(request: HttpRequest) -> str:
    """Return the page of the site that was to come next; empty for none."""
    asked = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(asked, {request.get_host()}, require_https=request.is_secure())
    return asked if is_ours else ""


def _show(
    request: HttpRequest, corpus: Corpus, form: TermsForm | None = None, status: int = 200
) -> HttpResponse:
    now = timezone.now()
    life = read_life(corpus, now)
    if form is None and versions.may_accept(corpus, request.user).exists():
        form = TermsForm(corpus=corpus, user=cast(User, request.user))
    context = {
        "corpus": corpus,
        "life": life,
        "now": now,
        "accepted": versions.accepted(corpus, request.user),
        "old_rules": versions.earlier(corpus.corpusrules, life.rules),
        "old_terms": versions.earlier(corpus.corpusterms, life.terms),
        "form": form,
        "next": _next(request),
    }
    return render(request, "evaluation/rules.html", context, status=status)
