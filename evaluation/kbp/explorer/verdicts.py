"""What published labels say of claims. What is not published is never read here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from django.core.cache import cache

from annotations import questions
from annotations.kinds import canonical, relation
from annotations.kinds.relation import Offer
from annotations.models import Label, Question
from annotations.questions import Claim
from evaluation.kbp.claims import ClaimRow, row_of
from evaluation.models import Prediction, Submission
from evaluation.submissions.visibility import SYSTEMS
from kbpo.core.database.bulk import read_rows

Outcome = Literal["right", "wrong", "sealed"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is published of a prediction; None where nothing is.

    Attributes
    ----------
    relation : bool or None
        Whether the relation holds.
    subject, object : bool or None
        Whether the canonical mention that the system gives is right.
    has_object : bool
        Whether the object has a canonical mention at all: strings and dates have none.
    """

    relation: bool | None = None
    subject: bool | None = None
    object: bool | None = None
    has_object: bool = True

    @property
    def overall(self) -> bool | None:
        """Whether relation and canonical mentions are all right; None while that is not published."""
        parts = [self.relation, self.subject, *([self.object] if self.has_object else [])]
        if any(part is False for part in parts):
            return False
        return None if any(part is None for part in parts) else True

    @property
    def outcome(self) -> Outcome:
        """The overall verdict in a word, as the filter names it."""
        return {True: "right", False: "wrong", None: "sealed"}[self.overall]  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Ruling:
    """A published label, and the votes behind it.

    Attributes
    ----------
    value : bool
    votes_for, votes : int
        How many of how many said that it holds; where an expert decided, the expert alone.
    by_expert : bool
    """

    value: bool
    votes_for: int
    votes: int
    by_expert: bool

    @classmethod
    def of(cls, label: Label) -> "Ruling":
        """Return what a label says."""
        return cls(label.value == 1, label.votes_for, label.votes, label.source == Label.Source.EXPERT)


def published_rulings(claims: Iterable[Claim]) -> dict[Claim, Ruling]:
    """Read what is published on claimed relations: those on which nothing is are left out.

    Parameters
    ----------
    claims : iterable of Claim
    """
    asked = questions.find_relations(set(claims))
    labels = _published_labels(question for question, _ in asked.values())
    return {
        claim: Ruling.of(labels[question.pk, Offer(claim.predicate, subject).claim])
        for claim, (question, subject) in asked.items()
        if (question.pk, Offer(claim.predicate, subject).claim) in labels
    }


def published_verdicts(predictions: Iterable[Prediction]) -> dict[int, Verdict]:
    """Read the published verdicts on predictions.

    Parameters
    ----------
    predictions : iterable of Prediction
        With their instances at hand.

    Returns
    -------
    dict of int to Verdict
        One for every prediction, by its row id. The number of queries does not depend on how many they are.
    """
    listed = list(predictions)
    verdicts = published_verdicts_on([row_of(prediction) for prediction in listed])
    return {prediction.pk: verdict for prediction, verdict in zip(listed, verdicts, strict=True)}


_MAYBE_PUBLISHED = """
WITH published AS MATERIALIZED (
    SELECT document_id, kind, payload FROM annotations_question
    WHERE published_at IS NOT NULL AND kind IN (%s, %s) AND document_id IN (
        SELECT id FROM annotations_document WHERE corpus_id = %s
    )
),
related AS MATERIALIZED (
    SELECT document_id, (payload -> 'mentions' -> 0 ->> 'start')::int AS one,
        (payload -> 'mentions' -> 1 ->> 'start')::int AS other
    FROM published WHERE kind = %s
),
named AS MATERIALIZED (
    SELECT document_id, (payload -> 'mention' ->> 'start')::int AS mention,
        (payload -> 'canonical' ->> 'start')::int AS canonical
    FROM published WHERE kind = %s
)
SELECT prediction.id FROM evaluation_prediction AS prediction
JOIN evaluation_instance AS instance ON instance.id = prediction.instance_id
WHERE prediction.submission_id = %s AND instance.document_id IN (
    SELECT document_id FROM annotations_question WHERE published_at IS NOT NULL  -- few: theirs alone are read
) AND (
    (instance.document_id, subject_start, object_start) IN (SELECT document_id, one, other FROM related)
    OR (instance.document_id, object_start, subject_start) IN (SELECT document_id, one, other FROM related)
    OR (instance.document_id, subject_start, subject_canonical_start)
        IN (SELECT document_id, mention, canonical FROM named)
    OR (instance.document_id, object_start, object_canonical_start)
        IN (SELECT document_id, mention, canonical FROM named)
)
"""


_STATE = "SELECT count(*), max(published_at) FROM annotations_question WHERE published_at IS NOT NULL"
REMEMBERED = 3600
"""Seconds for which it is remembered which predictions published questions ask about."""


def maybe_published(submission: Submission) -> list[Prediction]:
    """Read what of a system's predictions published questions ask about: the others have no verdict.

    Postgres compares where mentions begin; what the questions say of them, `published_verdicts` reads. Once a
    file is read, no prediction changes, nor does a question: it is found once, until others are published.
    """
    ((number, last),) = read_rows(_STATE, [])
    place = f"maybe-published|{submission.pk}|{number}|{last and last.timestamp()}"
    found = cache.get(place)
    if found is None:
        kinds = [relation.KIND.name, canonical.KIND.name]
        rows = read_rows(_MAYBE_PUBLISHED, [*kinds, submission.corpus_id, *kinds, submission.pk])
        found = [pk for (pk,) in rows]
        if submission.state in SYSTEMS:
            cache.set(place, found, REMEMBERED)
    return list(Prediction.objects.filter(pk__in=found).select_related("instance"))


def published_verdicts_on(rows: Sequence[ClaimRow]) -> list[Verdict]:
    """Read the published verdicts on what is claimed, in the order given, with a fixed number of queries."""
    claims = [row.relation() for row in rows]
    canonicals = [row.canonicals() for row in rows]
    relations = questions.find_relations(set(claims))
    mentions = questions.find_canonicals({claim for two in canonicals for claim in two})
    labels = _published_labels([*(question for question, _ in relations.values()), *mentions.values()])
    values = {place: label.value == 1 for place, label in labels.items()}
    verdicts = []
    for claim, own in zip(claims, canonicals, strict=True):
        holds = None
        if claim in relations:
            question, subject = relations[claim]
            holds = values.get((question.pk, Offer(claim.predicate, subject).claim))
        right = [values.get((mentions[one].pk, canonical.CLAIM)) if one in mentions else None for one in own]
        verdicts.append(
            Verdict(holds, right[0], right[1] if len(right) > 1 else None, has_object=len(right) > 1)
        )
    return verdicts


def _published_labels(asked: Iterable[Question]) -> Mapping[tuple[int, str], Label]:
    published = {question.pk for question in asked if question.published_at is not None}
    labels = Label.objects.filter(question__in=published)
    return {(label.question_id, label.claim): label for label in labels}
