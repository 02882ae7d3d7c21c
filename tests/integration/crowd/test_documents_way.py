"""Whole documents from the draw to the leaderboard, through the marketplace, with workers over HTTP."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from django.core.files import File
from django.core.management import call_command
from django.utils import timezone

from annotations.kinds.entities import EntitiesQuestion
from annotations.kinds.registry import read_asked
from annotations.models import Corpus, DocumentAnnotation, Question, Response
from annotations.texts.records import AnnotationRecord, MentionRecord, RelationRecord
from crowd.interfaces.entities import simulated as simulated_documents
from crowd.interfaces.relation.form import ticked_values
from crowd.models import Assignment, Hit, HitBatch
from crowd.providers.base import Provider
from crowd.simulation import simulated_crowd
from evaluation.kbp.task import TASK as KBP
from evaluation.models import DocumentSample
from evaluation.submissions import submitting
from kbpo import pipeline
from kbpo.accounts.models import Team, User
from kbpo_formats.spans import Span
from marketplace.models import HitType
from marketplace.workers import worker_for
from tests import crowd
from tests.factories import UserFactory
from tests.market_worker import MarketWorker
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)


class LongerWorld(World):
    """The small world, with documents of three lengths."""

    def text(self, document: int) -> str:
        return super().text(document) + " Nobody came." * (60 * (document % 3))

    def record(self, document: int) -> AnnotationRecord:
        """What is true: every mention, and each relation in the sentence that says it."""
        text = self.text(document)
        at = {
            role: [Span(*found.span()) for found in re.finditer(name, text)]
            for role, name in self.names(document).items()
        }
        mentions = [
            MentionRecord(span, self.TYPES[role], spans[0]) for role, spans in at.items() for span in spans
        ]
        relations = (
            RelationRecord("per:spouse", at["first"][0], at["second"][0]),
            RelationRecord("per:employee_or_member_of", at["first"][1], at["org"][0]),
            RelationRecord("per:place_of_birth", at["second"][1], at["city"][1]),
        )
        return AnnotationRecord(f"D{document:03}", tuple(sorted(mentions)), relations)


@pytest.fixture(autouse=True)
def surroundings(account: Provider, settings: LazySettings, live_server, tmp_path: Path) -> None:
    """The site by one name of this machine, the HIT pages by the other; samples that come out again."""
    settings.SITE_URL = live_server.url
    settings.HIT_BASE_URL = f"http://127.0.0.1:{urlsplit(live_server.url).port}"
    settings.KBPO_EPOCH_SECRET = bytes(range(32))
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def world() -> LongerWorld:
    return LongerWorld(18)


@pytest.fixture
def gold(world: LongerWorld) -> dict[str, AnnotationRecord]:
    return {record.doc_id: record for record in map(world.record, range(world.size))}


@pytest.fixture
def news(world: LongerWorld, tmp_path: Path) -> Corpus:
    path = world.write_corpus(tmp_path / "c.jsonl")
    call_command(
        "load_corpus", str(path), "--corpus", "n", "--policy", "fixed", "--audit-share", "0", verbosity=0
    )
    return Corpus.objects.get(tag="n")


@pytest.fixture
def people(live_server, account: Provider) -> list[MarketWorker]:
    """Three workers who have passed both tutorials; the last one makes mistakes."""
    found = []
    for _ in range(3):
        user: User = UserFactory.create(annotator=True)
        for able in ("entities tac-kbp@1", "relation tac-kbp@1"):
            account.grant(worker_for(user).worker_id, kind=able)
        found.append(MarketWorker(live_server.url, user))
    return found


def work() -> None:
    """Do all that is due, as the service's workers do, whenever the next look would be."""
    for _ in range(2):
        Hit.objects.filter(state=Hit.State.POSTED).update(next_look_at=timezone.now())
        pipeline.advance()


def recall(tag: str, capsys: pytest.CaptureFixture[str]) -> float | None:
    capsys.readouterr()
    call_command("leaderboard", "--corpus", tag, "--json")
    [row] = json.loads(capsys.readouterr().out)["rows"]
    estimate: float | None = row["recall"] and row["recall"]["estimate"]
    return estimate


@pytest.mark.slow
def test_from_the_draw_to_the_leaderboard(
    world: LongerWorld,
    gold: dict[str, AnnotationRecord],
    news: Corpus,
    people: list[MarketWorker],
    operator: User,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kb = world.write_kb(tmp_path / "kb", world.system(recall=0.6, precision=0.6, seed=3))
    with kb.open("rb") as stream:
        team = Team.objects.create(name="Alpha")
        submitting.upload(
            task=KBP, user=None, team=team, corpus=news, name="one", file=File(stream), go_ahead=True
        )
    pipeline.advance()
    simulated_crowd.simulate(corpus=news, gold=gold, workers=5, error=0.0)
    pipeline.advance()
    assert recall(news.tag, capsys) is None
    purse = crowd.fund(news)

    call_command("sample_documents", "--corpus", news.tag, "--n", "6", "--uniform-share", "0.4")
    sample = DocumentSample.objects.get()
    found = []
    for phase in (1, 2):
        drawn = set(sample.documents.filter(phase=phase).values_list("document", flat=True))
        assert drawn
        annotate(news, gold, people, operator, len(drawn))
        done = DocumentAnnotation.objects.filter(source="crowd", completed_at__isnull=False)
        assert set(done.values_list("document", flat=True)) >= drawn
        found.append(recall(news.tag, capsys))

    sample.refresh_from_db()
    assert sample.second_drawn_at is not None
    claimed = {(fact.document, fact.predicate) for fact, _ in world.system(recall=0.6, precision=0.6, seed=3)}
    assert None not in found
    assert found[0] != found[1]
    assert all(0 < estimate < 1 for estimate in found if estimate is not None)
    assert claimed
    for annotation in DocumentAnnotation.objects.filter(source="crowd").select_related("document"):
        true = {(one.predicate, one.subject.start) for one in gold[annotation.document.doc_id].relations}
        assert set(annotation.relations.values_list("predicate", "subject_start")) == true
    crowd.check_books()
    purse.refresh_from_db()
    assert purse.reserved_cents == 0
    assert purse.paid_cents > 0
    assert set(HitBatch.objects.values_list("state", flat=True)) == {"finished"}


def annotate(
    news: Corpus,
    gold: dict[str, AnnotationRecord],
    people: list[MarketWorker],
    operator: User,
    documents: int,
) -> None:
    """Have the documents that are drawn marked, then asked about by sentence."""
    given = {"corpus": news, "provider": "marketplace", "by": operator, "now": timezone.now()}
    asked = Question.objects.filter(state="open")
    before = Response.objects.count()
    batch = crowd.open_batch(**given, kind="entities", reward_cents=325)
    assert batch.hits.count() == documents == asked.filter(kind="entities").count()
    work()
    for number, person in enumerate(people):
        marked = sum(person.mark_documents(group, marking(gold, number)) for group in groups(batch))
        assert marked == documents
    work()
    work()
    assert Response.objects.count() == before + 3 * documents

    # Some pairs were judged before, for the system; the others are asked about, a sentence a HIT.
    pairs = set(asked.filter(kind="relation").values_list("pk", flat=True))
    batch = crowd.open_batch(**given, kind="relation", reward_cents=5, by_sentence=True)
    hits = batch.hits.prefetch_related("questions")
    assert {question.pk for hit in hits for question in hit.questions.all()} == pairs
    sentences = [{place_of(question) for question in hit.questions.all()} for hit in hits]
    assert all(len(places) == 1 for places in sentences)
    assert len(set.union(*sentences)) == len(hits) < len(pairs)
    assert {hit.reward_cents / len(hit.questions.all()) for hit in hits} == {5}
    work()
    for number, person in enumerate(people):
        answered = sum(person.answer_questions(group, ticking(gold, number)) for group in groups(batch))
        assert answered == len(hits)
    work()
    work()
    assert not Assignment.objects.exclude(state="approved").exists()


def place_of(question: Question) -> tuple[int, int]:
    """A question's document and sentence."""
    start = max(mention["start"] for mention in question.payload["mentions"])
    before = question.document.sentences.filter(start__lte=start)
    return question.document_id, before.count()


def groups(batch: HitBatch) -> list[str]:
    """The marketplace's groups of a batch: HITs with one reward share one."""
    rewards = set(batch.hits.values_list("reward_cents", flat=True))
    types = HitType.objects.filter(hits__hit_id__in=batch.hits.values("provider_id")).distinct()
    assert {one.reward_cents for one in types} == rewards
    assert len(types) == len(rewards)
    return [one.group_id for one in types]


def marking(gold: dict[str, AnnotationRecord], number: int) -> Callable[[str, object], object]:
    """The last worker overlooks whoever comes first."""

    def mark(title: str, data: object) -> object:
        document = title.removeprefix("Document ")
        record = gold[f"D{int(document):03}"]
        [question] = Question.objects.filter(kind="entities", document__doc_id=record.doc_id)
        asked = read_asked([question])[question.pk]
        assert isinstance(asked, EntitiesQuestion)
        return simulated_documents.answer(asked, record.mentions[1:] if number == 2 else record.mentions)

    return mark


def ticking(gold: dict[str, AnnotationRecord], number: int) -> Callable[[int], list[str]]:
    """The last worker sees no relation in every other question of every fourth document.

    Not in all of them: whoever only ever says "none" waits for a person to look.
    """

    def tick(pk: int) -> list[str]:
        question = Question.objects.select_related("document").get(pk=pk)
        asked = read_asked([question])[pk]
        assert not isinstance(asked, EntitiesQuestion)
        if number == 2 and pk % 2 and int(question.document.doc_id[1:]) % 4 == 0:
            return ["none"]
        return ticked_values(asked, simulated_crowd.truth(question, gold))

    return tick
