"""What judging a submission costs: expected before anything is posted, and paid so far."""

from collections.abc import Collection, Mapping

from django.db import connection
from django.utils import timezone

from crowd import budget, pay
from crowd.interfaces.relation.interface import INTERFACE
from crowd.models import HitBatch
from crowd.pricing import timing
from crowd.providers import registry
from evaluation.design.prices import Expected
from evaluation.models import Submission
from kbpo.pages.money.votes import votes_a_question

#: Those that submissions' samples ask.
_MAIN, _COMPANION = INTERFACE.kinds
# What was paid for an assignment is shared out evenly among its HIT's questions, and a question is its
# submission's whose sample first held it. Bonuses are for learning, not for judging.
_PAID = """
WITH mine AS (
    SELECT DISTINCT needed.question_id
    FROM evaluation_samplebatch_questions AS needed
    JOIN evaluation_samplebatch AS batch ON batch.id = needed.samplebatch_id
    WHERE batch.submission_id = ANY(%(submissions)s)
), first AS (
    SELECT DISTINCT ON (needed.question_id) needed.question_id, batch.submission_id
    FROM mine
    JOIN evaluation_samplebatch_questions AS needed ON needed.question_id = mine.question_id
    JOIN evaluation_samplebatch AS batch ON batch.id = needed.samplebatch_id
    ORDER BY needed.question_id, batch.drawn_at, batch.id
), hits AS (
    SELECT DISTINCT asked.hit_id FROM first JOIN crowd_hitquestion AS asked USING (question_id)
), shared AS (
    SELECT hit_id, question_id, count(*) OVER (PARTITION BY hit_id) AS questions
    FROM crowd_hitquestion JOIN hits USING (hit_id)
), paid AS (
    SELECT hit_id, sum(paid_change_cents) AS cents
    FROM crowd_ledgerentry JOIN hits USING (hit_id)
    WHERE paid_change_cents > 0 GROUP BY hit_id
)
SELECT first.submission_id, round(sum(paid.cents / shared.questions))
FROM paid JOIN shared USING (hit_id) JOIN first USING (question_id)
WHERE first.submission_id = ANY(%(submissions)s) GROUP BY first.submission_id
"""


class Prices:
    """An `evaluation.design.prices.Source`."""

    def expected(self, submission: Submission, questions: Mapping[str, float]) -> Expected | None:
        """Say what so many questions more would cost, at the corpus' last price, or else at a fair one."""
        return expected(submission, questions)

    def paid(self, submissions: Collection[int]) -> Mapping[int, int]:
        """Return the cents paid for judging each submission."""
        return paid(submissions)


def expected(submission: Submission, questions: Mapping[str, float]) -> Expected | None:
    """Say what so many questions more would cost, at the corpus' last price, or else at a fair one.

    Parameters
    ----------
    submission : Submission
    questions : mapping of str to float
        By kind: those about relations, each of which makes work of its own, and those about names, which ride
        along.

    Returns
    -------
    Expected or None
        None where the site has no account with a provider, or no budget to pay from.
    """
    corpus, names = submission.corpus, registry.configured()
    now = timezone.now()
    if not names or not budget.matching(corpus=corpus, submission_id=submission.pk, now=now):
        return None
    last = (
        HitBatch.objects.filter(corpus=corpus, kind=INTERFACE.name, is_tutorial=False, provider__in=names)
        .order_by("-pk")
        .first()
    )
    name = last.provider if last else names[0]
    usual = INTERFACE.price.most_questions(None, provider=name, by_sentence=False)
    per_hit = (1 if last.by_sentence else last.questions_per_hit) if last else usual
    pace = timing.measure(corpus, [INTERFACE])
    relations = questions.get(_MAIN, 0.0)
    companions = questions.get(_COMPANION, 0.0) / relations if relations else 0.0
    seconds = per_hit * (pace.seconds[_MAIN] + companions * pace.seconds[_COMPANION])
    reward = last.reward_cents if last else timing.suggested_reward(seconds)
    fee = registry.provider(name).fee_cents(reward_cents=reward, places=corpus.judged_by.first_votes)
    votes = votes_a_question(corpus, _MAIN)
    return Expected(
        cents=round(relations / per_hit * votes * (reward + fee)),
        reward_cents=reward,
        questions=per_hit,
        hourly_cents=pay.hourly(reward_cents=reward, seconds=seconds),
        is_estimate=_MAIN not in pace.measured,
        votes=votes,
    )


def paid(submissions: Collection[int]) -> Mapping[int, int]:
    """Return the cents paid so far for judging each submission; those without paid work are left out."""
    if not submissions:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_PAID, {"submissions": list(submissions)})
        return {submission: int(cents) for submission, cents in cursor.fetchall()}
