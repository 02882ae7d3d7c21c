"""A data set of generated text goes the whole way: inputs, outputs, sample, judgements, board, release."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotations import responses, takedowns
from annotations.data import files
from annotations.models import Corpus, Input, Prompt, Question
from evaluation.design import audit
from evaluation.models import Output, OutputText, SampledUnit, Submission, SubsetScore, Unit
from evaluation.registry import task_of
from evaluation.scoring import comparing, leaderboard
from evaluation.submissions import lifecycle
from kbpo import pipeline
from kbpo.accounts.models import User
from kbpo.core.commands import Refused
from kbpo.core.storage.folder import path_of
from kbpo.pages import corpora
from kbpo.pages.corpus_forms import CorpusForm
from tests.archives import recomputed
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


@pytest.mark.slow
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
        reverse("api_leaderboard", args=["notes"]),
    ):
        assert client.get(page).status_code == 200, page

    call_command("audit_samples", "--corpus", "notes", verbosity=0)
    Question.objects.filter(votes_needed=2).update(votes_needed=1)
    assert any("two votes" in one for one in audit.audit_corpus(corpus, task))
    Question.objects.filter(responses__isnull=False).update(votes_needed=2)
    call_command("release_epoch", "--corpus", "notes", verbosity=0)
    again = recomputed("notes")
    assert again.agrees, list(again.differences.items())[:3]
    assert again.ranks.stated
    assert again.ranks.held_back == again.subsets.held_back == 0
    assert {one.measure for one in again.subsets.stated} > {"labels", "true"}
    assert again.scores.stated

    sealed = b"".join(client.get("/corpora/notes/epochs/1/labels.csv")).decode()  # type: ignore[call-overload]
    assert "overall" in sealed


@pytest.mark.slow
def test_outputs_that_were_published_count_exactly(tmp_path: Path) -> None:
    load(tmp_path, "quality")
    submit(tmp_path, "good")
    people, rng = [UserFactory.create(annotator=True) for _ in range(4)], Random(3)
    judge(people, rng)
    call_command("release_epoch", "--corpus", "notes", verbosity=0)
    published = Question.objects.count()
    again = submit(tmp_path, "poor")
    known = again.batch.inclusions.filter(is_known=True)
    assert (
        known.count() == SampledUnit.objects.filter(epoch__number=1, unit__outputs__submission=again).count()
    )
    assert set(known.values_list("probability", flat=True)) == {1.0}
    judge(people, rng)
    again.refresh_from_db()
    assert again.state == "scored"
    assert Question.objects.count() > published
    call_command("audit_samples", "--corpus", "notes", verbosity=0)


@pytest.mark.slow
def test_a_withdrawn_system_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    corpus = load(tmp_path, "quality")
    good, poor = submit(tmp_path, "good"), submit(tmp_path, "poor")
    judge([UserFactory.create(annotator=True) for _ in range(4)], Random(3))
    choices = task_of(corpus).choices
    before = leaderboard.rows(corpus, choices)[0].measures
    lifecycle.withdraw(submission=poor, user=UserFactory.create(operator=True))
    pipeline.advance()
    (row,) = leaderboard.rows(corpus, choices)
    assert (row.submission, row.measures) == (good.pk, before)
    call_command("audit_samples", "--corpus", "notes", verbosity=0)


def test_all_faults_of_a_file_of_inputs_are_said_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "inputs.jsonl"
    path.write_text(
        '{"input_id": "I1", "question": "When?", "passages": ["At one."]}\n'
        '{"input_id": "I2", "question": "", "passages": ["At one."]}\n'
        '{"input_id": "I1", "question": "When?", "passages": ["At one."]}\n'
        '{"input_id": "I3", "question": "When?", "passages": []}\n'
    )
    given = {"corpus": "notes", "task": "generation", "prompt": "answer", "verbosity": 0}
    with pytest.raises(Refused) as refused:
        call_command("load_corpus", str(path), **given)
    said = str(refused.value)
    assert "line 2: input I2: the question is empty or missing" in said
    assert "line 3: input I1 is there twice, first on line 1" in said
    assert "line 4: input I3: it has 0 passages" in said
    assert not Corpus.objects.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "needs to say what is asked"),
        ({"prompt": "quality", "policy": "fixed"}, "whose policy is single"),
        ({"prompt": "quality", "audit_share": 0.5}, "whose labels are not audited"),
        ({"prompt": "quality", "design": "iid"}, "whose design is coordinated"),
        ({"prompt": "quality", "task": "kbp"}, "which has no prompt"),
        ({"prompt": "quality", "planning": ["any=1,1"]}, "judged are overall"),
    ],
)
def test_what_a_data_set_cannot_have_is_refused(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = write_inputs(tmp_path / "inputs.jsonl")
    with pytest.raises(Refused, match=words):
        call_command(
            "load_corpus", str(path), **{"corpus": "notes", "task": "generation", "verbosity": 0} | options
        )
    assert not Corpus.objects.exists()


def test_inputs_stay_as_they_are(tmp_path: Path) -> None:
    load(tmp_path, "quality")
    load(tmp_path, "quality")  # the same again
    assert Input.objects.count() == INPUTS
    with pytest.raises(Refused, match="its prompt is 'quality', not 'answer'"):
        load(tmp_path, "answer")
    path = tmp_path / "inputs.jsonl"
    path.write_text('{"input_id": "I00", "references": ["Another."]}\n')
    with pytest.raises(Refused, match="differs from the input of that name"):
        call_command("load_corpus", str(path), corpus="notes", verbosity=0)
    Input.objects.filter(document__doc_id="I03").update(references=[])
    with pytest.raises(Refused):
        call_command("audit_samples", "--corpus", "notes", verbosity=0)


def test_answers_are_asked_about_with_their_passages(tmp_path: Path) -> None:
    corpus = load(tmp_path, "answer")
    submit(tmp_path, "good")
    question = Question.objects.select_related("document").first()
    assert question is not None
    assert question.kind == "correctness"
    start, end = question.payload["question"]
    assert question.document.text[start:end].startswith("When does ferry")
    (passage,) = question.payload["passages"]
    assert question.document.text[slice(*passage)].startswith("It sails at")
    assert set(task_of(corpus).choices.measures) == {"any", "average"}


@pytest.mark.slow
def test_where_no_passage_decides_and_all_are_of_one_opinion_scores_are_0_with_a_width(
    tmp_path: Path, client: Client
) -> None:
    corpus = load(tmp_path, "answer")
    Corpus.objects.update(target_half_width=0.1)
    submit(tmp_path, "good")
    people = [UserFactory.create(annotator=True) for _ in range(2)]
    for question in Question.objects.order_by("pk"):
        for worker in people[: question.votes_needed]:
            answer = {"plausible": True, "passages": [{"verdict": 0, "span": None}]}
            responses.record(question=question, worker=worker, answer=answer, seconds=40.0)
    pipeline.advance()
    for standard in ("votes", "crowd"):
        (row,) = leaderboard.rows(corpus, task_of(corpus).choices, standard=standard)
        for name in ("any", "average"):
            found = row.measures[name]
            assert (found.estimate, found.low) == (0, 0)
            assert found.high > 0
        assert row.counts["undecided"] == 100  # in per cent
        assert client.get(f"/corpora/notes/?standard={standard}").status_code == 200


def test_an_organiser_makes_one_of_a_form(tmp_path: Path) -> None:
    sent = SimpleUploadedFile(
        "inputs.jsonl", write_inputs(tmp_path / "inputs.jsonl", answers=True).read_bytes()
    )
    given = {"tag": "notes", "name": "Notes", "language": "en", "task": "generation", "policy": "curtailed"}
    asked = {"prompt": "answer", "metric": "chrf", "planning": "any=0.1,0.2,0.3", "audit_share": "0.1"}
    assert CorpusForm({**given, "audit_share": "0.1"}, {"file": sent}).errors.keys() == {"prompt"}
    form = CorpusForm({**given, **asked}, {"file": sent})
    assert form.is_valid(), form.errors
    by = UserFactory.create(operator=True)
    corpus = corpora.make_corpus(by=by, now=timezone.now(), **form.cleaned_data).corpus
    assert (corpus.policy, corpus.audit_share, corpus.prompt.metric) == ("single", 0.0, "chrf")
    assert corpus.prompt.planning["any"]["correlation"] == 0.3


def test_files_of_a_data_set_load_again(tmp_path: Path) -> None:
    corpus = load(tmp_path, "answer")
    assert files.make(corpus) is not None
    made = files.current(corpus)
    assert made is not None
    given = {"task": "generation", "prompt": "answer", "verbosity": 0}
    call_command("load_corpus", str(path_of(files.place_of(made, files.TEXTS))), corpus="again", **given)
    digests = [
        set(Input.objects.filter(document__corpus__tag=tag).values_list("digest"))
        for tag in ("notes", "again")
    ]
    assert digests[0] == digests[1]


def test_a_removed_input_says_nothing_any_more(tmp_path: Path) -> None:
    corpus = load(tmp_path, "answer")
    document = corpus.documents.get(doc_id="I03")
    by = UserFactory.create(operator=True)
    takedowns.take_down(document=document, reason="It was asked for.", by=by, now=timezone.now())
    assert "Ferry" not in str(Input.objects.get(document=document).references)
    call_command("audit_samples", "--corpus", "notes", verbosity=0)
