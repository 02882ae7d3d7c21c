"""The design of an epoch, as it is stored."""

from collections.abc import Collection

from django.db.models import Max

from evaluation.models import Epoch, InclusionProbability


def current_pi(
    epoch: Epoch, through: int | None = None, ids: Collection[int] | None = None
) -> dict[int, float]:
    """Return π of the units in an epoch's design, by row id, after a batch or the last."""
    rows = InclusionProbability.objects.filter(batch__epoch=epoch)
    if through is not None:
        rows = rows.filter(batch__number__lte=through)
    if ids is not None:
        rows = rows.filter(unit__in=list(ids))
    return dict(rows.values_list("unit").annotate(Max("probability")))  # it never falls
