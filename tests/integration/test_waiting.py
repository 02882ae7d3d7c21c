"""People do not wait for the pipeline: what they may do while it works, and what it does with that."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from types import ModuleType

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from annotations import questions
from annotations.corpora import load_annotations
from annotations.models import Corpus, Question
from annotations.ontologies import load_guidelines
from evaluation.design import epochs
from evaluation.kbp import claims, predictions
from evaluation.kbp.recall import document_phases, exhaustive
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Epoch, Instance, Prediction, Problem, SampleBatch, StageWork, Submission
from evaluation.reading import isolated
from evaluation.scoring import ranks
from evaluation.submissions import lifecycle, submitting, work
from kbpo import pipeline
from kbpo.accounts.models import Membership, Team, User
from kbpo.core.database import locks
from kbpo.core.database.locks import brief_transaction, claim
from kbpo.core.errors import Conflict, InvalidInput, TryAgain
from tests.factories import SampleBatchFactory, SubmissionFactory, UserFactory
from tests.integration.conftest import Submit

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 20.0  # seconds after which a test gives up on a thread
AT_ONCE = 5.0  # seconds in which a button answers, on a busy machine


@pytest.fixture
def member() -> User:
    user = UserFactory.create()
    Membership.objects.create(team=Team.objects.get_or_create(name="Alpha")[0], user=user)
    return user


@contextmanager
def beside(act: Callable[[], object]) -> Iterator[list[object]]:
    """Do something in a thread with a connection of its own; it has ended when the block has."""
    results: list[object] = []

    def run() -> None:
        try:
            results.append(act())
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    try:
        yield results
    finally:
        thread.join(PATIENCE)
        assert not thread.is_alive()


@contextmanager
def held_up(monkeypatch: pytest.MonkeyPatch, where: object, name: str) -> Iterator[tuple[Event, Event]]:
    """Have a function wait where it begins: for the second event, after it set the first."""
    reached, go_on = Event(), Event()
    original = getattr(where, name)

    def slow(*args: object, **kwargs: object) -> object:
        reached.set()
        go_on.wait(PATIENCE)
        return original(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(where, name, slow)
        try:
            yield reached, go_on
        finally:
            go_on.set()


@contextmanager
def row_held(row: object) -> Iterator[None]:
    """Have another session hold the lock of a row."""
    reached, let_go = Event(), Event()

    def hold() -> None:
        with transaction.atomic():
            type(row).objects.select_for_update().get(pk=row.pk)  # type: ignore[attr-defined]
            reached.set()
            let_go.wait(PATIENCE)

    with beside(hold):
        try:
            assert reached.wait(PATIENCE)
            yield
        finally:
            let_go.set()


@pytest.mark.parametrize("where", [(submitting, "read_file"), (predictions, "analyse")])
def test_what_is_cancelled_while_it_is_read_or_stored_leaves_nothing(
    submit: Submit, member: User, monkeypatch: pytest.MonkeyPatch, where: tuple[ModuleType, str]
) -> None:
    submission = submit("one")
    with held_up(monkeypatch, *where) as (reached, go_on):
        with beside(pipeline.validate_submissions) as moved:
            assert reached.wait(PATIENCE)
            begun = time.monotonic()
            lifecycle.cancel(submission=submission, user=member)
            assert time.monotonic() - begun < AT_ONCE
            go_on.set()
        assert moved == [0]
    submission.refresh_from_db()
    assert (submission.state, submission.counts) == ("cancelled", {})
    assert not Prediction.objects.exists()
    assert not Instance.objects.exists()
    assert not Problem.objects.exists()
    assert not StageWork.objects.exists()


def test_an_organiser_does_not_wait_for_claims_that_are_stored(
    submit: Submit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    corpus, empty = submit("one").corpus, tmp_path / "empty"
    empty.touch()
    with (
        held_up(monkeypatch, predictions, "analyse") as (reached, go_on),
        beside(pipeline.validate_submissions) as moved,
    ):
        assert reached.wait(PATIENCE)
        begun = time.monotonic()
        assert epochs.open_epoch(corpus=corpus, task=KBP).number == 1
        with pytest.raises(Conflict, match="nothing to release"):
            epochs.release(corpus=corpus, task=KBP)
        with pytest.raises(InvalidInput, match="is not between"):
            document_phases.sample_documents(corpus=corpus, size=1)
        with pytest.raises(Conflict, match="another is not drawn"):
            exhaustive.draw_documents(corpus=corpus, size=1)
        with pytest.raises(InvalidInput, match="holds no annotations"):
            load_annotations(path=empty, corpus=corpus)
        with pytest.raises(InvalidInput):
            load_guidelines(path=empty, corpus=corpus)
        assert time.monotonic() - begun < AT_ONCE
        assert not moved
        go_on.set()
    assert moved == [1]


@pytest.mark.parametrize("where", [(claims, "read_rows"), (questions, "ask_relations")])
def test_what_is_cancelled_while_its_sample_is_drawn_leaves_nothing(
    submit: Submit, member: User, monkeypatch: pytest.MonkeyPatch, where: tuple[ModuleType, str]
) -> None:
    submission = submit("one")
    pipeline.validate_submissions()
    with held_up(monkeypatch, *where) as (reached, go_on):
        with beside(pipeline.sample_submissions) as moved:
            assert reached.wait(PATIENCE)
            begun = time.monotonic()
            lifecycle.cancel(submission=submission, user=member)
            assert time.monotonic() - begun < AT_ONCE
            go_on.set()
        assert moved == [0]
    submission.refresh_from_db()
    assert (submission.state, submission.quota_taken_at) == ("cancelled", None)
    assert not SampleBatch.objects.exists()
    assert not Question.objects.exists()


def test_other_buttons_answer_while_a_file_is_read(
    submit: Submit, member: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit("one")
    Submission.objects.update(go_ahead=False)
    held = held_up(monkeypatch, submitting, "read_file")
    with held as (reached, go_on), beside(pipeline.validate_submissions):
        assert reached.wait(PATIENCE)
        lifecycle.give_go_ahead(submission=submission, user=member)
        lifecycle.set_public(submission=submission, user=member, is_public=False)
        go_on.set()
    submission.refresh_from_db()
    assert (submission.state, submission.go_ahead, submission.is_public) == ("accepted", True, False)


def test_a_team_hands_in_another_while_a_sample_of_its_is_drawn(
    submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit("one")
    pipeline.validate_submissions()
    with held_up(monkeypatch, questions, "ask_relations") as (reached, go_on):
        with beside(pipeline.sample_submissions) as moved:
            assert reached.wait(PATIENCE)
            begun = time.monotonic()
            submit("two", seed=2)
            assert time.monotonic() - begun < AT_ONCE
            go_on.set()
        assert moved == [1]


@pytest.mark.slow
def test_a_system_is_hidden_while_its_rank_is_computed(
    submit: Submit, member: User, judge: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit("one")
    pipeline.advance()
    with held_up(monkeypatch, ranks, "store_ranks") as (reached, go_on), beside(judge):
        assert reached.wait(PATIENCE)
        lifecycle.set_public(submission=submission, user=member, is_public=False)
        go_on.set()
    submission.refresh_from_db()
    assert (submission.state, submission.is_public) == ("scored", False)


def test_nobody_reads_what_another_reads(submit: Submit, monkeypatch: pytest.MonkeyPatch) -> None:
    submission = submit("one")
    held = held_up(monkeypatch, submitting, "read_file")
    with held as (reached, go_on), beside(pipeline.validate_submissions):
        assert reached.wait(PATIENCE)
        assert pipeline.validate_submissions() == 0
        assert StageWork.objects.get().attempts == 1
        go_on.set()
    submission.refresh_from_db()
    assert submission.state == "accepted"


def test_what_a_lost_worker_was_at_is_free_at_once(submit: Submit) -> None:
    submission = submit("one")

    def lose() -> None:
        lost = claim(f"submission {submission.pk}")
        assert lost.__enter__()
        connection.close()  # as when its process is killed

    with beside(lose):
        pass
    assert pipeline.validate_submissions() == 1


def test_a_reading_that_nobody_wants_any_more_is_ended(
    submit: Submit, member: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit("one")
    monkeypatch.setattr(isolated, "LOOK", 0.001)
    original = isolated._wait

    def cancel_first(child: object, seconds: float, is_wanted: Callable[[], bool]) -> int | None:
        lifecycle.cancel(submission=submission, user=member)
        return original(child, seconds, is_wanted)  # type: ignore[arg-type]

    monkeypatch.setattr(isolated, "_wait", cancel_first)
    assert not submitting.read_submission(task=KBP, submission_id=submission.pk)
    submission.refresh_from_db()
    assert submission.state == "cancelled"


def test_an_error_over_what_was_cancelled_is_no_failure(
    submit: Submit, member: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit("one")

    def cancelled(*, submission_id: int) -> bool:
        lifecycle.cancel(submission=submission, user=member)
        raise FileNotFoundError

    assert not work.run(submission_id=submission.pk, stage="uploaded", act=cancelled, doing="reading")
    assert StageWork.objects.filter(errors__gt=0).count() == 0


@pytest.mark.parametrize(
    ("action", "state", "button"),
    [
        ("cancel", "accepted", "Cancel this submission"),
        ("go-ahead", "accepted", "Have it judged"),
        ("delete-file", "accepted", "Delete the file"),
        ("hide", "accepted", "Hide it from others"),
        ("resume", "failed", "Try again"),
        ("withdraw", "judging", "Withdraw this system"),
    ],
)
def test_a_button_that_would_wait_says_so_and_stays(
    member: User, client: Client, monkeypatch: pytest.MonkeyPatch, action: str, state: str, button: str
) -> None:
    monkeypatch.setattr(locks, "LONGEST_WAIT", timedelta(milliseconds=50))
    submission = SubmissionFactory.create(team=member.teams.get(), state=state)
    before = Submission.objects.values().get(pk=submission.pk)
    client.force_login(member)
    with row_held(submission):
        address = reverse("submission_act", args=[submission.pk, action])
        page = client.post(address, follow=True).content.decode()
    assert "try again in a moment" in page
    assert button in page
    assert Submission.objects.values().get(pk=submission.pk) == before


def test_a_withdrawal_does_not_wait_for_scores_that_are_computed(
    member: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "LONGEST_WAIT", timedelta(milliseconds=50))
    submission = SubmissionFactory.create(team=member.teams.get(), state="judging")
    epoch = SampleBatchFactory.create(submission=submission).epoch
    with row_held(epoch), pytest.raises(TryAgain, match="try again in a moment"):
        lifecycle.withdraw(submission=submission, user=member)
    submission.refresh_from_db()
    assert submission.state == "judging"
    assert not Epoch.objects.get().scores_due


def test_rows_that_point_to_a_submission_do_not_hold_up_its_buttons(submit: Submit, member: User) -> None:
    submission = submit("one")
    reached, let_go = Event(), Event()

    def point() -> None:
        with transaction.atomic():
            Problem.objects.create(submission=submission, line=1, code="X", severity="ERROR", message="x")
            connection.check_constraints()
            reached.set()
            let_go.wait(PATIENCE)

    with beside(point):
        assert reached.wait(PATIENCE)
        lifecycle.cancel(submission=submission, user=member)
        let_go.set()


def test_two_who_wait_for_each_other_are_told_to_try_again(corpus: Corpus, member: User) -> None:
    team = member.teams.get()
    reached, go_on = Event(), Event()

    def other_way_round() -> None:
        with transaction.atomic():
            Corpus.objects.select_for_update().get(pk=corpus.pk)
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL deadlock_timeout = '1min'")  # the other one finds out
            reached.set()
            go_on.wait(PATIENCE)
            Team.objects.select_for_update().get(pk=team.pk)

    @brief_transaction("busy")
    def one_way_round() -> None:
        Team.objects.select_for_update().get(pk=team.pk)
        go_on.set()
        Corpus.objects.select_for_update().get(pk=corpus.pk)

    with beside(other_way_round):
        assert reached.wait(PATIENCE)
        with pytest.raises(TryAgain, match="busy"):
            one_way_round()


def test_the_limit_on_waiting_ends_with_its_transaction() -> None:
    def limit() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            return str(cursor.fetchone()[0])

    usual = limit()
    with brief_transaction("busy"):
        assert limit() == "2s"
    assert limit() == usual != "2s"


def test_a_claim_is_one_sessions_until_its_end() -> None:
    def try_it() -> bool:
        with claim("something") as is_ours:
            return is_ours

    with claim("something") as is_ours:
        assert is_ours
        with beside(try_it) as others:
            pass
    assert others == [False]
    with beside(try_it) as others:
        pass
    assert others == [True]
