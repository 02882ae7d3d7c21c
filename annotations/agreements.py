"""How far the workers of a corpus agree; kept, so that a page need not read every vote."""

from django.db import transaction
from django.db.models import QuerySet

from annotations.kinds.agreement import Agreement
from annotations.kinds.registry import KINDS, check_kinds, find_kind
from annotations.models import Corpus, KindAgreement, Question

LEVEL = 0.95  # of the intervals


def measure(corpus: Corpus) -> list[Agreement]:
    """Measure how far workers agree in a corpus, on each kind of question.

    Over the valid votes of those who are no experts that the corpus' policy measures by: all of them on the
    questions that are settled or sent to an expert, or a question's first ones. Questions that audit others
    do not count. The category of a vote is the whole answer: the relations ticked, with their directions, or
    none; right or wrong. Answers about a whole document are compared word by word, as
    `annotations.aggregation.tokens.ratings` says, in three aspects.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    list of Agreement
        One for each kind and aspect, in the order of the registry.

    Raises
    ------
    InvalidInput
        If a question of the corpus is of an unknown kind.
    """
    asked = Question.objects.filter(document__corpus=corpus, audits__isnull=True)
    check_kinds(asked)
    first = corpus.judged_by.measured_votes
    return [
        found
        for kind in KINDS.values()
        for found in kind.agreement(asked.filter(kind=kind.name), first, LEVEL)
    ]


def measure_on(questions: QuerySet[Question], kind: str, *, first: int | None) -> Agreement:
    """Measure how far workers agree on some questions of one kind, as `measure` does, in its first aspect.

    Parameters
    ----------
    questions : QuerySet of Question
        Of that kind.
    kind : str
        Its name.
    first : int or None
        `Policy.measured_votes` of their corpus.

    Raises
    ------
    InvalidInput
        If the kind is unknown.
    """
    found: Agreement = find_kind(kind).agreement(questions, first, LEVEL)[0]
    return found


@transaction.atomic
def update_agreement(*, corpus: Corpus) -> int:
    """Measure again how far the workers of a corpus agree, on each kind of question.

    Safe to run twice, and at the same time as itself.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    int
        How many measures have changed.
    """
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    changed = 0
    for found in measure(corpus):
        kappa = found.kappa
        measured = {
            "questions": found.questions,
            "kappa": kappa.estimate if kappa else None,
            "kappa_low": kappa.low if kappa else None,
            "kappa_high": kappa.high if kappa else None,
        }
        kept = KindAgreement.objects.filter(corpus=corpus, kind=found.kind, aspect=found.aspect)
        if not kept.filter(**measured).exists():
            KindAgreement.objects.update_or_create(
                corpus=corpus, kind=found.kind, aspect=found.aspect, defaults=measured
            )
            changed += 1
    return changed
