"""The forms by which a system is submitted, or a file is checked."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.core.files import File
from django.forms import BoundField
from django.http import QueryDict

from annotations.challenges import versions
from annotations.data import agreements
from annotations.models import Corpus, CorpusTerms, DataAgreement
from annotations.models.challenge import Version
from evaluation.models import Submission, Upload
from evaluation.reading.reader import AttachmentKind
from evaluation.registry import TASKS, task_of
from evaluation.submissions import links, uploads
from evaluation.task import Task
from kbpo.accounts.models import Team, User
from kbpo.core.errors import InvalidInput, KbpoError
from kbpo_formats.recognising import is_recognised

FORMAT_HELP = (
    "Files of the Text Analysis Conference’s track for knowledge base population (TAC KBP) are read by the"
    " rules of 2016, unless 2015 is chosen."
)
LIVE = ("uploaded", "accepted", "judging", "scored")


def format_choices() -> list[tuple[str, str]]:
    """Return the formats of every task, with their names; the service knows which go with a corpus."""
    formats = {name: label for task in TASKS.values() for name, label in task.reader.formats.items()}
    return [("", "Recognise it"), *formats.items()]


def attachment_kinds() -> dict[str, tuple[AttachmentKind, list[Task]]]:
    """Return what may come beside a file of any task that has a corpus, and the tasks, by name."""
    found: dict[str, tuple[AttachmentKind, list[Task]]] = {}
    names = set(Corpus.objects.order_by().values_list("task", flat=True).distinct())
    for task in TASKS.values():
        for kind in task.reader.attachments if task.name in names else ():
            found.setdefault(kind.name, (kind, []))[1].append(task)
    return found


@dataclass(frozen=True, slots=True)
class AttachmentField:
    """A part of a form that takes what comes beside its file.

    Attributes
    ----------
    field : BoundField
    upload : str
        The name of the field that names its upload.
    here : Upload or None
        That upload, if all of it is here.
    corpora : str
        The ids of the corpora that it is for, with spaces between.
    """

    field: BoundField
    upload: str
    here: Upload | None
    corpora: str


_FORMAT: dict[str, Any] = {
    "label": "Format",
    "choices": format_choices,
    "required": False,
    "help_text": FORMAT_HELP,
}


class CorpusField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """A choice of a corpus, each named with what it asks for."""

    def label_from_instance(self, obj: Any) -> str:
        """Return a corpus' name and that of its task."""
        task = TASKS.get(obj.task)
        return f"{obj.name} ({task.label})" if task else obj.name


class FileForm(forms.Form):
    """A file and what it is to be read as. What is in it is checked later, by the pipeline.

    The file comes with the form, or it is here already and the form names its upload. Either way it is kept
    when the form is refused, so that nobody sends it twice.
    """

    #: Fields that can be left for later.
    LATER: ClassVar[tuple[str, ...]] = ()

    corpus = CorpusField(Corpus.objects.all(), label="Corpus", empty_label=None)
    format = forms.ChoiceField(**_FORMAT)
    file = forms.FileField(
        label="File",
        required=False,
        allow_empty_file=True,  # refused below, in the service's words
        help_text="One file of at most 500 MB, plain or compressed with gzip.",
        max_length=200,
    )
    upload = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        data: QueryDict | None = None,
        files: Any = None,
        *,
        user: User,
        **kwargs: Any,
    ) -> None:
        self.user = user
        self.refusals: dict[str, KbpoError] = {}
        self.kinds = attachment_kinds()
        if data is not None:
            data = data.copy()
            for name, upload in self._pairs().items():
                sent = (files or {}).get(name)
                if sent is not None:
                    self._keep(data, name, upload, sent)
        super().__init__(data, **kwargs)
        chosen = self.initial.get("corpus") if data is None else data.get("corpus")
        if not chosen and Corpus.objects.count() > 1:
            # nobody submits to the first one because it is the first
            field = self.fields["corpus"]
            assert isinstance(field, forms.ModelChoiceField)
            field.empty_label = "Choose the corpus that your system read"
        for name, (kind, tasks) in self.kinds.items():
            of = " and ".join(task.label for task in tasks)
            self.fields[f"file_{name}"] = forms.FileField(
                label=f"{kind.label}, for {of} alone",
                required=False,
                allow_empty_file=True,
                help_text=kind.words,
                max_length=200,
            )
            self.fields[f"upload_{name}"] = forms.UUIDField(required=False, widget=forms.HiddenInput)

    @property
    def here(self) -> Upload | None:
        """The upload that the form names, if all of it is here."""
        return self._here("upload")

    @property
    def attachments(self) -> list[AttachmentField]:
        """What may come beside the file."""
        return [
            AttachmentField(
                self[f"file_{name}"],
                f"upload_{name}",
                self._here(f"upload_{name}"),
                " ".join(str(one.pk) for one in Corpus.objects.filter(task__in=[one.name for one in tasks])),
            )
            for name, (_, tasks) in self.kinds.items()
        ]

    @property
    def all_here(self) -> list[Upload]:
        """The uploads that the form names, as far as they are here."""
        return [one for one in map(self._here, self._pairs().values()) if one is not None]

    @property
    def plain_fields(self) -> list[BoundField]:
        """The fields that have no place of their own on the page."""
        own = {"again", *self._pairs(), *self._pairs().values(), *self.LATER}
        return [field for field in self if field.name not in own]

    @property
    def later_fields(self) -> list[BoundField]:
        """The fields that nobody needs to think of now: they stand folded away."""
        return [field for field in self if field.name in self.LATER]

    @property
    def is_more_open(self) -> bool:
        """Whether something is said or wrong in one of those."""
        return any(field.errors or field.value() for field in self.later_fields)

    def clean(self) -> dict[str, Any]:
        """Find the uploads."""
        cleaned = super().clean() or {}
        attachments: dict[str, Upload] = {}
        for name, upload in self._pairs().items():
            pk = cleaned.pop(upload, None)
            cleaned.pop(name, None)
            try:
                if name in self.refusals:
                    raise self.refusals[name]
                if pk is not None:
                    found = uploads.whole(user=self.user, pk=pk)
                    if name == "file":
                        cleaned["upload"] = found
                    else:
                        attachments[name.removeprefix("file_")] = found
                elif name == "file":
                    self.add_error("file", "Choose a file.")
            except KbpoError as error:
                self.add_error(name, str(error))
        cleaned["attachments"] = attachments
        return cleaned

    def _pairs(self) -> dict[str, str]:
        """Return the fields that take files, each with the one that names its upload."""
        return {"file": "upload", **{f"file_{name}": f"upload_{name}" for name in self.kinds}}

    def _here(self, upload: str) -> Upload | None:
        try:
            return uploads.whole(user=self.user, pk=UUID(str(self[upload].value())))
        except (ValueError, KbpoError):
            return None

    def _keep(self, data: QueryDict, name: str, upload: str, sent: "File[bytes]") -> None:
        try:
            data[upload] = str(uploads.keep(user=self.user, file=sent).pk)
        except KbpoError as error:
            data[upload] = ""
            self.refusals[name] = error


class CheckForm(FileForm):
    """A file to be checked and not submitted."""

    field_order = ("file", "corpus", "format")


class VisitorCheckForm(forms.Form):
    """A file of somebody without an account, to be checked at once."""

    corpus = CorpusField(
        Corpus.objects.filter(texts=Corpus.Texts.PUBLIC).order_by("created_at", "pk"),
        label="Corpus",
        empty_label=None,
    )
    format = forms.ChoiceField(**_FORMAT)
    file = forms.FileField(
        label="File",
        allow_empty_file=True,  # refused in the service's words
        help_text="One file of at most 1 MB, plain or compressed with gzip.",
        max_length=200,
        error_messages={"required": "Choose a file."},
    )


def link_field(label: str) -> forms.CharField:
    """Return a field for an address that everybody is shown."""
    return forms.CharField(
        label=label,
        required=False,
        max_length=links.LONGEST,
        widget=forms.URLInput(attrs={"autocomplete": "off"}),
        help_text="It begins with https://, and can be changed later.",
    )


def clean_links(form: forms.Form, cleaned: dict[str, Any]) -> None:
    """Put the two addresses of a form together, or say at its field which cannot be shown."""
    given = {name: cleaned.pop(f"{name}_url", "") for name in ("paper", "code")}
    for name, value in given.items():
        try:
            links.read_links(**{"paper": "", "code": "", name: value})
        except InvalidInput as error:
            form.add_error(f"{name}_url", str(error).removeprefix(f"{error.where}: "))
            return
    cleaned["links"] = links.read_links(**given)


class LinksForm(forms.Form):
    """Where a system's paper and code are."""

    paper_url = link_field("Address of a paper")
    code_url = link_field("Address of its code")

    def clean(self) -> dict[str, Any]:
        """Put them together."""
        cleaned = super().clean() or {}
        clean_links(self, cleaned)
        return cleaned


class UploadForm(FileForm):
    """What a system predicts, for whom and for what."""

    LATER = ("paper_url", "code_url", "anonymous_until")

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
        help_text="Shown beside what it predicts.",
    )
    paper_url = link_field("Address of a paper")
    code_url = link_field("Address of its code")
    again = forms.BooleanField(label="Submit them again", required=False)
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
        help_text="Otherwise only your team and the operators see it; you can change this at any time."
        " What its score rests on is in its epoch's archive in any case, under a pseudonym if it is hidden"
        " or withdrawn. Help says under “Epochs” what an archive tells.",
    )
    anonymous_until = forms.DateField(
        label="Keep its name and your team's from others until",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="For a review without names. Others see both as “Anonymous” with a number until that day,"
        " and not what it does. Left empty: they see the names.",
    )
    field_order = ("file", "corpus", "team", "name", "description", "paper_url", "code_url", "format")

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, user=user, **kwargs)
        teams = Team.objects.filter(memberships__user=user).order_by("name")
        self.fields["team"].queryset = teams  # type: ignore[attr-defined]

    @property
    def same_bytes(self) -> list[Submission]:
        """What has the very same bytes in the corpus that is chosen."""
        if self.here is None:
            return []
        chosen = str(getattr(value := self["corpus"].value(), "pk", value))
        return [one for one in uploads.same_bytes(self.here) if str(one.corpus_id) == chosen]

    @property
    def tags(self) -> str:
        """The tag of each corpus by its value in the form, as JSON: by it the script finds the same bytes."""
        return json.dumps({str(pk): tag for pk, tag in Corpus.objects.values_list("pk", "tag")})

    def clean(self) -> dict[str, Any]:
        """Ask back where the same bytes were submitted before."""
        cleaned = super().clean()
        cleaned["anonymous_until"] = midnight(cleaned.get("anonymous_until"))
        clean_links(self, cleaned)
        sent, corpus = cleaned.get("upload"), cleaned.get("corpus")
        is_meant = cleaned.pop("again", False)
        if sent and corpus and not is_meant:
            same = uploads.with_digest(sent.digest, user=self.user.pk, corpus=corpus.pk)
            if same:
                self.add_error(
                    "again", "Nothing was submitted yet: say that you want the same bytes judged again."
                )
        return cleaned


def midnight(day: date | None) -> datetime | None:
    """Return when a day begins, in UTC."""
    return None if day is None else datetime.combine(day, time(), UTC)


def remembered(user: User) -> dict[str, Any]:
    """Return what a user's next submission starts from: the last one's values, with a name that is free."""
    last = (
        Submission.objects.filter(uploaded_by=user, team__memberships__user=user)
        .select_related("corpus", "team")
        .order_by("-pk")
        .first()
    )
    if last is None:
        return {}
    same = ("corpus", "team", "description", "go_ahead", "is_public", "paper_url", "code_url")
    return {
        **{name: getattr(last, name) for name in same},
        "name": _free_name(last),
        "format": "" if is_recognised(last.format, task_of(last.corpus).reader.formats) else last.format,
    }


def _free_name(last: Submission) -> str:
    """Return the name itself if none that lives has it, else the name with the next number."""
    taken = set(
        Submission.objects.filter(team=last.team, corpus=last.corpus, state__in=LIVE).values_list(
            "name", flat=True
        )
    )
    name, number = last.name, 1
    match = re.fullmatch(r"(.*\S) (\d{1,4})", last.name)
    stem = match[1] if match else last.name
    number = int(match[2]) if match else 1
    while name in taken:
        number += 1
        name = f"{stem[:94]} {number}"
    return name


class AcceptForm(forms.Form):
    """A team's word on a version of a text."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    team = forms.ModelChoiceField(Team.objects.none(), label="Team", empty_label=None)

    def __init__(self, data: QueryDict | None, held: Version | DataAgreement | None, teams: Any) -> None:
        super().__init__(data, initial={"version": held.version if held else None})
        self.fields["team"].queryset = teams  # type: ignore[attr-defined]

    @property
    def accepted(self) -> dict[str, Any]:
        """What is accepted, and for whom; of a form that is valid."""
        return {"version": self.cleaned_data["version"], "team": self.cleaned_data["team"]}


class AgreementForm(AcceptForm):
    """A team's word on the agreement of a corpus."""

    sure = forms.BooleanField(label="We accept this agreement, for all members of the team")

    def __init__(self, data: QueryDict | None = None, *, corpus: Corpus, user: User) -> None:
        super().__init__(data, agreements.newest(corpus), agreements.may_accept(corpus, user))


class TermsForm(AcceptForm):
    """A team's word on the terms of a corpus."""

    sure = forms.BooleanField(label="We accept these terms, for all members of the team")

    def __init__(self, data: QueryDict | None = None, *, corpus: Corpus, user: User) -> None:
        super().__init__(data, versions.newest(CorpusTerms, corpus), versions.may_accept(corpus, user))
