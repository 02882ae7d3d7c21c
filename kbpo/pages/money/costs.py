"""What judging a submission costs: expected before anything is posted, and paid so far."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from django.db import connection
from django.utils import timezone

from annotations.models import Corpus
from crowd import budget, pay
from crowd.interfaces.interface import Interface
from crowd.interfaces.registry import interface_of
from crowd.models import HitBatch
from crowd.pay import Pace
from crowd.pricing import timing
from crowd.providers import registry
from evaluation.design.prices import Expected
from evaluation.models import Submission
from kbpo.pages.money.votes import votes_a_question, votes_of_audits

# What was paid for an assignment is shared out evenly among its HIT's questions, and a question is its
# submission's whose sample first held it, as what audits it is. Bonuses are for learning, not for judging.
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
), judged AS (
    SELECT question_id, submission_id FROM first
    UNION ALL
    SELECT audit.id, first.submission_id
    FROM first JOIN annotations_question AS audit ON audit.audits_id = first.question_id
), hits AS (
    SELECT DISTINCT asked.hit_id FROM judged JOIN crowd_hitquestion AS asked USING (question_id)
), shared AS (
    SELECT hit_id, question_id, count(*) OVER (PARTITION BY hit_id) AS questions
    FROM crowd_hitquestion JOIN hits USING (hit_id)
), paid AS (
    SELECT hit_id, sum(paid_change_cents) AS cents
    FROM crowd_ledgerentry JOIN hits USING (hit_id)
    WHERE paid_change_cents > 0 GROUP BY hit_id
)
SELECT judged.submission_id, round(sum(paid.cents / shared.questions))
FROM paid JOIN shared USING (hit_id) JOIN judged USING (question_id)
WHERE judged.submission_id = ANY(%(submissions)s) GROUP BY judged.submission_id
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
        By kind, before any is asked again; what audits cost is added. Those that ride along with others
        cost the time that they take.

    Returns
    -------
    Expected or None
        None where the site has no account with a provider, or no budget to pay from.

    Raises
    ------
    InvalidInput
        If no interface asks a kind.
    """
    asked: dict[str, Interface] = {one.name: one for one in map(interface_of, questions)}
    corpus, names = submission.corpus, registry.configured()
    now = timezone.now()
    if not names or not budget.matching(corpus=corpus, submission_id=submission.pk, now=now):
        return None
    pace = timing.measure(corpus, asked.values())
    found = [_by_interface(corpus, names, one, questions, pace) for one in asked.values()]
    if not found:
        return None
    return replace(max(found, key=lambda one: one.cents), cents=sum(one.cents for one in found))


def _by_interface(
    corpus: Corpus, names: Sequence[str], interface: Interface, questions: Mapping[str, float], pace: Pace
) -> Expected:
    last = (
        HitBatch.objects.filter(corpus=corpus, kind=interface.name, is_tutorial=False, provider__in=names)
        .order_by("-pk")
        .first()
    )
    name = last.provider if last else names[0]
    usual = interface.price.most_questions(None, provider=name, by_sentence=False)
    per_hit = (1 if last.by_sentence else last.questions_per_hit) if last else usual
    wanted = [(kind, questions.get(kind.name, 0.0)) for kind in interface.asks]
    made = sum(number for kind, number in wanted if not kind.is_companion)
    taken = sum(number * pace.seconds[kind.name] for kind, number in wanted)
    seconds = per_hit * (taken / made if made else pace.seconds[interface.main])
    reward = last.reward_cents if last else timing.suggested_reward(seconds)
    fee = registry.provider(name).fee_cents(reward_cents=reward, places=corpus.judged_by.first_votes)
    votes = votes_a_question(corpus, interface.main) + votes_of_audits(corpus)
    return Expected(
        cents=round(made / per_hit * votes * (reward + fee)),
        reward_cents=reward,
        questions=per_hit,
        hourly_cents=pay.hourly(reward_cents=reward, seconds=seconds),
        is_estimate=interface.main not in pace.measured,
        votes=votes,
        paid=made,
    )


def paid(submissions: Collection[int]) -> Mapping[int, int]:
    """Return the cents paid so far for judging each submission; those without paid work are left out."""
    if not submissions:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_PAID, {"submissions": list(submissions)})
        return {submission: int(cents) for submission, cents in cursor.fetchall()}
