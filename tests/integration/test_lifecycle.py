"""What becomes of a submission when people or machines change their mind."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.core import mail
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from annotations.models import Corpus
from evaluation.design import sampling
from evaluation.kbp import claims, scoring
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Epoch, Score, StageWork, Submission
from evaluation.submissions import lifecycle, quota, submitting, work
from kbpo import pipeline
from kbpo.accounts.models import Membership, Team, User
from kbpo.core.errors import Conflict, NotAllowed
from tests.integration.conftest import Submit, advance_past_pauses
from tests.world import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def member() -> User:
    user = User.objects.create_user("m@example.org")
    Membership.objects.create(team=Team.objects.get_or_create(name="Alpha")[0], user=user)
    return user


def reload(submission: Submission) -> Submission:
    return Submission.objects.get(pk=submission.pk)


def break_down(monkeypatch: pytest.MonkeyPatch, where: object, name: str) -> None:
    def broken(*args: object, **kwargs: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr(where, name, broken)


def test_cancelling_before_the_sample_costs_nothing(submit: Submit, member: User) -> None:
    submission = submit("one")
    pipeline.validate_submissions()
    lifecycle.cancel(submission=submission, user=member)
    pipeline.advance()
    assert reload(submission).state == "cancelled"
    assert reload(submission).quota_taken_at is None
    submit("one")  # the name is free again


def test_what_was_sampled_is_withdrawn_and_not_cancelled(submit: Submit, member: User) -> None:
    submission = submit("one")
    with pytest.raises(Conflict, match="only what was sampled"):
        lifecycle.withdraw(submission=submission, user=member)
    pipeline.advance()
    with pytest.raises(Conflict, match="cannot be cancelled"):
        lifecycle.cancel(submission=submission, user=member)
    lifecycle.withdraw(submission=submission, user=member)
    assert reload(submission).state == "withdrawn"


@pytest.mark.parametrize("act", ["cancel", "withdraw", "resume", "give_go_ahead", "delete_file"])
def test_strangers_change_nothing(submit: Submit, act: str) -> None:
    submission = submit("one")
    with pytest.raises(NotAllowed):
        getattr(lifecycle, act)(submission=submission, user=User.objects.create_user("s@example.org"))


def test_reading_that_fails_three_times_fails_with_words_and_can_be_resumed(
    submit: Submit, member: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit("one", user=member)
    with monkeypatch.context() as patch:
        break_down(patch, submitting, "read_file")
        advance_past_pauses()
    failed = reload(submission)
    assert (failed.state, failed.failed_in) == ("failed", "uploaded")
    assert "stopped 3 times" in failed.events.last().detail  # type: ignore[union-attr]
    assert [message.subject for message in mail.outbox] == [
        f"{submission.corpus.name}: one stopped, by a fault of ours"
    ]
    lifecycle.resume(submission=submission, user=member)
    pipeline.advance()
    assert reload(submission).state == "judging"


def test_a_failure_while_sampling_gives_the_quota_back(
    submit: Submit, member: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit("one")
    pipeline.validate_submissions()
    lifecycle.give_go_ahead(submission=submission, user=member)
    assert reload(submission).quota_taken_at is not None
    with monkeypatch.context() as patch:
        break_down(patch, claims, "read_rows")
        advance_past_pauses()
    assert (reload(submission).state, reload(submission).quota_taken_at) == ("failed", None)


def test_scores_that_cannot_be_computed_fail_with_words_and_can_be_resumed(
    submit: Submit,
    member: User,
    judge: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submission = submit("one")
    pipeline.advance()
    with monkeypatch.context() as patch:
        break_down(patch, scoring, "read_labels")
        judge()
        advance_past_pauses()
    assert (reload(submission).state, reload(submission).failed_in) == ("failed", "judging")
    assert reload(submission).quota_taken_at is not None  # its sample stands
    assert not Epoch.objects.get().scores_due
    lifecycle.resume(submission=submission, user=member)
    pipeline.advance()
    assert reload(submission).state == "scored"
    assert Score.objects.filter(submission=submission).exists()


def test_after_each_error_the_pause_is_longer(submit: Submit, monkeypatch: pytest.MonkeyPatch) -> None:
    submission = submit("one")
    break_down(monkeypatch, submitting, "read_file")
    for number, pause in enumerate(work.PAUSES, 1):
        pipeline.advance()
        pipeline.advance()  # comes to an end, and does not try again
        stopped = StageWork.objects.get(submission=submission)
        assert (stopped.attempts, stopped.errors) == (number, number)
        assert stopped.not_before == stopped.heartbeat_at + pause
        assert work.next_try() == stopped.not_before
        StageWork.objects.update(not_before=timezone.now())
    assert sorted(work.PAUSES) == list(work.PAUSES)
    pipeline.advance()
    assert reload(submission).state == "failed"
    assert work.next_try() is None


def test_a_try_that_was_lost_with_its_worker_is_followed_by_the_next_at_once(submit: Submit) -> None:
    submission = submit("one")
    begun(submission, attempts=1, worked=timedelta(seconds=1))
    assert work.next_try() is None
    assert pipeline.validate_submissions() == 1


def test_others_go_on_while_one_pauses(submit: Submit, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        break_down(patch, submitting, "read_file")
        one = submit("one")
        pipeline.validate_submissions()
    two = submit("two", team="Beta", seed=2)
    pipeline.validate_submissions()
    assert [reload(submission).state for submission in (one, two)] == ["uploaded", "accepted"]


def test_scores_that_could_not_be_computed_are_tried_again_after_a_pause(
    submit: Submit, judge: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit("one")
    pipeline.advance()
    with monkeypatch.context() as patch:
        break_down(patch, scoring, "read_labels")
        judge()
    epoch = Epoch.objects.get()
    assert (epoch.scoring_failures, epoch.scores_due) == (1, True)
    assert work.next_try() == epoch.scoring_not_before
    assert pipeline.score_epochs() == 0
    Epoch.objects.update(scoring_not_before=timezone.now())
    assert pipeline.score_epochs() == 1
    assert (reload(submission).state, work.next_try()) == ("scored", None)


def test_scoring_that_takes_the_database_too_long_is_counted_as_a_try(
    submit: Submit, judge: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask_too_much(*_: object, **__: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '1ms'")
            cursor.execute("SELECT pg_sleep(1)")

    submit("one")
    pipeline.advance()
    with monkeypatch.context() as patch:
        patch.setattr(scoring, "read_labels", ask_too_much)
        judge()
    assert Epoch.objects.get().scoring_failures == 1


def test_advance_says_that_something_is_tried_again_later(
    submit: Submit, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    submit("one")
    break_down(monkeypatch, submitting, "read_file")
    call_command("advance", "--json")
    said = capsys.readouterr()
    assert json.loads(said.out)["validate_submissions"] == 1
    assert f"is tried again from {StageWork.objects.get().not_before:%H:%M:%S} UTC" in said.err


def begun(submission: Submission, *, attempts: int, worked: timedelta) -> None:
    """Have a submission's reading begun a day ago, and nobody at it since it was worked on for a while."""
    then = timezone.now() - timedelta(days=1)
    StageWork.objects.create(
        submission=submission,
        stage="uploaded",
        attempts=attempts,
        started_at=then,
        heartbeat_at=then + worked,
        deadline_at=then + work.DEADLINE,
    )


def test_a_stage_that_worked_past_its_deadline_fails_instead_of_starting_again(submit: Submit) -> None:
    submission = submit("one")
    begun(submission, attempts=1, worked=work.DEADLINE + timedelta(seconds=1))
    pipeline.advance()
    assert reload(submission).state == "failed"
    assert "did not finish in time" in reload(submission).events.last().detail  # type: ignore[union-attr]


def test_time_in_which_nobody_works_does_not_count_towards_the_deadline(submit: Submit) -> None:
    submission = submit("one")
    begun(submission, attempts=1, worked=work.DEADLINE - timedelta(minutes=1))
    pipeline.advance()
    assert reload(submission).state == "judging"


@pytest.mark.parametrize(("lost", "state"), [(work.ATTEMPTS - 1, "judging"), (work.ATTEMPTS, "failed")])
def test_as_many_workers_may_die_of_a_submission_and_no_more(submit: Submit, lost: int, state: str) -> None:
    submission = submit("one")
    begun(submission, attempts=lost, worked=timedelta(seconds=1))
    pipeline.advance()
    assert reload(submission).state == state


def test_a_try_that_was_not_its_turn_leaves_the_count_as_it_was(submit: Submit) -> None:
    submission = submit("one")
    begun(submission, attempts=2, worked=timedelta(seconds=1))
    work.run(submission_id=submission.pk, stage="uploaded", act=lambda submission_id: False, doing="reading")
    assert submission.work.attempts == 2


def test_what_has_moved_on_in_the_meantime_has_not_failed(submit: Submit) -> None:
    submission = submit("one")
    pipeline.validate_submissions()
    lifecycle.fail(submission_id=submission.pk, stage="uploaded", detail="It stopped.")
    assert reload(submission).state == "accepted"


def test_a_sample_waits_for_those_of_earlier_uploads(submit: Submit) -> None:
    one, two = submit("one"), submit("two", seed=2)
    submitting.read_submission(task=KBP, submission_id=two.pk)
    assert not sampling.sample_submission(task=KBP, submission_id=two.pk)
    submitting.read_submission(task=KBP, submission_id=one.pk)
    assert not sampling.sample_submission(task=KBP, submission_id=two.pk)
    assert sampling.sample_submission(task=KBP, submission_id=one.pk)
    assert sampling.sample_submission(task=KBP, submission_id=two.pk)


def test_a_sample_does_not_wait_for_those_that_may_not_go_ahead(submit: Submit) -> None:
    one, two = submit("one"), submit("two", seed=2)
    Submission.objects.filter(pk=one.pk).update(go_ahead=False)
    submitting.read_submission(task=KBP, submission_id=two.pk)
    assert sampling.sample_submission(task=KBP, submission_id=two.pk)


def test_a_sample_does_not_wait_for_a_team_without_quota(submit: Submit) -> None:
    for number in range(5):
        submit(f"system{number}", seed=number)
    other = submit("other", team="Beta")
    pipeline.advance()
    assert Submission.objects.filter(state="accepted").count() == 1
    assert reload(other).state == "judging"


@pytest.mark.slow
def test_waiting_for_quota_is_no_try(submit: Submit) -> None:
    for number in range(5):
        submit(f"system{number}", seed=number)
    for _ in range(work.ATTEMPTS + 1):
        pipeline.advance()
    assert Submission.objects.filter(state="accepted").count() == 1
    assert not Submission.objects.filter(state="failed").exists()


def test_the_go_ahead_takes_the_last_place_and_the_next_one_waits(submit: Submit, member: User) -> None:
    many = [submit(f"system{number}", seed=number) for number in range(5)]
    Submission.objects.update(go_ahead=False)
    pipeline.validate_submissions()
    for submission in many:
        lifecycle.give_go_ahead(submission=submission, user=member)
    taken = [reload(submission).quota_taken_at is not None for submission in many]
    assert taken == [True] * 4 + [False]
    assert quota.standing(submission=reload(many[4]), now=timezone.now()).left == 0
    free = quota.free_at(submission=reload(many[4]), now=timezone.now())
    assert free == reload(many[0]).quota_taken_at + quota.WINDOW  # type: ignore[operator]


def test_deleting_the_file_keeps_what_was_read_from_it(
    submit: Submit, member: User, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    submission = submit("one")
    with pytest.raises(Conflict, match="still to be read"):
        lifecycle.delete_file(submission=submission, user=member)
    pipeline.advance()
    path = Path(reload(submission).file.path)
    assert path.exists()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        lifecycle.delete_file(submission=submission, user=member)
    assert not path.exists()
    assert not reload(submission).file
    assert submission.predictions.exists()


def test_a_design_is_kept_when_the_same_corpus_is_loaded_again(world: World, tmp_path: Path) -> None:
    path = world.write_corpus(tmp_path / "corpus.jsonl")
    call_command("load_corpus", str(path), "--corpus", "drawn", "--design", "iid", verbosity=0)
    call_command("load_corpus", str(path), "--corpus", "drawn", verbosity=0)


def test_a_name_on_two_lines_is_one_line_in_the_mail(corpus: Corpus, member: User) -> None:
    submission = submitting.upload(
        task=KBP,
        user=member,
        team=Team.objects.get(name="Alpha"),
        corpus=corpus,
        name="two\nlines",
        file=ContentFile(b"run\n"),
    )
    pipeline.advance()
    assert submission.name == "two lines"
    [message] = mail.outbox
    assert message.subject == f"{corpus.name}: two lines was refused, 1 error"
    assert "The errors:\n  line 1: " in message.body
