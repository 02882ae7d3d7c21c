"""A corpus of texts with classes goes the whole way: uploads, HITs, labels, audits, board, release."""

import csv
import io
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.db.models import F
from django.test import Client

from annotations.models import ClassList, Corpus, Label, Question
from crowd.models import Hit
from evaluation.classification.choices import CHOICES
from evaluation.classification.task import TASK
from evaluation.design import audit
from evaluation.models import ClassPrediction, SampledUnit, Score, Submission
from evaluation.scoring import comparing, leaderboard
from kbpo import pipeline
from kbpo.core.commands import Refused
from tests import crowd
from tests.archives import recomputed
from tests.integration.crowd.conftest import Open

pytestmark = pytest.mark.django_db

CLASSES = """
name = "letters"
version = 1
cannot_tell = true

[[class]]
name = "complaint"
guideline = "Somebody is not content."

[[class]]
name = "question"
guideline = "Somebody wants to know something."
"""
DOCUMENTS = 60
NAMES = ("complaint", "question")


def true_class(doc_id: str) -> str:
    return NAMES[int(doc_id[1:]) % 2]


@pytest.fixture
def corpus(tmp_path: Path, settings: Any) -> Corpus:
    settings.KBPO_EPOCH_SECRET = b"always the same sample"
    classes, texts = tmp_path / "classes.toml", tmp_path / "texts.jsonl"
    classes.write_text(CLASSES)
    texts.write_text(
        "".join(
            json.dumps({"doc_id": f"D{n:02}", "text": f"Letter {n} about the ferry."}) + "\n"
            for n in range(DOCUMENTS)
        )
    )
    options = {"corpus": "letters", "task": "classification", "classes": str(classes), "verbosity": 0}
    call_command("load_corpus", str(texts), **options)
    Corpus.objects.filter(tag="letters").update(target_half_width=0.07, audit_share=0.4)
    return Corpus.objects.get(tag="letters")


def submit(tmp_path: Path, name: str, right: int) -> Submission:
    """Submit a system that is right about so many documents, the first ones."""
    path = tmp_path / f"{name}.jsonl"
    lines = []
    for n in range(DOCUMENTS):
        label = NAMES[n % 2] if n < right else NAMES[1 - n % 2]
        lines.append({"doc_id": f"D{n:02}", "label": label, "confidence": 0.9 if n < right else 0.6})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    call_command("submit", str(path), corpus="letters", team=name, name=name, stdout=io.StringIO())
    pipeline.advance()
    return Submission.objects.get(name=name)


def say(question: Question) -> Any:
    return {"class": true_class(question.document.doc_id)}


def err(question: Question) -> Any:
    """Say the wrong class of one document in five."""
    number = int(question.document.doc_id[1:])
    return {"class": NAMES[1 - number % 2 if number % 5 == 3 else number % 2]}


def judge_hits(people: list[Any], says: list[Any], now: datetime) -> None:
    for hit in Hit.objects.filter(state=Hit.State.POSTED).order_by("pk"):
        for worker, what in list(zip(people, says, strict=True))[: hit.places]:
            crowd.do(hit, worker, what)
    crowd.collect(now)
    crowd.approve_all(now)
    crowd.check_books()
    pipeline.advance()


@pytest.mark.slow
def test_a_classification_goes_the_whole_way(
    corpus: Corpus, open_batch: Open, requester: Any, now: datetime, tmp_path: Path, client: Client
) -> None:
    good, poor = submit(tmp_path, "good", 54), submit(tmp_path, "poor", 30)
    asked = Question.objects.count()
    assert 32 <= asked < DOCUMENTS
    assert SampledUnit.objects.count() == asked  # the second system needed no label of its own
    crowd.fund(corpus)
    open_batch(kind="choice")
    assert crowd.post(now) == asked
    judge_hits(crowd.workers(3, able="choice"), [err, err, say], now)  # two of three: labels are wrong
    wrong = [one for one in Label.objects.filter(value=1) if one.claim != say(one.question)["class"]]
    assert wrong
    assert not Score.objects.exists()  # they wait for the audits

    audits = Question.objects.filter(audits__isnull=False)
    assert 0 < audits.count() < asked
    open_batch(kind="choice")
    assert crowd.post(now) == audits.count()
    judge_hits(crowd.workers(7, able="choice"), [say] * 7, now)
    good.refresh_from_db()
    assert good.state == "scored"

    rows = leaderboard.rows(corpus, CHOICES, standard="audit")
    assert [row.name for row in rows] == ["good", "poor"]
    for row, right in zip(rows, (54, 30), strict=True):
        found = row.measures["accuracy"]
        assert found.low <= right / DOCUMENTS <= found.high
        assert row.measures["f1"].estimate is not None
    by_votes = leaderboard.rows(corpus, CHOICES, standard="votes")
    assert by_votes[0].measures["accuracy"].estimate < rows[0].measures["accuracy"].estimate
    for standard in ("audit", "votes"):
        choice = {"level": 95, "part": "class", "weighting": "class", "estimator": "sampled"}
        compared = comparing.compare(good, poor, TASK, **choice, standard=standard)
        assert {one.measure for one in compared} == {"accuracy", "precision", "recall", "f1"}
    shown = client.get("/corpora/letters/").content.decode()
    assert "a random share of the questions was answered again" in shown
    shown = client.get(good.get_absolute_url()).content.decode()
    assert "Corrected for judges’ errors. 95% intervals" in shown
    for page in (
        "/corpora/letters/",
        good.get_absolute_url(),
        f"/corpora/letters/compare/?a={good.pk}&b={poor.pk}",
        f"/corpora/letters/items/{good.pk}/",
    ):
        answer = client.get(page)
        assert answer.status_code == 200, page
    assert "What it confuses" not in answer.content.decode()

    call_command("audit_samples", "--corpus", "letters", verbosity=0)
    other = {"value": 1 - F("value"), "votes_for": F("votes") - F("votes_for")}
    wrong[0].question.labels.update(**other)  # as if people had chosen the other class
    assert any("labels that audits were drawn from differ" in one for one in audit.audit_corpus(corpus, TASK))
    wrong[0].question.labels.update(**other)
    call_command("release_epoch", "--corpus", "letters", verbosity=0)
    again = recomputed("letters")
    assert again.agrees, list(again.differences.items())[:3]
    assert again.ranks.stated
    assert again.ranks.held_back == again.subsets.held_back == 0
    assert {one.measure for one in again.subsets.stated} > {"labels", "true"}
    assert {place.standard for place in again.scores.stated} == {"votes", "audit"}
    page = client.get(f"/corpora/letters/items/{good.pk}/?verdict=wrong").content.decode()
    assert "What it confuses" in page
    table = b"".join(client.get("/corpora/letters/epochs/1/labels.csv")).decode()  # type: ignore[call-overload]
    labels = [row for row in csv.DictReader(io.StringIO(table)) if float(row["value"]) == 1]
    of_audits = [row for row in labels if row["audit"]]
    assert (len(labels), len(of_audits)) == (asked + audits.count(), audits.count())
    assert all(row["class"] == true_class(row["doc_id"]) for row in of_audits)
    later = submit(tmp_path, "later", 60)
    assert later.batch.inclusions.filter(is_known=True).count() == asked
    call_command("audit_samples", "--corpus", "letters", verbosity=0)


def test_a_label_outside_the_classes_names_its_line(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "wrong.jsonl"
    lines = [{"doc_id": f"D{n:02}", "label": "praise" if n == 3 else "question"} for n in range(DOCUMENTS)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = io.StringIO()
    with pytest.raises(Refused):
        call_command("validate_kb", str(path), corpus="letters", stdout=out)
    assert out.getvalue().startswith('line 4, column 28: ERROR UNKNOWN_CLASS: The label is "praise".')
    assert not ClassPrediction.objects.exists()


@pytest.mark.slow
def test_simulated_people_answer_by_the_classes_of_gold(corpus: Corpus, tmp_path: Path) -> None:
    submit(tmp_path, "good", 54)
    gold = tmp_path / "gold.jsonl"
    rows = [{"doc_id": f"D{n:02}", "label": NAMES[n % 2]} for n in range(DOCUMENTS)]
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call_command("simulate_crowd", corpus="letters", gold=gold, error=0.1, verbosity=0)
    pipeline.advance()
    assert Submission.objects.get().state == "scored"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"task": "classification"}, "name a file of its classes"),
        ({"task": "kbp", "classes": True}, "has no classes"),
        ({"task": "classification", "classes": True, "design": "iid"}, "whose design is coordinated"),
        ({"task": "clasification", "classes": True}, "unknown task 'clasification'"),
    ],
)
def test_what_a_task_cannot_have_is_refused(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    texts, classes = tmp_path / "texts.jsonl", tmp_path / "classes.toml"
    texts.write_text('{"doc_id": "D1", "text": "A letter."}\n')
    classes.write_text(CLASSES)
    given = {**options, **({"classes": str(classes)} if "classes" in options else {})}
    with pytest.raises(Refused, match=words):
        call_command("load_corpus", str(texts), corpus="letters", verbosity=0, **given)
    assert not Corpus.objects.exists()


def test_a_version_of_a_list_of_classes_never_changes(corpus: Corpus, tmp_path: Path) -> None:
    texts, classes = tmp_path / "texts.jsonl", tmp_path / "other.toml"
    classes.write_text(CLASSES.replace("not content", "angry"))
    options = {"corpus": "others", "task": "classification", "classes": str(classes), "verbosity": 0}
    with pytest.raises(Refused, match="give what has changed the version 2"):
        call_command("load_corpus", str(texts), **options)


def test_a_stored_list_of_classes_cannot_be_changed(corpus: Corpus) -> None:
    with pytest.raises(IntegrityError, match="stays as it is"), transaction.atomic():
        ClassList.objects.update(cannot_tell=False)


def test_a_corpus_takes_no_documents_after_its_first_submission(corpus: Corpus, tmp_path: Path) -> None:
    submit(tmp_path, "good", 54)
    more = tmp_path / "more.jsonl"
    more.write_text('{"doc_id": "D99", "text": "One more."}\n')
    with pytest.raises(Refused, match="takes no new ones"):
        call_command("load_corpus", str(more), corpus="letters", verbosity=0)
