"""What is kept about a person: given to them, and taken away with their account."""

import json
from datetime import timedelta
from xml.sax.saxutils import escape

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotations import conflicts
from annotations.models import Response
from crowd import budget
from crowd.models import Assignment as WorkAssignment
from crowd.models import Reservation, TutorialAttempt, WorkerMeasure, WorkerQualification
from evaluation.models import SampleBatch, Submission, SubmissionEvent
from evaluation.submissions import lifecycle as submissions
from kbpo.accounts import sessions, teams
from kbpo.accounts.models import Invitation, User
from kbpo.accounts.personal import deleting, exporting
from kbpo.accounts.personal.parts import Leaving
from kbpo.core.errors import Conflict
from kbpo.core.models import AuditEntry, Message
from marketplace import ledger, lifecycle, requesters
from marketplace.models import Assignment, Hit, LedgerEntry
from marketplace.operations.call import Call
from marketplace.operations.hits import create_hit
from marketplace.workers import worker_for
from tests import crowd
from tests import factories as make
from tests.integration.accounts.conftest import PASSWORD, person, sign_in
from tests.integration.marketplace.conftest import HIT

pytestmark = pytest.mark.django_db

ANN = "ann.quill@example.org"
State = Submission.State
NOW = timezone.now


def message(*to):
    return Message.objects.create(
        recipients={"to": list(to), "cc": [], "bcc": []},
        sender="kbpo@localhost",
        subject="You are invited",
        created_at=NOW(),
        due_at=NOW(),
        give_up_at=NOW(),
    )


@pytest.fixture
def ann():
    """Somebody who has done everything that a person can do here, but being an operator."""
    ann = person(ANN, is_annotator=True, name="Ann Quill")
    EmailAddress.objects.get_or_create(user=ann, email=ANN, defaults={"verified": True, "primary": True})
    corpus = make.CorpusFactory.create(tag="news")
    alone = make.TeamFactory.create(members=[ann])
    shared = make.TeamFactory.create(members=[ann, person("b@x.org")])
    conflicts.add_competitor(corpus=corpus, team=alone)
    for team in (alone, shared):
        for state in (State.SCORED, State.ACCEPTED):
            submission = make.SubmissionFactory.create(
                corpus=corpus, team=team, uploaded_by=ann, state=state, name=f"Quill {state}"
            )
            SubmissionEvent.objects.create(submission=submission, state=state, detail="resumed by Ann Quill")
    make.SampleBatchFactory.create(submission=alone.submissions.get(state=State.SCORED))
    teams.invite(user=ann, team=shared, email="new@example.org")
    other = make.TeamFactory.create(members=[person("c@x.org")])
    teams.invite(user=other.members.get(), team=other, email=ANN)
    [asked, held] = crowd.ask(make.CorpusFactory.create(), 2)
    Response.objects.create(question=asked, worker=ann, answer={"value": "none"})
    Reservation.objects.create(question=held, worker=ann, taken_at=NOW(), expires_at=NOW())
    Authenticator.objects.create(user=ann, type=Authenticator.Type.TOTP, data={"secret": "hush"})
    SocialAccount.objects.create(user=ann, provider="organisation", uid="0000-0001")
    UserSession.objects.create(user=ann, session_key="k" * 32, ip="192.0.2.7", user_agent="Lynx")
    LogEntry.objects.create(
        user=make.UserFactory.create(operator=True),
        content_type=ContentType.objects.get_for_model(User),
        object_id=str(ann.pk),
        object_repr="Ann Quill",
        action_flag=CHANGE,
    )
    message(f"Ann Quill <{ANN}>")
    message(ANN, "b@x.org")
    message(f"jo{ANN}")
    _work(ann)
    return ann


def _work(ann):
    """Have somebody paid, waiting for pay, and at work."""
    requester = requesters.create_requester(name="The lab", owner=ann)
    ledger.deposit(requester=requester, cents=100_00, now=NOW())
    for title in ("One", "Another", "A third"):
        create_hit(Call(requester, {**HIT, "Title": title}, title, NOW()))
    worker = worker_for(ann)
    begun = [lifecycle.accept(worker=worker, hit=hit, now=NOW()) for hit in Hit.objects.order_by("pk")]
    sent = [lifecycle.submit(assignment=one, answer="<x/>", now=NOW()) for one in begun[:2]]
    lifecycle.approve(requester=requester, assignment_id=sent[0].assignment_id, now=NOW(), feedback="")


def sign_in_again(client):
    """Sign in as Ann, and give the password once more."""
    sign_in(client, ANN)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})


def gone(user, **options):
    return deleting.delete_account(Leaving(user, NOW(), **options))


def test_who_it_was_is_gone_from_every_table(ann):
    gone(ann)
    left = []
    for model in apps.get_models(include_auto_created=True):
        for row in model._default_manager.values():
            words = str(list(row.values()))
            if "Ann Quill" in words or (ANN in words and f"jo{ANN}" not in words) or "192.0.2.7" in words:
                left.append((model._meta.label, row))
    assert left == []


def test_a_name_from_before_is_gone_from_timelines_and_a_namesake_stays():
    alice, namesake = person("alice@x.org", name="Alice Liddell"), person("other@x.org", name="Alice")
    team = make.TeamFactory.create(members=[alice, namesake])
    first, second = (make.SubmissionFactory.create(team=team, state=State.ACCEPTED) for _ in range(2))
    submissions.cancel(submission=first, user=alice)
    submissions.cancel(submission=second, user=namesake)
    User.objects.filter(pk=alice.pk).update(name="Alice")
    gone(User.objects.get(pk=alice.pk))
    cancelled = SubmissionEvent.objects.filter(state=State.CANCELLED).order_by("pk")
    words = [event.words for event in cancelled.select_related("by")]
    assert words[1] == "by Alice"
    assert "Alice" not in words[0]


def test_answers_identities_and_pay_stay_with_the_row_of_the_account(ann):
    before = [
        list(Response.objects.values_list("pk", "worker_id")),
        list(LedgerEntry.objects.values_list("pk", "worker_id", "available_cents", "held_cents")),
        list(ann.worker_identities.values_list("worker_id", flat=True)),
    ]
    left = gone(ann)
    assert before == [
        list(Response.objects.values_list("pk", "worker_id")),
        list(LedgerEntry.objects.values_list("pk", "worker_id", "available_cents", "held_cents")),
        list(left.worker_identities.values_list("worker_id", flat=True)),
    ]
    assert (left.is_active, left.is_annotator, left.has_usable_password()) == (False, True, False)


def test_what_was_sampled_is_withdrawn_without_a_name_and_what_was_not_is_cancelled(ann):
    [alone] = [team for team in ann.teams.all() if team.members.count() == 1]
    batches = list(SampleBatch.objects.values())
    gone(ann)
    found = {one.state: one for one in alone.submissions.all()}
    assert set(found) == {State.WITHDRAWN, State.CANCELLED}
    assert found[State.WITHDRAWN].name == f"Anonymous system {found[State.WITHDRAWN].pk}"
    assert list(SampleBatch.objects.values()) == batches


def test_what_a_team_has_that_goes_on_stays_its_own(ann):
    [shared] = [team for team in ann.teams.all() if team.members.count() == 2]
    gone(ann)
    assert {one.state for one in shared.submissions.all()} == {State.SCORED, State.ACCEPTED}


def test_unless_the_person_wants_it_withdrawn(ann):
    [shared] = [team for team in ann.teams.all() if team.members.count() == 2]
    gone(ann, withdraws_all=True)
    assert {one.state for one in shared.submissions.all()} == {State.WITHDRAWN, State.CANCELLED}


def test_the_last_member_leaves_an_empty_team_and_a_conflict_of_interest(ann):
    [alone] = [team for team in ann.teams.all() if team.members.count() == 1]
    left = gone(ann)
    alone.refresh_from_db()
    assert not alone.members.exists()
    assert conflicts.exists(worker_id=left.pk, corpus_id=alone.competes_in.get().corpus_id)


def test_nothing_of_the_account_can_be_used_any_more(ann):
    gone(ann)
    for model in (EmailAddress, SocialAccount, Authenticator, UserSession, Reservation):
        assert not model.objects.filter(**{"worker" if model is Reservation else "user": ann}).exists()
    assert not Invitation.objects.filter(email=ANN).exists()
    assert sorted(one.recipients["to"] for one in Message.objects.filter(subject="You are invited")) == [
        ["b@x.org"],
        [f"jo{ANN}"],
    ]


def test_work_that_was_begun_goes_back_and_work_that_waits_still_waits(ann):
    gone(ann)
    states = Assignment.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["approved", "submitted", "returned"]


def test_the_books_balance_after_it(ann):
    gone(ann)
    assert budget.audit().balances


def test_the_deletion_stands_in_the_audit_log_by_number(ann):
    gone(ann)
    act = AuditEntry.objects.get(what="account deleted")
    assert (act.by_id, act.about) == (ann.pk, str(ann.pk))


def test_somebody_can_sign_up_with_the_address_again(ann):
    gone(ann)
    assert User.objects.create_user(ANN, PASSWORD).pk != ann.pk


@pytest.mark.parametrize("role", ["is_operator", "is_staff", "is_superuser"])
def test_an_operator_cannot_go_before_another_took_the_role(role):
    olga = make.UserFactory.create(**{role: True})
    with pytest.raises(Conflict, match="another operator"):
        gone(olga)


def test_an_account_is_deleted_once():
    left = gone(make.UserFactory.create())
    with pytest.raises(Conflict, match="already"):
        gone(left)


def test_the_export_is_one_json_document_with_what_is_kept(ann):
    told = json.loads("".join(exporting.write(ann)))
    assert told["profile"][0]["email"] == ANN
    assert [one["answer"] for one in told["answers"]] == [{"value": "none"}]
    assert {one["state"] for one in told["submissions"]} == {State.SCORED, State.ACCEPTED}
    assert [one["state"] for one in told["marketplace: assignments"]] == ["approved", "submitted", "accepted"]
    assert told["sessions"][0]["ip"] == "192.0.2.7"
    assert len(told["mail"]) == 2  # not the one to somebody whose address ends alike
    assert "hush" not in json.dumps(told)


def test_the_export_does_not_tell_gold(ann):
    told = json.loads("".join(exporting.write(ann)))
    assert "is_valid" not in told["answers"][0]


def test_the_export_has_answers_in_no_order_of_their_questions(ann):
    made = [make.ResponseFactory.create(worker=ann).question.document.doc_id for _ in range(30)]
    Response.objects.filter(worker=ann).update(answered_at=NOW())
    rows = json.loads("".join(exporting.write(ann)))["answers"]
    told = [row["question__document__doc_id"] for row in rows if row["question__document__doc_id"] in made]
    assert sorted(told) == sorted(made) != told != made
    assert {row["answered"][17:19] for row in rows} == {"00"}


@pytest.fixture
def worker():
    """Somebody who has sent an answer with a comment, and passed a tutorial."""
    worker = make.WorkerIdentityFactory.create(worker_id="W7")
    comment = 'my "phone" is 555-0199 & so on'
    said = json.dumps({"version": 1, "answers": [], "comment": comment})
    make.AssignmentFactory.create(
        sent=True,
        worker=worker,
        provider_worker_id="W7",
        comment=comment,
        answer=json.loads(said),
        steps=[{"step": "q417", "seconds": 2.5}],
        draft={"step": 1, "fields": {"comment": [comment]}},
        raw=f"<QuestionFormAnswers><FreeText>{escape(said)}</FreeText></QuestionFormAnswers>",
    )
    names = {"provider": worker.provider, "provider_worker_id": "W7", "kind": "relation"}
    TutorialAttempt.objects.create(**names, number=1, begun_at=NOW(), answers=[{"choice": "tarrow"}])
    WorkerQualification.objects.create(**names, granted_at=NOW())
    WorkerMeasure.objects.create(
        worker=worker.user, kind="relation", seconds=12.5, gold_asked=9, gold_right=4, measured_at=NOW()
    )
    User.objects.filter(pk=worker.user.pk).update(is_active=True)
    return User.objects.get(pk=worker.user.pk)


def test_the_export_has_what_was_typed_and_learned_and_is_measured_but_for_gold(worker):
    told = json.loads("".join(exporting.write(worker)))
    [work] = told["HITs"]
    assert "555-0199" in work["comment"]
    assert "FreeText" in work["raw"]
    assert told["tutorials"][0]["answers"] == [{"choice": "tarrow"}]
    assert told["qualifications"][0]["kind"] == "relation"
    assert told["measures of your work"][0]["seconds"] == 12.5
    assert work["seconds of steps"] == ["2.5"]
    assert "gold" not in json.dumps(told)
    assert "q417" not in json.dumps(told)  # a question's key: gold has the least of its HIT


def test_what_was_typed_is_gone_with_the_account_and_the_answer_stays(worker):
    gone(worker)
    kept = WorkAssignment.objects.get()
    assert (kept.comment, kept.draft) == ("", None)
    assert "555-0199" not in f"{kept.raw} {kept.answer}"
    assert "answers" in kept.raw


def test_the_export_says_nothing_of_others(ann):
    bob = User.objects.get(email="b@x.org")
    told = "".join(exporting.write(bob))
    assert ANN not in told
    assert json.loads(told)["answers"] == []


def test_the_export_is_a_click_away(client):
    sign_in(client, person(ANN).email)
    assert "/teams/account.json" in client.get("/teams/").content.decode()
    answer = client.get("/teams/account.json")
    assert json.loads(b"".join(answer.streaming_content))["profile"][0]["email"] == ANN


def test_an_account_is_deleted_on_its_page(client):
    ann = person(ANN)
    sign_in_again(client)
    assert client.get("/teams/account/delete/").status_code == 200
    assert client.post("/teams/account/delete/", {"email": "b@x.org"}).status_code == 400
    assert client.post("/teams/account/delete/", {"email": ANN}).status_code == 302
    ann.refresh_from_db()
    assert not ann.is_active
    assert "_auth_user_id" not in client.session


def test_the_password_is_asked_for_again_before(client):
    ann = person(ANN)
    sign_in(client, ANN)
    answer = client.post("/teams/account/delete/", {"email": ANN})
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/reauthenticate/")
    ann.refresh_from_db()
    assert ann.is_active


def test_money_that_is_owed_is_said_before(ann, client):
    Authenticator.objects.all().delete()
    sign_in_again(client)
    page = client.get("/teams/account/delete/").content.decode()
    assert "waits for review at the marketplace" in page


def test_the_privacy_page_says_the_figures_of_the_settings(client, settings):
    settings.SESSION_COOKIE_AGE = 41 * 24 * 3600
    assert "41 days after you signed in" in client.get("/privacy/").content.decode()
    assert 'href="/privacy/"' in client.get("/").content.decode()


def test_sessions_that_ended_are_swept(client):
    sign_in(client, person(ANN).email)
    assert sessions.sweep(now=NOW()) == 0
    Session.objects.update(expire_date=NOW())
    UserSession.objects.update(last_seen_at=NOW() - timedelta(days=3))
    assert sessions.sweep(now=NOW()) == 1
    assert not UserSession.objects.exists()
