"""A site with something behind every address."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLPattern, reverse
from django.utils import timezone

from annotations import questions
from annotations.challenges import dates, news, versions
from annotations.challenges.dates import PhaseDetails
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.entities import EntitiesQuestion
from annotations.kinds.quality import QualityQuestion
from annotations.kinds.registry import read_asked
from annotations.models import (
    ClassList,
    Corpus,
    CorpusMaker,
    CorpusNews,
    CorpusPhase,
    CorpusRole,
    Document,
    Input,
    Prompt,
    Question,
)
from annotations.texts.records import MentionRecord
from crowd.hits import tokens
from crowd.models import Reservation
from crowd.providers.prolific import hooks
from evaluation.classification.task import TASK as CLASSIFICATION
from evaluation.generation.metrics import stored as metrics
from evaluation.generation.task import TASK as GENERATION
from evaluation.kbp.explorer import entity_index
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Entity, Output, OutputText, SampledUnit, Submission
from evaluation.registry import task_of
from evaluation.scoring.published import freezing
from evaluation.submissions import checks, uploads
from kbpo.accounts import teams
from kbpo.accounts.mails import choices, kinds
from kbpo.accounts.models import Team, User
from kbpo.core.models import Message
from kbpo.webhooks import events, managing
from marketplace import ledger, lifecycle, qualifications, requesters
from marketplace.models import Assignment, Hit, QualificationType
from marketplace.operations.call import Call
from marketplace.operations.hits import create_hit
from marketplace.workers import worker_for
from tests import crowd
from tests import factories as make
from tests.arrivals import arrival, field
from tests.integration.any_request.asking import HIT_URLS, Request, routes
from tests.integration.evaluation.test_compare import stored
from tests.integration.hits.conftest import SUBMIT_TO
from tests.integration.marketplace.conftest import HIT

HIT_HOST = "127.0.0.1:9"
SECRET = "a secret"
_SALT = "marketplace.submit"
JSON = "application/json"
KB = b"run\n:E1\ttype\tPER\n"


@dataclass
class Site:
    """People, by what they may do, and for each route, by its name, what leads to something that there is.

    Attributes
    ----------
    people : dict of str to User or None
    things : dict of str to dict
        What stands in the address.
    queries, forms : dict of str to dict
        What stands behind its question mark, and what is posted.
    requests : dict of str to list of Request
        What else is asked, with headers.
    """

    people: dict[str, User | None]
    things: dict[str, dict[str, Any]]
    queries: dict[str, dict[str, Any]]
    forms: dict[str, dict[str, Any]]
    requests: dict[str, list[Request]]

    def address(self, name: str) -> str:
        """Return the address of something that is there."""
        return reverse(name, HIT_URLS if is_of_hits(name) else None, kwargs=self.things.get(name, {}))


def is_of_hits(name: str) -> bool:
    """Say whether a route is of the HIT pages' own host."""
    return name == "hit" or name.startswith("hit_")


def settings() -> dict[str, Any]:
    """Return the settings that the site needs; nothing here speaks to a provider of work."""
    return {
        "DEBUG": False,
        "HIT_BASE_URL": f"http://{HIT_HOST}",
        "MTURK_IS_BUILT_IN": True,
        "MTURK_KEYS": ("a key", "its secret"),
        "PROLIFIC_WEBHOOK_SECRET": SECRET,
    }


def build(people: tuple[User, User, User] | None = None, letters: str = "letters") -> Site:
    """Make the site: call it within a transaction.

    Parameters
    ----------
    people : tuple of User, optional
        Who submits, who annotates, and who operates; made up if left out.
    letters : str
        The tag of its corpus of the second task.
    """
    now = timezone.now()
    member, annotator, operator = people or (
        make.UserFactory.create(),
        make.UserFactory.create(annotator=True),
        make.UserFactory.create(operator=True, annotator=True, is_superuser=True),
    )
    team = make.TeamFactory.create(members=[member, operator])
    corpus = make.CorpusFactory.create(tag="news")
    document = make.DocumentFactory.create(corpus=corpus, sentences=True)
    epoch = make.EpochFactory.create(corpus=corpus, released=True)
    mine = {"corpus": corpus, "team": team, "uploaded_by": member}
    batches = [
        make.SampleBatchFactory.create(
            epoch=epoch, submission=make.SubmissionFactory.create(state=Submission.State.SCORED, **mine)
        )
        for _ in range(2)
    ]
    instance = make.InstanceFactory.create(document=document)
    for batch in batches:
        make.ScoreFactory.create(batch=batch)
        make.PredictionFactory.create(submission=batch.submission, instance=instance)
    stored(epoch, [batch.submission for batch in batches], (0.7, 0.5))
    snapshot, _ = freezing.freeze(corpus=corpus, task=KBP, now=now)
    change = make.ScoreRecordFactory.create(submission=batches[0].submission, epoch=epoch)
    submission = batches[0].submission
    make.ProblemFactory.create(submission=submission)
    for state in Submission.State.values:
        make.SubmissionFactory.create(state=state, **mine)

    classes = ClassList.objects.create(
        name=letters, version=1, digest="", cannot_tell=True, classes=[["good", "Well."], ["bad", "Not."]]
    )
    sorted_ones = make.CorpusFactory.create(tag=letters, task=CLASSIFICATION.name, classes=classes)
    classed = make.SubmissionFactory.create(
        state=Submission.State.SCORED, corpus=sorted_ones, team=team, uploaded_by=member
    )

    written = _summaries(team, member)

    upload = uploads.keep(user=member, file=SimpleUploadedFile("a.kb", KB))
    waiting = uploads.keep(user=member, file=SimpleUploadedFile("b.kb", KB))
    unfinished = uploads.create(user=member, name="c.kb", size=100)
    check = checks.start(task=KBP, upload=upload, corpus=corpus, format="tac2016")
    checks.read_checks(find_task=task_of)

    phase, post = _challenge(corpus, operator, team, now)
    invitation = teams.invite(user=member, team=team, email=annotator.email)
    webhook = managing.add(user=member, team=team, url="https://example.org/kbp", events=[events.SCORED])
    delivery = managing.send_test(user=member, webhook=webhook)
    asked = make.QuestionFactory.create(document=document)
    make.QuestionFactory.create(document=document, asked=CanonicalQuestion(make.ADA, make.ADA))
    for worker in (annotator, operator):
        Reservation.objects.create(
            question=asked, worker=worker, taken_at=now, expires_at=now + timedelta(hours=1)
        )
    hit_type, assignment, rejected, qualification_type = _market(annotator, operator)

    people = {"visitor": None, "member": member, "annotator": annotator, "operator": operator}
    entity_index.make_index(corpus=corpus, now=now)
    entity = Entity.objects.earliest("pk")
    pages = (
        *("rules", "terms_accept", "news", "news_feed", "desk_challenge", "api_phases", "api_moved_dates"),
        *("api_rules", "api_terms", "api_accept_terms", "api_news"),
        *("corpus", "data", "data_accept", "compare", "documents", "entities", "exhaustive"),
        *("api_corpus", "api_documents", "api_leaderboard", "api_compare", "api_quotas", "api_epochs"),
        *("api_data", "snapshots", "api_snapshots", "api_annotations"),
    )
    of_corpus = {name: {"tag": "news"} for name in pages}
    of_submission = {
        name: {"pk": submission.pk}
        for name, _ in routes()
        if name.startswith(("submission_", "api_submission"))
        or name
        in ("submission", "api_predictions", "api_scores", "api_forecast", "api_history", "api_citation")
    }
    of_check = {
        name: {"pk": check.pk}
        for name, _ in routes()
        if name.startswith(("check_", "api_check")) or name.endswith("checked")
    }
    things: dict[str, dict[str, Any]] = {
        **of_corpus,
        **of_submission,
        **of_check,
        "submission_act": {"pk": submission.pk, "action": "hide"},
        "submission_history": {"pk": submission.pk, "kind": "csv"},
        "submission_score": {"pk": submission.pk, "number": change.change},
        **{
            name: {"tag": "news", "number": snapshot.number}
            for name in ("snapshot", "snapshot_csv", "api_snapshot")
        },
        "data_file": {"tag": "news", "name": "kit.zip"},
        "api_data_file": {"tag": "news", "name": "kit.zip"},
        "api_submission_act": {"pk": submission.pk, "action": "hide"},
        "api_submissions": {},
        "api_checks": {},
        "api_team": {"pk": team.pk},
        "api_ontology": {"reference": corpus.ontology_id},
        "api_class_list": {"name": letters, "version": 1},
        "api_document": {"tag": "news", "doc_id": document.doc_id},
        **{name: {"tag": "news", "pk": phase.pk} for name in ("desk_phase", "api_phase")},
        **{name: {"tag": "news", "pk": post.pk} for name in ("desk_news_withdraw", "api_post")},
        "desk_challenge_act": {"tag": "news", "action": "rules"},
        **{
            name: {"tag": "news", "number": epoch.number}
            for name in ("api_epoch", "api_labels", "api_release")
        },
        "system": {"tag": "news", "pk": submission.pk},
        "items": {"tag": letters, "pk": classed.pk},
        "metrics": {"tag": "summaries"},
        "api_metrics": {"tag": "summaries"},
        **{name: {"tag": "summaries", "pk": written[0].pk} for name in ("outputs", "output_metric")},
        "output_pair": {"tag": "summaries"},
        "document": {"tag": "news", "doc_id": document.doc_id},
        "entity": {"tag": "news", "key": entity.key},
        "sample": {"tag": "news", "number": epoch.number},
        "help_example": {"name": "claims.jsonl"},
        "help_schema": {"task": "kbp"},
        "labels": {"tag": "news", "number": epoch.number, "kind": "csv"},
        "upload_discard": {"pk": waiting.pk},
        "api_upload": {"pk": unfinished.pk},
        "invitation": {"pk": invitation.pk},
        "mail_off": {"token": choices.token(kinds.READ, member)},
        "team": {"pk": team.pk},
        "webhooks": {"pk": team.pk},
        "webhook": {"pk": webhook.pk},
        "webhook_act": {"pk": webhook.pk, "action": "test"},
        "delivery_again": {"pk": delivery.pk},
        "team_leave": {"pk": team.pk},
        "team_shown": {"pk": team.pk},
        "public_team": {"pk": team.pk},
        "submission_links": {"pk": submission.pk},
        "try_out": {"kind": "relation"},
        "team_approve": {"pk": team.pk},
        "annotate_question": {"question_id": asked.pk},
        "work_group": {"group_id": hit_type.group_id},
        "work_accept": {"group_id": hit_type.group_id},
        "work_task": {"assignment_id": assignment.assignment_id},
        "work_state": {"assignment_id": assignment.assignment_id},
        "work_return": {"assignment_id": assignment.assignment_id},
        "work_reply": {"assignment_id": rejected.assignment_id},
        "work_submit": {"token": signing.dumps(assignment.pk, salt=_SALT)},
        "work_qualification": {"type_id": qualification_type.type_id},
        "session_end": {"pk": 1},
        "token_revoke": {"pk": 1},
        "organisation_sign_in": {"provider_id": "organisation"},
        "organisation_come_back": {"provider_id": "organisation"},
        "openid_connect_login": {"provider_id": "organisation"},
        "openid_connect_callback": {"provider_id": "organisation"},
        "mfa_edit_webauthn": {"pk": 1},
        "mfa_remove_webauthn": {"pk": 1},
        "account_confirm_email": {"key": "Mg:1abc:def"},
        "account_reset_password_from_key": {"uidb36": "1", "key": "set-password"},
        "admin:view_on_site": {"content_type_id": 1, "object_id": 1},
        "admin:app_list": {"app_label": "evaluation"},
    }
    submitted = {"corpus": corpus.pk, "format": "tac2016", "upload": str(waiting.pk)}
    by_name = {"corpus": "news", "team": team.name, "name": "system", "upload": str(waiting.pk)}
    forms: dict[str, dict[str, Any]] = {
        "api_submissions": {**by_name, "again": True},
        "api_checks": {"corpus": "news", "upload": str(waiting.pk)},
        "api_corpus": {"name": "News"},
        "api_release": {"retire": None},
        "api_snapshots": {"note": "for a workshop"},
        "upload": {**submitted, "team": team.pk, "name": "system", "description": "words", "again": "on"},
        "check": submitted,
        "data_accept": {"version": "1", "team": team.pk, "sure": "on"},
        "terms_accept": {"version": "1", "team": team.pk, "sure": "on"},
        "desk_challenge_act": {"text": "Say what was used."},
        "desk_phase": {"name": "Always", "starts_at": "2020-01-01T00:00", "takes_submissions": "on"},
        "api_phases": {"name": "Before", "starts_at": "2019-01-01T00:00Z", "ends_at": "2020-01-01T00:00Z"},
        "api_phase": {"description": "Whenever you like."},
        "api_rules": {"text": "Say what was used."},
        "api_terms": {"text": "We say what was used."},
        "api_accept_terms": {"version": 1, "team": team.name},
        "api_news": {"title": "More data"},
        "rename": {"name": "Ada"},
        "personal_deletion": {"email": member.email},
        "team_new": {"team-name": "New"},
        "token_new": {"name": "script", "submit": "on", "days": "90"},
        "team": {"email": "new@example.org"},
        "team_shown": {"shown": "yes"},
        "submission_links": {"paper_url": "https://example.org/paper", "code_url": ""},
        "try_out": {"practice": "0", "q0": "none"},
        "invitation": {"answer": "accept"},
        "mail_choices": {"read": "on"},
        "webhooks": {"url": "https://example.org/kbp/2", "events": events.READ},
        "annotate_start": {"corpus": "news"},
        "annotate_question": {f"q{asked.pk}": "none", f"q{2**63}": "x", "qx": "x"},
        "work_submit": {"assignmentId": assignment.assignment_id, "answer": "x"},
        "work_reply": {"text": "x"},
        "work_qualification": {"group": hit_type.group_id},
        "account_login": {"login": member.email, "password": "a long pass phrase"},
        "account_signup": {"email": "new@example.org", "password1": "a long pass phrase"},
        "account_reset_password": {"email": member.email},
        "admin:login": {"username": operator.email, "password": "a long pass phrase"},
    }
    both = {"a": submission.pk, "b": batches[1].submission.pk}
    queries: dict[str, dict[str, Any]] = {
        "compare": both,
        "api_compare": both,
        "home": {"corpus": "news"},
        "output_pair": {"a": written[0].pk, "b": written[1].pk},
    }
    tus = {"Tus-Resumable": "1.0.0"}
    announced = {**tus, "Upload-Length": "9", "Upload-Metadata": "filename YQ==,lastmodified MQ=="}
    piece = Request("PATCH", b"run", "application/offset+octet-stream", {**tus, "Upload-Offset": "0"})
    requests = {
        **{
            name: [
                Request(
                    "PATCH" if name in ("api_corpus", "api_phase") else "POST",
                    json.dumps(form).encode(),
                    JSON,
                )
            ]
            for name, form in forms.items()
            if name.startswith("api_")
        },
        "api_uploads": [Request("POST", headers=announced), Request("OPTIONS")],
        "api_upload": [piece, Request("HEAD", headers=tus), Request("DELETE", headers=tus)],
    }
    site = Site(people, things, queries, forms, requests)
    _add_document(site, document, annotator)
    _add_desk(site, corpus)
    _add_hits(site, corpus)
    for name, pattern in routes():
        model = _admin_model(pattern)
        if model is not None and "object_id" in pattern.pattern.converters:
            row = model._default_manager.first()
            things[name] = {"object_id": row.pk if row is not None else 1}
    return site


def _challenge(corpus: Corpus, operator: User, team: Team, now: datetime) -> tuple[CorpusPhase, CorpusNews]:
    """Give a corpus a phase, terms that a team has accepted, and a post."""
    details = PhaseDetails("All the time", datetime(2020, 1, 1, tzinfo=UTC))
    phase = dates.add_phase(corpus=corpus, by=operator, details=details, now=now)
    versions.write_terms(corpus=corpus, text="We are honest.", by=operator, now=now)
    versions.accept(corpus=corpus, version=1, team=team, by=team.members.earliest("pk"), now=now)
    return phase, news.publish(corpus=corpus, by=operator, title="It begins", now=now)


def _summaries(team: Team, member: User) -> list[Submission]:
    """Return two systems that wrote a text each for one input, both judged, with published judgements."""
    corpus = make.CorpusFactory.create(tag="summaries", task=GENERATION.name, policy="single", audit_share=0)
    Prompt.objects.create(corpus=corpus, name="quality")
    document = make.DocumentFactory.create(corpus=corpus)
    Input.objects.create(document=document, references=["A reference."], digest="0" * 64)
    epoch = make.EpochFactory.create(corpus=corpus, released=True)
    systems = []
    for name in ("Port Hallow", "Quill Press"):
        submission = make.SubmissionFactory.create(
            state=Submission.State.SCORED, corpus=corpus, team=team, uploaded_by=member
        )
        text = f"What is said of {name}."
        unit = make.UnitFactory.create(corpus=corpus, key=f"{document.doc_id}|{name}")
        OutputText.objects.create(unit=unit, document=document, text=text)
        of_input = {"submission": submission, "unit": unit, "document": document, "place": 0}
        Output.objects.create(**of_input, confidence=1.0, probability=1.0)
        metrics.store(submission=submission, name="length", values=[5.0])
        question = make.QuestionFactory.create(document=document, asked=QualityQuestion(text), published=True)
        make.LabelFactory.create(question=question, claim="overall", value=0)
        edit = {"fluency": 1, "redundancy": 1, "overall": 0, "edit": f"{text} {name}.", "hter": 0.5}
        make.ResponseFactory.create(question=question, answer={"version": 1, **edit})
        batch = make.SampleBatchFactory.create(epoch=epoch, submission=submission)
        SampledUnit.objects.create(batch=batch, epoch=epoch, unit=unit, question=question)
        systems.append(submission)
    return systems


def _admin_model(pattern: URLPattern) -> Any:
    return getattr(getattr(pattern.callback, "model_admin", None), "model", None)


def _add_document(site: Site, document: Document, annotator: User) -> None:
    """Have a whole document annotated."""
    now = timezone.now()
    other = make.DocumentFactory.create(corpus=document.corpus, segmented=True)
    question = Question.objects.get(pk=questions.ask_entities([other.pk])[other.pk].pk)
    Reservation.objects.create(
        question=question, worker=annotator, taken_at=now, expires_at=now + timedelta(hours=1)
    )
    draft = {"number": 1, "draft": {"mentions": [], "entities": []}}
    site.things["annotate_draft"] = {"question_id": question.pk}
    address = reverse("annotate_question", args=[question.pk])
    asked = read_asked([question])[question.pk]
    assert isinstance(asked, EntitiesQuestion)
    mentions = [MentionRecord(make.ADA, "PER", make.ADA), MentionRecord(make.YEAR, "DATE", make.YEAR)]
    said = asked.answer(mentions, {make.YEAR: {"date": "1961"}, make.ADA: {"page": "Ada Quill"}})
    answer = Request("POST", json.dumps({"answer": said}).encode(), JSON, address=address)
    site.requests["annotate_question"] = [answer]
    site.requests["annotate_draft"] = [Request("POST", json.dumps(draft).encode(), JSON)]
    site.things["annotate_tutorial_of"] = {"kind": "relation"}
    site.things["annotate_pages_of"] = {"language": "en"}
    site.forms["annotate_tutorial"] = site.forms["annotate_tutorial_of"] = {"begin": "1", "practice": "0"}


def _add_desk(site: Site, corpus: Corpus) -> None:
    """Have work that somebody has sent, and money for it."""
    budget = crowd.fund(corpus)
    batch = make.HitBatchFactory.create(corpus=corpus)
    hit = make.HitFactory.create(batch=batch, questions=crowd.ask(corpus))
    answer = make.AssignmentFactory.create(hit=hit, sent=True, flag="odd")
    worker = answer.worker
    things = {
        "desk_batch": {"pk": batch.pk},
        "desk_batch_act": {"pk": batch.pk, "action": "pause"},
        "desk_answer": {"pk": answer.pk},
        "desk_decide": {"pk": answer.pk, "action": "reject"},
        "desk_worker": {"pk": worker.user.pk},
        "desk_look_at": {"pk": worker.user.pk, "kind": "relation"},
        "desk_look_approve": {"pk": worker.user.pk, "kind": "relation"},
        "desk_block": {"pk": worker.user.pk, "identity": worker.pk},
        "desk_cap": {"pk": budget.pk},
        "desk_corpus": {"tag": corpus.tag},
        "desk_corpus_act": {"tag": corpus.tag, "action": "details"},
        "desk_role_take": {"pk": _role(corpus).pk},
        "desk_maker_stop": {"pk": _maker().pk},
    }
    wanted = {
        "corpus": corpus.tag,
        "kind": "relation",
        "provider": "marketplace",
        "reward_cents": "0.15",
        "lifetime_hours": "168",
        "auto_approval_hours": "72",
    }
    message = Message.objects.create(
        recipients={"to": ["ada@example.org"]},
        sender="kbpo@example.org",
        subject="Welcome",
        created_at=timezone.now(),
        due_at=timezone.now(),
        give_up_at=timezone.now(),
    )
    site.things |= things
    site.queries["desk_open"] = wanted
    site.forms |= {
        "desk_open": {**wanted, "agreed_cents": "1"},
        "desk_batch_act": {"reason": "x"},
        "desk_decide": {"reason": "x"},
        "desk_look_approve": {"assignment": answer.pk},
        "desk_block": {"action": "block", "reason": "x"},
        "desk_budgets": {"scope": "month", "key": "2026-12", "cap_cents": "10.00"},
        "desk_cap": {"cap_cents": "10.00"},
        "desk_corpus_act": {
            "name": "News",
            "description": "x",
            "weekly_quota": "3",
            "weekly_quota_of_person": "3",
        },
        "desk_new_corpus": {"tag": "new", "name": "New", "language": "en", "policy": "fixed", "task": "kbp"},
        "desk_questions": {"question": crowd.ask(corpus)[0].pk},
        "desk_stuck": {"act": "mail", "pk": message.pk},
        "desk_roles": {"user": worker.user.email, "corpus": corpus.tag, "role": "paymaster"},
    }
    event = b'{"event_type": "study.status.change", "resource_id": "x"}'
    moment = str(int(timezone.now().timestamp()))
    signed = {hooks.TIMESTAMP: moment, hooks.SIGNATURE: hooks.sign(event, moment, SECRET), hooks.EVENT: "e"}
    site.requests["prolific_hook"] = [Request("POST", event, JSON, signed)]


def _role(corpus: Corpus) -> CorpusRole:
    user = make.give(make.UserFactory.create(), corpus, "paymaster")
    return user.corpus_roles.get()


def _maker() -> CorpusMaker:
    return CorpusMaker.objects.create(user=make.UserFactory.create(), given_at=timezone.now())


def _add_hits(site: Site, corpus: Corpus) -> None:
    """Have somebody at a HIT's page."""
    [asked] = crowd.ask(corpus)
    hit = make.HitFactory.create(batch__corpus=corpus, questions=[asked])
    assignment = make.AssignmentFactory.create(hit=hit, provider_id="3A", provider_worker_id="WATSITE")
    token = tokens.issue(assignment)
    bearer = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    draft = {"number": 1, "step": 0, "fields": {"comment": ["x"]}}
    for name in ("hit", "hit_draft", "hit_pages", "hit_passage"):
        site.things[name] = {"annotation": hit.annotation}
        site.queries[name] = dict(parse_qsl(arrival(hit, SUBMIT_TO, workerId="WATSITE")))
    site.things["hit_passage"] = {"annotation": hit.annotation, "number": 0}
    site.queries["hit_pages"] = {"q": "port"}
    name = field(asked)
    site.forms["hit"] = {"token": token, name: "none", "comment": "x", f"seconds-{name}": "1"}
    site.requests["hit_draft"] = [Request("POST", json.dumps(draft).encode(), JSON, bearer)]
    site.requests["hit_pages"] = [Request("GET", headers=bearer)]


def _market(annotator: User, operator: User) -> tuple[Any, Assignment, Assignment, QualificationType]:
    now = timezone.now()
    requester = requesters.create_requester(name="The lab", owner=operator)
    ledger.deposit(requester=requester, cents=100_00, now=now)
    for title in ("One", "Another", "A third"):
        create_hit(Call(requester, {**HIT, "Title": title}, title, now))
    one, another, third = Hit.objects.order_by("pk")
    worker = worker_for(annotator)
    assignment = lifecycle.accept(worker=worker, hit=one, now=now)
    rejected, _ = (
        lifecycle.submit(assignment=lifecycle.accept(worker=worker, hit=hit, now=now), answer="<x/>", now=now)
        for hit in (another, third)
    )
    lifecycle.reject(requester=requester, assignment_id=rejected.assignment_id, feedback="no", now=now)
    qualification_type = QualificationType.objects.create(
        requester=requester,
        type_id="3QUALIFIES",
        name="Able",
        description="x",
        auto_granted_value=1,
        created_at=now,
    )
    qualifications.grant(worker=worker, type_id=qualification_type.type_id, now=now)
    return one.hit_type, assignment, rejected, qualification_type
