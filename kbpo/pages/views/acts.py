"""The audit log, for the site's operators to read."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kbpo.core.acts import What
from kbpo.pages import acts as reads
from kbpo.pages.access import for_operators
from kbpo.pages.reading import paged

PAGE = 50
FIRST, LAST = "1970-01-01", "9000-01-01"


class SoughtForm(forms.Form):
    """What is looked for in the audit log."""

    who = forms.ChoiceField(required=False)
    what = forms.ChoiceField(
        required=False, choices=[("", "anything"), *((what.value, what.value) for what in What)]
    )
    about = forms.CharField(required=False, max_length=200, label="About", help_text="An id, or a name.")
    since = forms.DateField(required=False, widget=forms.DateInput({"type": "date", "max": LAST}))
    until = forms.DateField(required=False, widget=forms.DateInput({"type": "date", "max": LAST}))

    def clean(self) -> None:
        """Refuse days that no calendar of the database has."""
        for name in ("since", "until"):
            day = self.cleaned_data.get(name)
            if day is not None and not FIRST <= day.isoformat() <= LAST:
                self.add_error(name, f"A day from {FIRST} to {LAST}.")


@require_safe
@for_operators
def acts(request: HttpRequest) -> HttpResponse:
    """List what operators did."""
    form = SoughtForm(request.GET)
    form.fields["who"].choices = [("", "anybody"), *reads.actors()]  # type: ignore[attr-defined]
    is_valid = form.is_valid()
    sought = reads.Sought(**form.cleaned_data) if is_valid else reads.Sought()
    page = paged(request, reads.listed(sought), PAGE)
    context = {
        "form": form,
        "page": page,
        "rows": [(act, reads.changes(act)) for act in page.object_list],
        "is_sought": sought != reads.Sought(),
    }
    return render(request, "desk/acts.html", context, status=200 if is_valid else 400)
