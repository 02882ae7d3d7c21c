"""The forms of webhooks."""

from django import forms

from kbpo.webhooks.events import EVENTS


class EventsForm(forms.Form):
    """What an address is told."""

    events = forms.MultipleChoiceField(
        label="What it is told",
        choices=list(EVENTS.items()),
        initial=list(EVENTS),
        widget=forms.CheckboxSelectMultiple(attrs={"class": "checks"}),
    )


class WebhookForm(EventsForm):
    """A new address."""

    url = forms.CharField(
        label="Address",
        max_length=500,
        help_text="Such as https://example.org/kbp: https, on a server that everybody can reach.",
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "url", "spellcheck": "false"}),
    )
    field_order = ("url", "events")
