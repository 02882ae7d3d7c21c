"""The forms of people and teams."""

from django import forms


class NameForm(forms.Form):
    """The name of a person."""

    name = forms.CharField(
        label="Your name",
        max_length=150,
        required=False,
        help_text="Your teammates and the operators see it; empty, they see your mail address.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class TeamForm(forms.Form):
    """The name of a new team."""

    name = forms.CharField(
        label="Name of the new team", max_length=100, help_text="Everybody sees it on the leaderboard."
    )


class MemberForm(forms.Form):
    """The mail address of somebody who is to join."""

    email = forms.EmailField(
        label="Mail address",
        help_text="They join by accepting, once they have an account here, and can then do all you can.",
    )
