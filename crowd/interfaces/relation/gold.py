"""What is right of a question of the relation interface that was settled."""

from collections.abc import Collection, Mapping
from typing import Any

from annotations import payloads
from annotations.models import Label, Question
from annotations.payloads import CanonicalQuestion, Offer
from crowd.interfaces.relation.form import Asked, ticked_values


def is_right(question: Question, answer: Mapping[str, Any], labels: Collection[Label]) -> bool:
    """Say whether an answer is all of what was settled, and nothing else."""
    asked = payloads.read_claim_question(question.kind, question.payload)
    return set(ticked_values(asked, answer)) == set(right_values(asked, labels))


def right_values(asked: Asked, labels: Collection[Label]) -> list[str]:
    """Return what would have been ticked in the form by somebody who is right."""
    if isinstance(asked, CanonicalQuestion):
        return ticked_values(asked, asked.answer(any(label.value for label in labels)))
    true = [Offer(label.predicate, label.subject) for label in labels if label.value]
    return ticked_values(asked, asked.answer(true))
