"""Whatever a sample, a label or a score rests on, nobody changes it without a finding."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.core.files import File
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import F
from django.test import override_settings
from django.utils import timezone

from annotations import takedowns
from annotations.models import (
    AnnotatedRelation,
    Corpus,
    Document,
    Label,
    Question,
    Response,
)
from evaluation.design import audit, columns, epochs, plans, released
from evaluation.kbp.task import TASK as KBP
from evaluation.models import (
    Comparison,
    DocumentSample,
    Epoch,
    Estimate,
    FittedModel,
    InclusionProbability,
    Instance,
    PlannedVariance,
    Prediction,
    Ranking,
    ReleasedLabels,
    RetiredDocument,
    SampleBatch,
    SampledClaim,
    SampledDocument,
    SampledUnit,
    Score,
    Submission,
    UnitColumn,
)
from evaluation.scoring import audit as scores
from evaluation.submissions import submitting
from kbpo import pipeline
from kbpo.accounts.models import Team, User
from kbpo.accounts.personal import deleting
from kbpo.accounts.personal.parts import Leaving
from kbpo.core.database.coded import code, pack
from kbpo_estimators import planned_variance
from kbpo_estimators.pooled import PooledModel
from tests.world import World

SECRET = bytes(range(32))
TAG = "small"


def found() -> Iterator[str]:
    """What an audit finds; scores are looked at last, and only if somebody asks for more."""
    corpus = Corpus.objects.get(tag=TAG)
    yield from audit.audit_corpus(corpus, KBP)
    yield from scores.audit(corpus, KBP)


def findings() -> list[str]:
    return list(found())


class Course:
    """A small corpus and what becomes of it."""

    def __init__(self, folder: Path, *, design: str = "coordinated", experts: bool = True) -> None:
        self.folder, self.world = folder, World(40)
        self.gold = self.world.write_gold(folder / "gold.jsonl")
        path = self.world.write_corpus(folder / "corpus.jsonl")
        call_command("load_corpus", str(path), "--corpus", TAG, "--design", design, verbosity=0)
        if experts:
            options = ("--documents", "20", "--seed", "1")
            call_command("load_gold", str(self.gold), "--corpus", TAG, *options, verbosity=0)
        Corpus.objects.update(target_half_width=0.1, weekly_quota=9, audit_share=0)

    def submit(self, name: str, team: str, seed: int) -> None:
        path = self.world.write_kb(
            self.folder / f"{name}.kb", self.world.system(recall=0.7, precision=0.6, seed=seed)
        )
        with path.open("rb") as stream:
            submitting.upload(
                task=KBP,
                user=None,
                team=Team.objects.get_or_create(name=team)[0],
                corpus=Corpus.objects.get(tag=TAG),
                name=name,
                file=File(stream),
                go_ahead=True,
            )
        pipeline.advance()

    def judge(self) -> None:
        options = ("--gold", str(self.gold), "--error", "0.1")
        call_command("simulate_crowd", "--corpus", TAG, *options, verbosity=0)
        pipeline.advance()


@pytest.fixture(scope="module")
def rolled_back(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Course]:
    """Two epochs, planned by the documents annotated in full: one released with some of them, one open."""
    with (
        django_db_blocker.unblock(),
        pytest.MonkeyPatch.context() as patch,
        override_settings(KBPO_EPOCH_SECRET=SECRET),
        transaction.atomic(),
    ):
        patch.setattr(planned_variance, "LEAST_KNOWN", 10)
        course = Course(tmp_path_factory.mktemp("course"))
        course.submit("one", "Alpha", 1)
        course.submit("two", "Beta", 2)
        course.judge()
        epochs.release(task=KBP, corpus=Corpus.objects.get(tag=TAG), retire=0.25)
        course.submit("three", "Gamma", 1)
        course.submit("four", "Delta", 4)
        course.judge()
        yield course
        transaction.set_rollback(True)


@pytest.fixture
def db(rolled_back: Course, django_db_blocker: Any) -> Iterator[None]:
    """A savepoint in place of a test's own transaction: all of them share what was made once."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def course(db: None, rolled_back: Course) -> Course:
    """The same once more, whatever another test has made of it."""
    return rolled_back


def epoch(number: int) -> Any:
    return Epoch.objects.filter(number=number)


def batch(of_epoch: int, number: int) -> Any:
    return SampleBatch.objects.filter(epoch__number=of_epoch, number=number)


def one(rows: Any) -> Any:
    """The first of some rows, as a query."""
    return rows.model.objects.filter(pk=rows.order_by("pk").first().pk)


def of(model: Any, of_epoch: int, number: int) -> Any:
    return model.objects.filter(batch__epoch__number=of_epoch, batch__number=number)


def labels(of_epoch: int) -> Any:
    return Label.objects.filter(
        question__batches__epoch__number=of_epoch, question__sampled__claim=F("claim")
    )


def answers(of_epoch: int) -> Any:
    return Response.objects.filter(question__batches__epoch__number=of_epoch)


def swap_batches() -> None:
    for before, after in ((1, 9), (2, 1), (9, 2)):
        batch(1, before).update(number=after)


def add_probability() -> None:
    here = batch(1, 1).get()
    other = Prediction.objects.exclude(instance__in=here.inclusions.values("unit")).order_by("pk")[0]
    here.inclusions.create(unit_id=other.instance_id, probability=0.5, squares=0.25)


def add_sampled() -> None:
    here = batch(1, 1).get()
    row = here.sampled.order_by("pk")[0]
    unit = here.inclusions.exclude(unit__in=SampledUnit.objects.values("unit")).order_by("pk")[0].unit_id
    SampledUnit.objects.create(
        batch=here, epoch=here.epoch, unit_id=unit, question=row.question, claim=row.claim
    )


def point_at_another_question() -> None:
    row = of(SampledUnit, 1, 1).order_by("pk")[0]
    other = of(SampledUnit, 1, 1).exclude(question=row.question).order_by("pk")[0]
    SampledUnit.objects.filter(pk=row.pk).update(question=other.question)


def name_another_claim() -> None:
    row = of(SampledUnit, 1, 1).order_by("pk")[0]
    other = Label.objects.filter(question=row.question).exclude(claim=row.claim).order_by("pk")[0]
    SampledUnit.objects.filter(pk=row.pk).update(claim=other.claim)


def point_a_claim_at_another_question() -> None:
    rows = SampledClaim.objects.filter(submission__name="two").order_by("pk")
    other = rows.exclude(subject_question=rows[0].subject_question_id)[0].subject_question_id
    SampledClaim.objects.filter(pk=rows[0].pk).update(subject_question=other)


def lengthen_questions() -> None:
    here = batch(1, 1).get()
    here.questions.add(batch(2, 2).get().questions.exclude(pk__in=here.questions.values("pk"))[0])


def waiting() -> Any:
    return Question.objects.filter(batches__epoch__number=2, published_at=None)


def open_a_question() -> None:
    one(waiting()).update(state="open", settled_at=None)


def change_a_column() -> None:
    rows = of(UnitColumn, 1, 2)
    rows.filter(name="p instance").update(data=rows.get(name="p relation").data)


def change_coefficients() -> None:
    plan = PlannedVariance.objects.get(batch=batch(2, 1).get())
    plan.coefficients[0][1] += 0.01
    plan.digest = plans.digest(plan)
    plan.save()


def change_evidence() -> None:
    other = PlannedVariance.objects.get(batch=batch(1, 1).get())
    plan = PlannedVariance.objects.get(batch=batch(1, 2).get())
    plan.evidence, plan.units = other.evidence, other.units
    plan.digest = plans.digest(plan)
    plan.save()


def change_variances() -> None:
    values = columns.read_variance(batch(1, 1).get())
    assert values is not None
    of(UnitColumn, 1, 1).filter(name=columns.VARIANCE).update(
        data=code(np.where(values < 0.2, 0.2, 0.25)).pack()
    )


def change_plan_of_annotations() -> None:
    plan = PlannedVariance.objects.get(batch=batch(2, 1).get())
    PlannedVariance.objects.filter(pk=plan.pk).update(annotations=plan.annotations[1:])


def point_at_another_instance() -> None:
    rows = Prediction.objects.filter(submission__name="two").order_by("pk")
    other = Instance.objects.exclude(predictions__submission__name="two").order_by("pk")[0]
    rows.filter(pk=rows[0].pk).update(instance=other)


def of_sampled(name: str) -> Any:
    sampled = SampledUnit.objects.values("unit")
    return Prediction.objects.filter(submission__name=name, instance__in=sampled)


def change_file() -> None:
    submission = Submission.objects.get(name="one")
    path = Path(settings.MEDIA_ROOT, submission.file.name)
    other = path.with_name("another.kb")
    other.write_bytes(path.read_bytes() + b"\n")
    Submission.objects.filter(pk=submission.pk).update(file=str(other.relative_to(settings.MEDIA_ROOT)))


def turn(rows: Any) -> None:
    row = rows.order_by("pk")[0]
    Label.objects.filter(pk=row.pk).update(value=1 - row.value)


def turn_and_seal() -> None:
    turn(labels(1))
    ReleasedLabels.objects.all().delete()
    released.seal(epoch(1).get())


def change_answer() -> None:
    row = answers(1).filter(question__kind="canonical").order_by("pk")[0]
    answers(1).filter(pk=row.pk).update(answer={**row.answer, "right": not row.answer["right"]})


def change_payload() -> None:
    row = Question.objects.filter(batches__epoch__number=2, kind="canonical").order_by("pk")[0]
    row.payload["canonical"]["start"] += 1
    row.save()


def judge_by_expert() -> None:
    row = labels(2).filter(question__published_at=None, source="majority").order_by("pk")[0]
    Label.objects.filter(pk=row.pk).update(value=1 - row.value, source="expert")


def change_text() -> None:
    row = Document.objects.order_by("pk")[3]
    Document.objects.filter(pk=row.pk).update(text=row.text.replace("married", "divorced"))


def say_less() -> None:
    drawn = SampledDocument.objects.filter(sample__number=1).values("document")
    one(AnnotatedRelation.objects.filter(annotation__document__in=drawn)).delete()


def take_another_document() -> None:
    never = Document.objects.filter(sampled=None).order_by("pk")[0]
    one(SampledDocument.objects.filter(sample__number=1)).update(document=never)


def retire_another_document() -> None:
    kept = Document.objects.filter(sampled__sample__number=1, retirement=None).order_by("pk")[0]
    one(RetiredDocument.objects.all()).update(document=kept)


def change_fitted() -> None:
    row = FittedModel.objects.filter(epoch__number=1).order_by("pk")[0]
    row.coefficients[0][0] += 0.01
    row.digest = PooledModel(
        tuple(row.names), np.array(row.coefficients), np.array(row.rows), row.inputs
    ).digest
    row.save()


def change_comparison() -> None:
    row = Comparison.objects.filter(epoch__number=1).order_by("pk")[0]
    other = Comparison.objects.filter(epoch__number=1).exclude(weighting=row.weighting).order_by("pk")[0]
    Comparison.objects.filter(pk=row.pk).update(arrays=other.arrays)


def estimates(of_epoch: int) -> Any:
    return Estimate.objects.filter(
        score__epoch__number=of_epoch, score__weighting="subject", measure="precision", estimate__isnull=False
    )


def update(rows: Callable[[], Any], **fields: Any) -> Callable[[], None]:
    def tamper() -> None:
        assert rows().update(**fields)

    return tamper


def remove(rows: Callable[[], Any]) -> Callable[[], None]:
    def tamper() -> None:
        assert rows().delete()[0]

    return tamper


NOTHING = {"secret": "00" * 32, "commitment": epochs.commitment(bytes(32))}

KINDS: dict[str, tuple[Callable[[], object], str]] = {
    # the design
    "secret": (update(lambda: epoch(1), secret="00" * 32), "epoch 1: the secret is not the one"),
    "secret and commitment": (update(lambda: epoch(1), **NOTHING), "epoch 1, batch 1: sampled units differ"),
    "format of keys": (update(lambda: epoch(1), key_version="v9"), "epoch 1: keys have format v9"),
    "weighting": (update(lambda: epoch(1), weighting="relation"), "epoch 1, batch 1: λ and b are"),
    "unknown weighting": (
        update(lambda: epoch(2), weighting="x"),
        "epoch 2, batch 1: weighting 'x' is unknown",
    ),
    "growth": (update(lambda: epoch(1), growth="maximum"), "epoch 1, batch 1: .* its epoch plans none"),
    "target": (update(lambda: batch(1, 2), target_variance=0.01), "epoch 1, batch 2: λ and b are"),
    "lambda": (update(lambda: batch(1, 2), lam=7.0), r"epoch 1, batch 2: λ and b are .* 7\.0"),
    "floor": (update(lambda: batch(2, 1), floor=1.5), r"epoch 2, batch 1: λ and b are .* 1\.5"),
    "order of batches": (swap_batches, "epoch 1, batch 1: inclusion probabilities differ"),
    "rules of weights": (
        update(lambda: batch(1, 1), weights_version="names 9"),
        "epoch 1, batch 1: weights were made by 'names 9'",
    ),
    "design of the corpus": (
        update(Corpus.objects.all, design="iid", audit_share=0),
        "epoch 1, batch 1: it was not sampled by the corpus' design",
    ),
    "probability": (
        update(lambda: one(of(InclusionProbability, 1, 2).filter(probability__lt=0.9)), probability=0.95),
        "epoch 1, batch 2: inclusion probabilities differ at 1 units",
    ),
    "probability removed": (
        remove(lambda: one(of(InclusionProbability, 1, 1))),
        "epoch 1, batch 1: inclusion probabilities differ at 1 units",
    ),
    "probability added": (add_probability, "epoch 1, batch 1: inclusion probabilities differ at 1 units"),
    "sum of squares": (
        update(lambda: one(of(InclusionProbability, 1, 2)), squares=0.123),
        "epoch 1, batch 2: sums of squares differ at 1 units",
    ),
    "known": (
        update(lambda: one(InclusionProbability.objects.filter(is_known=True)), is_known=False),
        "epoch 2, batch 1: known units differ at 1 units",
    ),
    "time of upload": (
        lambda: Submission.objects.filter(name="three").update(
            uploaded_at=F("uploaded_at") - timedelta(days=9)
        ),
        "epoch 2, batch 1: known units differ",
    ),
    # the sample
    "sampled unit removed": (
        remove(lambda: one(of(SampledUnit, 1, 1))),
        "epoch 1, batch 1: sampled units differ at 1 units",
    ),
    "sampled unit added": (add_sampled, "epoch 1, batch 1: sampled units differ at 1 units"),
    "sampled unit moved": (
        lambda: one(of(SampledUnit, 1, 1)).update(batch=batch(1, 2).get()),
        "epoch 1, batch 2: sampled units differ at 1 units",
    ),
    "sampled unit in another epoch": (
        lambda: one(of(SampledUnit, 1, 1)).update(epoch=epoch(2).get(), draws=1),
        "epoch 1, batch 1: a sampled unit is taken for one of another epoch",
    ),
    "sampled unit drawn twice": (
        update(lambda: one(of(SampledUnit, 1, 1)), draws=2),
        "epoch 1, batch 1: sampled units differ at 1 units",
    ),
    "sampled unit pointed at another question": (
        point_at_another_question,
        "epoch 1, batch 1: 1 sampled units are settled by another question or claim",
    ),
    "another claim of its question": (
        name_another_claim,
        "epoch 1, batch 1: 1 sampled units are settled by another question or claim",
    ),
    "claim pointed at another question": (
        point_a_claim_at_another_question,
        "epoch 1, batch 2: 1 claims of its system are settled by other questions",
    ),
    "claim removed": (
        remove(lambda: one(SampledClaim.objects.filter(submission__name="four"))),
        "epoch 2, batch 2: 1 claims of its system are settled by other questions",
    ),
    "questions shortened": (
        lambda: (here := batch(1, 1).get()).questions.remove(here.questions.order_by("pk")[0]),
        "epoch 1, batch 1: it does not wait for 1 of the questions",
    ),
    "questions lengthened": (lengthen_questions, "epoch 1, batch 1: it waits for 1 questions that its"),
    "labelled while a question is open": (
        open_a_question,
        r"epoch 2, batch \d: it counts as labelled, and 1 of its questions are not",
    ),
    # what is kept for scores, and what was planned
    "weights kept": (change_a_column, "epoch 1, batch 2: what is kept for scores differs: p instance"),
    "confidences kept": (
        remove(lambda: of(UnitColumn, 2, 1).filter(name=columns.CONFIDENCE)),
        "epoch 2, batch 1: what is kept for scores differs: confidence",
    ),
    "a column too many": (
        lambda: UnitColumn.objects.create(batch=batch(1, 1).get(), name="p none", data=pack(np.ones(3))),
        "epoch 1, batch 1: what is kept for scores differs: p none",
    ),
    "coefficients of planned variances": (
        change_coefficients,
        "epoch 2, batch 1: the coefficients of planned variances differ",
    ),
    "evidence of planned variances": (
        change_evidence,
        "epoch 1, batch 2: the claims that variances were planned",
    ),
    "annotations that they came from": (
        change_plan_of_annotations,
        "epoch 2, batch 1: what variances were planned from is not what its digest says",
    ),
    "planned variances": (change_variances, "epoch 1, batch 1: the planned variances differ"),
    "plan removed": (
        remove(lambda: PlannedVariance.objects.filter(batch=batch(1, 1).get())),
        "epoch 1, batch 1: planned variances are stored in part",
    ),
    # what systems claim
    "confidence": (
        update(lambda: one(Prediction.objects.filter(submission__name="two")), confidence=0.123),
        "epoch 1, batch 2: what is kept for scores differs: confidence",
    ),
    "weight of a prediction": (
        update(lambda: one(Prediction.objects.filter(submission__name="two")), probability=0.9),
        "epoch 1, batch 2: p sums to",
    ),
    "prediction of another instance": (point_at_another_instance, "epoch 1, batch 2: .* differ"),
    "instance": (
        update(
            lambda: one(Instance.objects.filter(predictions__submission__name="two")),
            subject_end=F("subject_end") + 1,
        ),
        "epoch 1, batch .: .* differ",
    ),
    "names of an instance": (
        update(lambda: one(Instance.objects.filter(predictions__submission__name="two")), subject_name=7),
        "epoch 1, batch .: what is kept for scores differs: .*subject key",
    ),
    "canonical mention": (
        update(lambda: one(of_sampled("two")), subject_canonical_end=F("subject_canonical_end") - 1),
        "epoch 1, batch 2: 1 claims of its system are settled by other questions",
    ),
    "file": (change_file, "epoch 1, batch 1: the file that it was read from is another"),
    # labels
    "label of a released epoch": (
        lambda: turn(labels(1)),
        "epoch 1: its labels are not those that it was released with",
    ),
    "votes of a released label": (
        update(lambda: one(labels(1).filter(votes=2)), votes=3),
        "epoch 1: its labels are not those that it was released with",
    ),
    "claim of a released label": (
        update(lambda: one(labels(1)), claim="per:title|1"),
        "epoch 1: its labels are not those that it was released with",
    ),
    "released label removed": (remove(lambda: one(labels(1))), r"epoch 1: there are \d+ labels where it was"),
    "label of a released epoch, sealed anew": (
        turn_and_seal,
        "epoch 1: the digest of its labels is not the one",
    ),
    "seal removed": (remove(ReleasedLabels.objects.all), "epoch 1: nothing says which labels were published"),
    "answer of a released epoch": (
        change_answer,
        "epoch 1: its answers are not those that it was released with",
    ),
    "answer of a released epoch removed": (
        remove(lambda: one(answers(1))),
        r"epoch 1: there are \d+ answers where it was",
    ),
    "whose answer it was": (
        lambda: one(answers(1)).update(worker=User.objects.create_user("x@example.org")),
        "epoch 1: its answers are not those that it was released with",
    ),
    "published question hidden": (
        update(lambda: one(Question.objects.filter(batches__epoch__number=1)), published_at=None),
        "epoch 1: 1 of its questions were not published with it",
    ),
    "question published too early": (
        update(lambda: one(waiting()), published_at=timezone.now()),
        "epoch 2: 1 of its questions are published, and no epoch that asked them is released",
    ),
    "label": (
        lambda: turn(labels(2).filter(question__published_at=None)),
        r"epoch 2, batch \d: 1 of its questions, .* have labels that are not what was answered",
    ),
    "claim of a label": (
        update(lambda: one(labels(2).filter(question__published_at=None)), claim="per:title|1"),
        r"epoch 2, batch \d: 1 of its questions, .* have labels of other claims than they ask about",
    ),
    "label of an expert": (judge_by_expert, r"epoch 2, batch \d: .* of an expert who gave no answer"),
    "what a question asks": (
        change_payload,
        r"epoch 2, batch \d: .* ask for something else than their keys say",
    ),
    # documents
    "text": (change_text, "1 documents are not as they were loaded, the first D003"),
    "annotations": (
        remove(AnnotatedRelation.objects.all),
        "epoch 1, batch 1: what is true in the documents that variances were planned from",
    ),
    "annotation of a document": (
        say_less,
        "the annotations of 1 exhaustive documents are not what was loaded",
    ),
    "documents drawn": (take_another_document, "the exhaustive documents differ at 2 documents"),
    "population of documents": (
        update(lambda: DocumentSample.objects.filter(number=1), population=39),
        "drawn from 39 documents; there were 40",
    ),
    "probability of a document": (
        update(lambda: one(SampledDocument.objects.filter(sample__number=2)), probability=0.9),
        "sample 2 of documents: the probabilities of the exhaustive documents differ at 1",
    ),
    "seed of documents": (
        update(lambda: DocumentSample.objects.filter(number=2), seed=5),
        "sample 2 of documents: the seed of the replacements",
    ),
    "retired document": (retire_another_document, "the retired documents differ at 2 documents"),
    "since when a document is in it": (
        update(lambda: one(SampledDocument.objects.filter(sample__number=2, since=1)), since=2),
        "sample 2 of documents: since when documents were in the sample|the documents that were kept differ",
    ),
    "documents of an epoch": (
        lambda: epoch(1).update(document_sample=DocumentSample.objects.get(number=2)),
        "epoch 1: its recall does not rest on the documents that were current",
    ),
    # scores
    "score": (
        lambda: one(estimates(1)).update(estimate=F("estimate") + 1e-4, high=1),
        "epoch 1, batch 1: 1 scores of its system are not what",
    ),
    "number of labels of a score": (
        update(lambda: one(Score.objects.filter(epoch__number=2)), labels=99),
        "epoch 2, batch 1: 1 scores of its system are not what",
    ),
    "score removed": (
        lambda: [
            rows.delete()
            for rows in (
                Estimate.objects.filter(score=Score.objects.order_by("pk")[0]),
                one(Score.objects.all()),
            )
        ],
        "epoch 1, batch 1: 1 scores of its system are not what",
    ),
    "fitted model": (change_fitted, "epoch 1, batch 2: the fitted model of .* has other coefficients"),
    "what a model was fitted on": (
        update(lambda: one(FittedModel.objects.filter(epoch__number=2)), inputs="0" * 64),
        "epoch 2, batch 2: the fitted model of .* was fitted on other features",
    ),
    "covariances of systems": (change_comparison, "epoch 1: what comparing its systems rests on differs"),
    "rank": (
        update(lambda: one(Score.objects.filter(epoch__number=1)), rank=7),
        "epoch 1, batch 1: 1 ranks of its system are not what the scores come to",
    ),
    "number of ranked systems": (
        update(lambda: one(Ranking.objects.all()), systems=9),
        "in 1 choices how many systems are ranked",
    ),
}


@pytest.mark.parametrize(
    "kind",
    [kind if place % 2 else pytest.param(kind, marks=pytest.mark.slow) for place, kind in enumerate(KINDS)],
)
def test_tampering_is_found(course: Course, kind: str) -> None:
    tamper, expected = KINDS[kind]
    tamper()
    connection.check_constraints()
    seen: list[str] = []
    assert any(re.match(expected, finding) for finding in found() if seen.append(finding) is None), seen


def test_two_epochs_of_which_one_is_released_yield_nothing(course: Course) -> None:
    assert findings() == []
    call_command("audit_samples", "--corpus", TAG, verbosity=0)


def test_the_command_fails_with_what_was_found(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    turn(labels(1))
    with pytest.raises((CommandError, Exception), match="findings"):
        call_command("audit_samples", "--corpus", TAG)
    assert "epoch 1: its labels are not those" in capsys.readouterr().out


def test_a_removed_text_is_no_finding(course: Course) -> None:
    operator = User.objects.create_user("o@example.org", is_operator=True)
    drawn = Document.objects.filter(sampled__sample__number=2).order_by("pk")
    labelled = Document.objects.filter(questions__batches__epoch__number=1).order_by("pk")
    for document in {*drawn[:2], labelled[0]}:
        takedowns.take_down(document=document, reason="asked for", by=operator, now=timezone.now())
    pipeline.advance()
    assert findings() == []


def test_a_text_that_is_gone_without_a_takedown_is_one(course: Course) -> None:
    one(Document.objects.all()).update(text="")
    assert any("documents are not as they were loaded" in finding for finding in findings())


def test_votes_that_count_no_more_and_late_answers_are_no_findings(course: Course) -> None:
    late = User.objects.create_user("late@example.org")
    for number in (1, 2):
        row = answers(number).filter(question__batches__epoch__number=number).order_by("-pk")[0]
        Response.objects.filter(pk=row.pk).update(is_valid=False)
        Response.objects.create(question=row.question, worker=late, answer=row.answer)
    assert findings() == []


def test_an_account_that_was_deleted_is_no_finding(course: Course) -> None:
    worker = User.objects.get(pk=answers(1).order_by("pk")[0].worker_id)
    worker.is_active = True
    worker.save()
    deleting.delete_account(Leaving(worker, timezone.now()))
    assert findings() == []
