"""The form by which a system is handed in."""

from typing import Any

from django import forms

from annotations.models import Corpus
from evaluation.models import Submission
from kbpo.accounts.models import Team, User


class UploadForm(forms.Form):
    """A knowledge base, for whom and for what. What is in the file is checked later, by the pipeline."""

    corpus = forms.ModelChoiceField(Corpus.objects.all(), label="Corpus", empty_label=None)
    team = forms.ModelChoiceField(Team.objects.none(), label="Team", empty_label=None)
    name = forms.CharField(
        label="Name of the system",
        max_length=100,
        help_text="As it is to stand on the leaderboard. Each of your team's systems has a name of its own.",
    )
    description = forms.CharField(
        label="What it does, in a few words",
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="May stay empty. Shown beside its claims.",
    )
    format = forms.ChoiceField(
        label="Format", choices=Submission.Format.choices, initial=Submission.Format.TAC2016
    )
    file = forms.FileField(
        label="Knowledge base", help_text="One file, plain or compressed with gzip.", max_length=200
    )
    go_ahead = forms.BooleanField(
        label="Judge it as soon as it is accepted",
        required=False,
        initial=True,
        help_text="Otherwise it waits for your word. It takes one of your team's submissions of the week.",
    )
    is_public = forms.BooleanField(
        label="Show it on the leaderboard",
        required=False,
        initial=True,
        help_text="Otherwise only your team and the operators see it. You can change this at any time.",
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = Team.objects.filter(memberships__user=user).order_by("name")
        self.fields["team"].queryset = teams  # type: ignore[attr-defined]
