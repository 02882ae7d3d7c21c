"""What simulated people say of a text's class. Pure."""

from random import Random

from annotations.kinds.choice import ChoiceQuestion
from annotations.texts.records import AnnotationRecord
from kbpo.core.errors import InvalidInput


def right(asked: ChoiceQuestion, gold: AnnotationRecord) -> dict[str, object]:
    """Return the right answer to a question: the class of gold; without one, that one cannot tell."""
    if gold.label is not None and gold.label not in asked.claims:
        raise InvalidInput(
            f"gold says that {gold.doc_id} is of the class {gold.label!r:.80}; there are"
            f" {', '.join(asked.claims)}"
        )
    return asked.read_answer({"class": gold.label})


def given(asked: ChoiceQuestion, gold: AnnotationRecord, error: float, rng: Random) -> dict[str, object]:
    """Return the right answer, or with the probability of an error another class."""
    found = right(asked, gold)
    if rng.random() >= error:
        return found
    return asked.answer(rng.choice([name for name in asked.claims if name != found["class"]]))
