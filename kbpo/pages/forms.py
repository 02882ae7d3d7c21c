"""What is typed at the desk."""

import re
from decimal import Decimal
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet

from annotations.models import Corpus, Question
from crowd.interfaces.interface import Interface
from crowd.interfaces.registry import INTERFACES
from crowd.models import Budget
from crowd.pricing.terms import HELD_ANSWERS, MOST_HELD, check_by_sentence
from evaluation.models import Submission
from evaluation.submissions.visibility import with_names
from kbpo.core.errors import InvalidInput

Form = TypeVar("Form", bound=forms.Form)
MOST_HOURS = 27 * 24  # days before a provider pays by itself what nobody has decided


_PLAIN = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)")


class DollarsField(forms.DecimalField):
    """A sum of money in dollars, read as whole cents."""

    default_error_messages = {"invalid": "Write dollars in digits, with at most two decimals: 12 or 12.50."}

    def __init__(self, **options: Any) -> None:
        options.setdefault("min_value", Decimal(0))
        options.setdefault("max_value", Decimal(10**9))
        super().__init__(max_digits=12, decimal_places=2, **options)

    def to_python(self, value: Any) -> Any:
        """Read a decimal number as people write one: no 1e3, no signs of other scripts."""
        if isinstance(value, str) and value.strip() and not _PLAIN.fullmatch(value.strip()):
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(value)

    def clean(self, value: Any) -> Any:
        """Return cents."""
        dollars = super().clean(value)
        return None if dollars is None else int(dollars * 100)

    def prepare_value(self, value: Any) -> Any:
        """Show cents as dollars."""
        return f"{value // 100}.{value % 100:02}" if isinstance(value, int) else value


def refused(form: forms.Form, error: InvalidInput) -> forms.Form:
    """Return a filled form that says beside the field what was refused: in the words of who refused it."""
    form.full_clean()
    form.errors.clear()
    said = str(error)
    form.add_error(error.where if error.where in form.fields else None, said[:1].upper() + said[1:])
    return form


def as_it_stands(form: type[Form], of: Model, **options: Any) -> Form:
    """Return a form with what its fields are called of an object."""
    return form(initial={name: getattr(of, name) for name in form.base_fields}, **options)


class ReasonForm(forms.Form):
    """A reason that somebody will read."""

    reason = forms.CharField(label="The reason", max_length=1024, widget=forms.Textarea(attrs={"rows": 3}))

    def __init__(self, *args: Any, label: str = "", help_text: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].label = label or self.fields["reason"].label
        self.fields["reason"].help_text = help_text


class UntilForm(forms.Form):
    """Until when work can be found."""

    until = forms.DateTimeField(
        label="Can be found until, UTC",
        help_text="For all its work that is out.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )


class BudgetForm(forms.Form):
    """A new budget."""

    scope = forms.ChoiceField(label="For", choices=Budget.Scope.choices)
    key = forms.CharField(
        label="Which",
        max_length=64,
        help_text="A corpus’ tag, a submission’s number, or a month such as 2026-11.",
    )
    cap_cents = DollarsField(label="Cap, $")

    def __init__(self, *args: Any, corpora: QuerySet[Corpus], months: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._corpora = corpora
        if not months:  # a month is for the site's operators: it is over all corpora
            scope, key = self.fields["scope"], self.fields["key"]
            scope.choices = [one for one in Budget.Scope.choices if one[0] != Budget.Scope.MONTH]  # type: ignore[attr-defined]
            key.help_text = "A corpus’ tag, or a submission’s number."

    def clean(self) -> dict[str, Any]:
        """Check that a submission is there, of which the crowd knows no more than its number."""
        data: dict[str, Any] = super().clean() or {}
        scope, key = data.get("scope"), data.get("key", "")
        is_number = key.isascii() and key.isdecimal() and len(key) < 19
        if scope == Budget.Scope.SUBMISSION and is_number:
            submission = Submission.objects.filter(pk=key, corpus__in=self._corpora).first()
            if submission is None:
                self.add_error("key", f"There is no submission {key}.")
            else:
                data["submitted_to"] = submission.corpus
        if scope == Budget.Scope.CORPUS and key and not self._corpora.filter(tag=key).exists():
            self.add_error("key", f"There is no corpus {key!r}.")
        return data


class CapForm(forms.Form):
    """Another cap for a budget."""

    cap_cents = DollarsField(label="Cap, $")


class SubmissionField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """A submission, named with its team and its corpus."""

    def label_from_instance(self, obj: Any) -> str:
        """Return how it is listed."""
        return f"{obj.shown_name}, {obj.shown_team} ({obj.corpus.tag})"


class PostForm(forms.Form):
    """Something that is posted through a provider, for a corpus."""

    def __init__(
        self, *args: Any, providers: list[tuple[str, str]], corpora: QuerySet[Corpus], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["provider"].choices = providers  # type: ignore[attr-defined]
        self.fields["corpus"].queryset = corpora  # type: ignore[attr-defined]


class OpenForm(PostForm):
    """What a batch asks of whom, and what it pays."""

    corpus = forms.ModelChoiceField(queryset=Corpus.objects.all(), empty_label=None, to_field_name="tag")
    submission = SubmissionField(
        label="For",
        queryset=Submission.objects.none(),
        required=False,
        empty_label="every question that lacks votes",
    )
    kind = forms.ChoiceField(
        label="Asks for", choices=[(one.name, one.description) for one in INTERFACES.values()]
    )
    provider = forms.ChoiceField(label="Through")
    reward_cents = DollarsField(
        label="Reward, $",
        required=False,
        min_value=Decimal("0.01"),
        max_value=Decimal(100),
        help_text="For each assignment; by sentence for each question; for documents for 1,000 words. Left"
        " empty: what the time that it takes is worth.",
    )
    questions_per_hit = forms.IntegerField(
        label="Questions in a HIT (human intelligence task)",
        required=False,
        min_value=1,
        max_value=100,
        help_text="At most, with their companions. Left empty: 10 by sentence and at Prolific, 1 elsewhere.",
    )
    lifetime_hours = forms.IntegerField(
        label="Can be found for, hours", min_value=1, max_value=365 * 24, initial=7 * 24
    )
    auto_approval_hours = forms.IntegerField(
        label="Decided and paid within, hours",
        min_value=1,
        max_value=MOST_HOURS,
        initial=3 * 24,
        help_text="Workers are told before they accept it. Somebody has to look at what waits by then.",
    )
    held_answers = forms.IntegerField(
        label="Answers of each newcomer that a person looks at first",
        required=False,
        min_value=0,
        max_value=MOST_HELD,
        initial=HELD_ANSWERS,
        help_text="Until somebody has approved so many, a rule pays nothing to that worker. Left empty:"
        f" {HELD_ANSWERS}.",
    )
    holds_all = forms.BooleanField(label="A person looks at all work before it is paid", required=False)
    asks_links = forms.BooleanField(label="Mentions are linked to Wikipedia", required=False)
    by_sentence = forms.BooleanField(
        label="A HIT asks about one sentence alone, and pays by the question", required=False
    )

    def __init__(self, *args: Any, corpora: QuerySet[Corpus], **kwargs: Any) -> None:
        super().__init__(*args, corpora=corpora, **kwargs)
        judging = Submission.objects.filter(state=Submission.State.JUDGING, corpus__in=corpora)
        waiting = judging.select_related("corpus", "team")
        self.fields["submission"].queryset = with_names(waiting.order_by("corpus", "pk"), None)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Check that the submission is one of the corpus."""
        data = super().clean() or {}
        if data.get("held_answers") is None:
            data["held_answers"] = HELD_ANSWERS
        submission, corpus = data.get("submission"), data.get("corpus")
        if submission is not None and corpus is not None and submission.corpus_id != corpus.pk:
            self.add_error("submission", f"{submission.shown_name} is not of the corpus {corpus.tag}.")
        if data.get("kind") in INTERFACES:
            self._check_interface(INTERFACES[data["kind"]], data)
        return data

    def _check_interface(self, interface: Interface, data: dict[str, Any]) -> None:
        try:
            interface.price.most_questions(
                data.get("questions_per_hit"), provider=data.get("provider", ""), by_sentence=False
            )
        except InvalidInput as error:
            self.add_error("questions_per_hit", _sentence(error))
        try:
            check_by_sentence(interface, data.get("by_sentence", False))
        except InvalidInput as error:
            self.add_error("by_sentence", _sentence(error))


class TutorialForm(PostForm):
    """Which tutorial is offered to how many, and what it pays."""

    corpus = forms.ModelChoiceField(
        label="Paid by the budget of", queryset=Corpus.objects.all(), empty_label=None, to_field_name="tag"
    )
    kind = forms.ChoiceField(
        label="Teaches",
        choices=[(one.name, one.description) for one in INTERFACES.values() if one.teaching is not None],
    )
    provider = forms.ChoiceField(label="Through")
    places = forms.IntegerField(label="For at most, workers", min_value=1, max_value=1000, initial=20)
    reward_cents = DollarsField(
        label="Reward, $",
        required=False,
        min_value=Decimal("0.01"),
        max_value=Decimal(100),
        help_text="For each worker, passed or not. Left empty: what its time is worth.",
    )
    lifetime_hours = forms.IntegerField(
        label="Can be found for, hours", min_value=1, max_value=365 * 24, initial=7 * 24
    )


class QuestionsForm(forms.Form):
    """Questions that were chosen from a list."""

    question = forms.ModelMultipleChoiceField(queryset=Question.objects.none())

    def __init__(self, *args: Any, questions: QuerySet[Question], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["question"].queryset = questions  # type: ignore[attr-defined]


def _sentence(error: InvalidInput) -> str:
    """Return what is wrong, beside the field that is."""
    words = str(error).removeprefix(f"{error.where}: ")
    return f"{words[0].upper()}{words[1:]}."
