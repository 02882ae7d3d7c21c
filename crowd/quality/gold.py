"""Which gold question is asked besides in a HIT: drawn for the HIT, whoever comes to it."""

from collections import Counter
from collections.abc import Collection, Sequence
from random import Random

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet

from annotations.kinds.registry import find_kind
from annotations.models import Label, Question, Response
from annotations.policies.policy import Policy
from crowd.interfaces.registry import find_interface
from crowd.models import Assignment, Hit, Reservation
from crowd.quality import checking, rules
from kbpo.accounts.models import User

SURE = 0.95  # the least posterior of a verdict that may be gold
#: The same of a verdict by two votes: where three that agree make odds of 19 to 1, two make 19^(2/3) to 1.
SURE_OF_TWO = 0.877
LOOKED_AT = 50  # settled questions at a time, for one that may be gold
DRAWN = 5  # for a HIT: who knows the first is asked the next
DRAWN_AGAIN = 2  # of these, what others were asked as gold already


def draw(hit: Hit, rng: Random) -> list[int]:
    """Draw the questions of which one may be asked as gold in a HIT.

    They are of the same corpus and kind, settled without doubt (by all of the votes that a question is asked
    for at first, and with a posterior of .95 if these are three; or by an expert, if nobody had voted: what
    the votes did not settle is hard for everybody) and not published, and none of the HIT's own.

    They look like a question of the HIT's that is drawn at random: beside one that is alone of its document
    stands gold of another document, beside one of several stands gold of the same. Else gold could be told by
    its document. So where all documents have several questions, and none that is settled, there is no gold.

    Where two votes settle a question, half of the time the first are such that others were asked as gold
    already, since it takes one of them besides to know it for sure (`rules.is_known`).

    Parameters
    ----------
    hit : Hit
        With its batch and corpus.
    rng : random.Random

    Returns
    -------
    list of int
        Their ids, in the order in which they are tried; empty where there is none, and for work whose kinds
        of question cannot be gold.
    """
    batch = hit.batch
    kinds = [one.name for one in find_interface(batch.kind).asks if find_kind(one.name).can_be_gold]
    if batch.is_tutorial or not kinds:
        return []
    policy = batch.corpus.judged_by
    settled = Question.objects.filter(
        document__corpus=batch.corpus_id,
        document__takedown=None,
        kind__in=kinds,
        state=Question.State.SETTLED,
        published_at=None,
        audits__isnull=True,
    ).exclude(pk__in={pk for one in hit.asked for pk in (one.pk, one.audits_id) if pk is not None})
    found: list[int] = []
    asks_again = policy.first_votes < rules.KNOWN_BY and rng.random() < rules.ASKED_AGAIN
    for alike in _alike(hit, settled, rng):
        if asks_again:
            asked_before = alike.filter(Exists(checking.with_gold().filter(gold=OuterRef("pk"))))
            found += [pk for pk in _some(asked_before, policy, rng) if pk not in found][:DRAWN_AGAIN]
        found += [pk for pk in _some(alike, policy, rng) if pk not in found]
        if len(found) >= DRAWN:
            break
    return found[:DRAWN]


def _alike(hit: Hit, settled: QuerySet[Question], rng: Random) -> list[QuerySet[Question]]:
    """Select what looks like a HIT's questions: first like one that is drawn, then like the others."""
    asked = [(question.document_id, question.kind) for question in hit.asked]
    number = Counter(document for document, _ in asked)
    alone = {kind for document, kind in asked if number[document] == 1}
    shared = sorted(document for document in number if number[document] > 1)
    like_alone = settled.exclude(document__in=list(number)).filter(kind__in=alone)
    like_shared = settled.filter(document__in=shared)
    if not shared or not alone:
        return [like_alone] if alone else [like_shared]
    is_alone = rng.random() * len(asked) < sum(number[document] == 1 for document, _ in asked)
    return [like_alone, like_shared] if is_alone else [like_shared, like_alone]


def choose(assignment: Assignment, drawn: Sequence[int], *, at: float) -> Question | None:
    """Choose the gold question of an assignment that was just begun, of those that were drawn for its HIT.

    Parameters
    ----------
    assignment : Assignment
        Nothing is stored.
    drawn : sequence of int
        As `draw` has returned them for its HIT.
    at : float
        The HIT's own chance, from 0 to 1: below the worker's rate there is gold. So of two workers who are
        right as often, both are asked it or neither.

    Returns
    -------
    Question or None
        The first that this worker has neither answered nor been shown, and that nobody can look up; None
        where chance has it so, more and more often for a worker who is right (`rules.gold_chance`), and where
        there is none.
    """
    people = _people(assignment)
    results = checking.gold_answers(people)
    right_in_a_row = next(
        (index for index, answer in enumerate(results) if not answer.is_right), len(results)
    )
    asked = len(assignment.hit.asked)
    if not asked or at >= rules.gold_chance(right_in_a_row, asked):
        return None
    there = Question.objects.filter(
        pk__in=drawn, document__takedown=None, state=Question.State.SETTLED, published_at=None
    )
    unseen = _unseen(there, assignment, people).select_related("document").in_bulk(drawn)
    return next((unseen[pk] for pk in drawn if pk in unseen), None)


def _some(settled: QuerySet[Question], policy: Policy, rng: Random) -> list[int]:
    """List some questions that are beyond doubt, mixed."""
    newest = Question.objects.aggregate(pk=Max("pk"))["pk"] or 1
    sure = _without_doubt(settled, policy)
    found: list[int] = []
    # Some at a place of chance, those after the first, and only then all: a corpus may have very many.
    for start in (rng.randint(1, newest), 1):
        some = list(settled.filter(pk__gte=start).order_by("pk").values_list("pk", flat=True)[:LOOKED_AT])
        found = list(sure.filter(pk__in=some).order_by("pk").values_list("pk", flat=True)) if some else []
        if len(found) >= DRAWN:
            break
    if not found and len(some) == LOOKED_AT:  # else these were all
        found = list(sure.order_by("pk").values_list("pk", flat=True)[:DRAWN])
    return rng.sample(found, len(found))


def _without_doubt(settled: QuerySet[Question], policy: Policy) -> QuerySet[Question]:
    labels = Label.objects.filter(question=OuterRef("pk"))
    doubtful = labels.filter(source=Label.Source.MAJORITY).filter(
        Q(votes__lt=policy.first_votes)
        | Q(votes_for__gt=0, votes_for__lt=F("votes"))
        | Q(posterior__isnull=True)
        | Q(votes__gte=rules.KNOWN_BY, posterior__gt=1 - SURE, posterior__lt=SURE)
        | Q(votes__lt=rules.KNOWN_BY, posterior__gt=1 - SURE_OF_TWO, posterior__lt=SURE_OF_TWO)
    )
    hard = labels.filter(
        source=Label.Source.EXPERT, question__responses__is_valid=True, question__responses__is_expert=False
    )
    return settled.filter(Exists(labels), ~Exists(doubtful), ~Exists(hard))


def _people(assignment: Assignment) -> list[int]:
    """Return the user whose assignment it is, if they are known by now."""
    if assignment.worker is not None:
        return [assignment.worker.user_id]
    return list(
        User.objects.filter(
            worker_identities__provider=assignment.hit.batch.provider,
            worker_identities__worker_id=assignment.provider_worker_id,
        ).values_list("pk", flat=True)
    )


def _unseen(
    questions: QuerySet[Question], assignment: Assignment, people: Collection[int]
) -> QuerySet[Question]:
    """Select what this worker has never answered, and never had on the screen, be it sent or not.

    What audits a question looks just like it.
    """
    same = Q(question=OuterRef("pk")) | Q(question__audits=OuterRef("pk"))
    shown = Assignment.objects.filter(
        Q(worker__user__in=people)
        | Q(
            provider_worker_id=assignment.provider_worker_id,
            hit__batch__provider=assignment.hit.batch.provider,
        )
    )
    return (
        questions.filter(~Exists(Response.objects.filter(same, worker__in=people)))
        .filter(~Exists(Reservation.objects.filter(question=OuterRef("pk"), worker__in=people)))
        .filter(~Exists(shown.filter(gold=OuterRef("pk"))))
        .filter(~Exists(shown.filter(hit__hit_questions__question=OuterRef("pk"))))
        .filter(~Exists(shown.filter(hit__hit_questions__question__audits=OuterRef("pk"))))
    )
