"""No page asks more queries where there is more to show."""

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.models import Corpus, Document
from evaluation.kbp.explorer import entity_index
from evaluation.models import Epoch, Submission, SubmissionEvent
from kbpo.accounts.models import Team
from kbpo.core.models import Message
from tests import crowd
from tests import factories as make
from tests.integration.any_request.asking import encoded, routes
from tests.integration.any_request.site import HIT_HOST, Site, is_of_hits

pytestmark = pytest.mark.django_db
VIEWERS = (
    pytest.param("visitor", marks=pytest.mark.slow),
    pytest.param("member", marks=pytest.mark.slow),
    "operator",  # who sees everything that others see
)
#: Pages that ask queries for each system of an epoch, each team of a member, or each question of a HIT.
BY_PARTS = {
    "member: rules",
    "member: sample",
    "operator: rules",
    "operator: sample",
    "visitor: hit",
    "visitor: sample",
}
NOT_READING = ("BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK", "COMMIT", "SET ")


def counted(site: Site, who: str) -> dict[str, int]:
    """Count the queries of every address that shows something to somebody."""
    found = {}
    for name, _ in routes():
        if name.startswith("admin:"):
            continue
        client = Client(raise_request_exception=False)
        if (user := site.people[who]) is not None:
            client.force_login(user)
        headers = {"HTTP_HOST": HIT_HOST} if is_of_hits(name) else {}
        address = f"{site.address(name)}?{encoded(site.queries.get(name, {})).decode()}"
        with transaction.atomic():
            client.get(address, **headers)  # what a process reads once, and what a session keeps
            with CaptureQueriesContext(connection) as queries:
                answer = client.get(address, **headers)
                if answer.streaming:
                    b"".join(answer)
            transaction.set_rollback(True)
        if answer.status_code == 200:
            found[f"{who}: {name}"] = sum(not one["sql"].startswith(NOT_READING) for one in queries)
    return found


def grow(site: Site) -> None:
    """Have three more of whatever pages list."""
    corpus = Corpus.objects.get(tag="news")
    document = Document.objects.get(corpus=corpus, doc_id=site.things["document"]["doc_id"])
    known = Submission.objects.get(pk=site.things["submission"]["pk"])
    team, epoch = known.team, Epoch.objects.get(corpus=corpus, number=site.things["sample"]["number"])
    member, operator, now = site.people["member"], site.people["operator"], timezone.now()
    for turn in range(3):
        other = make.DocumentFactory.create(corpus=corpus, sentences=True)
        mine = {"corpus": corpus, "team": team, "uploaded_by": member}
        submission = make.SubmissionFactory.create(state=Submission.State.SCORED, **mine)
        make.SubmissionFactory.create(state=Submission.State.ACCEPTED, **mine)
        batch = make.SampleBatchFactory.create(epoch=epoch, submission=submission)
        make.ScoreFactory.create(batch=batch)
        claimed = make.InstanceFactory.create(document=other)
        for one in (known, submission):
            make.PredictionFactory.create(submission=one, instance=claimed)
        make.PredictionFactory.create(submission=submission, instance=document.instances.first())
        question = make.QuestionFactory.create(document=other, published=True)
        make.LabelFactory.create(question=question)
        batch.questions.add(question)
        make.ProblemFactory.create(submission=known)
        SubmissionEvent.objects.create(submission=known, state=known.state, detail=f"once more {turn}")
        make.TeamFactory.create(members=[member, operator, make.UserFactory.create()])
        make.give(make.UserFactory.create(), corpus, "paymaster")
        hit = make.HitFactory.create(
            batch=make.HitBatchFactory.create(corpus=corpus), questions=crowd.ask(corpus)
        )
        make.AssignmentFactory.create(hit=hit, sent=True, flag="odd")
        make.BudgetFactory.create(key=f"2031-{turn + 1:02}")
        Message.objects.create(
            recipients={"to": ["ada@example.org"]},
            sender="kbpo@example.org",
            subject=f"Welcome {turn}",
            created_at=now,
            due_at=now,
            give_up_at=now,
        )
    entity_index.make_index(corpus=corpus, now=now)
    assert Team.objects.count() > 3


@pytest.mark.parametrize("who", VIEWERS)
def test_a_page_asks_no_more_queries_where_there_is_more_to_show(site: Site, who: str) -> None:
    with transaction.atomic():
        grow(site)
        after = counted(site, who)
        transaction.set_rollback(True)
    before = counted(site, who)
    # A list that was empty may need one more query; three more rows must not need three.
    grown = {
        name: (few, after[name])
        for name, few in before.items()
        if after.get(name, 0) > few + 1 and name not in BY_PARTS
    }
    assert len(before) > 50
    assert grown == {}
