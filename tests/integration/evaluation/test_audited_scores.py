"""Scores corrected for judges' errors: from rows of audits to stored scores, ranks and comparisons."""

import hashlib

import numpy as np
import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import override_settings

from annotations.models import Corpus, Label, Question
from evaluation.kbp.pool_labels import read_audited, read_labels, read_outside
from evaluation.kbp.recall import annotated
from evaluation.kbp.task import TASK as KBP
from evaluation.models import (
    Audit,
    Comparison,
    Epoch,
    Estimate,
    FittedModel,
    Ranking,
    SampledClaim,
    SampledUnit,
    Score,
)
from evaluation.scoring import comparing, estimation, leaderboard, pool
from kbpo import pipeline
from kbpo_estimators import intervals
from kbpo_estimators.comparison import comparables
from kbpo_estimators.judging.audited import Audit as PureAudit
from kbpo_estimators.judging.audited import AuditedLabels
from kbpo_estimators.judging.drawing import doubts
from kbpo_estimators.kbp.labels import NeededLabels
from kbpo_estimators.scores import coordinated_estimates
from tests.auditing import agree, audit_epoch
from tests.world import World

pytestmark = pytest.mark.django_db

FIGURES = ("measure", "estimate", "low", "high")
CHOICE = ("submission_id", "estimator", "weighting", "part", "level")


def doubtful(question, claim, value):
    """Find about one label in nine wrong, always the same."""
    wrong = hashlib.sha256(f"{question.key}|{claim}".encode()).digest()[0] % 9 == 0
    return 1 - value if wrong else value


@pytest.fixture(scope="module")
def scored(django_db_setup, django_db_blocker, tmp_path_factory):
    """Four systems of three teams, judged by a crowd that errs; once for all tests."""
    folder, world = tmp_path_factory.mktemp("audited"), World(60)
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(KBPO_EPOCH_SECRET=bytes(range(32))):
            corpus = world.write_corpus(folder / "corpus.jsonl")
            gold = str(world.write_gold(folder / "gold"))
            call_command("load_corpus", str(corpus), "--corpus", "small", "--audit-share", "0", verbosity=0)
            call_command("load_gold", gold, "--corpus", "small", "--documents", "30", "--seed", "1")
            Corpus.objects.update(target_half_width=0.04)
            for number, team in enumerate(("Alpha", "Alpha", "Beta", "Gamma")):
                claims = world.system(
                    recall=0.4 + 0.15 * number, precision=0.5 + 0.1 * number, seed=number // 2
                )
                path = str(world.write_kb(folder / f"{number}.kb", claims))
                call_command("submit", path, "--corpus", "small", "--team", team, "--name", f"s{number}")
            pipeline.advance()
            call_command("simulate_crowd", "--corpus", "small", "--gold", gold, "--error", "0.1")
            pipeline.advance()
        yield
        transaction.set_rollback(True)


@pytest.fixture
def judged(scored):
    return Epoch.objects.get()


def score_again(epoch):
    Epoch.objects.filter(pk=epoch.pk).update(scores_due=True)
    assert estimation.score_epoch(epoch_id=epoch.pk, task=KBP)


def figures(**choice):
    """Return by choice and measure the rank, the labels, and an estimate with its ends."""
    rows = Estimate.objects.filter(**{f"score__{name}": value for name, value in choice.items()})
    names = (*CHOICE, "rank", "labels")
    return {
        (*row[:5], row[7]): (*row[5:7], *row[8:])
        for row in rows.values_list(*(f"score__{name}" for name in names), *FIGURES)
    }


def test_without_an_audit_there_are_scores_by_the_votes_alone(judged):
    assert set(Score.objects.values_list("standard", flat=True)) == {"votes"}
    assert {row.standard for row in leaderboard.rows(judged.corpus, KBP.choices)} == {"votes"}


def test_with_an_audit_every_score_is_there_by_both_standards(judged):
    audit_epoch(judged, 0.3, doubtful)
    before = figures()
    score_again(judged)
    assert figures(standard="votes") == before
    corrected = figures(standard="audit")
    assert corrected.keys() == before.keys()
    assert corrected != before
    for model in (Comparison, Ranking):
        rows = list(model.objects.values_list("estimator", "weighting", "part", "standard"))
        by_votes = [row[:3] for row in rows if row[3] == "votes"]
        assert sorted(by_votes) == sorted(row[:3] for row in rows if row[3] == "audit")
    assert FittedModel.objects.count() == 3


def test_an_audit_of_everything_that_finds_no_error_changes_nothing(judged):
    audit_epoch(judged, 1.0)
    score_again(judged)
    by_votes = figures(standard="votes")
    for key, found in figures(standard="audit").items():
        assert plain(found) == pytest.approx(plain(by_votes[key]), abs=1e-9), key


def test_an_audit_of_everything_gives_the_precision_of_its_own_answers(judged):
    audit_epoch(judged, 1.0, doubtful)
    score_again(judged)
    found = figures(standard="audit", estimator="documents", weighting="instance", part="relation", level=95)
    read = pool.read_pool(judged, judged.batches.count(), KBP.choices.weightings)
    sample = pool.read_sample(read)
    audit = pool.read_audit(read, sample.sampled)
    answers = np.full(read.size, np.nan)
    answers[sample.sampled] = audit.answers
    for submission, system in zip(read.submissions, read.systems, strict=True):
        own = system.rows[sample.sampled[system.rows]]
        p = system.weights["instance"][sample.sampled[system.rows]]
        by_votes = figures(
            standard="votes",
            submission=submission,
            estimator="documents",
            weighting="instance",
            part="relation",
            level=95,
        )
        (plain_estimate,) = [row[2] for key, row in by_votes.items() if key[5] == "precision"]
        labels = pool.read_values(read)
        expected = plain_estimate + (p / read.pi[own] * (answers[own] - labels[own])).sum()
        (corrected,) = [
            row[2] for key, row in found.items() if key[0] == submission.pk and key[5] == "precision"
        ]
        assert corrected == pytest.approx(min(1, max(0, expected)), abs=1e-12)


def test_an_audit_that_is_not_answered_yet_corrects_nothing(judged):
    audit_epoch(judged, 0.3, doubtful)
    relation = Question.objects.filter(audits__sampled__isnull=False).first()
    Label.objects.filter(question=relation).delete()
    score_again(judged)
    assert set(Score.objects.values_list("standard", flat=True)) == {"votes"}


def test_a_unit_for_which_no_audit_was_drawn_leaves_all_uncorrected(judged):
    audit_epoch(judged, 0.3, doubtful)
    Audit.objects.filter(is_drawn=False).first().delete()
    score_again(judged)
    assert set(Score.objects.values_list("standard", flat=True)) == {"votes"}


def test_an_experts_own_label_is_what_the_audit_says(judged):
    unit = SampledUnit.objects.first()
    Label.objects.filter(question=unit.question).update(source=Label.Source.EXPERT)
    audit_epoch(judged, 0.3, doubtful)
    Audit.objects.filter(question=unit.question).update(probability=1, is_drawn=True)
    Label.objects.filter(question__audits=unit.question).delete()
    read = pool.read_pool(judged, judged.batches.count(), KBP.choices.weightings)
    sample = pool.read_sample(read)
    audit = pool.read_audit(read, sample.sampled)
    place = np.flatnonzero(sample.sampled).tolist().index(int(read.positions(np.array([unit.unit_id]))[0]))
    label = Label.objects.get(question=unit.question, claim=unit.claim)
    assert (audit.answers[place], audit.rho[place]) == (label.value, 1)


def plain(found):
    return [-1 if one is None else one for one in found]


def needed_one_by_one(epoch, read, sample):
    """The audit as its definition reads, a row at a time, and in an order of its own: by keys, backwards."""
    ids = np.empty(read.size, dtype=np.int64)
    ids[read.position] = read.sorted_ids
    places = {int(pk): place for place, pk in enumerate(ids[sample.sampled])}
    units = {unit.unit_id: unit for unit in SampledUnit.objects.filter(epoch=epoch)}
    audits = {audit.question_id: audit for audit in Audit.objects.filter(epoch=epoch)}
    rows = [units[int(pk)] for pk in ids[sample.sampled]]

    def answer(question, claim):
        label = Label.objects.get(question=question, claim=claim)
        again = Question.objects.filter(audits=question).first()
        if label.source != Label.Source.MAJORITY:
            return label, label.value
        return label, Label.objects.get(question=again, claim=claim).value if again else np.nan

    told = [answer(unit.question_id, unit.claim) for unit in rows]
    drawn = np.array([audits[unit.question_id].is_drawn for unit in rows])
    relation = AuditedLabels(
        np.arange(len(rows)),
        [label.value for label, _ in told],
        np.where(drawn, [value for _, value in told], np.nan),
        [audits[unit.question_id].doubt for unit in rows],
    )
    labels, keys = [], {}
    mentions = [[np.full(system.rows.size, -1) for system in read.systems] for _ in range(2)]
    for number, (submission, system) in enumerate(zip(read.submissions, read.systems, strict=True)):
        at = {int(pk): place for place, pk in enumerate(ids[system.rows])}
        for claim in SampledClaim.objects.filter(submission=submission).order_by("-pk"):
            for side, question in enumerate((claim.subject_question_id, claim.object_question_id)):
                if question is None:
                    continue
                key = (claim.instance_id, question)
                if key not in keys:
                    keys[key] = len(labels)
                    label, value = answer(question, "right")
                    place = places[claim.instance_id]
                    labels.append((place, label, value if drawn[place] else np.nan))
                mentions[side][number][at[claim.instance_id]] = keys[key]
    value = np.array([label.value for _, label, _ in labels])
    against = [label.votes - label.votes_for if label.value else label.votes_for for _, label, _ in labels]
    canonical = AuditedLabels(
        [place for place, _, _ in labels],
        value,
        [found for _, _, found in labels],
        doubts(value, [label.votes for _, label, _ in labels], against, np.full(value.size, value.mean())),
    )
    numbers = {pk: number for number, pk in enumerate(sorted({unit.question_id for unit in rows}))}
    audit = PureAudit(
        read.pi[sample.sampled],
        np.array([numbers[unit.question_id] for unit in rows]),
        np.array([audits[unit.question_id].probability for unit in rows]),
        drawn,
        {"relation": relation, "canonical": canonical},
    )
    return NeededLabels(audit, ("relation", "canonical"), mentions)


@pytest.mark.slow
def test_scoring_through_postgres_is_the_pure_computation(judged):
    audit_epoch(judged, 0.3, doubtful)
    score_again(judged)
    read = pool.read_pool(judged, judged.batches.count(), KBP.choices.weightings)
    sample, labels = pool.read_sample(read), read_labels(read)
    documents = annotated.read_exhaustive(read.submissions, judged).documents
    assert not read_outside(read).any()
    estimates = [
        one
        for one in coordinated_estimates(
            read.systems,
            labels,
            sample,
            documents,
            features=KBP.features(read),
            audited=needed_one_by_one(judged, read, sample),
        )
        if one.standard == "audit"
    ]
    stored = figures(standard="audit")
    assert {one.part for one in estimates} == {"all", "relation", "linking"}
    for part in estimates:
        for score in part.scores(intervals.LEVELS):
            key = (
                read.submissions[score.system].pk,
                score.estimator,
                score.weighting,
                score.part,
                score.level,
            )
            for measure, interval in score.measures.items():
                expected = (
                    (None,) * 3 if interval is None else (interval.estimate, interval.low, interval.high)
                )
                assert plain(stored[*key, measure][2:]) == pytest.approx(plain(expected), abs=1e-12)
        for estimator, weighting, comparable in comparables(part):
            row = Comparison.objects.get(
                estimator=estimator, weighting=weighting, part=part.part, standard="audit"
            )
            side = KBP.sides()(row.arrays, judged)
            found = side.comparable.precision_covariance
            assert found == pytest.approx(comparable.precision_covariance, abs=1e-12)
            assert side.comparable.cross_covariance == pytest.approx(comparable.cross_covariance, abs=1e-12)


def test_what_is_read_of_an_audit_hangs_on_no_row_id(judged):
    audit_epoch(judged, 0.3, doubtful)
    read = pool.read_pool(judged, judged.batches.count(), KBP.choices.weightings)
    sample = pool.read_sample(read)
    needed = read_audited(read, sample.sampled, read_labels(read))
    questions = needed.audit.questions
    _, first = np.unique(questions, return_index=True)
    assert (np.diff(first) > 0).all()  # numbered as they come in the pool
    instances = needed.audit.labels["canonical"].instances
    assert (np.diff(instances) >= 0).all()


def test_two_systems_are_compared_by_the_standard_that_is_asked_for(judged):
    audit_epoch(judged, 0.3, doubtful)
    score_again(judged)
    first, second = [row.submission for row in leaderboard.rows(judged.corpus, KBP.choices)[:2]]
    choice = {"level": 95, "part": "relation", "weighting": "instance", "estimator": "both"}
    systems = [judged.batches.get(submission=pk).submission for pk in (first, second)]
    by = {
        standard: {one.measure: one for one in comparing.compare(*systems, KBP, standard=standard, **choice)}
        for standard in ("audit", "votes")
    }
    for standard, found in by.items():
        for measure, one in found.items():
            stored = figures(standard=standard, submission=first, **choice)
            assert one.first.estimate == stored[first, "both", "instance", "relation", 95, measure][2]
            gap = one.first.estimate - one.second.estimate
            assert one.difference.estimate == pytest.approx(gap)
    assert by["audit"]["f1"].difference != by["votes"]["f1"].difference


def test_agreeing_audits_widen_every_interval_and_move_little(judged):
    audit_epoch(judged, 0.3, agree)
    score_again(judged)
    by_votes = figures(standard="votes", level=95, part="relation")
    for key, row in figures(standard="audit", level=95, part="relation").items():
        if key[5] == "precision":
            _, _, estimate, low, high = row
            # Not at all, were it not that fewer errors are found than votes let expect.
            assert estimate == pytest.approx(by_votes[key][2], abs=0.005)
            assert high - low > by_votes[key][4] - by_votes[key][3]


@pytest.mark.slow
def test_audits_that_the_service_draws_and_asks_correct_its_scores(world, gold, audited, submit):
    submit("one", world.system(recall=0.8, precision=0.6, seed=1))
    for _ in range(3):
        pipeline.advance()
        call_command(
            "simulate_crowd", "--corpus", "small", "--gold", str(gold), "--error", "0.1", verbosity=0
        )
    pipeline.advance()
    assert Audit.objects.filter(is_drawn=True).exists()
    assert set(Score.objects.values_list("standard", flat=True)) == {"votes", "audit"}
