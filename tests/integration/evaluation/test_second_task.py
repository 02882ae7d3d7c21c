"""A task that has nothing of KBP's moves in, and goes the whole way: this is the seam for those to come."""

import csv
import io
import json
from types import MappingProxyType

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import transaction

from annotations import agreements, labels, responses
from annotations.kinds import registry as kinds
from annotations.models import Corpus, Label, Question
from evaluation import registry as tasks
from evaluation.design import audit, forecast
from evaluation.models import Audit, Epoch, Instance, SampleBatch, SampledUnit, Submission, Unit
from evaluation.scoring import comparing, leaderboard
from evaluation.submissions import submitting
from kbpo import pipeline
from kbpo.core.errors import InvalidInput
from kbpo.pages.money import costs
from tests.factories import TeamFactory, UserFactory
from tests.samples import current_pi
from tests.second_task import task as second
from tests.second_task.kind import CLAIM, KIND

pytestmark = pytest.mark.django_db

GRADES = {"good": (0.75, 1.0, 1.0), "fair": (0.5, 0.5), "poor": (0.0, 0.25, 0.0)}  # by each who is asked
VALUES = {text: np.mean(grades) for text, grades in GRADES.items()}
DOCUMENTS = 40


@pytest.fixture(scope="module")
def loaded(once):
    """A corpus of the second task."""

    def build(folder):
        second.make_table()
        path = folder / "corpus.jsonl"
        rows = [
            {"doc_id": f"D{n:02}", "title": "", "date": None, "text": f"Text {n}."} for n in range(DOCUMENTS)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        options = ("--corpus", "texts", "--task", "second", "--audit-share", "0")
        call_command("load_corpus", str(path), *options, verbosity=0)
        Corpus.objects.filter(tag="texts").update(target_half_width=0.1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "TASKS", MappingProxyType({**tasks.TASKS, "second": second.TASK}))
        with_it = MappingProxyType({**kinds.KINDS, KIND.name: KIND})
        for module in (kinds, labels, agreements):
            patch.setattr(module, "KINDS", with_it)
        yield once(build)


@pytest.fixture
def corpus(loaded, afresh):
    afresh(loaded)
    return Corpus.objects.get(tag="texts")


def submit(corpus: Corpus, name: str, texts: list[str]) -> Submission:
    lines = "".join(f"D{n:02}\t{texts[n % len(texts)]}\n" for n in range(DOCUMENTS))
    team = TeamFactory(name=name)
    file = ContentFile(lines.encode(), name="file.txt")
    submitted = submitting.upload(
        task=second.TASK, user=None, team=team, corpus=corpus, name=name, file=file, go_ahead=True
    )
    pipeline.advance()
    return submitted


def judge() -> None:
    for turn in range(3):
        worker = UserFactory(is_annotator=True)
        for question in Question.objects.filter(state="open"):
            grade = GRADES[question.payload["text"]][turn]
            responses.record(question=question, worker=worker, answer={"grade": grade})
        pipeline.advance()


@pytest.mark.slow
def test_its_labels_are_audited_like_any_others(corpus: Corpus) -> None:
    Corpus.objects.update(audit_share=0.5)
    best = submit(corpus, "best", ["good"])
    judge()
    asked = Question.objects.filter(audits__isnull=False)
    assert Audit.objects.filter(is_drawn=True).count() == asked.count() > 0
    for worker in UserFactory.create_batch(7, annotator=True):
        for question in asked:
            responses.record(question=question, worker=worker, answer={"grade": 1.0})
    pipeline.advance()
    best.refresh_from_db()
    assert best.state == "scored"
    assert audit.audit_corpus(corpus, second.TASK) == []


class TestJudged:
    """Three systems: the second gives to each document what the first or the last does."""

    @pytest.fixture(scope="class")
    @classmethod
    def made(cls, loaded, once):
        systems = (("best", ["good"]), ("middling", ["good", "poor"]), ("worst", ["poor"]))

        def build(folder):
            corpus = Corpus.objects.get(tag="texts")
            for name, texts in systems:
                submit(corpus, name, texts)
            judge()

        with transaction.atomic():
            yield once(build)
            transaction.set_rollback(True)

    @pytest.fixture
    def judged(self, made, afresh):
        afresh(made)
        return list(Submission.objects.order_by("pk"))

    @pytest.fixture
    def corpus(self, judged):
        return Corpus.objects.get(tag="texts")

    def test_its_units_have_keys_and_are_shared_by_systems(self, corpus, judged):
        assert Unit.objects.filter(corpus=corpus).count() == DOCUMENTS * 2
        assert not Instance.objects.exists()
        assert set(corpus.epochs.values_list("key_version", flat=True)) == {"second 1"}

    def test_what_was_sampled_for_one_counts_for_the_next(self, corpus, judged):
        first, later = SampleBatch.objects.order_by("number")[:2]
        epoch = Epoch.objects.get()
        units = second.read_units(later.submission)
        before = current_pi(epoch, through=1, ids=units.ids)
        assert len(before) == DOCUMENTS // 2
        drawn = set(first.sampled.values_list("unit_id", flat=True))
        assert not drawn & set(later.sampled.values_list("unit_id", flat=True))

    def test_its_labels_are_any_number(self, judged):
        assert Label.objects.count() == SampledUnit.objects.count() > 30
        for label in Label.objects.select_related("question"):
            assert label.claim == CLAIM
            assert label.value == pytest.approx(VALUES[label.question.payload["text"]])

    def test_its_own_measure_is_estimated_and_ranks_the_systems(self, corpus, judged):
        rows = leaderboard.rows(corpus, second.CHOICES)
        assert [(row.name, row.rank) for row in rows] == [("best", 1), ("middling", 2), ("worst", 3)]
        truth = {
            "best": VALUES["good"],
            "middling": (VALUES["good"] + VALUES["poor"]) / 2,
            "worst": VALUES["poor"],
        }
        for row in rows:
            assert list(row.measures) == ["accuracy"]
            found = row.measures["accuracy"]
            assert found.low <= truth[row.name] <= found.high

    def test_two_systems_are_compared_by_what_the_task_stored(self, judged):
        best, _, worst = judged
        choice = {"level": 95, "part": "text", "weighting": "text", "estimator": "sampled"} | {
            "standard": "votes"
        }
        (found,) = comparing.compare(best, worst, second.TASK, **choice)
        assert found.measure == "accuracy"
        assert found.difference.low > 0

    @pytest.mark.slow
    def test_its_pages_say_its_own_measure(self, client, corpus, judged):
        best, _, worst = judged
        pages = [
            "/corpora/texts/",
            best.get_absolute_url(),
            f"/corpora/texts/compare/?a={best.pk}&b={worst.pk}",
        ]
        for page in pages:
            answer = client.get(page)
            assert answer.status_code == 200, page
            text = answer.content.decode()
            assert "Accuracy" in text
            assert "Recall" not in text

    def test_its_sample_is_audited_and_released(self, client, corpus, judged):
        call_command("audit_samples", "--corpus", "texts", verbosity=0)
        call_command("release_epoch", "--corpus", "texts", verbosity=0)
        table = client.get("/corpora/texts/epochs/1/labels.csv")
        rows = list(csv.DictReader(io.StringIO(b"".join(table).decode())))
        assert rows
        assert all(float(row["value"]) == pytest.approx(VALUES[row["text"]]) for row in rows)
        assert {row["right"] for row in rows} == {""}
        sample = b"".join(client.get("/corpora/texts/epochs/1/sample.jsonl")).decode().splitlines()
        assert json.loads(sample[2])["key"] == "D00|good"

    def test_what_a_submission_would_take_is_foreseen_and_no_other_kind_is_priced(self, corpus, judged):
        waiting = submit(corpus, "waiting", ["fair", "poor"])
        Submission.objects.filter(pk=waiting.pk).update(state="accepted", go_ahead=False)
        foreseen = forecast.forecast(waiting, second.TASK)
        assert foreseen.units == DOCUMENTS
        assert set(foreseen.questions) == {"grade"}
        with pytest.raises(InvalidInput, match="'grade'"):
            costs.expected(waiting, foreseen.questions)
