"""A tutorial for annotators on the site: the same as in a HIT, kept in the session, as often as they like."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotations import ontologies, responses
from annotations.selectors import corpus_by_tag
from crowd import qualifying
from crowd.interfaces.registry import INTERFACES, find_tutorial
from crowd.pages.tutorial import RESULT, read_index
from crowd.pricing import expected
from crowd.tutorials import pages
from crowd.tutorials.lesson import Tutorial
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput
from kbpo_formats.ontologies import builtin

#: The one that an address without a name shows.
FIRST = next(iter(INTERFACES))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def tutorial(request: HttpRequest, kind: str = FIRST) -> HttpResponse:
    """Show where an annotator is in a tutorial, and take answers.

    ``?corpus=`` names the corpus under whose ontology it is taught; the first built-in one if left out.
    """
    assert isinstance(request.user, User)
    responses.check_role(worker=request.user)
    try:
        lesson, name = _lesson(kind, request.GET.get("corpus", ""))
    except InvalidInput:
        raise Http404 from None
    answers: list[dict[str, Any]] | None = request.session.get(name)
    if request.method == "POST" and "begin" in request.POST:
        request.session[name] = []
        return redirect(request.get_full_path())
    if answers is None:
        return _render(request, pages.START, pages.start(lesson))
    if request.method == "POST":
        posted = {field: [str(value) for value in values] for field, values in request.POST.lists()}
        index = read_index(posted)
        if index > len(answers) or index >= len(lesson.practice):
            raise Conflict("Another question comes first; reload the page.")
        try:
            answer = answers[index] if index < len(answers) else lesson.practice[index].read(posted)
            if index == len(answers) and lesson.keeps(index, answer):
                request.session[name] = [*answers, answer]
        except InvalidInput as error:
            context = pages.practice(lesson, index, posted, error)
            return _render(request, pages.PRACTICE, context, status=error.status)
        return _render(request, pages.EXPLAINED, pages.explained(lesson, index, answer))
    if len(answers) < len(lesson.practice):
        return _render(request, pages.PRACTICE, pages.practice(lesson, len(answers)))
    right = qualifying.count_right(lesson, answers)
    context = {"tutorial": lesson, "right": right, "has_passed": right >= lesson.pass_mark}
    return _render(request, RESULT, context)


def _lesson(kind: str, tag: str) -> tuple[Tutorial, str]:
    """Return a tutorial, and the name under which the session keeps its answers."""
    if not tag:
        return find_tutorial(kind, builtin.read_builtin(builtin.DEFAULT)), f"tutorial-{kind}"
    corpus = corpus_by_tag(tag)
    own = ontologies.newest_of(corpus)
    examples = corpus.ontology_id if own is None else f"{corpus.ontology_id}-{own.pk}"
    return find_tutorial(kind, ontologies.ontology_under(corpus, own)), f"tutorial-{kind}-{examples}"


def _render(
    request: HttpRequest, template: str, context: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    takes = expected.of_tutorial().words
    common = {"base": "base.html", "is_hit": False, "here": request.get_full_path(), "takes": takes}
    return render(request, template, {**common, **context}, status=status)
