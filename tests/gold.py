"""Gold drawn for one HIT again and again, which otherwise happens once."""

from random import Random

from annotations.models import Question
from crowd.models import Assignment, HitGold
from crowd.quality import gold


def ask_gold(assignment: Assignment, rng: Random) -> Question | None:
    """Draw the gold of an assignment's HIT anew, and choose what this worker would be asked."""
    hit = assignment.hit
    hit.golds.all().delete()
    at = rng.random()
    drawn = gold.draw(hit, rng)
    HitGold.objects.bulk_create(
        HitGold(hit=hit, question_id=pk, position=position) for position, pk in enumerate(drawn)
    )
    return gold.choose(assignment, drawn, at=at)
