"""How good a text is: three ratings, and an edit where one of them is not the best.

An answer has the three, each 1, 0 or -1, the edited text, null where all three are 1, and HTER, which is
worked out here::

    {"version": 1, "fluency": 1, "redundancy": 0, "overall": 0, "edit": "…", "hter": 0.125}
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from django.db.models import QuerySet

from annotations.aggregation.majority import Verdict
from annotations.kinds.agreement import Agreement, Aspect, on_values
from annotations.kinds.fields import VERSION, read_fields
from annotations.kinds.kind import Kind, StoredAnswer
from annotations.kinds.means import mean_verdicts, output_digest
from annotations.models import Question, kind_names
from annotations.texts.passages import Passage
from annotations.texts.records import shown
from annotations.texts.ter import hter
from kbpo.core.errors import InvalidInput
from kbpo.core.showable import without_unseen
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

NAME = kind_names.QUALITY

RATINGS = ("fluency", "redundancy", "overall")
LEVELS = (1, 0, -1)
CLAIMS = (*RATINGS, "edit", "edit_capped")


@dataclass(frozen=True)
class QualityQuestion:
    """How good a text is, whatever it was made from.

    Attributes
    ----------
    text : str
    """

    kind: ClassVar[str] = NAME

    text: str

    @cached_property
    def key(self) -> str:
        """Return what tells it from every other question about its document."""
        payload = json.dumps(self.payload(), ensure_ascii=False, sort_keys=True)
        return f"quality|{VERSION}|{hashlib.sha256(payload.encode()).hexdigest()[:32]}"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return none: the document is not shown."""
        return ()

    @property
    def claims(self) -> tuple[str, ...]:
        """Return the names of what is scored: the ratings, and the edit's HTER, as it is and at most 1."""
        return CLAIMS

    @property
    def longest_edit(self) -> int:
        """Return how many characters an edit has at most."""
        return 2 * len(self.text) + 200

    def payload(self) -> dict[str, Any]:
        """Return its JSON."""
        return {"version": VERSION, "text": self.text}

    def judgement(
        self, ratings: Mapping[str, int], edit: str | None, hter: float | None = None
    ) -> dict[str, Any]:
        """Return the JSON of an answer.

        Parameters
        ----------
        ratings : mapping of str to int
            By the names in `RATINGS`.
        edit : str or None
        hter : float, optional
            Of a judgement that was recorded elsewhere, with its edit or without; else it is worked out.
        """
        measured = self._hter(ratings, edit) if hter is None else hter
        return {
            "version": VERSION,
            **{name: ratings[name] for name in RATINGS},
            "edit": edit,
            "hter": measured,
        }

    def read_answer(self, answer: object) -> dict[str, Any]:
        """Validate an answer, as the head of this module says, and return its normal form.

        What an edit has of control and zero-width characters that the text has not is left out. Of HTER
        whatever it says counts for nothing.

        Raises
        ------
        InvalidInput
            If it is of another form; if the edit is missing where a rating is not the best, changes nothing,
            is empty or far too long; or if there is one though all ratings are.
        """
        fields = read_fields(answer, {*RATINGS, "edit", "hter"})
        ratings = {name: _read_level(name, fields.get(name)) for name in RATINGS}
        edit = self._read_edit(fields.get("edit"))
        if not self.text.strip():
            return self.judgement(ratings, None)  # there is nothing to be improved
        changes = edit is not None and not self.is_unchanged(edit)
        if is_best(ratings):
            if changes:
                raise InvalidInput(
                    "all ratings are the best, but the text was changed: reset it, or rate lower"
                )
            return self.judgement(ratings, None)
        if edit is None:
            raise InvalidInput("a rating is not the best, so the text must be improved: the edit is missing")
        if not edit:
            raise InvalidInput("the edit is empty: improve the text instead of taking it away")
        if not changes:
            raise InvalidInput("the edit changes nothing: a rating is not the best, so improve the text")
        if len(edit) > self.longest_edit:
            raise InvalidInput(
                f"the edit has {len(edit):,} characters; {self.longest_edit:,} are the most: shorten it"
            )
        return self.judgement(ratings, edit)

    def is_unchanged(self, edit: str) -> bool:
        """Say whether an edit has the words of the text, whatever the white space between them."""
        return edit.split() == self.text.split()

    def values(self, answer: StoredAnswer) -> dict[str, float]:
        """Return what a stored answer says: the ratings, and HTER, 0 where nothing was edited."""
        hter = float(answer["hter"])
        return {name: float(answer[name]) for name in RATINGS} | {"edit": hter, "edit_capped": min(hter, 1.0)}

    def agree(self, answers: Sequence[StoredAnswer]) -> bool:
        """Say whether there is one stored answer at most: each further one moves the mean."""
        return len(answers) < 2

    def settle(self, answers: Sequence[StoredAnswer]) -> Mapping[str, Verdict] | None:
        """Return the means of the votes; None without one."""
        return mean_verdicts([self.values(answer) for answer in answers])

    def is_right(self, answer: StoredAnswer, labels: Mapping[str, float]) -> bool:
        """Say whether a stored answer is what was settled."""
        return self.values(answer) == dict(labels)

    def published(self, claim: str) -> dict[str, Any]:
        """Return the columns of a claim in the files of released labels."""
        return {"measure": claim, "output": output_digest(self.text)}

    def _read_edit(self, edit: object) -> str | None:
        if edit is None:
            return None
        if not isinstance(edit, str):
            raise InvalidInput(
                f"the edit is {shown(edit)}; it must be a text, or null where all ratings are 1"
            )
        return without_unseen(edit.replace("\r\n", "\n").replace("\r", "\n"), but=self.text).strip()

    def _hter(self, ratings: Mapping[str, int], edit: str | None) -> float:
        if not self.text.strip():
            return 0.0 if is_best(ratings) else 1.0  # all of what should stand there is missing
        return hter(self.text, edit)


def is_best(ratings: Mapping[str, int]) -> bool:
    """Say whether all ratings are the best, so that nothing is to be improved."""
    return all(ratings[name] == LEVELS[0] for name in RATINGS)


def _read_level(name: str, level: object) -> int:
    if isinstance(level, bool) or not isinstance(level, int) or level not in LEVELS:
        raise InvalidInput(f"{name} is {shown(level)}; it must be 1, 0 or -1")
    return level


def _parse(payload: Mapping[str, Any], passage: Passage | None, ontology: Ontology | None) -> QualityQuestion:
    text = payload["text"]
    if not isinstance(text, str):
        raise TypeError("its text is none")
    return QualityQuestion(text)


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said of a text, to be shown: ratings by name, the edit or None, and its HTER."""

    ratings: Mapping[str, int]
    edit: str | None
    hter: float


def read_said(answer: StoredAnswer) -> Said:
    """Return what a stored answer says."""
    return Said({name: answer[name] for name in RATINGS}, answer["edit"], float(answer["hter"]))


#: What agreement is measured of, the first one where there is room for one alone.
_ASPECTS = {
    "overall": Aspect.OVERALL,
    "fluency": Aspect.FLUENCY,
    "redundancy": Aspect.REDUNDANCY,
    "edit": Aspect.EDIT,
}


def _agreement(questions: QuerySet[Question], first: int | None, level: float) -> list[Agreement]:
    return on_values(questions, first, level, kind=NAME, aspects=_ASPECTS, read=KIND.read)


KIND = Kind(
    name=NAME,
    label="how good a text is",
    parse=_parse,
    reads_passage=False,
    usual_error=1.0,  # two who edit a text hardly ever make the same of it
    affirms=None,
    category="answer ->> 'overall'",
    agreement=_agreement,
    can_be_gold=False,  # the mean of what some people think of a text is no answer that others must give
    reopens=True,
    settled=None,
    columns=("measure", "output"),
)
