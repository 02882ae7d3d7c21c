"""What simulated people say of two mentions, and of full names. Pure."""

from collections.abc import Mapping
from random import Random

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Offer, RelationQuestion
from annotations.texts.records import AnnotationRecord
from crowd.interfaces.relation.form import Asked


def right(asked: Asked, gold: AnnotationRecord) -> dict[str, object]:
    """Return the right answer to a question."""
    if isinstance(asked, CanonicalQuestion):
        return asked.answer(canonical_is_right(asked, gold))
    return asked.answer(true_offers(asked, gold))


def given(asked: Asked, gold: AnnotationRecord, error: float, rng: Random) -> dict[str, object]:
    """Return the right answer, or with the probability of an error a wrong one."""
    found = right(asked, gold)
    return wrong_answer(asked, found, rng) if rng.random() < error else found


def true_offers(question: RelationQuestion, gold: AnnotationRecord) -> list[Offer]:
    """List what holds of a pair: gold has the relation between mentions that overlap the pair's.

    A symmetric relation may be written in either order.
    """
    spans = [mention.span for mention in question.mentions]
    true = []
    for offer in question.offered:
        subject, object_ = spans[offer.subject], spans[1 - offer.subject]
        orders = [(subject, object_)]
        if question.is_symmetric(offer):
            orders.append((object_, subject))
        if any(
            relation.predicate == offer.predicate
            and relation.subject.overlaps(one)
            and relation.object.overlaps(other)
            for relation in gold.relations
            for one, other in orders
        ):
            true.append(offer)
    return true


def canonical_is_right(question: CanonicalQuestion, gold: AnnotationRecord) -> bool:
    """Say whether a claimed canonical mention touches a mention of the entity that the mention touches.

    Mentions with the same canonical mention are of one entity. Where the mention touches nothing in gold, its
    canonical mention is right if it touches the mention itself.
    """
    entities = {item.canonical for item in gold.mentions if item.span.overlaps(question.mention)}
    if not entities:
        return question.canonical.overlaps(question.mention)
    return any(item.span.overlaps(question.canonical) for item in gold.mentions if item.canonical in entities)


def wrong_answer(
    question: RelationQuestion | CanonicalQuestion, right: Mapping[str, object], rng: Random
) -> dict[str, object]:
    """Return a wrong answer: another single relation, or none; or the other of yes and no."""
    if isinstance(question, CanonicalQuestion):
        return question.answer(not right["right"])
    single = [question.answer([offer]) for offer in question.offered]
    return rng.choice([answer for answer in [question.answer([]), *single] if answer != right])
