"""A site with something behind every address, and a way to ask it that leaves no trace."""

import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from unittest import mock
from urllib.parse import quote_from_bytes

from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signals import got_request_exception
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from annotations.payloads import CanonicalQuestion
from crowd.marketplace import lifecycle, money, qualifications, requesters
from crowd.marketplace.models import Assignment, Hit, QualificationType
from crowd.marketplace.operations.call import Call
from crowd.marketplace.operations.hits import create_hit
from crowd.marketplace.workers import worker_for
from crowd.models import Reservation
from evaluation import checks, uploads
from evaluation.models import Submission
from kbpo.accounts import teams
from kbpo.accounts.models import User
from tests import factories as make
from tests.integration.evaluation.test_compare import stored
from tests.integration.marketplace.conftest import HIT

_SALT = "crowd.marketplace.submit"
KB = b"run\n:E1\ttype\tPER\n"


@dataclass(frozen=True)
class Request:
    """A request as it should be."""

    method: str
    body: bytes = b""
    kind: str = "application/x-www-form-urlencoded"
    headers: Mapping[str, str] = field(default_factory=dict)


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
        return reverse(name, kwargs=self.things.get(name, {}))


def routes() -> Iterator[tuple[str, URLPattern]]:
    """Yield the name and the pattern of every address of the site."""

    def walk(patterns: list[Any], space: str) -> Iterator[tuple[str, URLPattern]]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
            elif pattern.name:
                yield f"{space}{pattern.name}", pattern

    return walk(get_resolver().url_patterns, "")


def build() -> Site:
    """Make the site: call it within a transaction."""
    now = timezone.now()
    member, annotator, operator = (
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
    submission = batches[0].submission
    make.ProblemFactory.create(submission=submission)
    for state in Submission.State.values:
        make.SubmissionFactory.create(state=state, **mine)

    upload = uploads.keep(user=member, file=SimpleUploadedFile("a.kb", KB))
    waiting = uploads.keep(user=member, file=SimpleUploadedFile("b.kb", KB))
    unfinished = uploads.create(user=member, name="c.kb", size=100)
    check = checks.start(upload=upload, corpus=corpus, format="tac2016")
    checks.read_checks()

    invitation = teams.invite(user=member, team=team, email=annotator.email)
    asked = make.QuestionFactory.create(document=document)
    make.QuestionFactory.create(document=document, asked=CanonicalQuestion(make.ADA, make.ADA))
    for worker in (annotator, operator):
        Reservation.objects.create(
            question=asked, worker=worker, taken_at=now, expires_at=now + timedelta(hours=1)
        )
    hit_type, assignment, rejected, qualification_type = _market(annotator, operator)

    people = {"visitor": None, "member": member, "annotator": annotator, "operator": operator}
    of_corpus = {
        name: {"tag": "news"} for name in ("corpus", "compare", "documents", "api_leaderboard", "api_compare")
    }
    of_submission = {
        name: {"pk": submission.pk}
        for name, _ in routes()
        if name.startswith("submission_") or name in ("submission", "api_submission")
    }
    of_check = {
        name: {"pk": check.pk}
        for name, _ in routes()
        if name.startswith("check_") or name.endswith("checked")
    }
    things: dict[str, dict[str, Any]] = {
        **of_corpus,
        **of_submission,
        **of_check,
        "submission_act": {"pk": submission.pk, "action": "hide"},
        "system": {"tag": "news", "pk": submission.pk},
        "document": {"tag": "news", "doc_id": document.doc_id},
        "sample": {"tag": "news", "number": epoch.number},
        "labels": {"tag": "news", "number": epoch.number, "kind": "csv"},
        "api_check": {"pk": check.pk},
        "upload_discard": {"pk": waiting.pk},
        "api_upload": {"pk": unfinished.pk},
        "invitation": {"pk": invitation.pk},
        "team": {"pk": team.pk},
        "team_leave": {"pk": team.pk},
        "annotate_question": {"question_id": asked.pk},
        "work_group": {"group_id": hit_type.group_id},
        "work_accept": {"group_id": hit_type.group_id},
        "work_task": {"assignment_id": assignment.assignment_id},
        "work_state": {"assignment_id": assignment.assignment_id},
        "work_return": {"assignment_id": assignment.assignment_id},
        "work_reply": {"assignment_id": rejected.assignment_id},
        "work_submit": {"token": signing.dumps(assignment.pk, salt=_SALT)},
        "work_qualification": {"type_id": qualification_type.type_id},
        "account_confirm_email": {"key": "Mg:1abc:def"},
        "account_reset_password_from_key": {"uidb36": "1", "key": "set-password"},
        "admin:view_on_site": {"content_type_id": 1, "object_id": 1},
        "admin:app_list": {"app_label": "evaluation"},
    }
    handed_in = {"corpus": corpus.pk, "format": "tac2016", "upload": str(waiting.pk)}
    forms: dict[str, dict[str, Any]] = {
        "upload": {**handed_in, "team": team.pk, "name": "system", "description": "words", "again": "on"},
        "check": handed_in,
        "rename": {"name": "Ada"},
        "team_new": {"team-name": "New"},
        "team": {"email": "new@example.org"},
        "invitation": {"answer": "accept"},
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
    for name, pattern in routes():
        model = _admin_model(pattern)
        if model is not None and "object_id" in pattern.pattern.converters:
            row = model._default_manager.first()
            things[name] = {"object_id": row.pk if row is not None else 1}
    both = {"a": submission.pk, "b": batches[1].submission.pk}
    queries: dict[str, dict[str, Any]] = {"compare": both, "api_compare": both, "home": {"corpus": "news"}}
    tus = {"Tus-Resumable": "1.0.0"}
    announced = {**tus, "Upload-Length": "9", "Upload-Metadata": "filename YQ==,lastmodified MQ=="}
    piece = Request("PATCH", b"run", "application/offset+octet-stream", {**tus, "Upload-Offset": "0"})
    requests = {
        "api_uploads": [Request("POST", headers=announced), Request("OPTIONS")],
        "api_upload": [piece, Request("HEAD", headers=tus), Request("DELETE", headers=tus)],
    }
    return Site(people, things, queries, forms, requests)


def _admin_model(pattern: URLPattern) -> Any:
    return getattr(getattr(pattern.callback, "model_admin", None), "model", None)


def _market(annotator: User, operator: User) -> tuple[Any, Assignment, Assignment, QualificationType]:
    now = timezone.now()
    requester = requesters.create_requester(name="The lab", owner=operator)
    money.deposit(requester=requester, cents=100_00, now=now)
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


@dataclass
class Answer:
    """What came of a request.

    Attributes
    ----------
    status : int
    fault : str
        The exception that no view or handler took; empty where there was none.
    """

    status: int
    fault: str


def ask(
    client: Client, method: str, address: str, body: bytes = b"", kind: str = "", **headers: str
) -> Answer:
    """Send a request, and undo all that it does in the database."""
    faults: list[str] = []

    def note(sender: object, request: object, **_: object) -> None:
        faults.append(traceback.format_exc(limit=-6))

    got_request_exception.connect(note)
    try:
        with transaction.atomic():
            environ = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
            for name in ("CONTENT_LENGTH", "CONTENT_TYPE"):
                if f"HTTP_{name}" in environ:
                    environ[name] = environ.pop(f"HTTP_{name}")
            response = client.generic(method, address, body, kind or "application/octet-stream", **environ)
            if response.streaming:
                for _ in response.streaming_content:  # type: ignore[attr-defined]
                    pass
            transaction.set_rollback(True)
    finally:
        got_request_exception.disconnect(note)
    return Answer(response.status_code, "".join(faults))


@contextmanager
def names_read() -> Iterator[set[str]]:
    """Collect the names of all that is read of addresses and forms meanwhile."""
    names: set[str] = set()

    def noting(method: Callable[..., Any]) -> Callable[..., Any]:
        def act(self: QueryDict, key: object, *rest: object) -> Any:
            names.add(str(key))
            return method(self, key, *rest)

        return act

    methods = {name: noting(getattr(QueryDict, name)) for name in ("__getitem__", "__contains__", "getlist")}
    with mock.patch.multiple(QueryDict, **methods):
        yield names


def encoded(fields: Mapping[str, object], **more: bytes) -> bytes:
    """Write fields as an address or a form has them; `more` are bytes, UTF-8 or not."""
    known = {name: str(value).encode() for name, value in fields.items()}
    return "&".join(
        f"{quote_from_bytes(name.encode())}={quote_from_bytes(value)}"
        for name, value in {**known, **more}.items()
    ).encode()
