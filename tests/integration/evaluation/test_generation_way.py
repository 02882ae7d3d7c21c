"""A data set of generated text goes the whole way: inputs, outputs, sample, judgements, board, release."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotations import responses
from annotations.models import Corpus, Prompt, Question
from evaluation.design import audit
from evaluation.models import Output, OutputText, SampledUnit, Submission, SubsetScore, Unit
from evaluation.registry import task_of
from evaluation.scoring import comparing, leaderboard
from kbpo import pipeline
from kbpo.accounts.models import User
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db

INPUTS = 80
SHARED = 30  # the first inputs, for which both systems write the same


@pytest.fixture(autouse=True)
def same_sample(settings: Any) -> None:
    settings.KBPO_EPOCH_SECRET = b"always the same sample"


def write_inputs(path: Path, *, answers: bool = False) -> Path:
    lines = []
    for n in range(INPUTS):
        given: dict[str, Any] = {"input_id": f"I{n:02}", "references": [f"Ferry {n} sails."]}
        if answers:
            given |= {"question": f"When does ferry {n} sail?", "passages": [{"text": f"It sails at {n}."}]}
        lines.append(json.dumps(given) + "\n")
    path.write_text("".join(lines))
    return path


def load(tmp_path: Path, prompt: str, **options: Any) -> Corpus:
    path = write_inputs(tmp_path / "inputs.jsonl", answers=prompt == "answer")
    call_command(
        "load_corpus", str(path), corpus="notes", task="generation", prompt=prompt, verbosity=0, **options
    )
    return Corpus.objects.get(tag="notes")


def text_of(system: str, n: int) -> str:
    return f"The ferry {n} sails." if n < SHARED else f"{system} says that the ferry {n} sails."


def submit(tmp_path: Path, name: str) -> Submission:
    path = tmp_path / f"{name}.jsonl"
    rows = [{"input_id": f"I{n:02}", "output": text_of(name, n)} for n in range(INPUTS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call_command("submit", str(path), corpus="notes", team=name, name=name, stdout=io.StringIO())
    pipeline.advance()
    return Submission.objects.get(name=name)


def judge(people: Sequence[User], rng: Random) -> int:
    """Have people answer whatever waits for votes; return how many answers that took."""
    given = 0
    for question in Question.objects.filter(state="open").order_by("pk"):
        voters = rng.sample(list(people), question.votes_needed)
        for worker in voters:
            level = rng.choice([1, 1, 0] if question.payload["text"].startswith("good") else [1, 0, -1])
            answer = {
                "fluency": level,
                "redundancy": 1,
                "overall": level,
                "edit": None if level == 1 else question.payload["text"] + " Today.",
            }
            responses.record(question=question, worker=worker, answer=answer, seconds=40.0)
            given += 1
    pipeline.advance()
    return given


def test_a_data_set_goes_the_whole_way(tmp_path: Path, client: Client) -> None:
    corpus = load(tmp_path, "quality", metric="chrf", planning=["overall=0.2,0.3,0.0"])
    assert (corpus.policy, corpus.audit_share) == ("single", 0.0)
    assert Prompt.objects.get(corpus=corpus).metric == "chrf"
    Corpus.objects.filter(pk=corpus.pk).update(target_half_width=0.1)
    good, poor = submit(tmp_path, "good"), submit(tmp_path, "poor")
    assert Output.objects.count() == 2 * INPUTS
    assert Unit.objects.count() == OutputText.objects.count() == 2 * INPUTS - SHARED
    sampled = SampledUnit.objects.select_related("unit__output_text__document", "question")
    asked = Question.objects.count()
    assert sampled.count() == asked < 2 * INPUTS - SHARED
    by_system = [
        {one.document_id for one in Output.objects.filter(submission=system, unit__sampled__isnull=False)}
        for system in (good, poor)
    ]
    assert by_system[0] == by_system[1]  # all systems are judged on the same inputs
    twice = Question.objects.filter(votes_needed=2).count()
    assert 0 < twice < asked / 2
    people, rng = [UserFactory.create(annotator=True) for _ in range(12)], Random(3)
    assert judge(people, rng) == asked + twice
    good.refresh_from_db()
    assert good.state == "scored"

    task = task_of(corpus)
    rows = leaderboard.rows(corpus, task.choices)
    assert [row.name for row in rows] == ["good", "poor"]
    assert set(rows[0].measures) == {"overall", "fluency", "redundancy", "edit", "edit_capped"}
    for row in rows:
        found = row.measures["overall"]
        assert -1 <= found.low < found.estimate < found.high <= 1
    assert rows[0].measures["redundancy"].estimate == 1.0
    by_edits = leaderboard.rows(corpus, task.choices, part="edit")
    assert [row.name for row in by_edits] == ["good", "poor"]  # it needs fewer
    choice: dict[str, Any] = {"level": 95, "part": "overall", "weighting": "output", "estimator": "corrected"}
    for standard in ("votes", "crowd"):
        compared = comparing.compare(good, poor, task, **choice, standard=standard)
        difference = next(one.difference for one in compared if one.measure == "overall")
        assert difference is not None
        assert difference.low < difference.estimate < difference.high
    assert SubsetScore.objects.filter(division="output", labels__isnull=False).exists()
    for page in (
        "/corpora/notes/",
        "/corpora/notes/?part=edit&standard=crowd",
        "/corpora/notes/data/",
        good.get_absolute_url(),
        f"/corpora/notes/compare/?a={good.pk}&b={poor.pk}",
        "/api/corpora/notes/leaderboard/",
    ):
        assert client.get(page).status_code == 200, page

    call_command("audit_samples", "--corpus", "notes", verbosity=0)
    Question.objects.filter(votes_needed=2).update(votes_needed=1)
    assert any("two votes" in one for one in audit.audit_corpus(corpus, task))
    Question.objects.filter(responses__isnull=False).update(votes_needed=2)
    call_command("release_epoch", "--corpus", "notes", verbosity=0)

    again = submit(tmp_path, "good again")
    known = again.batch.inclusions.filter(is_known=True)
    assert known.count() == 0  # its texts are others, but for the shared ones
