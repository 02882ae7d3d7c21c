"""What organisers and operators type about corpora and roles."""

from typing import Any

from django import forms

from annotations.corpora import AUDIT_SHARE
from annotations.data import agreements
from annotations.models import Corpus, CorpusRole, OntologyVersion, Prompt
from annotations.policies import registry as policies
from annotations.texts import languages
from annotations.texts.inputs import PromptRecord, read_planning
from evaluation.registry import TASKS
from kbpo.accounts.models import User
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies import builtin as ontologies


class FileForm(forms.Form):
    """A file of JSON Lines."""

    file = forms.FileField(
        label="File",
        max_length=200,
        help_text="JSON Lines, one document a line, plain or compressed with gzip; at most 8 MiB as sent, 32"
        " MiB and 5,000 lines unpacked.",
    )


class GoldForm(FileForm):
    """Experts' annotations, and how many of the annotated documents are drawn."""

    documents = forms.IntegerField(
        label="Documents to draw",
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text="Out of those that the file annotates. Left empty: all of them.",
    )


class CorpusForm(FileForm):
    """A new corpus: what it is called, and its first texts."""

    tag = forms.SlugField(
        label="Tag",
        max_length=64,
        help_text="Short, for addresses and commands: letters, digits, - and _. It never changes.",
    )
    name = forms.CharField(label="Name", max_length=200)
    language = forms.CharField(
        label="Language",
        max_length=languages.LONGEST_TAG,
        initial=languages.DEFAULT,
        help_text="In which its documents are written, as en, ar or zh-Hant (BCP 47). It never changes.",
    )
    task = forms.ChoiceField(
        label="What systems do",
        choices=[(task.name, task.words) for task in TASKS.values()],
        initial=Corpus._meta.get_field("task").get_default,
        help_text="It never changes.",
    )
    ontology = forms.ModelChoiceField(
        OntologyVersion.objects.defer("content"),
        label="Types and relations",
        initial=ontologies.DEFAULT,
        empty_label=None,
        required=False,
        help_text="For knowledge bases. An operator loads others. They never change.",
    )
    classes = forms.FileField(
        label="Classes",
        required=False,
        max_length=200,
        help_text="For classes of texts: TOML, with a name, a version, and a table [[class]] for each, with"
        " its name and its guideline. They never change.",
    )
    prompt = forms.ChoiceField(
        label="What is asked of outputs",
        choices=[("", "–"), *Prompt.Name.choices],
        required=False,
        help_text="For generated text. It never changes.",
    )
    metric = forms.CharField(
        label="Metric that judgements are corrected by",
        required=False,
        max_length=64,
        help_text="For generated text: a built-in one, or a column that systems submit. It never changes.",
    )
    planning = forms.CharField(
        label="How outputs and judgements are expected to vary",
        required=False,
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="For generated text, a line for each measure: two variances, and the correlation with the"
        " metric, as overall=0.14,0.28,0.3. Left empty: as was found elsewhere.",
    )
    policy = forms.ChoiceField(
        label="Votes are enough",
        choices=policies.choices,
        initial=policies.DEFAULT,
        help_text="For generated text it is one vote, for some outputs two.",
    )
    audit_share = forms.FloatField(
        label="Share of labels that are audited",
        required=False,
        min_value=0,
        max_value=1,
        initial=AUDIT_SHARE,
        help_text="From 0, none, to 1, all. Others answer these questions again, an expert or seven people"
        " each, so that scores and their intervals allow for judges’ errors. It stays once anything is"
        " asked. For generated text it is 0.",
    )
    field_order = (
        *("tag", "name", "language", "task", "ontology", "classes", "prompt", "metric", "planning"),
        *("policy", "audit_share", "file"),
    )

    def clean(self) -> dict[str, Any]:
        """Leave out what the task does not have; put together what is asked of outputs."""
        data = super().clean() or {}
        metric, planning = data.pop("metric", ""), data.pop("planning", "")
        asked, data["prompt"] = data.get("prompt"), None
        task = TASKS.get(data.get("task", ""))
        if task is None:
            return data
        if not task.has_ontology:
            data["ontology"] = None
        if task.has_prompt:
            data["policy"], data["audit_share"] = task.policies[0], 0.0
            self._clean_prompt(data, asked or "", metric, planning)
        return data

    def _clean_prompt(self, data: dict[str, Any], asked: str, metric: str, planning: str) -> None:
        if not asked:
            self.add_error("prompt", "Choose what is asked of outputs.")
            return
        try:
            data["prompt"] = PromptRecord(asked, metric, read_planning(planning.split()))
        except InvalidInput as error:
            self.add_error(error.where or "prompt", str(error))

    def clean_language(self) -> str:
        """Check that documents in it can be cut into words."""
        try:
            return languages.read_language(self.cleaned_data["language"]).tag
        except InvalidInput as error:
            raise forms.ValidationError(str(error)) from None


class SnapshotForm(forms.Form):
    """A snapshot of the leaderboard."""

    note = forms.CharField(
        label="What it is for",
        required=False,
        max_length=200,
        help_text="Such as a workshop's name; it stands beside the snapshot for good.",
    )


class ReleaseForm(forms.Form):
    """The release of an epoch."""

    number = forms.IntegerField(widget=forms.HiddenInput)  # a page that is sent twice releases one
    sure = forms.BooleanField(label="Its verdicts and its secret are public from then on, for good")

    @property
    def share(self) -> float | None:
        """The share of the documents annotated in full that is retired with it; None where none is."""
        return None


class RetiringReleaseForm(ReleaseForm):
    """The release of an epoch where documents are annotated in full; the service knows what is possible."""

    percent = forms.IntegerField(
        label="Documents annotated in full to retire, %",
        min_value=0,
        max_value=100,
        initial=0,
        help_text="Drawn uniformly. Everybody can read them from then on, with all that was found in them,"
        " and others take their place.",
    )
    field_order = ("number", "percent", "sure")

    @property
    def share(self) -> float | None:
        """The share of the documents annotated in full that is retired with it; None where none is."""
        percent: int = self.cleaned_data["percent"]
        return percent / 100 if percent else None


class DetailsForm(forms.Form):
    """What may change of a corpus at any time."""

    name = forms.CharField(label="Name", max_length=200)
    description = forms.CharField(
        label="Description",
        required=False,
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Everybody reads it on the corpus’ page.",
    )
    weekly_quota = forms.IntegerField(
        label="Systems that a team may have judged in seven days", min_value=0, max_value=1_000
    )
    weekly_quota_of_person = forms.IntegerField(
        label="Systems that a person may have judged in seven days, in all their teams",
        min_value=0,
        max_value=1_000,
    )
    contact = forms.CharField(
        label="Contact", required=False, max_length=200, help_text="A mail address or a page."
    )
    anonymous_days = forms.IntegerField(
        label="Days for which a system may be anonymous",
        required=False,
        min_value=0,
        max_value=3_650,
        help_text="After its upload, as for a review without names. Left empty: none.",
    )

    def clean_anonymous_days(self) -> int:
        """Return the days; 0 where none are named."""
        return self.cleaned_data["anonymous_days"] or 0


def _words(label: str, hint: str, *, rows: int = 3) -> forms.CharField:
    return forms.CharField(
        label=label,
        required=False,
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": rows}),
        help_text=hint,
    )


class DataForm(forms.Form):
    """What is said of a corpus' texts, and who may read them."""

    texts = forms.ChoiceField(
        label="Who may read the texts here",
        choices=Corpus.Texts.choices,
        help_text="On pages and in files alike. Those who annotate always see what they are asked about.",
    )
    licence = forms.CharField(
        label="Licence of the texts",
        required=False,
        max_length=200,
        help_text="As CC BY 4.0. Without one, nobody can download them.",
    )
    source = forms.URLField(
        label="Where they come from",
        required=False,
        max_length=500,
        assume_scheme="https",
        help_text="An address, at which those can have them to whom they are not given here.",
    )
    citation = _words("To be cited as", "")
    made = _words("How it was made", "How texts were chosen and prepared, when and by whom.")
    annotated = _words("How it is annotated", "Left empty, its page says how many people judge a claim.")


class AgreementTextForm(forms.Form):
    """Another version of what teams accept before they read the texts."""

    text = forms.CharField(
        label="The agreement",
        max_length=agreements.LONGEST,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="Plain text. Each change is another version, and every team is asked again.",
    )


class TakedownForm(forms.Form):
    """Which document's text is removed, and why."""

    doc_id = forms.CharField(label="The document’s id", max_length=200)
    reason = forms.CharField(
        label="The reason",
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Everybody reads it where the document was.",
    )
    sure = forms.BooleanField(label="Its text is removed for good: nobody can bring it back")


class PersonField(forms.EmailField):
    """Somebody with an account, by email address."""

    def clean(self, value: Any) -> Any:
        """Return the person."""
        address = super().clean(value)
        found = User.objects.filter(email__iexact=address).first() if address else None
        if address and found is None:
            raise forms.ValidationError("Nobody has an account with that address.")
        return found


class RoleForm(forms.Form):
    """Who gets which role for which corpus."""

    user = PersonField(label="Email address", widget=forms.EmailInput(attrs={"autocomplete": "off"}))
    corpus = forms.ModelChoiceField(
        Corpus.objects.all(), label="Corpus", empty_label=None, to_field_name="tag"
    )
    role = forms.ChoiceField(label="Role", choices=CorpusRole.Role.choices)


class MakerForm(forms.Form):
    """Who may make corpora."""

    maker = PersonField(label="Email address", widget=forms.EmailInput(attrs={"autocomplete": "off"}))
