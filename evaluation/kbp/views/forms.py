"""The form by which the documents that are annotated in full are drawn."""

from django import forms


class DocumentSampleForm(forms.Form):
    """How many documents are annotated in full. What is possible is checked by the service."""

    size = forms.IntegerField(
        label="Documents in all", min_value=2, max_value=1_000_000, help_text="To be annotated by people."
    )
    uniform_share = forms.FloatField(
        label="Share drawn uniformly",
        min_value=0.01,
        max_value=1,
        initial=0.2,
        help_text="They come first; the names found in them decide which others are probable.",
    )
