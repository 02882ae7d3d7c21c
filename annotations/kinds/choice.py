"""Which class a text is of."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from django.db.models import QuerySet

from annotations.aggregation import majority
from annotations.aggregation.majority import Verdict
from annotations.kinds.agreement import Agreement, on_whole_answers
from annotations.kinds.fields import VERSION, read_fields
from annotations.kinds.kind import Kind, StoredAnswer
from annotations.models import ClassList, Question, kind_names
from annotations.texts.classes import ClassRecord
from annotations.texts.passages import Passage
from annotations.texts.records import shown
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

NAME = kind_names.CHOICE


@dataclass(frozen=True)
class ChoiceQuestion:
    """Which of some classes the whole text of a document is of.

    Attributes
    ----------
    list_name : str
    list_version : int
        Of the list of classes; with it every answer says under which guidelines it was given.
    cannot_tell : bool
        Whether that may be answered.
    classes : tuple of ClassRecord
        Each a claim, by its name.
    """

    kind: ClassVar[str] = NAME

    list_name: str
    list_version: int
    cannot_tell: bool
    classes: tuple[ClassRecord, ...]

    @classmethod
    def among(cls, classes: ClassList) -> "ChoiceQuestion":
        """Return the question that asks for one of a stored list of classes."""
        records = tuple(ClassRecord(name, guideline) for name, guideline in classes.classes)
        return cls(classes.name, classes.version, classes.cannot_tell, records)

    @cached_property
    def key(self) -> str:
        """Return what tells it from every other question about its document."""
        payload = json.dumps(self.payload(), ensure_ascii=False, sort_keys=True)
        return f"choice|{VERSION}|{hashlib.sha256(payload.encode()).hexdigest()[:32]}"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return none: it is about all of a document."""
        return ()

    @property
    def claims(self) -> tuple[str, ...]:
        """Return the names of the classes."""
        return tuple(one.name for one in self.classes)

    def payload(self) -> dict[str, Any]:
        """Return its JSON."""
        return {
            "version": VERSION,
            "list": {"name": self.list_name, "version": self.list_version},
            "cannot_tell": self.cannot_tell,
            "classes": [[one.name, one.guideline] for one in self.classes],
        }

    def answer(self, name: str | None) -> dict[str, Any]:
        """Return the JSON of an answer; None that one cannot tell."""
        return {"version": VERSION, "class": name}

    def read_answer(self, answer: object) -> dict[str, Any]:
        """Validate an answer, ``{"class": name}``, null where one cannot tell, and return its normal form.

        Raises
        ------
        InvalidInput
            If it is of another form, or names another class.
        """
        fields = read_fields(answer, {"class"})
        if "class" not in fields:
            raise InvalidInput("the class is missing; it must be the name of one, or null")
        name = fields["class"]
        if name is None and not self.cannot_tell:
            raise InvalidInput("the class is null; one must be chosen here")
        if name is not None and name not in self.claims:
            raise InvalidInput(f"the class is {shown(name)}; it must be one of {', '.join(self.claims)}")
        return self.answer(name)

    def values(self, answer: StoredAnswer) -> dict[str, float]:
        """Return what a stored answer says of each class: 1 of the one that was chosen."""
        return {name: float(answer["class"] == name) for name in self.claims}

    def agree(self, answers: Sequence[StoredAnswer]) -> bool:
        """Say whether stored answers all choose the same."""
        return len({answer["class"] for answer in answers}) <= 1

    def settle(self, answers: Sequence[StoredAnswer]) -> Mapping[str, Verdict] | None:
        """Return the verdict of more than half of the votes on each class; None while nothing has so many."""
        votes = [[] if answer["class"] is None else [answer["class"]] for answer in answers]
        return majority.relations(self.claims, votes)

    def is_right(self, answer: StoredAnswer, labels: Mapping[str, float]) -> bool:
        """Say whether a stored answer is what was settled."""
        return self.values(answer) == dict(labels)

    def published(self, claim: str) -> dict[str, Any]:
        """Return the columns of a class in the files of released labels."""
        return {"class": claim, "class_list": f"{self.list_name} {self.list_version}"}


def _parse(payload: Mapping[str, Any], passage: Passage | None, ontology: Ontology | None) -> ChoiceQuestion:
    return ChoiceQuestion(
        payload["list"]["name"],
        payload["list"]["version"],
        payload["cannot_tell"],
        tuple(ClassRecord(name, guideline) for name, guideline in payload["classes"]),
    )


_CATEGORY = "COALESCE(answer ->> 'class', '')"


def _agreement(questions: QuerySet[Question], first: int | None, level: float) -> list[Agreement]:
    return [on_whole_answers(questions, first, level, kind=NAME, category=_CATEGORY)]


KIND = Kind(
    name=NAME,
    label="which class a text is of",
    parse=_parse,
    reads_passage=False,
    usual_error=majority.ERROR,
    affirms="COALESCE(response.answer ->> 'class' = label.claim, false)",
    category=_CATEGORY,
    agreement=_agreement,
    can_be_gold=True,
    reopens=False,
    settled=None,
    columns=("class", "class_list"),
)
