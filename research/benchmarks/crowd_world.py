"""Database work of the crowd's benchmark: ``python -m research.benchmarks.crowd_world DO …``.

``keys`` makes a requester and prints its keys; ``fill QUESTIONS WORKERS`` posts HITs and makes workers who
may do them, and prints where they sign in; ``state`` prints what has become of the answers.
"""

import json
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kbpo.accounts.models import User

TAG = "benchmark"
NEAR = 400  # characters between two mentions that are asked about
PATIENCE = 1800.0  # seconds for all HITs to be posted
REWARD = 15  # cents


def main(arguments: list[str]) -> None:
    import django

    django.setup()
    do, *numbers = arguments
    result = {"keys": keys, "fill": fill, "state": state}[do](*map(int, numbers))
    print(json.dumps(result))


def keys() -> dict[str, str]:
    from django.utils import timezone

    from marketplace import ledger, requesters

    now = timezone.now()
    requester = requesters.create_requester(name="Benchmark")
    ledger.deposit(requester=requester, cents=10_000_00, now=now)
    key = requesters.create_key(requester=requester, now=now, rate=10_000, burst=10_000)
    return {"MTURK_ACCESS_KEY_ID": key.access_key_id, "MTURK_SECRET_ACCESS_KEY": key.secret}


def fill(questions: int, workers: int) -> dict[str, object]:
    from django.utils import timezone

    from annotations.models import Corpus
    from crowd import posting
    from crowd.lessons import skill_of
    from crowd.models import Budget, Hit
    from crowd.pricing.terms import BatchTerms
    from kbpo.accounts.models import User
    from marketplace.models import HitType

    corpus = Corpus.objects.create(tag=TAG, name="Benchmark", policy="fixed")
    asked = _ask(corpus, questions)
    Budget.objects.create(scope="corpus", key=TAG, cap_cents=10_000_00)
    operator = User.objects.create(email="operator@example.org", is_operator=True)
    terms = BatchTerms(corpus=corpus, kind="relation", provider="marketplace", reward_cents=REWARD)
    batch = posting.open_batch(terms, by=operator, now=timezone.now())
    people = [_worker(number, str(skill_of(batch))) for number in range(workers)]
    started = time.monotonic()
    while Hit.objects.filter(state="planned").exists():
        if time.monotonic() - started > PATIENCE:
            raise SystemExit(f"not all HITs were posted within {PATIENCE:.0f} s")
        time.sleep(1)
    return {
        "questions": asked,
        "posting_seconds": round(time.monotonic() - started, 1),
        "group": HitType.objects.get().group_id,
        "workers": people,
    }


def state() -> dict[str, int]:
    from annotations.models import Response
    from crowd.models import Assignment
    from marketplace.models import Assignment as AtMarketplace

    answered = Assignment.objects.exclude(answer=None)
    return {
        "stored": answered.count(),
        "handed_over": AtMarketplace.objects.exclude(answer="").count(),
        "collected": Assignment.objects.exclude(counted_at=None).count(),
        "flagged": Assignment.objects.exclude(flag="").count(),
        "responses": Response.objects.count(),
        "approved": Assignment.objects.filter(state="approved").count(),
    }


def _ask(corpus: object, number: int) -> int:
    """Load the demo's documents, and ask about pairs of mentions that stand near each other."""
    from annotations import corpora
    from annotations.kinds.relation import Mention, RelationQuestion
    from annotations.models import Document, Question
    from demo import build
    from kbpo.core.errors import InvalidInput
    from kbpo_formats.ontologies.builtin import read_builtin
    from kbpo_formats.spans import Span

    with tempfile.TemporaryDirectory() as folder:
        build.build(Path(folder))
        corpora.load_corpus(path=Path(folder) / "corpus.jsonl", tag=TAG)
        gold = [json.loads(line) for line in (Path(folder) / "gold.jsonl").open()]
    documents = dict(Document.objects.filter(corpus=corpus).values_list("doc_id", "pk"))
    rows = []
    for row in gold:
        mentions = [Mention(Span(one["start"], one["end"]), one["type"]) for one in row["mentions"]]
        for first, second in combinations(mentions, 2):
            if not 0 < second.span.start - first.span.end < NEAR:
                continue
            try:
                asked = RelationQuestion.about(first, second, read_builtin("tac-kbp@1"))
            except InvalidInput:  # no relation admits the two
                continue
            rows.append((row["doc_id"], asked))
    step = len(rows) / number
    if step < 1:
        raise SystemExit(f"the demo's documents have {len(rows)} pairs, not {number}")
    some = [rows[int(index * step)] for index in range(number)]
    questions = [
        Question(
            document_id=documents[name],
            kind="relation",
            key=asked.key,
            payload=asked.payload(),
            votes_needed=corpus.judged_by.first_votes,
        )
        for name, asked in some
    ]
    return len(Question.objects.bulk_create(questions, batch_size=1000, ignore_conflicts=True))


def sign_in(user: "User") -> str:
    """Sign somebody in; return the key of the session."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return session.session_key or ""


def _worker(number: int, skill: str) -> dict[str, str]:
    """Make a worker who has learned the work and is signed in."""
    from django.utils.crypto import get_random_string

    from crowd.providers import registry
    from kbpo.accounts.models import User
    from marketplace.workers import worker_for

    user = User(email=f"worker{number}@example.org", name=f"Worker {number}", is_annotator=True)
    user.set_unusable_password()
    user.save()
    registry.provider("marketplace").grant(worker_for(user).worker_id, kind=skill)
    return {"session": sign_in(user), "csrf": get_random_string(32)}


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    main(sys.argv[1:])
