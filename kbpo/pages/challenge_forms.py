"""What organisers type about the life of a corpus: dates, phases, rules, terms and news."""

from datetime import datetime
from typing import Any

from django import forms

from annotations.challenges import news, versions
from annotations.challenges.dates import PhaseDetails
from annotations.models.challenge import Version

_MOMENT = "%Y-%m-%dT%H:%M"


def _moment(label: str, hint: str, *, is_required: bool = False) -> forms.DateTimeField:
    return forms.DateTimeField(
        label=label,
        required=is_required,
        help_text=hint,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=_MOMENT),
    )


class DatesForm(forms.Form):
    """When systems may be submitted."""

    opens_at = _moment("Opens for submissions, UTC", "Left empty: it is open.")
    closes_at = _moment(
        "Closes for submissions, UTC",
        "Left empty: it stays open. What comes in at this moment, or later, is too late.",
    )

    def clean(self) -> dict[str, Any]:
        """Check that it opens before it closes."""
        data = super().clean() or {}
        opens, closes = data.get("opens_at"), data.get("closes_at")
        if isinstance(opens, datetime) and isinstance(closes, datetime) and opens >= closes:
            self.add_error("closes_at", "It must close after it opens.")
        return data


class PhaseForm(forms.Form):
    """A phase of a corpus."""

    name = forms.CharField(label="Name", max_length=100, help_text="As development, test.")
    description = forms.CharField(
        label="Description",
        required=False,
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    starts_at = _moment("Starts, UTC", "From this moment on.", is_required=True)
    ends_at = _moment("Ends, UTC", "Until just before it. Left empty: it has no end.")
    takes_submissions = forms.BooleanField(
        label="Systems may be submitted in it", required=False, initial=True
    )
    most_submissions = forms.IntegerField(
        label="Systems that a team may submit in it",
        required=False,
        min_value=1,
        max_value=1_000,
        help_text="In all; refused and cancelled ones do not count. Left empty: only the weekly quota holds.",
    )

    def clean(self) -> dict[str, Any]:
        """Check that it starts before it ends."""
        data = super().clean() or {}
        starts, ends = data.get("starts_at"), data.get("ends_at")
        if isinstance(starts, datetime) and isinstance(ends, datetime) and starts >= ends:
            self.add_error("ends_at", "It must end after it starts.")
        if data.get("most_submissions") and not data.get("takes_submissions"):
            self.add_error("most_submissions", "A phase that takes no submissions has no such limit.")
        return data

    @property
    def details(self) -> PhaseDetails:
        """What is said of the phase; of a form that is valid."""
        return PhaseDetails(**self.cleaned_data)


class VersionForm(forms.Form):
    """Another version of rules or terms."""

    text = forms.CharField(
        label="Text",
        required=False,
        max_length=versions.LONGEST,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="Plain text; addresses become links. Each change is a version. Left empty: none hold.",
    )

    @classmethod
    def of(cls, name: str, held: Version | None) -> "VersionForm":
        """Return the form as it stands."""
        return cls(initial={"text": held.text if held else ""}, auto_id=f"{name}_%s")


class NewsForm(forms.Form):
    """A post to those who take part."""

    title = forms.CharField(label="Title", max_length=news.LONGEST_TITLE)
    text = forms.CharField(
        label="Text",
        required=False,
        max_length=news.LONGEST,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="Plain text; addresses become links. It cannot be changed later, only withdrawn.",
    )
    is_mailed = forms.BooleanField(
        label="Mail it to those who take part",
        required=False,
        initial=True,
        help_text="To members of teams that have submitted here, or accepted the terms, who want such mail.",
    )
