"""A site with a hundred systems of twenty thousand claims each, for `benchmarks.large`.

Documents, true relations, and the first systems come in as in `benchmarks.pool`: the service samples them,
made-up votes settle their questions, and it scores and releases them. All other systems are written by SQL:
what is liked best is claimed by all of them, the rest by few; scores are those of a first system, moved a
little.
"""

import json
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import numpy as np
from django.db import connection
from django.utils import timezone

from annotations import conflicts
from annotations.models import Corpus
from benchmarks import pool
from evaluation.design import batches, epochs, sampling
from evaluation.kbp import comparing
from evaluation.kbp.explorer import entity_index
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Comparison, Epoch, Submission
from evaluation.scoring import estimation
from kbpo.accounts.models import Membership, Team, User
from kbpo_estimators.comparison import Comparable

TAG = "benchmark"
FIRST = 10  # systems that the service samples and scores
LATER = 2  # in the epoch that is open
TEAMS_OF = 4  # systems of a team
RUNS = 60  # systems of the team whose member looks
MEMBER, OPERATOR = "member@example.org", "operator@example.org"
AT_ONCE = 200  # systems that one statement writes
PROBLEMS = 1_000  # of a file of the team that looks

_INDEXES = """
SELECT indexname, indexdef, COALESCE(conname, '') FROM pg_indexes
LEFT JOIN pg_constraint ON conindid = (quote_ident(schemaname) || '.' || quote_ident(indexname))::regclass
    AND contype IN ('p', 'u') AND conrelid = 'evaluation_prediction'::regclass
WHERE tablename = 'evaluation_prediction'
"""


def make(systems: int, own: int) -> dict[str, Any]:
    """Make the site; return how many seconds its parts took."""
    took: dict[str, Any] = {}

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        took[name] = round(time.perf_counter() - begun, 1)
        print(json.dumps({name: took[name]}), flush=True)

    rng = random.Random(0)
    with connection.cursor() as cursor:
        cursor.execute("ALTER SYSTEM SET max_wal_size = '8GB'")  # else it checkpoints every few seconds
        cursor.execute("SELECT pg_reload_conf()")
    with timed("documents"):
        corpus = pool.write_corpus(rng)
        Corpus.objects.update(audit_share=0)
        pool.annotate(corpus, rng)
    universe = pool.Universe(corpus, own, candidates=min(2_000_000, 100 * own))
    with timed("claims to choose from"):
        universe.write()
    with timed("the first systems"):
        _hand_in(universe, range(FIRST))
        pool.judge()
        _score(corpus)
        epochs.release(corpus=corpus, task=KBP)
    first = list(Submission.objects.order_by("pk").values_list("pk", flat=True))
    Submission.objects.update(state=Submission.State.SCORED)
    with timed("the index of entities, of the first systems"):
        entity_index.make_index(corpus=corpus, now=timezone.now())
    with timed("all other systems"):
        others = _clone(corpus, first, systems - FIRST - LATER)
    with timed("their claims"):
        _predict(universe, others, own)
    with timed("their scores"):
        _copy_scores(first, others)
    with timed("the systems of the open epoch"):
        _hand_in(universe, range(FIRST, FIRST + LATER))
        _answer_half()
    _people(corpus)
    with timed("vacuum"), connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("ALTER SYSTEM RESET max_wal_size")
        cursor.execute("SELECT pg_reload_conf()")
    return took


def _hand_in(universe: pool.Universe, numbers: range) -> None:
    for number in numbers:
        team, _ = Team.objects.get_or_create(name=f"Team {number // TEAMS_OF}")
        submission = universe.submit_file(number, team)
        if number in (0, 5, FIRST):
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
        with pool.quickly():
            assert sampling.sample_submission(task=KBP, submission_id=submission.pk)
        print(json.dumps({"sampled": number}), flush=True)


def _score(corpus: Corpus) -> None:
    epoch = Epoch.objects.select_related("corpus").get(corpus=corpus, released_at=None)
    batches.close_batches(epoch=epoch)
    Epoch.objects.filter(pk=epoch.pk).update(scores_due=True)
    assert estimation.score_epoch(task=KBP, epoch_id=epoch.pk)
    assert estimation.score_subsets(task=KBP, epoch_id=epoch.pk)
    estimation.measure_labels(corpus)


def _clone(corpus: Corpus, first: list[int], number: int) -> list[int]:
    """Store other systems, scored; the newest of them are all of one team."""
    now = timezone.now()
    last = -(-number // TEAMS_OF)
    names = [f"Team {FIRST + turn}" for turn in range(last)]
    teams = Team.objects.bulk_create(Team(name=name) for name in names)
    for team in teams:
        conflicts.add_competitor(corpus=corpus, team=team)
    made = Submission.objects.bulk_create(
        Submission(
            corpus=corpus,
            team=teams[-1] if number - turn <= RUNS else teams[turn // TEAMS_OF],
            name=f"system {FIRST + LATER + turn} with a name of some words",
            format="tac2016",
            state=Submission.State.SCORED,
            go_ahead=True,
            quota_taken_at=now - timedelta(days=9),
            digest=f"{FIRST + LATER + turn:064x}",
            is_baseline=turn % 50 == 0,
        )
        for turn in range(number)
    )
    return [one.pk for one in made]


# The n-th of a system's claims has rank n + (all - own)(n / own)² of those to choose from, and chance moves
# it up to the next: the hundred best liked are claimed by all systems, others by the fewer the rarer.
_RANKED = """
CREATE UNLOGGED TABLE ranked AS
SELECT row_number() OVER (ORDER BY hashint8(i.id)) - 1 AS rank, i.id AS instance_id,
    (%(types)s::text[])[1 + subject_start / %(step)s / 2] AS subject_type,
    (%(types)s::text[])[1 + object_start / %(step)s / 2] AS object_type,
    ':' || substr(d.text, subject_start + 1, subject_end - subject_start) AS subject_entity,
    ':' || substr(d.text, object_start + 1, object_end - object_start) AS object_entity,
    subject_start, subject_end, object_start, object_end
FROM evaluation_instance i JOIN annotations_document d ON d.id = i.document_id;
CREATE UNIQUE INDEX ON ranked (rank);
ANALYZE ranked;
"""
_PREDICTIONS = """
INSERT INTO evaluation_prediction (submission_id, instance_id, confidence, probability, subject_type,
    object_type, subject_entity, object_entity, subject_canonical_start, subject_canonical_end,
    object_canonical_start, object_canonical_end, line)
SELECT submission_id, instance_id,
    greatest(0.0001, abs(hashint8(instance_id * 1009 + submission_id)::float8) / 2147483649),
    1.0 / %(own)s, subject_type, object_type, subject_entity, object_entity, subject_start, subject_end,
    CASE WHEN object_type <> 'DATE' THEN object_start END,
    CASE WHEN object_type <> 'DATE' THEN object_end END,
    n + 2
FROM (
    SELECT submission_id, n, low + floor((high - low)
            * (abs(hashint8(n * 7919 + submission_id)::float8) / 2147483649))::bigint AS rank
    FROM unnest(%(submissions)s::bigint[]) AS submission_id
    CROSS JOIN (
        SELECT n, n + floor(%(rest)s * (n::float8 / %(own)s) ^ 2)::bigint AS low,
            n + 1 + floor(%(rest)s * ((n + 1)::float8 / %(own)s) ^ 2)::bigint AS high
        FROM generate_series(0, %(own)s - 1) AS n
    ) AS place
) AS chosen
JOIN ranked USING (rank)
"""


def _predict(universe: pool.Universe, submissions: list[int], own: int) -> None:
    """Store what they claim: without indexes, which are made again when all is there."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            # What can be claimed fits into memory, and is looked up in the order in which claims are written.
            "SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'; SET synchronous_commit = off"
        )
        cursor.execute(_RANKED, {"step": pool.STEP, "types": list(pool.TYPES)})
        cursor.execute(_INDEXES)
        indexes = cursor.fetchall()
        for name, _, constraint in indexes:
            if constraint:
                cursor.execute(f'ALTER TABLE evaluation_prediction DROP CONSTRAINT "{constraint}"')
            else:
                cursor.execute(f'DROP INDEX "{name}"')
        for first in range(0, len(submissions), AT_ONCE):
            asked = {
                "submissions": submissions[first : first + AT_ONCE],
                "own": own,
                "rest": universe.size - own - 1,
            }
            cursor.execute(_PREDICTIONS, asked)
        cursor.execute("DROP TABLE ranked")
        for name, definition, constraint in indexes:
            cursor.execute(definition)
            if constraint:
                kind = "PRIMARY KEY" if name.endswith("_pkey") else "UNIQUE"
                cursor.execute(
                    f'ALTER TABLE evaluation_prediction ADD CONSTRAINT "{constraint}" {kind}'
                    f' USING INDEX "{name}"'
                )
        cursor.execute("VACUUM ANALYZE evaluation_prediction")
        cursor.execute("SET session_replication_role = DEFAULT")


_SCORES = """
CREATE TEMPORARY TABLE twin AS SELECT * FROM unnest(%s::bigint[], %s::bigint[]) AS twin (pk, first);
ANALYZE twin;
INSERT INTO evaluation_samplebatch (epoch_id, number, submission_id, target_variance, lam, floor,
    weights_version, drawn_at, labelled_at)
SELECT epoch_id, %s + row_number() OVER (ORDER BY twin.pk), twin.pk, target_variance, lam, floor,
    weights_version, drawn_at, labelled_at
FROM evaluation_samplebatch JOIN twin ON first = submission_id;
CREATE TEMPORARY TABLE pair AS
SELECT score.id AS old, nextval(pg_get_serial_sequence('evaluation_score', 'id')) AS new, twin.pk
FROM evaluation_score AS score JOIN twin ON first = score.submission_id;
ANALYZE pair;
INSERT INTO evaluation_score (id, submission_id, epoch_id, batch_id, estimator, weighting, part, standard,
    level, rank, matching, labels, counts, model_id, code_version, computed_at)
SELECT pair.new, pair.pk, epoch_id, batch_id, estimator, weighting, part, standard, level,
    CASE WHEN rank IS NOT NULL THEN 1 + pair.pk %% 140 END, matching, labels, counts, model_id, code_version,
    computed_at
FROM pair JOIN evaluation_score AS score ON score.id = pair.old;
INSERT INTO evaluation_estimate (score_id, measure, estimate, low, high)
SELECT pair.new, measure, estimate * factor, low * factor, high * factor
FROM evaluation_estimate JOIN pair ON score_id = pair.old
CROSS JOIN LATERAL (SELECT 0.4 + 0.6 * (pair.pk * 7919 %% 1000) / 1000.0 AS factor) AS moved;
INSERT INTO evaluation_subsetscore (submission_id, epoch_id, division, name, "order", part, standard, labels,
    "true", measure, estimate, low, high)
SELECT twin.pk, epoch_id, division, name, "order", part, standard, labels, "true", measure, estimate, low,
    high
FROM evaluation_subsetscore JOIN twin ON first = submission_id;
INSERT INTO evaluation_sampledclaim (submission_id, instance_id, subject_question_id, object_question_id)
SELECT p.submission_id, claim.instance_id, claim.subject_question_id, claim.object_question_id
FROM (SELECT DISTINCT ON (instance_id) * FROM evaluation_sampledclaim ORDER BY instance_id, id) AS claim
JOIN evaluation_prediction AS p USING (instance_id)
JOIN twin ON twin.pk = p.submission_id;
INSERT INTO evaluation_submissionevent (submission_id, state, at, detail)
SELECT twin.pk, state, at, detail FROM evaluation_submissionevent JOIN twin ON first = submission_id;
UPDATE evaluation_submission
SET counts = jsonb_build_object('instances', total, 'instances_by_predicate', used)
FROM (
    SELECT submission_id, sum(n) AS total, jsonb_object_agg(predicate, n) AS used
    FROM (
        SELECT submission_id, predicate, count(*) AS n
        FROM evaluation_prediction p JOIN evaluation_instance i ON i.id = p.instance_id GROUP BY 1, 2
    ) AS counted GROUP BY 1
) AS read WHERE read.submission_id = evaluation_submission.id;
DROP TABLE twin, pair;
"""


def _copy_scores(first: list[int], others: list[int]) -> None:
    """Give other systems the scores of the first ones, moved, and compare all of them."""
    twins = [first[turn % len(first)] for turn in range(len(others))]
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(_SCORES, [others, twins, len(first)])
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute(
            "UPDATE evaluation_ranking SET systems = %s, apart = %s",
            [len(first) + len(others), (len(first) + len(others)) ** 2 // 4],
        )
    for row in Comparison.objects.all():
        place = {pk: number for number, pk in enumerate(row.submissions)}
        known = [number for number, pk in enumerate(twins) if pk in place]
        some = np.array([*range(len(row.submissions)), *(place[twins[number]] for number in known)])
        one = comparing.unpack(row.arrays)
        row.arrays = comparing.pack(
            Comparable(
                precision=one.precision[some],
                recall=one.recall[some],
                precision_covariance=one.precision_covariance[np.ix_(some, some)],
                recall_covariance=one.recall_covariance[np.ix_(some, some)],
                cross_covariance=one.cross_covariance[np.ix_(some, some)],
                residuals=one.residuals[some],
                documents=one.documents,
            )
        )
        row.submissions = [*row.submissions, *(others[number] for number in known)]
        row.save()


def _answer_half() -> None:
    """Settle half of the questions that the open epoch asks."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotations_question SET state = 'settled', settled_at = now()"
            " WHERE state = 'open' AND id % 2 = 0"
        )


def _people(corpus: Corpus) -> None:
    """Have somebody of the team with the most systems, with a file of many faults; and an operator."""
    member = User.objects.create_user(MEMBER, name="A member")
    User.objects.create_user(OPERATOR, name="An operator", is_operator=True)
    newest = Submission.objects.filter(state=Submission.State.SCORED).order_by("-pk").first()
    assert newest is not None
    Membership.objects.create(team=newest.team, user=member)
    Submission.objects.filter(team=newest.team).update(uploaded_by=member)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO evaluation_problem (submission_id, line, attachment, code, severity, message, text)"
            " SELECT %s, n, '', 'code-' || n %% 12, CASE WHEN n %% 3 = 0 THEN 'ERROR' ELSE 'WARNING' END,"
            " 'What is wrong with line ' || n, 'PER_Ada Quill' FROM generate_series(1, %s) AS n",
            [newest.pk, PROBLEMS * 12],
        )
