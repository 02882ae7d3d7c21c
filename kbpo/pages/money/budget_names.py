"""What budgets are called: those of submissions by their names too."""

from collections.abc import Iterable, Mapping

from crowd.models import Budget
from evaluation.models import Submission


def names(budgets: Iterable[Budget]) -> Mapping[str, str]:
    """Return the names of the submissions that budgets are for, by the budgets' keys, in one query."""
    keys = {budget.key for budget in budgets if budget.scope == Budget.Scope.SUBMISSION}
    if not keys:
        return {}
    found = Submission.objects.filter(pk__in=[int(key) for key in keys])
    return {str(pk): name for pk, name in found.values_list("pk", "name")}
