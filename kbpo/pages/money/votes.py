"""How many votes questions take, by those that have had their first ones."""

from django.db import connection
from django.db.models import Avg, Count, Q

from annotations.aggregation.majority import Verdict
from annotations.kinds.registry import find_kind
from annotations.models import Corpus, CorpusRole, Question
from annotations.policies.policy import Limits, Settle, Votes
from annotations.policies.registry import OF_AUDITS

ENOUGH = 20  # questions, from which on their mean is believed

# What today's policy does with the first votes on each question, whatever policy it was asked under: it is
# settled by them, or needs at least one more, and as many as it has needed so far.
_BY_FIRST = """
SELECT count(*), avg(CASE WHEN alike AND %(suffice)s THEN %(first)s ELSE greatest(needed, %(first)s + 1) END)
FROM (
    SELECT question.votes_needed AS needed, count(*) AS votes, count(DISTINCT vote.said) = 1 AS alike
    FROM annotations_question AS question
    JOIN annotations_document AS document ON document.id = question.document_id
    CROSS JOIN LATERAL (
        SELECT COALESCE(({category})::text, '') AS said FROM annotations_response AS response
        WHERE response.question_id = question.id AND response.is_valid AND NOT response.is_expert
        ORDER BY response.id LIMIT %(first)s
    ) AS vote
    WHERE document.corpus_id = %(corpus)s AND question.kind = %(kind)s AND question.audits_id IS NULL
    GROUP BY question.id
) AS measured WHERE votes = %(first)s
"""


def votes_a_question(corpus: Corpus, kind: str) -> float:
    """Return how many votes a question of a kind takes in a corpus, on average, under its policy of today.

    As many as those took that have their first votes, be they open or not: those on which people agree are
    closed first. Where the first votes say what follows, questions that were asked under another policy count
    as well, as under this one. Before there are enough, as many as the policy expects. Questions that audit
    others do not count.
    """
    policy, about = corpus.judged_by, find_kind(kind)
    first, expected = policy.measured_votes, policy.expected_votes(about.usual_error)
    if first is None:
        counted = Count("responses", filter=Q(responses__is_valid=True, responses__is_expert=False))
        asked = Question.objects.filter(document__corpus=corpus, kind=kind, audits__isnull=True)
        asked = asked.annotate(valid=counted)
        known = asked.filter(~Q(state=Question.State.OPEN) | Q(valid__gte=policy.first_votes))
        return float(known.aggregate(votes=Avg("votes_needed"))["votes"] or expected)
    if about.category is None:
        return expected
    with connection.cursor() as cursor:
        cursor.execute(
            _BY_FIRST.format(category=about.category),
            {"corpus": corpus.pk, "kind": kind, "first": first, "suffice": _suffices(corpus, first)},
        )
        number, mean = cursor.fetchone()
    return float(mean) if number >= ENOUGH else expected


def votes_of_audits(corpus: Corpus) -> float:
    """Return how many votes beside those a question takes on average, to ask some of them again.

    None where a reviewer of the corpus answers these.
    """
    if CorpusRole.objects.filter(corpus=corpus, role=CorpusRole.Role.REVIEWER).exists():
        return 0.0
    return corpus.audit_share * OF_AUDITS.usual_votes


def _suffices(corpus: Corpus, votes: int) -> bool:
    """Say whether so many votes that agree settle a question of a corpus."""
    agreed = Votes(
        number=votes, asked=votes, agree=True, verdicts=[Verdict(value=1.0, votes_for=votes, votes=votes)]
    )
    limits = Limits(most_votes=corpus.most_votes, least_posterior=corpus.least_posterior)
    return isinstance(corpus.judged_by.decide(agreed, limits), Settle)
