"""Judgements that were recorded elsewhere come in as a released epoch, and are said again."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotations.models import Corpus, Label, Question, Response
from evaluation.models import Epoch, SampledUnit, Submission
from evaluation.registry import task_of
from evaluation.scoring import leaderboard
from kbpo import pipeline
from kbpo.core.commands import Refused

pytestmark = pytest.mark.django_db

INPUTS = 30


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def said(n: int, worker: int, **changed: Any) -> dict[str, Any]:
    level = (n + worker) % 3 - 1
    return {
        "input_id": f"I{n:02}",
        "systems": ["one"],
        "worker": worker,
        "seconds": 40,
        "overall": level,
        "grammar": 1,
        "redundancy": 0,
        "hter": 0.25,
        "edit": "Better.",
        **changed,
    }


@pytest.fixture
def corpus(tmp_path: Path, settings: Any) -> Corpus:
    settings.KBPO_EPOCH_SECRET = b"always the same sample"
    inputs = write(tmp_path / "inputs.jsonl", [{"input_id": f"I{n:02}"} for n in range(INPUTS)])
    given = {"corpus": "notes", "task": "generation", "prompt": "quality", "verbosity": 0}
    call_command("load_corpus", str(inputs), **given)
    write(
        tmp_path / "outputs.one.jsonl",
        [{"input_id": f"I{n:02}", "output": f"Text {n}."} for n in range(INPUTS)],
    )
    return Corpus.objects.get(tag="notes")


@pytest.fixture
def judgements(tmp_path: Path) -> Path:
    return write(
        tmp_path / "judgements.jsonl",
        [said(n, worker) for n in range(INPUTS) for worker in (n % 5, 5 + n % 3)],
    )


Bring = Callable[..., str]


@pytest.fixture
def bring(tmp_path: Path) -> Bring:
    """Import a file of judgements, and return what is said of it."""

    def act(path: Path) -> str:
        out = io.StringIO()
        outputs = [str(tmp_path / "outputs.one.jsonl")]
        call_command("import_judgements", str(path), corpus="notes", outputs=outputs, stdout=out)
        return out.getvalue()

    return act


def submit(tmp_path: Path, name: str = "one") -> Submission:
    path = str(tmp_path / "outputs.one.jsonl")
    call_command("submit", path, corpus="notes", team=name, name=name, stdout=io.StringIO())
    pipeline.advance()
    return Submission.objects.get(name=name)


def test_judgements_come_in_as_a_released_epoch(
    corpus: Corpus, judgements: Path, bring: Bring, tmp_path: Path
) -> None:
    assert "60 judgements of 30 outputs by 8 people, 60 of them new; epoch 1 is released" in bring(judgements)
    assert Epoch.objects.get(number=1).released_at is not None
    assert Epoch.objects.get(number=2).released_at is None
    labels = Label.objects.filter(question__published_at__isnull=False, claim="overall")
    assert labels.count() == INPUTS
    assert "nothing changes" in bring(judgements)
    assert Response.objects.count() == 60
    assert Epoch.objects.count() == 2
    call_command("audit_samples", "--corpus", "notes", verbosity=0)

    system = submit(tmp_path)
    assert system.state == "scored"  # nobody was asked
    assert system.batch.inclusions.filter(is_known=True, probability=1).count() == INPUTS
    assert Question.objects.count() == INPUTS
    (row,) = leaderboard.rows(corpus, task_of(corpus).choices)
    means = [label.value for label in labels]
    assert row.measures["overall"].estimate == pytest.approx(sum(means) / INPUTS)
    assert row.measures["edit"].estimate == pytest.approx(0.25)
    call_command("audit_samples", "--corpus", "notes", verbosity=0)


def test_a_published_judgement_is_not_undone_by_a_blank(
    corpus: Corpus, judgements: Path, bring: Bring, tmp_path: Path, client: Client
) -> None:
    bring(judgements)
    asked = set(Question.objects.values_list("pk", flat=True))
    alike = ["Text {}.", " Text  {}. ", "Text\u00a0{}.\n"]
    rows = [{"input_id": f"I{n:02}", "output": alike[n % 3].format(n)} for n in range(INPUTS - 1)]
    rows.append({"input_id": f"I{INPUTS - 1}", "output": "Something else."})
    write(tmp_path / "outputs.one.jsonl", rows)
    system = submit(tmp_path, "two")
    assert system.batch.inclusions.filter(is_known=True, probability=1).count() == INPUTS - 1
    assert Question.objects.exclude(pk__in=asked).count() <= 1
    assert system.batch.sampled.filter(question__in=asked).count() == INPUTS - 1
    listed = client.get(reverse("api_predictions", args=[system.pk])).json()["results"]
    assert sum(one["published"] is not None for one in listed) == INPUTS - 1
    call_command("audit_samples", "--corpus", "notes", verbosity=0)


def test_all_that_is_wrong_with_a_file_is_said_with_its_lines(corpus: Corpus, tmp_path: Path) -> None:
    wrong = [
        said(0, 1),
        said(0, 1),
        said(1, 1, overall=2),
        {**said(2, 1), "input_id": "I99"},
        said(3, 1, systems=["two"]),
        said(4, 1, hter=-1),
        {**said(5, 1), "worker": None},
        said(6, 1, edit=7),
    ]
    path, out = write(tmp_path / "wrong.jsonl", wrong), io.StringIO()
    outputs = [str(tmp_path / "outputs.one.jsonl")]
    with pytest.raises(Refused, match="4 faults"):
        call_command("import_judgements", str(path), corpus="notes", outputs=outputs, stdout=out)
    assert [line.split(":")[0] for line in out.getvalue().splitlines()] == [
        f"line {number}" for number in (3, 6, 7, 8)
    ]
    write(path, [one for number, one in enumerate(wrong, 1) if number not in (3, 6, 7, 8)])
    out = io.StringIO()
    with pytest.raises(Refused, match="3 faults"):
        call_command("import_judgements", str(path), corpus="notes", outputs=outputs, stdout=out)
    assert "worker 1 judged that output on line 1 already" in out.getvalue()
    assert "there is no input I99" in out.getvalue()
    assert "nothing is known of what two wrote" in out.getvalue()
    assert not Response.objects.exists()


def test_other_judgements_of_what_is_judged_are_refused(
    corpus: Corpus, judgements: Path, bring: Bring, tmp_path: Path
) -> None:
    bring(judgements)
    with pytest.raises(Refused, match="judged already, in another way"):
        bring(write(tmp_path / "other.jsonl", [said(0, 0, overall=1, redundancy=1)]))


def test_nothing_comes_in_after_a_system_is_sampled(
    corpus: Corpus, judgements: Path, bring: Bring, tmp_path: Path
) -> None:
    submit(tmp_path)
    with pytest.raises(Refused, match="recorded judgements come before the first one"):
        bring(judgements)


def test_a_simulated_crowd_says_what_was_recorded(corpus: Corpus, judgements: Path, tmp_path: Path) -> None:
    Corpus.objects.filter(pk=corpus.pk).update(target_half_width=0.2)
    system = submit(tmp_path)
    call_command("simulate_crowd", corpus="notes", judgements=judgements, seed=4, verbosity=0)
    pipeline.advance()
    system.refresh_from_db()
    assert system.state == "scored"
    recorded = {(f"I{n:02}", (n + worker) % 3 - 1) for n in range(INPUTS) for worker in (n % 5, 5 + n % 3)}
    answers = Response.objects.values_list("question__document__doc_id", "answer")
    assert {(doc_id, answer["overall"]) for doc_id, answer in answers} <= recorded
    needed = sum(SampledUnit.objects.values_list("question__votes_needed", flat=True))
    assert Response.objects.count() == needed
    call_command("audit_samples", "--corpus", "notes", verbosity=0)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("a\0b", "holds a NUL character at character 1"),
        ("a\ud800b", "holds half of a surrogate pair at character 1"),
        ("x" * 5_001, "has 5,001 characters; 5,000 are the most"),
        (7, "it must be a string"),
        (None, "the output is missing"),
    ],
)
def test_what_was_written_must_be_a_text_that_can_be_judged(
    output: object, words: str, corpus: Corpus, judgements: Path, bring: Bring, tmp_path: Path
) -> None:
    write(tmp_path / "outputs.one.jsonl", [{"input_id": "I00", "output": output}])
    with pytest.raises(Refused, match=f"outputs.one.jsonl, line 1: .*{words}"):
        bring(judgements)


def test_a_system_has_one_file(corpus: Corpus, judgements: Path, tmp_path: Path) -> None:
    outputs = [str(tmp_path / "outputs.one.jsonl")] * 2
    with pytest.raises(Refused, match="names the system one twice"):
        call_command("import_judgements", str(judgements), corpus="notes", outputs=outputs)
