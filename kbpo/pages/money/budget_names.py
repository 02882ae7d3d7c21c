"""What budgets are called, those of submissions by their names too; and whose they are."""

from collections.abc import Iterable, Mapping

from django.db.models import CharField, Q, QuerySet
from django.db.models.functions import Cast

from annotations import roles
from annotations.models import Corpus
from annotations.roles import Act
from crowd.models import Budget
from evaluation.models import Submission
from evaluation.submissions.visibility import with_names
from kbpo.accounts.models import User


def names(budgets: Iterable[Budget]) -> Mapping[str, str]:
    """Return the names of the submissions that budgets are for, by the budgets' keys, in one query."""
    keys = {budget.key for budget in budgets if budget.scope == Budget.Scope.SUBMISSION}
    if not keys:
        return {}
    found = with_names(Submission.objects.filter(pk__in=[int(key) for key in keys]), None)
    return {str(one.pk): one.shown_name for one in found}


def theirs(person: User, budgets: QuerySet[Budget]) -> QuerySet[Budget]:
    """Leave the budgets that somebody may see: those of their corpora, and of submissions to them."""
    if person.is_operator:
        return budgets
    corpora = roles.corpora(person, Act.PAY)
    numbers = Submission.objects.filter(corpus__in=corpora).annotate(key=Cast("pk", CharField()))
    return budgets.filter(
        Q(scope=Budget.Scope.CORPUS, key__in=corpora.values("tag"))
        | Q(scope=Budget.Scope.SUBMISSION, key__in=numbers.values("key"))
    )


def submitted_to(budget: Budget) -> Corpus | None:
    """Return the corpus of the submission that a budget is for; None where it is for none."""
    if budget.scope != Budget.Scope.SUBMISSION:
        return None
    return Corpus.objects.filter(submissions=int(budget.key)).first()
