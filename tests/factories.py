"""Rows for tests, each valid by itself. What a test does not name is made up."""

import datetime
import hashlib
from typing import Any

import factory
from django.core.files.base import ContentFile
from django.utils import timezone

from annotations import conflicts
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import (
    AnnotatedMention,
    AnnotatedRelation,
    Corpus,
    CorpusRole,
    Document,
    DocumentAnnotation,
    Label,
    Question,
    Response,
    Sentence,
)
from annotations.texts.records import MentionRecord, RelationRecord
from annotations.texts.segmentation import segment
from crowd.models import Assignment, Budget, Hit, HitBatch, HitQuestion
from evaluation.kbp import name_keys
from evaluation.models import (
    DocumentSample,
    Epoch,
    Estimate,
    Instance,
    Prediction,
    Problem,
    RetiredDocument,
    SampleBatch,
    SampledDocument,
    SampledUnit,
    Score,
    ScoreRecord,
    Submission,
    SubmissionEvent,
    Unit,
)
from kbpo.accounts.models import Membership, Team, User, WorkerIdentity
from kbpo_formats.spans import Span
from tests.ontologies import TAC

TEXT = "Ada Quill was born in Port Hallow. She founded Quill Press there in 1961."
ADA, HALLOW, SHE, PRESS, THERE, YEAR = (
    Span(TEXT.index(word), TEXT.index(word) + len(word))
    for word in ("Ada Quill", "Port Hallow", "She", "Quill Press", "there", "1961")
)


def digest(text: str) -> str:
    """Return a SHA-256 in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


class UserFactory(factory.django.DjangoModelFactory[User]):
    class Meta:
        model = User
        skip_postgeneration_save = True

    email = factory.Sequence(lambda n: f"person{n}@example.org")
    name = factory.Sequence(lambda n: f"Person {n}")
    password = factory.django.Password("a long pass phrase")

    class Params:
        annotator = factory.Trait(is_annotator=True)
        operator = factory.Trait(is_operator=True, is_staff=True)


class TeamFactory(factory.django.DjangoModelFactory[Team]):
    """`members=[…]` puts people into it."""

    class Meta:
        model = Team
        skip_postgeneration_save = True

    name = factory.Sequence(lambda n: f"Team {n}")

    @factory.post_generation
    def members(self, create: bool, extracted: Any, **_: Any) -> None:
        for user in extracted or []:
            Membership.objects.create(team=self, user=user)


class CorpusFactory(factory.django.DjangoModelFactory[Corpus]):
    """A corpus whose questions are asked three people at once, unless `policy` says otherwise."""

    class Meta:
        model = Corpus

    tag = factory.Sequence(lambda n: f"corpus-{n}")
    name = factory.Sequence(lambda n: f"Corpus {n}")
    policy = "fixed"


def give(user: User, corpus: Corpus, *names: str) -> User:
    """Give somebody roles for a corpus, and return them."""
    for name in names:
        CorpusRole.objects.create(user=user, corpus=corpus, role=name, given_at=timezone.now())
    return user


class DocumentFactory(factory.django.DjangoModelFactory[Document]):
    """Its text is `TEXT`.

    With `sentences=True` it has one sentence for each full stop, without tokens; with `segmented=True` it has
    the sentences and tokens that loading would give it.
    """

    class Meta:
        model = Document
        skip_postgeneration_save = True

    corpus = factory.SubFactory(CorpusFactory)
    doc_id = factory.Sequence(lambda n: f"DOC-{n}")
    title = factory.Sequence(lambda n: f"Document {n}")
    text = TEXT
    digest = factory.LazyAttribute(lambda document: digest(document.doc_id + document.text))

    @factory.post_generation
    def sentences(self, create: bool, extracted: Any, **_: Any) -> None:
        if not extracted:
            return
        start = 0
        for index, part in enumerate(self.text.split(". ")):  # type: ignore[attr-defined]
            end = min(start + len(part) + 1, len(self.text))  # type: ignore[attr-defined]
            Sentence.objects.create(
                document=self, index=index, start=start, end=end, token_starts=[], token_ends=[]
            )
            start = end + 1

    @factory.post_generation
    def segmented(self, create: bool, extracted: Any, **_: Any) -> None:
        if not extracted:
            return
        (sentences,) = segment([self.text], self.corpus.language)  # type: ignore[list-item, attr-defined]
        Sentence.objects.bulk_create(
            Sentence(
                document=self,
                index=index,
                start=one.start,
                end=one.end,
                token_starts=one.token_starts,
                token_ends=one.token_ends,
            )
            for index, one in enumerate(sentences)
        )


class AnnotationFactory(factory.django.DjangoModelFactory[DocumentAnnotation]):
    """All that experts say of a document: Ada Quill was born in Port Hallow, by `TEXT`, and nothing else.

    `mentions=[MentionRecord, …]` and `relations=[RelationRecord, …]` say otherwise.
    """

    class Meta:
        model = DocumentAnnotation
        skip_postgeneration_save = True

    document = factory.SubFactory(DocumentFactory)
    digest = factory.LazyAttribute(lambda annotation: digest(annotation.document.doc_id))
    completed_at = factory.LazyFunction(timezone.now)

    @factory.post_generation
    def mentions(self, create: bool, extracted: Any, **_: Any) -> None:
        if extracted is None:
            extracted = [
                MentionRecord(ADA, "PER", ADA, "https://en.wikipedia.org/wiki/Ada_Quill"),
                MentionRecord(HALLOW, "GPE", HALLOW),
                MentionRecord(SHE, "PER", ADA, "https://en.wikipedia.org/wiki/Ada_Quill"),
            ]
        AnnotatedMention.objects.bulk_create(
            AnnotatedMention(
                annotation=self,
                start=one.span.start,
                end=one.span.end,
                type=one.type,
                canonical_start=one.canonical.start,
                canonical_end=one.canonical.end,
                link=one.link,
            )
            for one in extracted
        )

    @factory.post_generation
    def relations(self, create: bool, extracted: Any, **_: Any) -> None:
        if extracted is None:
            extracted = [RelationRecord("per:place_of_birth", ADA, HALLOW)]
        AnnotatedRelation.objects.bulk_create(
            AnnotatedRelation(
                annotation=self,
                predicate=one.predicate,
                subject_start=one.subject.start,
                subject_end=one.subject.end,
                object_start=one.object.start,
                object_end=one.object.end,
            )
            for one in extracted
        )


def draw(document: Document) -> SampledDocument:
    """Put a document into the exhaustive sample of its corpus, which is made if need be."""
    population = document.corpus.documents.count()
    sample, _ = DocumentSample.objects.get_or_create(
        corpus=document.corpus, retired_at=None, defaults={"size": 1, "population": population}
    )
    return SampledDocument.objects.create(sample=sample, document=document, probability=1 / population)


def retire(document: Document) -> RetiredDocument:
    """Retire a document, as a release may do."""
    drawn = SampledDocument.objects.filter(document=document).first() or draw(document)
    return RetiredDocument.objects.create(sample=drawn.sample, document=document, probability=0.5)


class SubmissionFactory(factory.django.DjangoModelFactory[Submission]):
    """A submission with its consequences: its team competes, `quota_taken_at` if it is sampled, an event."""

    class Meta:
        model = Submission
        skip_postgeneration_save = True

    corpus = factory.SubFactory(CorpusFactory)
    team = factory.SubFactory(TeamFactory)
    name = factory.Sequence(lambda n: f"system {n}")
    digest = factory.LazyAttribute(lambda submission: digest(submission.name))
    file = factory.LazyAttribute(lambda submission: ContentFile(b"run\n", name="run.kb"))
    state = Submission.State.UPLOADED
    failed_in = factory.LazyAttribute(lambda submission: "uploaded" * (submission.state == "failed"))
    go_ahead = factory.LazyAttribute(lambda submission: submission.state in ("judging", "scored"))
    quota_taken_at = factory.LazyAttribute(
        lambda submission: timezone.now() if submission.state in ("judging", "scored") else None
    )

    @classmethod
    def _create(cls, model_class, *args, **fields):
        conflicts.add_competitor(corpus=fields["corpus"], team=fields["team"])
        return super()._create(model_class, *args, **fields)

    @factory.post_generation
    def events(self, create: bool, extracted: Any, **_: Any) -> None:
        for state in extracted or [self.state]:  # type: ignore[attr-defined]
            SubmissionEvent.objects.create(submission=self, state=state)


class ProblemFactory(factory.django.DjangoModelFactory[Problem]):
    class Meta:
        model = Problem

    submission = factory.SubFactory(SubmissionFactory)
    line = factory.Sequence(lambda n: n + 1)
    code = "UNKNOWN_PREDICATE"
    severity = "ERROR"
    message = "per:likes is no predicate of the task."
    text = ":E1\tper:likes\t:E2"


class UnitFactory(factory.django.DjangoModelFactory[Unit]):
    class Meta:
        model = Unit

    corpus = factory.SubFactory(CorpusFactory)


class InstanceFactory(factory.django.DjangoModelFactory[Instance]):
    """Ada Quill was born in Port Hallow, by `TEXT`."""

    class Meta:
        model = Instance
        exclude = ("subject", "object")

    subject = ADA
    object = HALLOW
    document = factory.SubFactory(DocumentFactory)
    unit = factory.SubFactory(UnitFactory, corpus=factory.SelfAttribute("..document.corpus"))
    predicate = "per:place_of_birth"
    subject_start = factory.LazyAttribute(lambda instance: instance.subject.start)
    subject_end = factory.LazyAttribute(lambda instance: instance.subject.end)
    object_start = factory.LazyAttribute(lambda instance: instance.object.start)
    object_end = factory.LazyAttribute(lambda instance: instance.object.end)
    subject_name = factory.LazyAttribute(lambda instance: name_of(instance.document, instance.subject))
    object_name = factory.LazyAttribute(lambda instance: name_of(instance.document, instance.object))


def name_of(document, span):
    return name_keys.digest(name_keys.Names(document.doc_id, document.text).key(*span))


class PredictionFactory(factory.django.DjangoModelFactory[Prediction]):
    """Each mention is its own canonical mention unless told otherwise."""

    class Meta:
        model = Prediction

    submission = factory.SubFactory(SubmissionFactory)
    instance = factory.SubFactory(
        InstanceFactory, document__corpus=factory.SelfAttribute("...submission.corpus")
    )
    confidence = 0.8
    subject_type = "PER"
    object_type = "GPE"
    subject_entity = ":Ada"
    object_entity = ":Hallow"
    subject_canonical_start = factory.SelfAttribute("instance.subject_start")
    subject_canonical_end = factory.SelfAttribute("instance.subject_end")
    object_canonical_start = factory.SelfAttribute("instance.object_start")
    object_canonical_end = factory.SelfAttribute("instance.object_end")
    probability = 1.0
    line = factory.Sequence(lambda n: n + 1)


class EpochFactory(factory.django.DjangoModelFactory[Epoch]):
    class Meta:
        model = Epoch

    corpus = factory.SubFactory(CorpusFactory)
    number = 1
    secret = factory.LazyAttribute(lambda epoch: digest(f"secret {epoch.number}"))
    commitment = factory.LazyAttribute(lambda epoch: hashlib.sha256(bytes.fromhex(epoch.secret)).hexdigest())
    key_version = "v1"
    weighting = "instance"
    growth = Epoch.Growth.QUADRATIC

    class Params:
        released = factory.Trait(released_at=factory.LazyFunction(timezone.now))


class SampleBatchFactory(factory.django.DjangoModelFactory[SampleBatch]):
    class Meta:
        model = SampleBatch

    epoch = factory.SubFactory(EpochFactory, corpus=factory.SelfAttribute("..submission.corpus"))
    number = factory.LazyAttribute(lambda batch: 1 + SampleBatch.objects.filter(epoch=batch.epoch).count())
    submission = factory.SubFactory(SubmissionFactory, state=Submission.State.JUDGING)
    target_variance = 5e-4
    weights_version = "names v1"
    lam = 100.0
    floor = 10.0


class QuestionFactory(factory.django.DjangoModelFactory[Question]):
    """A question about the pair Ada Quill and Port Hallow; `settled` and `published` as wanted."""

    class Meta:
        model = Question
        exclude = ("asked",)

    document = factory.SubFactory(DocumentFactory)
    asked = factory.LazyFunction(
        lambda: RelationQuestion.about(Mention(ADA, "PER"), Mention(HALLOW, "GPE"), TAC)
    )
    kind = factory.LazyAttribute(lambda question: question.asked.kind)
    key = factory.LazyAttribute(lambda question: question.asked.key)
    payload = factory.LazyAttribute(lambda question: question.asked.payload())
    votes_needed = factory.LazyAttribute(lambda question: question.document.corpus.judged_by.first_votes)

    class Params:
        settled = factory.Trait(state=Question.State.SETTLED, settled_at=factory.LazyFunction(timezone.now))
        published = factory.Trait(
            state=Question.State.SETTLED,
            settled_at=factory.LazyFunction(timezone.now),
            published_at=factory.LazyFunction(timezone.now),
        )


class LabelFactory(factory.django.DjangoModelFactory[Label]):
    class Meta:
        model = Label

    question = factory.SubFactory(QuestionFactory, settled=True)
    claim = "per:place_of_birth|0"
    value = 1.0
    votes_for = factory.LazyAttribute(lambda label: 3 if label.value else 0)
    votes = 3


class ResponseFactory(factory.django.DjangoModelFactory[Response]):
    class Meta:
        model = Response

    question = factory.SubFactory(QuestionFactory)
    worker = factory.SubFactory(UserFactory, annotator=True)
    answer = factory.LazyFunction(lambda: {"version": 1, "relations": [], "none": True})


class WorkerIdentityFactory(factory.django.DjangoModelFactory[WorkerIdentity]):
    class Meta:
        model = WorkerIdentity

    user = factory.SubFactory(UserFactory, annotator=True)
    provider = "marketplace"
    worker_id = factory.Sequence(lambda n: f"W{n}")


class HitBatchFactory(factory.django.DjangoModelFactory[HitBatch]):
    class Meta:
        model = HitBatch

    corpus = factory.SubFactory(CorpusFactory)
    kind = "relation"
    provider = "marketplace"
    title = "Judge a claim"
    description = "Say which relation a document bears out."
    reward_cents = 15
    duration_seconds = 300
    lifetime_seconds = 24 * 3600
    held_answers = 0


class HitFactory(factory.django.DjangoModelFactory[Hit]):
    """A HIT that is with the provider; `questions=[…]` are asked in it, in this order."""

    class Meta:
        model = Hit
        skip_postgeneration_save = True

    batch = factory.SubFactory(HitBatchFactory)
    request_token = factory.Sequence(lambda n: f"token-{n}")
    annotation = factory.Sequence(lambda n: f"kbpo-{n:032x}")
    created_at = factory.LazyFunction(timezone.now)
    places = 3
    reward_cents = factory.SelfAttribute("batch.reward_cents")
    fee_cents = 3
    state = Hit.State.POSTED
    provider_id = factory.LazyAttribute(
        lambda hit: f"P-{hit.annotation}"[:64] if hit.state in ("posted", "closed") else None
    )
    posted_at = factory.LazyAttribute(
        lambda hit: timezone.now() if hit.state in ("posted", "closed") else None
    )
    posted_places = factory.LazyAttribute(lambda hit: hit.places if hit.state in ("posted", "closed") else 0)
    ended_at = factory.LazyAttribute(lambda hit: timezone.now() if hit.state == "closed" else None)
    expires_at = factory.LazyAttribute(
        lambda hit: hit.posted_at and hit.posted_at + datetime.timedelta(days=1)
    )

    @factory.post_generation
    def questions(self, create: bool, extracted: Any, **_: Any) -> None:
        active = self.state in ("planned", "posted")  # type: ignore[attr-defined]
        for position, question in enumerate(extracted or []):
            HitQuestion.objects.create(hit=self, question=question, position=position, is_active=active)


class AssignmentFactory(factory.django.DjangoModelFactory[Assignment]):
    """Begun on the page; `sent=True`: collected, waiting for review."""

    class Meta:
        model = Assignment

    hit = factory.SubFactory(HitFactory)
    provider_id = factory.Sequence(lambda n: f"3ASSIGNMENT{n}")
    worker = None
    provider_worker_id = factory.LazyAttributeSequence(
        lambda assignment, n: assignment.worker.worker_id if assignment.worker else f"W{n}"
    )
    begun_at = factory.LazyFunction(timezone.now)

    class Params:
        sent = factory.Trait(
            state=Assignment.State.SUBMITTED,
            accepted_at=factory.LazyFunction(lambda: timezone.now() - datetime.timedelta(minutes=2)),
            submitted_at=factory.LazyFunction(timezone.now),
            counted_at=factory.SelfAttribute("submitted_at"),
            worker=factory.SubFactory(WorkerIdentityFactory),
        )


class BudgetFactory(factory.django.DjangoModelFactory[Budget]):
    class Meta:
        model = Budget

    scope = Budget.Scope.MONTH
    key = "2026-11"
    cap_cents = 100_00


class SampledInstanceFactory(factory.django.DjangoModelFactory[SampledUnit]):
    class Meta:
        model = SampledUnit
        exclude = ("instance",)

    batch = factory.SubFactory(SampleBatchFactory)
    epoch = factory.SelfAttribute("batch.epoch")
    instance = factory.SubFactory(InstanceFactory)
    unit = factory.SelfAttribute("instance.unit")
    question = factory.SubFactory(QuestionFactory, document=factory.SelfAttribute("..instance.document"))
    claim = factory.LazyAttribute(lambda sampled: f"{sampled.instance.predicate}|0")


class ScoreFactory(factory.django.DjangoModelFactory[Score]):
    """A score of a submission whose batch is `batch`; measures as (estimate, low, high) or None."""

    class Meta:
        model = Score

    batch = factory.SubFactory(SampleBatchFactory)
    submission = factory.SelfAttribute("batch.submission")
    epoch = factory.SelfAttribute("batch.epoch")
    estimator = "documents"
    weighting = "instance"
    part = "all"
    level = 95
    matching = "near-full-names"
    labels = 120
    code_version = "test"
    p = (0.6, 0.55, 0.65)
    r = (0.4, 0.33, 0.47)
    f = (0.48, 0.42, 0.54)

    @classmethod
    def _create(cls, model_class, *args, p, r, f, **fields):
        score = super()._create(model_class, *args, **fields)
        Estimate.objects.bulk_create(
            Estimate(score=score, **figures)
            for figures in (figures_of("precision", p), figures_of("recall", r), figures_of("f1", f))
        )
        return score


class ScoreRecordFactory(factory.django.DjangoModelFactory[ScoreRecord]):
    class Meta:
        model = ScoreRecord

    submission = factory.SubFactory(SubmissionFactory)
    change = 1
    at = factory.LazyFunction(timezone.now)
    reason = "first score in this epoch"
    epoch = factory.SubFactory(EpochFactory)
    code_version = "1.0+abc"
    is_public = True
    systems = 2
    labels = 90
    sample_labels = 90
    audits = 0
    part = "all"
    weighting = "instance"
    estimator = "documents"
    standard = "votes"
    level = 95
    measure = "f1"
    estimate = 0.444
    low = 0.4
    high = 0.49


def figures_of(measure, ends):
    """Return the fields of a measure; `ends` is (estimate, low, high), or None where it is not estimable."""
    return {"measure": measure, **dict(zip(("estimate", "low", "high"), ends or (None,) * 3, strict=True))}


def days_ago(days: float) -> datetime.datetime:
    """Return a time in the past."""
    return timezone.now() - datetime.timedelta(days=days)
