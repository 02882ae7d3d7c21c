"""Audits of labels: drawn, asked, answered, drawn again; and whatever is changed is found."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from django.db import transaction
from django.db.models import F
from django.test import Client
from django.utils import timezone

from annotations import labels, questions, takedowns
from annotations.models import Corpus, Label, Question, Response
from crowd.simulation import simulated_crowd
from evaluation.design import audit, audits, batches, epochs, releases
from evaluation.design.evidence import Evidence, read_labels
from evaluation.kbp.task import TASK as KBP
from evaluation.models import (
    Audit,
    AuditDrawing,
    Epoch,
    SampleBatch,
    SampledClaim,
    SampledUnit,
    Score,
)
from evaluation.scoring import audit as scoring_audit
from evaluation.scoring import auditing
from evaluation.scoring import pool as pools
from evaluation.submissions import progress
from kbpo import pipeline
from kbpo.core.errors import Conflict
from kbpo_estimators.judging import drawing
from tests.factories import UserFactory, give
from tests.integration.conftest import Small, Submit
from tests.ontologies import TAC
from tests.oracles.effect import judges_effect

pytestmark = pytest.mark.django_db

Judge = Callable[..., None]


def people_vote(gold: Path, error: float = 0.1) -> None:
    """Have people who err vote on what is open now, without the pipeline going on."""
    corpus, truth = Corpus.objects.get(tag="small"), simulated_crowd.read_gold(gold, TAC)
    simulated_crowd.simulate(corpus=corpus, gold=truth, error=error)


@pytest.fixture(scope="module")
def made(once: Callable[[Callable[[Path], None]], Path]) -> Path:
    """Two systems whose batches are labelled, and whose audits are asked."""

    def build(folder: Path) -> None:
        small = Small(folder)
        small.load()
        Corpus.objects.update(audit_share=0.2)
        small.submit("one", seed=1)
        small.submit("two", team="Beta", seed=2)
        pipeline.advance()
        people_vote(small.gold)
        pipeline.advance()

    return once(build)


@pytest.fixture
def small(made: Path, afresh: Callable[[Path], Path]) -> Small:
    return Small(afresh(made))


@pytest.fixture
def corpus(small: Small) -> Corpus:
    return Corpus.objects.get()


@pytest.fixture
def vote(small: Small) -> Judge:
    return partial(people_vote, small.gold)


@pytest.fixture
def labelled(corpus: Corpus) -> Epoch:
    return Epoch.objects.get(corpus=corpus)


def test_each_settled_question_of_the_sample_is_drawn_once_with_its_probability(labelled: Epoch) -> None:
    sampled = set(SampledUnit.objects.filter(epoch=labelled).values_list("question", flat=True))
    rows = list(Audit.objects.filter(epoch=labelled).select_related("question__document"))
    assert sorted(row.question_id for row in rows) == sorted(sampled)
    rho = np.array([row.probability for row in rows])
    assert (rho >= drawing.LEAST).all()
    assert len(set(rho.tolist())) > 2
    keys = [f"{row.question.document.doc_id}|{row.question.key}" for row in rows]
    again = drawing.drawn(bytes.fromhex(labelled.secret), keys, rho)
    assert [row.is_drawn for row in rows] == again.tolist()


def test_the_share_is_met_on_average_in_each_drawing(labelled: Epoch) -> None:
    for one in AuditDrawing.objects.all():
        by_people = one.batch.audits.filter(probability__lt=1)
        assert np.mean(by_people.values_list("probability", flat=True)) == pytest.approx(0.2, abs=1e-6)


def test_what_is_drawn_is_asked_again_with_its_canonical_mentions(labelled: Epoch) -> None:
    drawn = Audit.objects.filter(is_drawn=True).values("question")
    units = SampledUnit.objects.filter(question__in=drawn).values("unit")
    claims = SampledClaim.objects.filter(instance__in=units)
    canonical = {
        pk for pair in claims.values_list("subject_question", "object_question") for pk in pair if pk
    }
    expected = {row["question"] for row in drawn} | canonical
    asked = Question.objects.filter(audits__isnull=False).select_related("audits")
    assert {one.audits_id for one in asked} == expected
    for one in asked:
        of = one.audits
        assert of is not None
        assert (one.kind, one.payload, one.document_id) == (of.kind, of.payload, of.document_id)
        assert (one.state, one.votes_needed) == ("open", 7)
    assert not SampleBatch.questions.through.objects.filter(question__in=asked).exists()


def test_scores_wait_for_the_audits_answers(labelled: Epoch, vote: Judge) -> None:
    assert batches.last_labelled(labelled) == 2
    assert batches.last_scored(labelled) == 0
    assert not Score.objects.exists()
    vote()
    pipeline.advance()
    assert batches.last_scored(labelled) == 2
    assert set(SampleBatch.objects.values_list("submission__state", flat=True)) == {"scored"}


def test_drawing_again_changes_nothing(labelled: Epoch) -> None:
    before = (
        list(Audit.objects.values()),
        list(AuditDrawing.objects.values()),
        list(Question.objects.values()),
    )
    assert not auditing.audit_epoch(epoch_id=labelled.pk, task=KBP)
    assert before == (
        list(Audit.objects.values()),
        list(AuditDrawing.objects.values()),
        list(Question.objects.values()),
    )


def test_what_is_drawn_does_not_hang_on_when_it_is_looked_at(labelled: Epoch) -> None:
    def drawn() -> list[object]:
        rows = Audit.objects.order_by("question")
        return list(rows.values_list("batch__number", "question", "probability", "doubt", "is_drawn"))

    both = drawn()
    Audit.objects.all().delete()
    AuditDrawing.objects.all().delete()
    SampleBatch.objects.filter(number=2).update(labelled_at=None)
    pipeline.audit_labels()
    assert {row[0] for row in drawn()} == {1}  # type: ignore[index]
    SampleBatch.objects.filter(number=2).update(labelled_at=timezone.now())
    pipeline.advance()
    assert drawn() == both


def test_they_are_drawn_again_bit_for_bit(labelled: Epoch, vote: Judge) -> None:
    assert audit.audit_corpus(labelled.corpus, KBP) == []
    vote()
    pipeline.advance()
    assert audit.audit_corpus(labelled.corpus, KBP) == []


@pytest.mark.slow
def test_whatever_is_changed_is_found(labelled: Epoch, vote: Judge) -> None:
    vote()
    pipeline.advance()
    drawn = Audit.objects.filter(is_drawn=True, question__audit__isnull=False)
    other = Audit.objects.filter(is_drawn=False)
    one, asked = drawn[0], Question.objects.filter(audits__isnull=False)
    settled = asked.filter(audits=one.question_id).get()
    stranger = Question.objects.filter(audits=None, kind="canonical")[0]
    given = settled.responses.all()[0]
    elsewhere = Question.objects.exclude(responses__worker=given.worker_id)[0]

    def tamper_with_evidence() -> None:
        row = AuditDrawing.objects.all()[0]
        evidence = Evidence.unpack(row.evidence)
        row.evidence = replace(evidence, own=replace(evidence.own, prior=evidence.own.prior * 0.99)).pack()
        row.save()

    needed = SampledClaim.objects.filter(instance__in=SampledUnit.objects.values("unit"))[0]
    beside = Label.objects.filter(question=needed.subject_question)
    assert beside.get().source == "majority"

    changes: dict[str, tuple[Callable[[], object], str]] = {
        "a row is missing": (
            lambda: Audit.objects.filter(pk=one.pk).delete(),
            "doubts differ at 1 questions",
        ),
        "ρ": (
            lambda: drawn.filter(pk=one.pk).update(probability=0.051),
            "probabilities of audits differ at 1",
        ),
        "doubt": (lambda: drawn.filter(pk=one.pk).update(doubt=0.5), "doubts differ at 1"),
        "the draw": (
            lambda: other.filter(pk=other[0].pk).update(is_drawn=True),
            "that are drawn differ at 1",
        ),
        "the question": (lambda: drawn.filter(pk=one.pk).update(question=stranger), "differ at 2 questions"),
        "the share": (lambda: AuditDrawing.objects.update(share=0.3), "its digest"),
        "the evidence": (tamper_with_evidence, "its digest"),
        "a drawing": (lambda: AuditDrawing.objects.filter(batch__number=1).delete(), "other batches"),
        "a label": (
            lambda: Label.objects.filter(question=one.question).update(value=1 - F("value")),
            "labels that audits were drawn from differ",
        ),
        "a label that a claim needs beside": (
            lambda: beside.update(value=1 - F("value")),
            "labels that audits were drawn from differ",
        ),
        "its votes": (
            lambda: beside.update(votes=F("votes") + 2, votes_for=F("votes_for") + 1),
            "labels that audits were drawn from differ",
        ),
        "its label is missing": (beside.delete, "labels that audits were drawn from differ"),
        "what a system claims there": (
            lambda: SampledClaim.objects.filter(pk=needed.pk).update(subject_question=unlike(needed)),
            "labels that audits were drawn from differ: of 1 questions",
        ),
        "that a system claims it": (
            SampledClaim.objects.filter(pk=needed.pk).delete,
            "labels that audits were drawn from differ: of 1 questions",
        ),
        "the rules": (lambda: AuditDrawing.objects.update(version="3"), "which are unknown"),
        "what is asked again": (
            lambda: asked.filter(pk=settled.pk).update(payload=stranger.payload),
            "asked again in another way",
        ),
        "whose audit it is": (
            lambda: asked.filter(pk=settled.pk).update(audits=other[0].question_id),
            "not asked again",
        ),
        "an answer of another question": (
            lambda: Response.objects.filter(pk=given.pk).update(question=elsewhere),
            "lack answers",
        ),
        "labels of other claims": (
            lambda: Label.objects.filter(pk=settled.labels.all()[0].pk).update(claim="other"),
            "other claims",
        ),
        "who answers": (
            lambda: Response.objects.filter(pk=settled.responses.all()[0].pk).update(
                worker=one.question.responses.all()[0].worker
            ),
            "judged before",
        ),
        "not answered": (
            lambda: asked.filter(pk=settled.pk).update(state="open", settled_at=None),
            "nobody has answered",
        ),
    }
    missed = []
    for name, (change, expected) in changes.items():
        with transaction.atomic():
            change()
            if not any(expected in found for found in audit.audit_corpus(labelled.corpus, KBP)):
                missed.append((name, audit.audit_corpus(labelled.corpus, KBP)))
            transaction.set_rollback(True)
    assert missed == []


def unlike(claim: SampledClaim) -> Question:
    """Return another question about a canonical mention."""
    asked = Question.objects.filter(kind="canonical", audits=None, labels__isnull=False)
    return asked.exclude(pk__in=[claim.subject_question_id, claim.object_question_id])[0]


def test_audits_follow_the_mean_doubt_in_the_claims_that_systems_make(labelled: Epoch) -> None:
    for one in AuditDrawing.objects.select_related("batch"):
        evidence = Evidence.unpack(one.evidence)
        beside = dict(zip(evidence.beside.questions.tolist(), evidence.beside.doubts().tolist(), strict=True))
        units = [row.unit for row in read_labels(labelled, one.batch.number, after=one.batch.number - 1)]
        aimed: dict[int, float] = {}
        for question, unit, doubt in zip(
            evidence.own.questions.tolist(), units, evidence.own.doubts().tolist(), strict=True
        ):
            claims = SampledClaim.objects.filter(
                instance=unit, submission__batch__number__lte=one.batch.number
            )
            right = [
                (1 - doubt)
                * (1 - beside[claim.subject_question_id])
                * (1 - beside.get(claim.object_question_id or 0, 0))
                for claim in claims
            ]
            aimed[question] = max(aimed.get(question, 0), 1 - float(np.mean(right)))
        rows = list(one.batch.audits.filter(probability__lt=1))
        rho = drawing.audit_probabilities([aimed[row.question_id] for row in rows], one.share)
        assert [row.probability for row in rows] == pytest.approx(rho)
        own = drawing.audit_probabilities([row.doubt for row in rows], one.share)
        assert rho != pytest.approx(own)


def test_a_vote_that_ceases_to_count_after_the_draw_changes_nothing_of_it(labelled: Epoch) -> None:
    Response.objects.filter(question__audits_drawn__epoch=labelled).update(is_valid=False)
    assert audit.audit_corpus(labelled.corpus, KBP) == []


def test_a_reviewer_of_the_corpus_is_asked_where_there_is_one_who_did_not_answer(labelled: Epoch) -> None:
    expert, voter = (give(UserFactory(), labelled.corpus, "reviewer") for _ in range(2))
    first, second = Question.objects.filter(audits=None, kind="canonical", audit=None)[:2]
    for question, who in ((first, [voter]), (second, [voter, expert])):
        Response.objects.bulk_create(
            Response(question=question, worker=one, answer={"version": 1, "right": True}) for one in who
        )
    asked = questions.ask_audits(questions=[first.pk, second.pk])
    assert (asked[first.pk].state, asked[second.pk].state) == ("expert", "open")


@pytest.mark.slow
def test_a_removed_documents_audits_leave_its_labels_as_they_are(labelled: Epoch, vote: Judge) -> None:
    one = Audit.objects.filter(is_drawn=True, question__audit__isnull=False)[0]
    takedowns.take_down(
        document=one.question.document, reason="wanted", by=UserFactory(operator=True), now=timezone.now()
    )
    settled = Question.objects.get(audits=one.question)
    assert settled.state == "settled"
    of = {
        pk: dict(Label.objects.filter(question=pk).values_list("claim", "value"))
        for pk in (settled.pk, one.question_id)
    }
    assert of[settled.pk] == of[one.question_id]
    assert set(settled.labels.values_list("source", flat=True)) == {"removed"}
    vote()
    pipeline.advance()
    assert audit.audit_corpus(labelled.corpus, KBP) == []


def test_an_epoch_is_released_after_its_audits_and_publishes_them(labelled: Epoch, vote: Judge) -> None:
    with pytest.raises(Conflict, match="waits for"):
        epochs.release(corpus=labelled.corpus, task=KBP)
    vote()
    pipeline.advance()
    assert not Question.objects.filter(published_at__isnull=False).exists()
    epochs.release(corpus=labelled.corpus, task=KBP)
    assert not Question.objects.filter(published_at=None).exists()
    assert audit.audit_corpus(labelled.corpus, KBP) == []


def test_posteriors_and_agreement_know_nothing_of_audits(labelled: Epoch, vote: Judge) -> None:
    corpus = labelled.corpus
    labels.update_posteriors(corpus=corpus)
    of_others = Label.objects.filter(question__audits=None)
    before = dict(of_others.values_list("pk", "posterior"))
    vote(error=1)
    labels.update_posteriors(corpus=corpus)
    assert dict(of_others.values_list("pk", "posterior")) == before
    assert not Label.objects.filter(question__audits__isnull=False, posterior__isnull=False).exists()


@pytest.mark.slow
def test_stored_probabilities_make_the_judges_effect_unbiased(labelled: Epoch, vote: Judge) -> None:
    """Over the secrets that might have drawn them, with what is stored as it is."""
    one = AuditDrawing.objects.get(batch__number=1)
    evidence = Evidence.unpack(one.evidence)
    own = evidence.own
    rows = read_labels(labelled, 1, after=0)
    keys = {row.question: row.key for row in rows}
    pool = pools.read_pool(labelled, 1, ["instance"])
    at = pool.positions(np.array([row.unit for row in rows]))
    pi, p = pool.pi[at], np.full(len(rows), 1 / pool.size)
    rng = np.random.default_rng(4)
    truth = np.where(rng.random(len(rows)) < 0.2, 1 - own.labels, own.labels)
    found = []
    for number in range(2_000):
        drawn = audits.draw(evidence, keys, share=one.share, secret=number.to_bytes(32, "big"))
        place = {pk: position for position, pk in enumerate(drawn.questions.tolist())}
        of = np.array([place[pk] for pk in own.questions.tolist()])
        effect = judges_effect(
            p, pi, drawn.probability[of], drawn.is_drawn[of], own.labels, truth, questions=of
        )
        found.append((effect.estimate, effect.by_audit))
    estimates, variances = np.array(found).T
    expected = float((p / pi * (truth - own.labels)).sum())
    assert expected != 0
    assert abs(estimates.mean() - expected) < 3 * estimates.std() / np.sqrt(estimates.size)
    assert variances.mean() == pytest.approx(estimates.var(), rel=0.15)


@pytest.mark.slow
def test_canonical_mentions_of_systems_that_come_later_are_audited_too(
    labelled: Epoch, vote: Judge, submit: Submit
) -> None:
    vote()
    pipeline.advance()
    drawn = Audit.objects.filter(is_drawn=True, question__audit__isnull=False)[0]
    unit = SampledUnit.objects.filter(question=drawn.question)[0].unit_id
    submit("three", team="Gamma", seed=3)
    pipeline.advance()
    third = SampleBatch.objects.get(number=3)
    other = Question.objects.filter(audits=None, kind="canonical", audit=None)[0]
    SampledClaim.objects.update_or_create(
        submission=third.submission, instance_id=unit, defaults={"subject_question": other}
    )
    assert other.pk not in audits.wanted(labelled, 2, KBP)
    vote()
    pipeline.advance()
    assert other.pk in audits.wanted(labelled, 3, KBP)
    assert Question.objects.filter(audits=other).exists()
    assert Audit.objects.filter(question=drawn.question).count() == 1


def test_scores_rest_on_nothing_that_a_later_batch_waits_for(
    labelled: Epoch, vote: Judge, small: Small
) -> None:
    vote()
    pipeline.advance()
    assert batches.last_scored(labelled) == 2
    small.submit("three", team="Gamma", seed=3)
    pipeline.advance()
    drawn = SampledUnit.objects.filter(epoch=labelled, batch__number=3).values("unit")
    claims = SampledClaim.objects.filter(instance__in=drawn, submission__batch__number__lte=2)
    half = claims.filter(object_question__state="open")[0]
    Label.objects.get_or_create(
        question=half.subject_question, claim="right", defaults={"value": 1, "votes_for": 2, "votes": 2}
    )
    assert scoring_audit.audit(labelled.corpus, KBP) == []


def test_released_files_name_audits_and_nothing_does_before(
    labelled: Epoch, vote: Judge, client: Client
) -> None:
    vote()
    pipeline.advance()
    assert client.get("/corpora/small/epochs/1/labels.jsonl").status_code == 404
    epochs.release(corpus=labelled.corpus, task=KBP)
    labelled.refresh_from_db()
    rows = list(releases.labels(labelled))
    asked = Label.objects.filter(question__audits__isnull=False).count()
    assert sum(row.get("audit", False) for row in rows) == asked > 0
    audited = [row for row in releases.sample(labelled, KBP) if "audit" in row]
    assert len(audited) == Audit.objects.count()


@pytest.mark.slow
def test_a_released_audit_makes_nothing_known(labelled: Epoch, vote: Judge, submit: Submit) -> None:
    vote()
    pipeline.advance()
    epochs.release(corpus=labelled.corpus, task=KBP)
    Question.objects.filter(audits=None).update(published_at=None)
    later = timezone.now() + timedelta(days=1)
    assert questions.published_pairs(labelled.corpus_id, later) == set()


def test_audits_of_what_is_shared_are_shared(labelled: Epoch) -> None:
    batch = SampleBatch.objects.get(number=2)
    shared = Question.objects.filter(batches=batch).filter(batches__number=1)
    audits = Question.objects.filter(audits__in=shared).count()
    found = progress.progress(batch.submission)
    assert found is not None
    assert found.shared == shared.count() + audits
    asked = Question.objects.filter(batches=batch).exclude(pk__in=shared)
    assert found.needed == asked.count() + Question.objects.filter(audits__in=asked).count()


def test_a_step_of_the_timeline_counts_no_audits_that_happened_to_be_asked(
    labelled: Epoch, small: Small
) -> None:
    """A third system's sample is drawn while audits of questions that it shares are there."""
    third = small.submit("three", team="Gamma", seed=1)
    pipeline.advance()
    batch = SampleBatch.objects.get(submission=third)
    shared = Question.objects.filter(batches=batch).filter(batches__number__lt=3).distinct()
    assert Question.objects.filter(audits__in=shared).exists()
    said = third.events.get(state="judging").detail
    assert f"{shared.count():,} more that it needs were asked for systems before it" in said


def test_progress_counts_audits(labelled: Epoch, vote: Judge) -> None:
    batch = SampleBatch.objects.get(number=1)
    found = progress.progress(batch.submission)
    assert found is not None
    asked = Question.objects.filter(audits__batches=batch).count()
    assert (found.settled, found.needed) == (batch.questions.count(), batch.questions.count() + asked)
    vote()
    found = progress.progress(batch.submission)
    assert found is not None
    assert found.settled == found.needed
