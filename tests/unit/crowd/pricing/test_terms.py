"""Terms of a batch that make no sense cannot be made."""

from datetime import timedelta
from typing import Any

import pytest

from annotations.models import Corpus
from crowd.pricing.terms import BatchTerms
from kbpo.core.errors import InvalidInput

GIVEN = {"corpus": Corpus(tag="news"), "kind": "relation", "provider": "marketplace"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": "essay"}, "kind: is 'essay'; it must be relation or entities"),
        ({"reward_cents": 0}, r"reward: is \$0.00; it must be from \$0.01 to \$100.00"),
        ({"reward_cents": 100_01}, r"reward: is \$100.01"),
        ({"questions_per_hit": 101}, "questions per HIT: is 101; it must be from 1 to 100"),
        ({"questions_per_hit": -1}, "questions per HIT: is -1"),
        ({"kind": "entities", "questions_per_hit": 2}, "a HIT has one document"),
        ({"kind": "entities", "by_sentence": True}, "only questions about relations are asked by sentence"),
        ({"lifetime": timedelta(seconds=59)}, "lifetime: must be from a minute to a year"),
        ({"lifetime": timedelta(days=366)}, "lifetime"),
        ({"auto_approval": timedelta(days=31)}, "automatic approval: must be from a minute to 30 days"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        BatchTerms(**{**GIVEN, **wrong})


def test_what_is_not_said_is_as_usual() -> None:
    terms = BatchTerms(**GIVEN)  # type: ignore[arg-type]
    assert (terms.most_questions, terms.reward_cents, terms.by_sentence) == (1, None, False)
    assert (terms.lifetime, terms.auto_approval) == (timedelta(days=7), timedelta(days=3))
