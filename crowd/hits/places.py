"""What all pages of a HIT have in common: drawn once, when somebody first accepts it, whoever that is.

Gold belongs to the HIT, not to who comes: were it drawn anew for each arrival, what two pages of the same HIT
do not share would be the gold.
"""

import secrets
from random import Random

from django.db import transaction

from crowd.models import Assignment, Hit, HitGold
from crowd.quality import gold

_SEEDS = 2**63


@transaction.atomic
def settle(hit: Hit) -> None:
    """Draw what the pages of a HIT have in common, unless it is drawn."""
    row = Hit.objects.filter(pk=hit.pk)
    hit.page_seed = row.select_for_update(no_key=True).values_list("page_seed", flat=True).get()
    if hit.page_seed is None:
        hit.page_seed = secrets.randbelow(_SEEDS)
        row.update(page_seed=hit.page_seed)
        chosen = gold.draw(hit, rng_of(hit, "gold"))
        HitGold.objects.bulk_create(
            HitGold(hit=hit, question_id=pk, position=position) for position, pk in enumerate(chosen)
        )


def ask_gold(*, assignment: Assignment) -> None:
    """Give an assignment that was just begun its gold question, if it is to have one.

    Who returns a HIT and accepts it again is asked the same as before.
    """
    hit = assignment.hit
    drawn = list(hit.golds.order_by("position").values_list("question", flat=True))
    if not drawn:
        return
    earlier = hit.assignments.filter(
        provider_worker_id=assignment.provider_worker_id, verified_at__isnull=False
    )
    before = earlier.exclude(pk=assignment.pk).select_related("gold__document").order_by("pk").first()
    if before is not None:
        assignment.gold = before.gold
    else:
        assignment.gold = gold.choose(assignment, drawn, at=rng_of(hit, "chance").random())
    if assignment.gold is not None:
        assignment.save(update_fields=["gold"])


def rng_of(hit: Hit, purpose: str) -> Random:
    """Return the chance that belongs to a HIT, the same whenever it is asked for."""
    assert hit.page_seed is not None, "nobody has accepted the HIT"
    return Random(f"{hit.page_seed} {purpose}")  # noqa: S311  (the seed is a secret, drawn as such)
