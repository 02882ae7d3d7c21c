"""Budgets and the ledger."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.models import Corpus
from annotations.roles import Act
from crowd import budget
from crowd.models import Budget
from kbpo.core.errors import KbpoError
from kbpo.pages.access import corpora, for_operators, for_role, person
from kbpo.pages.forms import BudgetForm, CapForm
from kbpo.pages.money import budget_names, ledger
from kbpo.pages.reading import paged

PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
@for_role(Act.PAY)
def budgets(request: HttpRequest) -> HttpResponse:
    """List budgets, and make one."""
    form = _form(request, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = budget.create_budget(**form.cleaned_data, by=person(request))
        except KbpoError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{budget.dollars(made.cap_cents)} may be spent on {made}.")
            return redirect("desk_budgets")
    return _show(request, form)


@require_POST
@for_role(Act.PAY)
def change_cap(request: HttpRequest, pk: int) -> HttpResponse:
    """Raise or lower a budget's cap."""
    found = get_object_or_404(budget_names.theirs(person(request), Budget.objects.all()), pk=pk)
    form = CapForm(request.POST)
    if form.is_valid():
        try:
            changed = budget.change_cap(
                budget=found,
                cap_cents=form.cleaned_data["cap_cents"],
                by=person(request),
                submitted_to=budget_names.submitted_to(found),
            )
        except KbpoError as error:
            form.add_error("cap_cents", str(error))
        else:
            messages.success(request, f"The cap of {changed} is {budget.dollars(changed.cap_cents)} now.")
            return redirect("desk_budgets")
    return _show(request, _form(request), failed=found, cap=form)


@require_safe
@for_role(Act.PAY)
def ledger_page(request: HttpRequest) -> HttpResponse:
    """Show what was promised and paid, summed up and entry by entry."""
    by = request.GET.get("by", "corpus")
    of = _of(request)
    page = paged(request, ledger.entries(of), PAGE)
    is_short = page.paginator.count <= ledger.SHORT
    context = {
        "by": by,
        "divisions": ledger.DIVISIONS,
        "lines": ledger.lines(by, of),
        "total": ledger.total(of),
        "owed": budget.owed(of),
        "page": page,
        "audit": _audit(is_short) if of is None else None,
    }
    return render(request, "desk/ledger.html", context)


@require_POST
@for_operators
def check_books(request: HttpRequest) -> HttpResponse:
    """Check every sum of the books."""
    ledger.audit(now=timezone.now())
    return redirect("desk_ledger")


@require_safe
@for_role(Act.PAY)
def ledger_csv(request: HttpRequest) -> StreamingHttpResponse:
    """Write the ledger for a spreadsheet: its sums, or every entry."""
    by = request.GET.get("by")
    of = _of(request)
    rows = ledger.lines_as_csv(by, of) if by is not None else ledger.entries_as_csv(of)
    name = f"ledger-by-{by}.csv" if by in ledger.DIVISIONS else "ledger.csv"
    return StreamingHttpResponse(
        rows,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _form(request: HttpRequest, given: QueryDict | None = None) -> BudgetForm:
    months = person(request).is_operator
    month = {"scope": Budget.Scope.MONTH, "key": budget.month(timezone.now())}
    return BudgetForm(
        given, corpora=corpora(request, Act.PAY), months=months, initial=month if months else {}
    )


def _of(request: HttpRequest) -> QuerySet[Corpus] | None:
    """Return of which corpora who asks sees the ledger; None: of all."""
    return None if person(request).is_operator else corpora(request, Act.PAY)


def _audit(is_short: bool) -> ledger.Checked | None:
    return ledger.audit(now=timezone.now()) if is_short else ledger.last_audit()


def _show(
    request: HttpRequest, form: BudgetForm, failed: Budget | None = None, cap: CapForm | None = None
) -> HttpResponse:
    page = paged(request, budget_names.theirs(person(request), Budget.objects.order_by("-pk")), PAGE)
    context = {
        "form": form,
        "page": page,
        "rows": [
            (
                one,
                cap if failed == one and cap else CapForm(initial={"cap_cents": one.cap_cents}, prefix=None),
            )
            for one in page.object_list
        ],
        "failed": failed,
        "purses": budget_names.names(page.object_list),
    }
    is_refused = bool(form.errors) or failed is not None
    return render(request, "desk/budgets.html", context, status=400 if is_refused else 200)
