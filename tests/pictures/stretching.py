"""A large site: a thousand systems, two hundred thousand claims, and long lists of all that is listed."""

import itertools
from datetime import timedelta
from hashlib import sha256

import numpy as np
from django.db import connection
from django.utils import timezone

from annotations import conflicts
from annotations.kinds.quality import QualityQuestion
from annotations.models import Corpus, Document, Input
from evaluation.models import (
    Entity,
    EntityIndex,
    Epoch,
    Estimate,
    Instance,
    MetricColumn,
    Output,
    OutputText,
    Prediction,
    Problem,
    SampleBatch,
    SampledUnit,
    Score,
    Submission,
    Unit,
)
from kbpo.accounts.models import ApiToken, Membership, Team
from kbpo.core.database.bulk import copy_rows
from kbpo.core.database.coded import pack
from kbpo.core.models import AuditEntry, Message
from kbpo.webhooks.models import Delivery
from tests import factories as make
from tests.integration.any_request.site import Site

SYSTEMS, TEAMS, DOCUMENTS, CLAIMS, LISTED = 1_000, 250, 5_000, 200_000, 300
LONG = "Zentralverband der Wissensbasis-Auswertungsgemeinschaften für Ortsnamen und Verwandtschaftsgrade"
CHECKPOINT = "bidirectional-span-tagger_v12.checkpoint-of-the-{}th-epoch-with-coreference-and-a-long-name"
PREDICATES = (
    "per:place_of_birth",
    "per:place_of_residence",
    "per:employee_or_member_of",
    "per:place_of_death",
)


def fill(site: Site) -> Corpus:
    """Stretch what a site has; return the corpus of the thousand systems."""
    corpus = Corpus.objects.get(tag="news")
    Corpus.objects.filter(pk=corpus.pk).update(
        name="News of Marren and its neighbours, gathered by eleven newspapers from 1961 to 2026, revised",
        description="Articles, letters and profiles. " * 20,
    )
    for place, name in enumerate(("summaries", "letters")):
        Corpus.objects.filter(tag=name).update(name=f"{LONG} {place}"[:100])
    member = site.people["member"]
    assert member is not None
    member.name = f"Maria-Magdalena {LONG}"[:100]
    member.save()
    Team.objects.filter(pk=site.things["team"]["pk"]).update(name=LONG)
    site.people["organiser"] = make.give(make.UserFactory.create(name=LONG), corpus, "organiser")
    documents = _documents(corpus)
    _systems(corpus, site.things["team"]["pk"])
    first = Submission.objects.get(pk=site.things["submission"]["pk"])
    Submission.objects.filter(pk=first.pk).update(
        name=CHECKPOINT.format(0), description="What it does, at length. " * 60
    )
    _claims(first, documents)
    _judged(first, documents[:LISTED])
    _problems(first)
    _texts(site)
    _lists(site, corpus)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return corpus


def add_names(corpus: Corpus) -> None:
    """Put thousands of names into the index of a corpus, which is there."""
    index = EntityIndex.objects.get(corpus=corpus)
    Entity.objects.bulk_create(
        Entity(
            index=index,
            key=f"{number:016x}",
            type=("PER", "ORG", "GPE")[number % 3],
            name=f"{LONG} {number}" if number % 7 == 0 else f"Ada Quill {number}",
            names=f"ada quill {number}",
            also=", ".join(f"{LONG} {other}" for other in range(5)) if number % 5 == 0 else "",
            documents=1 + number,
            mentions=2 + 3 * number,
            relations=0,
        )
        for number in range(3_000)
    )


def _documents(corpus: Corpus) -> list[Document]:
    return Document.objects.bulk_create(
        (
            Document(
                corpus=corpus,
                doc_id=f"NEWS_ENG_{number:07}_of_the_collection_of_1961_{'x' * (number % 40)}",
                title=f"{LONG} {number}" if number % 3 == 0 else f"Article {number}",
                text=make.TEXT,
                digest=f"{number:064x}",
            )
            for number in range(DOCUMENTS)
        ),
        batch_size=1_000,
    )


def _systems(corpus: Corpus, own: int) -> None:
    teams = Team.objects.bulk_create(Team(name=f"{LONG[: n % 90]} {n}".strip()) for n in range(TEAMS))
    for team in teams:
        conflicts.add_competitor(corpus=corpus, team=team)
    epoch, now = Epoch.objects.get(corpus=corpus, released_at__isnull=False), timezone.now()
    systems = Submission.objects.bulk_create(
        Submission(
            corpus=corpus,
            team_id=own if n % 3 == 0 else teams[n % TEAMS].pk,
            name=CHECKPOINT.format(n) if n % 2 else f"s{n}",
            format="jsonl",
            state=Submission.State.SCORED,
            go_ahead=True,
            quota_taken_at=now,
            is_baseline=n % 50 == 0,
        )
        for n in range(SYSTEMS)
    )
    batches = SampleBatch.objects.bulk_create(
        SampleBatch(
            epoch=epoch,
            submission=one,
            number=n + 10,
            lam=0.5,
            floor=0.1,
            target_variance=5e-4,
            weights_version="names v1",
        )
        for n, one in enumerate(systems)
    )
    scores = Score.objects.bulk_create(
        Score(
            submission=one,
            epoch=epoch,
            batch=batches[n],
            estimator="documents",
            weighting=weighting,
            part="all",
            level=level,
            rank=1 + n // 7,
            matching="near-full-names",
            labels=30 + n,
            code_version="pictures",
        )
        for n, one in enumerate(systems)
        for weighting in ("instance", "subject")
        for level in (80, 95)
    )
    Estimate.objects.bulk_create(
        (
            Estimate(score=score, measure=measure, estimate=value, low=value - 0.03, high=value + 0.03)
            for score in scores
            for measure, value in _values(score.labels - 30)
        ),
        batch_size=5_000,
    )


def _values(n: int) -> list[tuple[str, float]]:
    precision, recall = 0.9 - 0.6 * n / SYSTEMS, 0.1 + 0.5 * ((n * 7919) % SYSTEMS) / SYSTEMS
    return [
        ("precision", precision),
        ("recall", recall),
        ("f1", 2 * precision * recall / (precision + recall)),
    ]


def _claims(submission: Submission, documents: list[Document]) -> None:
    """Have a system claim forty things of every document."""
    spans = (make.ADA, make.HALLOW, make.SHE, make.PRESS, make.THERE)
    pairs = list(itertools.permutations(spans, 2))
    rows = [
        (document, predicate, subject, object_)
        for document in documents
        for predicate, (subject, object_) in itertools.islice(itertools.product(PREDICATES, pairs), 60)
    ][: CLAIMS + DOCUMENTS]
    rows = [one for n, one in enumerate(rows) if one[1:] != (PREDICATES[0], make.ADA, make.HALLOW)][:CLAIMS]
    last = Unit.objects.latest("pk").pk
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('evaluation_unit_id_seq', %s)", [last + len(rows) + 1])
        cursor.execute("SET session_replication_role = replica")
    keys = range(last + 1, last + 1 + len(rows))
    copy_rows(Unit, ("id", "corpus_id"), ((key, submission.corpus_id) for key in keys))
    copy_rows(
        Instance,
        (
            *("id", "document_id", "predicate", "subject_start", "subject_end"),
            *("object_start", "object_end", "subject_name", "object_name"),
        ),
        (
            (key, document.pk, predicate, subject.start, subject.end, object_.start, object_.end, 0, 0)
            for key, (document, predicate, subject, object_) in zip(keys, rows, strict=True)
        ),
    )
    copy_rows(
        Prediction,
        (
            *("submission_id", "instance_id", "confidence", "subject_type", "object_type"),
            *("subject_entity", "object_entity", "subject_canonical_start", "subject_canonical_end"),
            *("object_canonical_start", "object_canonical_end", "probability", "line"),
        ),
        (
            (
                *(submission.pk, key, 0.5, "PER", "GPE", ":E1", ":E2", subject.start, subject.end),
                *(object_.start, object_.end, 1e-6, line),
            )
            for line, (key, (_, _, subject, object_)) in enumerate(zip(keys, rows, strict=True), start=2)
        ),
    )
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = DEFAULT")


def _judged(submission: Submission, documents: list[Document]) -> None:
    """Publish what people said of a claim in each of so many documents."""
    batch = SampleBatch.objects.get(submission=submission)
    for number, document in enumerate(documents):
        instance = make.InstanceFactory.create(document=document)
        make.PredictionFactory.create(submission=submission, instance=instance, line=10**6 + number)
        question = make.QuestionFactory.create(document=document, published=True)
        make.LabelFactory.create(question=question, value=float(number % 3 > 0))
        make.SampledInstanceFactory.create(batch=batch, instance=instance, question=question)


def _problems(submission: Submission) -> None:
    Problem.objects.bulk_create(
        Problem(
            submission=submission,
            line=7 + 13 * number,
            code=("UNKNOWN_PREDICATE", "SPAN_OUTSIDE", "NO_TYPE")[number % 3],
            severity=("ERROR", "WARNING")[number % 2],
            message=f"per:likes_{number} is no predicate of the task. " * (1 + number % 4),
            text=f":E{number}\tper:likes_{number}\t:E2\tNEWS_ENG_{'0' * (number % 300)}:17-29",
        )
        for number in range(1_200)
    )


def _texts(site: Site) -> None:
    """Have two systems write hundreds of long texts each, of which people judged some."""
    corpus = Corpus.objects.get(tag="summaries")
    systems = list(Submission.objects.filter(corpus=corpus))
    Submission.objects.filter(pk=systems[0].pk).update(name=CHECKPOINT.format(1))
    for number in range(LISTED):
        document = make.DocumentFactory.create(
            corpus=corpus, doc_id=f"report-{number}-{'x' * (number % 60)}", text=f"{make.TEXT} " * 20
        )
        Input.objects.create(document=document, references=[make.TEXT], digest=f"{number:064x}")
        for system in systems:
            text = f"What {system.pk} says of it, at length. " * (1 + number % 30)
            unit = make.UnitFactory.create(corpus=corpus, key=f"{document.doc_id}|{system.pk}")
            OutputText.objects.create(unit=unit, document=document, text=text)
            Output.objects.create(
                submission=system,
                unit=unit,
                document=document,
                place=number + 1,
                confidence=1.0,
                probability=1.0,
            )
            if number < 40:
                question = make.QuestionFactory.create(
                    document=document, asked=QualityQuestion(text), published=True
                )
                make.LabelFactory.create(question=question, claim="overall", value=number % 3 - 1)
                edit = {"fluency": 1, "redundancy": 1, "overall": 0, "edit": f"{text} So.", "hter": 0.1}
                make.ResponseFactory.create(question=question, answer={"version": 1, **edit})
                batch = SampleBatch.objects.get(submission=system)
                SampledUnit.objects.create(batch=batch, epoch=batch.epoch, unit=unit, question=question)
    lengths = pack(np.arange(LISTED + 1, dtype=np.float64))
    MetricColumn.objects.filter(submission__in=systems).update(
        size=LISTED + 1, data=lengths, digest=sha256(lengths).hexdigest()
    )


def _lists(site: Site, corpus: Corpus) -> None:
    """Make what people and operators have listed long."""
    member, operator, now = site.people["member"], site.people["operator"], timezone.now()
    assert member is not None
    assert operator is not None
    AuditEntry.objects.bulk_create(
        AuditEntry(
            by=operator,
            what="batch.pause",
            kind="HIT batch",
            about=f"{LONG} {n}",
            before={"name": LONG, "cap_cents": 10**9},
            after={"name": f"{LONG} {n}", "cap_cents": 10**10},
        )
        for n in range(1_000)
    )
    Message.objects.bulk_create(
        Message(
            recipients={"to": [f"{'a-long-name.' * 4}{n}@{'example.' * 5}org"]},
            sender="kbpo@example.org",
            subject=f"{LONG} {n}",
            error=f"450 4.2.1 {LONG} is over quota " * 3,
            attempts=9,
            created_at=now,
            due_at=now,
            give_up_at=now,
            failed_at=now,
        )
        for n in range(LISTED)
    )
    ApiToken.objects.bulk_create(
        ApiToken(
            user=member,
            name=f"{LONG[:90]} {n}",
            digest=sha256(str(n).encode()).hexdigest(),
            scopes=["read", "submit", "organise"],
            created_at=now,
            expires_at=now + timedelta(days=90),
            last_used_at=now,
        )
        for n in range(60)
    )
    Delivery.objects.bulk_create(
        Delivery(
            webhook_id=site.things["webhook"]["pk"],
            message_id=f"msg_{n}",
            event="submission.scored",
            body="{}",
            created_at=now,
            due_at=now,
            give_up_at=now,
            attempts=7,
            tried_at=now,
            status=503,
            error=f"503: {LONG} " * 4,
            failed_at=now,
        )
        for n in range(LISTED)
    )
    for team in Team.objects.filter(name__startswith=LONG[:60])[:40]:
        Membership.objects.get_or_create(team=team, user=member)
    team = Team.objects.get(pk=site.things["team"]["pk"])
    for n in range(60):
        Membership.objects.create(team=team, user=make.UserFactory.create(name=f"{LONG} {n}"[:100]))
    _work(site, corpus)


def _work(site: Site, corpus: Corpus) -> None:
    """Post many batches, and have hundreds of workers send answers."""
    batches = [
        make.HitBatchFactory.create(corpus=corpus, title=f"{LONG} {n}", reward_cents=15 + n)
        for n in range(120)
    ]
    for n in range(LISTED):
        question = make.QuestionFactory.create(document=make.DocumentFactory.create(corpus=corpus))
        hit = make.HitFactory.create(batch=batches[n % 5], questions=[question])
        worker = make.WorkerIdentityFactory.create(
            worker_id=f"A{'WORKER' * 5}{n}", user__name=f"{LONG} {n}"[:100]
        )
        make.AssignmentFactory.create(hit=hit, sent=True, worker=worker, flag="odd" if n % 2 else "")
    for n in range(24):
        make.BudgetFactory.create(scope="month", key=f"20{30 + n // 12}-{1 + n % 12:02}", cap_cents=10**11)
