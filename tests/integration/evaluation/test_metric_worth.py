"""The house metric corrects scores and plans samples; what metrics are worth is shown once published."""

import io
import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotations import responses
from annotations.models import Corpus, Question, Response
from evaluation.generation import house, planning
from evaluation.generation.candidates import read_candidates
from evaluation.generation.metrics import freezing
from evaluation.models import Epoch, HouseMetric, JudgedVariance, MetricWorth, Score, Submission
from kbpo import pipeline
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db

INPUTS = 60


@pytest.fixture(autouse=True)
def same_sample(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.KBPO_EPOCH_SECRET = b"always the same sample"
    monkeypatch.setattr(house, "FEW", 20)


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def outputs(tmp_path: Path, name: str) -> str:
    """Write what a system says: the more it sails, the better."""
    return write(
        tmp_path / f"outputs.{name}.jsonl",
        [{"input_id": f"I{n:02}", "output": f"{name} {n}{' sails' * (n % 3)}."} for n in range(INPUTS)],
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Make a data set to which the judgements of one system come, two an output."""
    inputs = write(tmp_path / "inputs.jsonl", [{"input_id": f"I{n:02}"} for n in range(INPUTS)])
    call_command("load_corpus", inputs, corpus="notes", task="generation", prompt="quality", verbosity=0)
    said = {"systems": ["old"], "seconds": 40, "grammar": 1, "redundancy": 0, "hter": 0.25, "edit": "Better."}
    judged = [
        {"input_id": f"I{n:02}", "worker": worker, "overall": min(1, n % 3 - 1 + (worker == n % 5)), **said}
        for n in range(INPUTS)
        for worker in (n % 5, 5 + n % 3)
    ]
    judgements = write(tmp_path / "judgements.jsonl", judged)
    given = {"corpus": "notes", "outputs": [outputs(tmp_path, "old")], "stdout": io.StringIO()}
    call_command("import_judgements", judgements, **given)
    Corpus.objects.update(target_half_width=0.08)
    return Corpus.objects.get()


def submit(tmp_path: Path, name: str, *, go_ahead: bool = True) -> Submission:
    path = outputs(tmp_path, name)
    call_command("submit", path, corpus="notes", team=name, name=name, stdout=io.StringIO())
    Submission.objects.filter(name=name).update(go_ahead=go_ahead)
    pipeline.advance()
    return Submission.objects.get(name=name)


def judge() -> None:
    people, rng = [UserFactory.create(annotator=True) for _ in range(9)], Random(1)
    for question in Question.objects.filter(state="open").order_by("pk"):
        level = question.payload["text"].count("sails") - 1
        answer = {
            "fluency": 0,
            "redundancy": 1,
            "overall": level,
            "edit": question.payload["text"] + " Today.",
        }
        for worker in rng.sample(people, question.votes_needed):
            responses.record(question=question, worker=worker, answer=answer, seconds=40.0)
    pipeline.advance()


@pytest.mark.slow
def test_the_house_metric_is_a_candidate_of_each_measure_and_learns_nothing_in_its_epoch(
    corpus: Corpus, tmp_path: Path
) -> None:
    new = submit(tmp_path, "new")
    epoch = Epoch.objects.get(released_at=None)
    ((before,), planned) = read_candidates(epoch, [new], corpus.prompt), planning._stated(new, epoch)
    assert np.corrcoef(before["house"]["overall"], [n % 3 for n in range(INPUTS)])[0, 1] > 0.9
    assert set(before["house"]) == {"overall", "fluency", "redundancy", "edit", "edit_capped"}
    judge()
    new.refresh_from_db()
    assert new.state == "scored"
    scores = Score.objects.filter(submission=new, part="overall", estimator="corrected")
    assert all(one.counts["efficiency_percent"] > 150 for one in scores)
    call_command("audit_samples", "--corpus", "notes", verbosity=0)
    # Whatever people say in the epoch: learnt again after all of it, even published, it is the same.
    Response.objects.filter(question__published_at=None).update(is_valid=False)
    call_command("release_epoch", "--corpus", "notes", verbosity=0)
    digest = HouseMetric.objects.get(epoch=epoch).digest
    HouseMetric.objects.all().delete()
    assert freezing.freeze(epoch=epoch).digest == digest
    (again,) = read_candidates(epoch, [new], corpus.prompt)
    assert all((again["house"][name] == one).all() for name, one in before["house"].items())
    assert planning._stated(new, epoch) == planned


def test_before_the_go_ahead_each_candidate_says_what_it_takes(
    corpus: Corpus, tmp_path: Path, client: Client
) -> None:
    Corpus.objects.update(target_half_width=0.2)
    new = submit(tmp_path, "new", go_ahead=False)
    out = io.StringIO()
    call_command("forecast", str(new.pk), "--json", stdout=out)
    said = json.loads(out.getvalue())
    details = said["details"]
    ways = {one["name"]: one for one in details["ways"]}
    assert list(ways) == ["none", "house", "perfect"]
    assert ways["perfect"]["judgements"] <= ways["house"]["judgements"] < ways["none"]["judgements"]
    assert [name for name, one in ways.items() if one["is_taken"]] == ["house"]
    assert ways["house"]["judged"] == pytest.approx(said["labels"])
    assert "as published judgements have it" in ways["house"]["words"]
    assert "at most" in details["limit"]
    client.force_login(UserFactory.create(operator=True))
    assert client.get(reverse("api_forecast", args=[new.pk])).json() == said
    page = client.get(new.get_absolute_url()).content.decode()
    assert "What the target takes with each metric" in page
    assert "its sample is planned so" in page
    Submission.objects.update(go_ahead=True)
    pipeline.advance()
    assert client.get(reverse("api_forecast", args=[new.pk])).status_code == 409


@pytest.mark.slow
def test_what_metrics_are_worth_is_sealed_with_the_judgements_it_rests_on(
    corpus: Corpus, tmp_path: Path, client: Client
) -> None:
    page, api = reverse("metrics", args=["notes"]), reverse("api_metrics", args=["notes"])
    assert "Nothing can be shown yet" in client.get(page).content.decode()
    old, new = submit(tmp_path, "old"), submit(tmp_path, "new")
    judge()
    sealed = JudgedVariance.objects.filter(submission=new)
    assert set(sealed.values_list("is_published", flat=True)) == {False}

    def shown() -> dict[str, Any]:
        rows = client.get(api).json()["measures"][0]["rows"]
        return {row["submission"]: {one["name"] for one in row["metrics"]} for row in rows}

    assert set(shown()) == {None, old.pk}  # all of the old one's was published before
    assert "house" not in shown()[old.pk]  # which it was learnt from
    body = client.get(page).content.decode()
    assert 'href="/submissions/' + str(old.pk) in body
    assert 'href="/submissions/' + str(new.pk) not in body
    call_command("release_epoch", "--corpus", "notes", verbosity=0)
    assert set(shown()) == {None, old.pk, new.pk}
    assert "house" in shown()[new.pk]
    found = MetricWorth.objects.get(judged__submission=new, judged__measure="overall", metric="length")
    assert found.rho is not None
    assert found.rho > 0.9
    for query in ("", "?measure=edit", "?metric=length", "?epoch=2", "?measure=redundancy"):
        assert client.get(page + query).status_code == 200, query
    assert client.get(page + "?epoch=1").status_code == 404
    for query in ("?measure=any", "?metric=none", "?epoch=x"):
        assert client.get(page + query).status_code == 400, query
    coefficients = client.get(api).json()["house"]["measures"][0]["coefficients"]
    assert {one["name"] for one in coefficients} >= {"length", "repeated-1"}


def test_a_corpus_of_another_task_has_no_such_page(client: Client, tmp_path: Path) -> None:
    Corpus.objects.create(tag="claims", name="Claims")
    answer = client.get(reverse("metrics", args=["claims"]))
    assert answer.status_code == 400
