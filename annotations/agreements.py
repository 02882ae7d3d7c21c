"""Keeping how far the workers of a corpus agree, so that a page need not read every vote."""

from django.db import transaction

from annotations import selectors
from annotations.models import Corpus, KindAgreement


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
    for found in selectors.agreement(corpus):
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
