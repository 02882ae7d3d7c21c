"""A crowd for tests: a requester with money, questions to ask, and workers who answer them."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Corpus, Document, Question
from crowd import budget, collecting, posting, review
from crowd.models import Assignment, Budget, Hit, HitBatch
from crowd.models.qualification import Skill
from crowd.pricing import timing
from crowd.pricing.terms import BatchTerms
from crowd.providers import registry
from kbpo.accounts.models import User
from marketplace import ledger, lifecycle, requesters
from marketplace.models import Assignment as MarketAssignment
from marketplace.models import Hit as MarketHit
from marketplace.models import Requester, RequesterKey, Worker
from marketplace.protocol.answers import write_answers
from marketplace.workers import worker_for
from tests.arrivals import sealed
from tests.factories import ADA, HALLOW, PRESS, SHE, DocumentFactory, QuestionFactory, UserFactory
from tests.ontologies import TAC

PROVIDER = "marketplace"
NONE = {"none": True}
RIGHT = {"right": True}
BORN = {"relations": [{"predicate": "per:place_of_birth", "subject": 0}]}

Say = Callable[[Question], Any]


def requester_with_keys(cents: int = 1_000_00) -> tuple[Requester, RequesterKey]:
    now = timezone.now()
    requester = requesters.create_requester(name="KBP Online")
    if cents:
        ledger.deposit(requester=requester, cents=cents, now=now)
    return requester, requesters.create_key(requester=requester, now=now, rate=10_000, burst=10_000)


def ask(corpus: Corpus, documents: int = 1, *, companions: bool = False) -> list[Question]:
    """Ask one relation question of each of so many documents, with two companions if wanted."""
    asked = []
    for _ in range(documents):
        document = DocumentFactory.create(corpus=corpus)
        asked.append(QuestionFactory.create(document=document))
        if companions:
            ask_canonicals(document)
    return asked


def ask_canonicals(document: Document) -> list[Question]:
    return [
        QuestionFactory.create(document=document, asked=CanonicalQuestion(ADA, ADA)),
        QuestionFactory.create(document=document, asked=CanonicalQuestion(HALLOW, HALLOW)),
    ]


def ask_founded(document: Document) -> Question:
    asked = RelationQuestion.about(Mention(SHE, "PER"), Mention(PRESS, "ORG"), TAC)
    return QuestionFactory.create(document=document, asked=asked)


def fund(corpus: Corpus, cents: int = 1_000_00) -> Budget:
    return Budget.objects.create(scope="corpus", key=corpus.tag, cap_cents=cents)


#: What providers call having passed the tutorial for relations of TAC's.
ABLE = str(Skill("relation", TAC.reference))


def workers(number: int, able: str = ABLE) -> list[Worker]:
    """Make workers of the marketplace who have passed the tutorial."""
    made = [worker_for(UserFactory.create(annotator=True)) for _ in range(number)]
    for worker in made:
        registry.provider(PROVIDER).grant(worker.worker_id, kind=able)
    return made


def say_none(question: Question) -> Any:
    return NONE if question.kind == "relation" else RIGHT


def answer_json(questions: Iterable[Question], say: Say = say_none, seconds: float = 12.0) -> str:
    return json.dumps(
        {
            "version": 1,
            "answers": [
                {"question": question.pk, "answer": say(question), "seconds": seconds}
                for question in questions
            ],
            "comment": "",
        }
    )


#: That workers take for a HIT, by the marketplace's clock.
TAKES = timedelta(minutes=2)


def do(hit: Hit, worker: Worker, say: Say = say_none, *, now: datetime | None = None) -> MarketAssignment:
    """Have a worker accept a HIT at the marketplace and send its answers, as its page does."""
    return send(hit, worker, answer_json(hit.questions.order_by("pk"), say), now=now)


def send(hit: Hit, worker: Worker, text: str | None, *, now: datetime | None = None) -> MarketAssignment:
    now = now or timezone.now()
    market_hit = MarketHit.objects.get(hit_id=hit.provider_id)
    accepted = lifecycle.accept(worker=worker, hit=market_hit, now=now - TAKES)
    fields = {"other": ""}
    if text is not None:
        who = {"assignment_id": accepted.assignment_id, "worker_id": worker.worker_id}
        fields = sealed(hit, **who, text=text)
    answer = write_answers({name: [value] for name, value in fields.items()})
    return lifecycle.submit(assignment=accepted, answer=answer, now=now)


def open_batch(**given: Any) -> HitBatch:
    """Open a batch: its terms by their names, and what `posting.open_batch` takes besides.

    Nothing is held unless it is said: a rule pays what nothing speaks against.
    """
    terms, others = _terms({"held_answers": 0, **given})
    return posting.open_batch(terms, **others)


def open_tutorial(**given: Any) -> HitBatch:
    """Open a tutorial, as `open_batch` does a batch."""
    terms, others = _terms({"held_answers": 0, **given})
    return posting.open_tutorial(terms, **others)


def preview(questions: QuerySet[Question], now: datetime, **terms: Any) -> posting.Preview:
    found = BatchTerms(**terms)
    asked = posting.free(found, questions, now=now)
    return posting.preview(found, asked, unit_seconds=timing.suggest(found, asked).seconds)


def _terms(given: Mapping[str, Any]) -> tuple[BatchTerms, dict[str, Any]]:
    names = {field.name for field in fields(BatchTerms)}
    terms = BatchTerms(**{name: value for name, value in given.items() if name in names})
    return terms, {name: value for name, value in given.items() if name not in names}


def post(now: datetime, seed: int = 0) -> int:
    return _all(lambda rng: posting.post_next(now=now, rng=rng), seed)


def collect(now: datetime, seed: int = 0) -> int:
    """Look at every HIT that is out."""
    Hit.objects.filter(state=Hit.State.POSTED).update(next_look_at=now)
    rng, news = Random(seed), 0
    while (found := collecting.collect_next(now=now, due_by=now, rng=rng)) is not None:
        news += found
    return news


def tell(now: datetime, seed: int = 0) -> int:
    return _all(lambda rng: review.tell_next(now=now, rng=rng), seed)


def approve_all(now: datetime) -> int:
    review.approve_by_rule(now=now)
    return tell(now)


def locked(queries: CaptureQueriesContext) -> list[str]:
    """List the tables whose rows were locked, in the order in which they first were."""
    # Django calls the tables of subqueries U0, U1, ...
    found = (re.search(r'FROM "(\w+)"(?! U\d).* FOR (?:NO KEY )?UPDATE', query["sql"]) for query in queries)
    return list(dict.fromkeys(match[1] for match in found if match))


def check_books() -> None:
    audit = budget.audit()
    assert audit.balances, "\n".join(audit.problems)


def operator() -> User:
    return UserFactory.create(operator=True)


def states(rows: Sequence[Any]) -> list[str]:
    for row in rows:
        row.refresh_from_db()
    return [row.state for row in rows]


def only(hit: Hit) -> Assignment:
    return Assignment.objects.get(hit=hit)


def _all(act: Callable[[Random], bool], seed: int) -> int:
    rng, done = Random(seed), 0
    while act(rng):
        done += 1
    return done
