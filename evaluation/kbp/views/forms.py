"""The forms by which operators draw and retire the documents that are annotated in full."""

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


class ReleaseForm(forms.Form):
    """Which share of the exhaustive documents is retired at a release; the service knows what is possible."""

    percent = forms.IntegerField(
        label="Documents to retire, %",
        min_value=0,
        max_value=100,
        initial=0,
        help_text="Drawn uniformly. Everybody can read them from then on, with all that was found in them.",
    )

    @property
    def share(self) -> float | None:
        """What `epochs.release` takes; None where nothing is retired."""
        percent: int = self.cleaned_data["percent"]
        return percent / 100 if percent else None
