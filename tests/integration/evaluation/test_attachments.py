"""A second file comes beside the first: submitted, checked, looked into and deleted with it."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from annotations.models import Corpus
from evaluation.design.audit import _audit_file
from evaluation.models import Attachment, FileCheck, Submission, Upload
from evaluation.registry import task_of
from evaluation.submissions import checks, files, lifecycle, submitting, uploads
from kbpo import pipeline
from kbpo.core.commands import Refused
from kbpo.core.errors import InvalidInput
from tests.integration.api.conftest import Program, token
from tests.integration.api.test_resources import send
from tests.integration.evaluation.conftest import Cast

pytestmark = pytest.mark.django_db
OUTPUTS = "".join(
    json.dumps({"input_id": f"I{n}", "output": f"The ferry {n} sails."}) + "\n" for n in range(3)
)
METRICS = "input_id\tsim\nI0\t0.5\nI1\t0.25\nI2\t1\n"
BAD = METRICS.replace("0.25", "NaN")


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> None:
    settings.KBPO_HOME = tmp_path


@pytest.fixture
def notes(cast: Cast, tmp_path: Path) -> Corpus:
    """A corpus of three inputs."""
    path = tmp_path / "inputs.jsonl"
    path.write_text(
        "".join(json.dumps({"input_id": f"I{n}", "references": ["It sails."]}) + "\n" for n in range(3))
    )
    call_command("load_corpus", str(path), corpus="notes", task="generation", prompt="quality", verbosity=0)
    return Corpus.objects.get(tag="notes")


def keep(cast: Cast, content: str, name: str = "outputs.jsonl") -> Upload:
    return uploads.keep(user=cast.member, file=ContentFile(content.encode(), name=name))


def check(cast: Cast, corpus: Corpus, metrics: str = METRICS) -> FileCheck:
    beside = {"metrics": keep(cast, metrics, "metrics.tsv")}
    task = task_of(corpus)
    found = checks.start(task=task, upload=keep(cast, OUTPUTS), corpus=corpus, format="", attachments=beside)
    pipeline.read_checks()
    found.refresh_from_db()
    return found


@pytest.fixture
def submit_file(cast: Cast, notes: Corpus) -> Callable[..., Submission]:
    def act(metrics: str = METRICS, **changes: Any) -> Submission:
        stored = submitting.upload(
            user=cast.member,
            team=cast.member.teams.get(),
            corpus=notes,
            task=task_of(notes),
            name="Ferry",
            file=ContentFile(OUTPUTS.encode()),
            attachments={"metrics": ContentFile(metrics.encode())},
            **changes,
        )
        pipeline.validate_submissions()
        stored.refresh_from_db()
        return stored

    return act


def test_both_files_are_submitted_at_the_command_line(notes: Corpus, tmp_path: Path) -> None:
    (tmp_path / "o.jsonl").write_text(OUTPUTS)
    (tmp_path / "m.tsv").write_text(METRICS)
    options = {"corpus": "notes", "metrics": tmp_path / "m.tsv"}
    out = io.StringIO()
    call_command("validate_kb", str(tmp_path / "o.jsonl"), **options, json=True, stdout=out)
    assert json.loads(out.getvalue())["counts"]["metrics"] == ["sim"]
    call_command("submit", str(tmp_path / "o.jsonl"), **options, team="Wren", name="Ferry", stdout=out)
    stored = Submission.objects.get()
    assert stored.attachments.get().file.read() == METRICS.encode()


def test_a_fault_at_the_command_line_says_in_which_file_it_is(notes: Corpus, tmp_path: Path) -> None:
    (tmp_path / "o.jsonl").write_text(OUTPUTS)
    (tmp_path / "m.tsv").write_text(BAD)
    out = io.StringIO()
    with pytest.raises(Refused, match="1 error"):
        call_command(
            "validate_kb", str(tmp_path / "o.jsonl"), corpus="notes", metrics=tmp_path / "m.tsv", stdout=out
        )
    assert "metrics, line 3, column 2: ERROR METRIC_NOT_FINITE" in out.getvalue()


def test_a_fault_of_the_second_file_refuses_both_and_is_shown_in_its_place(
    submit_file: Callable[..., Submission], cast: Cast, client: Client
) -> None:
    submission = submit_file(BAD)
    assert submission.state == "refused"
    problem = submission.problems.get()
    assert (problem.attachment, problem.line, problem.column) == ("metrics", 3, 2)
    client.force_login(cast.member)
    address = submission.get_absolute_url()
    assert "lines/?line=3&amp;file=metrics" in client.get(f"{address}problems/").content.decode().replace(
        "&file", "&amp;file"
    )
    page = client.get(f"{address}lines/?line=3&file=metrics").content.decode()
    assert "<mark>NaN</mark>" in page
    assert "METRIC_NOT_FINITE" not in client.get(f"{address}lines/?line=3").content.decode()
    assert client.get(f"{address}lines/?line=3&file=other").status_code == 404


def test_a_check_says_the_same_as_an_upload(submit_file: Callable[..., Submission], cast: Cast) -> None:
    submission = submit_file(BAD)
    checked = check(cast, submission.corpus, BAD)
    fields = ("line", "column", "code", "message", "attachment")
    assert list(checked.problems.values(*fields)) == list(submission.problems.values(*fields))
    assert (checked.state, checked.counts) == ("refused", submission.counts)


def test_a_second_file_that_the_corpus_does_not_take_is_refused(cast: Cast) -> None:
    corpus, beside = cast.corpus, {"metrics": ContentFile(METRICS.encode())}
    values: dict[str, Any] = {
        "user": cast.member,
        "team": cast.member.teams.get(),
        "corpus": corpus,
        "name": "Ferry",
    }
    with pytest.raises(InvalidInput, match="metrics: systems of this corpus take no second file"):
        submitting.upload(task=task_of(corpus), file=ContentFile(b"x"), attachments=beside, **values)
    assert not Submission.objects.exists()


def test_the_form_takes_both_in_one_piece_and_offers_a_field_where_a_task_has_one(
    notes: Corpus, cast: Cast, client: Client
) -> None:
    client.force_login(cast.member)
    assert 'name="file_metrics"' in client.get("/submissions/new/").content.decode()
    form = {
        "corpus": notes.pk,
        "team": cast.member.teams.get().pk,
        "name": "Ferry",
        "file": SimpleUploadedFile("o.jsonl", OUTPUTS.encode()),
        "file_metrics": SimpleUploadedFile("m.tsv", METRICS.encode()),
    }
    assert client.post("/submissions/new/", form).status_code == 302
    pipeline.validate_submissions()
    stored = Submission.objects.get()
    assert (stored.state, stored.attachments.get().name) == ("accepted", "metrics")
    assert not Upload.objects.exists()


def test_no_field_is_offered_where_no_corpus_takes_a_second_file(cast: Cast, client: Client) -> None:
    client.force_login(cast.member)
    for address in ("/submissions/new/", "/check/"):
        assert "metrics" not in client.get(address).content.decode()


def test_a_refused_form_keeps_both_files(notes: Corpus, cast: Cast, client: Client) -> None:
    client.force_login(cast.member)
    form = {
        "corpus": notes.pk,
        "file": SimpleUploadedFile("o.jsonl", OUTPUTS.encode()),
        "file_metrics": SimpleUploadedFile("m.tsv", METRICS.encode()),
    }
    page = client.post("/submissions/new/", form).content.decode()
    for upload in Upload.objects.all():
        assert f'value="{upload.pk}"' in page
    assert Upload.objects.count() == 2


def test_what_was_checked_is_submitted_without_sending_it_again(
    notes: Corpus, cast: Cast, client: Client
) -> None:
    checked = check(cast, notes)
    assert checked.state == "accepted"
    beside = checked.attachments.get().upload
    assert beside is not None
    client.force_login(cast.member)
    page = client.get(checked.get_absolute_url()).content.decode()
    address = f"/submissions/new/?upload={checked.upload_id}&upload_metrics={beside.pk}&corpus=notes"
    assert f'href="{address}"' in page.replace("&amp;", "&")
    assert "<code>sim</code>" in page
    assert "metrics.tsv" in client.get(address).content.decode()
    form = {"corpus": notes.pk, "team": cast.member.teams.get().pk, "name": "Ferry"}
    named = {"upload": checked.upload_id, "upload_metrics": beside.pk}
    client.post("/submissions/new/", form | named)
    assert Submission.objects.get().attachments.get().digest == beside.digest
    assert Upload.objects.count() == 2  # a check keeps both for its day


def test_a_script_hands_in_both(notes: Corpus, cast: Cast) -> None:
    asks = Program(token(cast.member))
    sent = send(asks, OUTPUTS.encode(), "o.jsonl"), send(asks, METRICS.encode(), "m.tsv")
    body = {"corpus": "notes", "upload": sent[0], "attachments": {"metrics": sent[1]}}
    made = asks("POST", "checks/", body)
    pipeline.read_checks()
    assert asks.get(f"checks/{made.json()['id']}/")["counts"]["metrics"] == ["sim"]
    made = asks("POST", "submissions/", {**body, "team": cast.member.teams.get().name, "name": "Ferry"})
    digest = Attachment.objects.get(submission__isnull=False).digest
    assert made.json()["attachments"] == [{"name": "metrics", "digest": digest}]
    wrong = {**body, "attachments": {"notes": sent[1]}}
    assert asks("POST", "checks/", wrong).status_code == 400
    itself = {**body, "attachments": {"metrics": sent[0]}}
    assert asks("POST", "checks/", itself).status_code == 400


@pytest.mark.parametrize("which", ["first", "second"])
def test_a_check_goes_with_either_of_its_uploads(notes: Corpus, cast: Cast, which: str) -> None:
    checked = check(cast, notes)
    beside = checked.attachments.get().upload
    assert beside is not None
    assert uploads.left_lying(cast.member) == []
    uploads.discard(upload=checked.upload if which == "first" else beside)
    assert not FileCheck.objects.exists()
    assert Upload.objects.count() == 1


def test_checking_again_with_other_metrics_replaces_the_check(notes: Corpus, cast: Cast) -> None:
    checked = check(cast, notes)
    beside = {"metrics": keep(cast, BAD, "metrics.tsv")}
    again = checks.start(
        task=task_of(notes), upload=checked.upload, corpus=notes, format="", attachments=beside
    )
    assert list(FileCheck.objects.all()) == [again]
    assert set(Upload.objects.all()) == {checked.upload, beside["metrics"]}


def test_one_file_is_checked_with_other_metrics_as_often_as_one_likes(
    notes: Corpus, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MOST_OPEN", 3)
    upload = keep(cast, OUTPUTS)
    for number in range(5):
        metrics = METRICS.replace("0.", f"0.{number}", 1)
        beside = {"metrics": keep(cast, metrics, "metrics.tsv")}
        checks.start(task=task_of(notes), upload=upload, corpus=notes, format="", attachments=beside)
        pipeline.read_checks()
    assert Upload.objects.count() == 2


def test_what_somebody_goes_on_with_makes_no_room_for_the_next_file(
    notes: Corpus, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = check(cast, notes), check(cast, notes)
    monkeypatch.setattr(uploads, "MOST_OPEN", 4)
    uploads.keep_longer(upload=first.upload)
    keep(cast, METRICS, "new.tsv")
    assert Upload.objects.filter(pk=first.upload.pk).exists()
    assert not Upload.objects.filter(pk=second.upload_id).exists()


def test_checked_uploads_make_room_together(
    notes: Corpus, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(cast, notes)
    monkeypatch.setattr(uploads, "MOST_OPEN", 2)
    keep(cast, OUTPUTS)
    keep(cast, METRICS)
    assert Upload.objects.count() == 2


def test_both_files_are_named_and_deleted_together(
    submit_file: Callable[..., Submission], cast: Cast, django_capture_on_commit_callbacks: Any
) -> None:
    submission = submit_file()
    names = [submission.file.name, submission.attachments.get().file.name]
    paths = [Path(submission.file.path), Path(submission.attachments.get().file.path)]
    assert {f"media/{name}" for name in names} <= set(files.named())
    with django_capture_on_commit_callbacks(execute=True):
        lifecycle.delete_file(submission=submission, user=cast.member)
    assert not any(path.exists() for path in paths)
    assert submission.attachments.get().digest


def test_a_submission_that_cannot_be_stored_leaves_no_file(
    submit_file: Callable[..., Submission], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(submitting, "nudge", broken)
    with pytest.raises(ZeroDivisionError):
        submit_file()
    assert not [path for path in (tmp_path / "submissions").rglob("*") if path.is_file()]


def test_the_audit_finds_a_second_file_that_was_changed(submit_file: Callable[..., Submission]) -> None:
    submission = submit_file()
    assert _audit_file(submission) == []
    Path(submission.attachments.get().file.path).write_text(BAD)
    assert _audit_file(submission) == ["the metrics that it was read from is another"]


def test_a_submission_has_one_file_of_a_name(submit_file: Callable[..., Submission]) -> None:
    submission = submit_file()
    with pytest.raises(IntegrityError), transaction.atomic():
        Attachment.objects.create(submission=submission, name="metrics", digest="x")


def test_a_submission_whose_second_file_is_gone_is_not_read(submit_file: Callable[..., Submission]) -> None:
    submission = submit_file()
    Submission.objects.filter(pk=submission.pk).update(state="uploaded", uploaded_at=timezone.now())
    Path(submission.attachments.get().file.path).unlink()
    with pytest.raises(Exception, match="metrics of Ferry are gone"):
        submitting.read_submission(submission_id=submission.pk, task=task_of(submission.corpus))
