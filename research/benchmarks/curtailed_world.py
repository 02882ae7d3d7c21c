"""Database work of the benchmark of policies.

``python -m research.benchmarks.curtailed_world POLICY QUESTIONS PEOPLE PER_HIT`` has people judge questions
about the demo's documents, on a simulated clock, and prints what that took.
"""

import heapq
import json
import math
import random
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

SEED, ERROR = 1, 0.1
MEDIAN, SPREAD = 20.0, 0.5  # seconds for a question about a relation, and the deviation of their logarithm
STEP = timedelta(seconds=30)  # between two looks of the pipeline
BREAK = timedelta(minutes=2)  # before somebody who found nothing looks again
LAST = timedelta(days=3)


def main(policy: str, questions: int, people: int, per_hit: int) -> dict[str, float]:
    from django.db.models import Sum
    from django.utils import timezone

    from annotations.models import Corpus, Question, Response
    from crowd import posting
    from crowd.models import Budget
    from crowd.pricing.terms import BatchTerms
    from kbpo.accounts.models import User
    from research.benchmarks import crowd_world

    corpus = Corpus.objects.create(tag=crowd_world.TAG, name="Benchmark", policy=policy)
    crowd_world._ask(corpus, questions)
    asked = Question.objects.count()
    budget = Budget.objects.create(scope="corpus", key=corpus.tag, cap_cents=10_000_00)
    operator = User.objects.create(email="operator@example.org", is_operator=True)
    began = timezone.now()
    terms = BatchTerms(corpus=corpus, kind="relation", provider="marketplace", questions_per_hit=per_hit)
    posting.open_batch(terms, by=operator, now=began)
    crowd = Crowd(people, began)
    while Question.objects.exclude(state="settled").exists():
        crowd.step()
        if crowd.now - began > LAST:
            raise SystemExit("some questions are never settled")
    crowd.step()
    budget.refresh_from_db()
    votes = Response.objects.filter(is_valid=True, is_expert=False)
    seconds = votes.aggregate(seconds=Sum("seconds"))["seconds"] or 0.0
    return {
        "questions": asked,
        "votes": round(votes.count() / asked, 3),
        "cents": round(budget.paid_cents / asked, 2),
        "minutes": round(seconds / asked / 60, 3),
        "hours": round((crowd.now - began).total_seconds() / 3600, 2),
        "by_experts": Response.objects.filter(is_expert=True).count(),
    }


class Crowd:
    """People who do what there is to do, and the pipeline between."""

    def __init__(self, number: int, now: datetime) -> None:
        from crowd.simulation import simulated_crowd
        from demo import build
        from kbpo.accounts.models import User
        from kbpo_formats.ontologies.builtin import read_builtin
        from marketplace.models import Worker
        from research.benchmarks import crowd_world

        with tempfile.TemporaryDirectory() as folder:
            build.build(Path(folder))
            self.gold = simulated_crowd.read_gold(Path(folder) / "gold.jsonl", read_builtin("tac-kbp@1"))
        for one in range(number):
            crowd_world._worker(one)
        self.rng = random.Random(SEED)
        self.now = now
        self.free = [(now, worker.pk) for worker in Worker.objects.order_by("pk")]
        self.workers = {worker.pk: worker for worker in Worker.objects.select_related("user")}
        self.news: set[str] = set()
        self.out: list[tuple[datetime, int, Any, str]] = []
        self.seen: dict[int, set[int]] = {pk: set() for pk in self.workers}
        self.operator = User.objects.get(email="operator@example.org")
        self.pipeline()

    def step(self) -> None:
        """Let time go on for a step."""
        self.now += STEP
        while self.out and self.out[0][0] <= self.now:
            self.send(*heapq.heappop(self.out))
        self.pipeline()
        ready = [pk for since, pk in self.free if since <= self.now]
        self.free = [(since, pk) for since, pk in self.free if since > self.now]
        posted = self.posted() if ready else []
        for pk in self.rng.sample(ready, len(ready)):
            if not self.accept(pk, posted):
                self.free.append((self.now + BREAK, pk))

    def pipeline(self) -> None:
        """Post, collect, pay and settle."""
        from annotations import labels, responses
        from annotations.models import Question, Response
        from crowd import collecting, posting, review
        from crowd.models import Hit
        from crowd.simulation.simulated_crowd import truth

        posting.plan_batches(now=self.now)
        while posting.post_next(now=self.now, rng=self.rng):
            pass
        # Nothing else is new: looks at the others would only take time.
        Hit.objects.filter(state=Hit.State.POSTED).update(next_look_at=self.now + LAST)
        Hit.objects.filter(provider_id__in=self.news).update(next_look_at=self.now)
        self.news.clear()
        before = Response.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        while collecting.collect_next(now=self.now, due_by=self.now, rng=self.rng) is not None:
            pass
        Response.objects.filter(pk__gt=before).update(answered_at=self.now)
        review.approve_by_rule(now=self.now)
        while review.tell_next(now=self.now, rng=self.rng):
            pass
        labels.settle_questions()
        for question in Question.objects.filter(state="expert").select_related("document"):
            answer = truth(question, self.gold)
            responses.record(question=question, worker=self.operator, answer=answer, as_expert=True)

    def posted(self) -> list[tuple[Any, list[Any]]]:
        """List the HITs that are out at the marketplace with what they ask, in an order of chance."""
        from crowd.models import Hit
        from marketplace.models import Hit as MarketHit

        hits = Hit.objects.filter(state=Hit.State.POSTED, ended_at=None).order_by("pk")
        asked = {
            hit.provider_id: sorted(hit.questions.all(), key=lambda one: one.pk)
            for hit in hits.prefetch_related("questions__document")
        }
        found = [
            (hit, asked[hit.hit_id]) for hit in MarketHit.objects.filter(hit_id__in=asked).order_by("pk")
        ]
        return self.rng.sample(found, len(found))

    def accept(self, pk: int, posted: list[tuple[Any, list[Any]]]) -> bool:
        """Have somebody take a HIT none of whose questions they have answered; say whether there is one."""
        from crowd import seals
        from crowd.models import Hit
        from kbpo.core.errors import Conflict, NotAllowed
        from marketplace import lifecycle
        from marketplace.protocol.answers import write_answers

        for one in list(posted):
            hit, asked = one
            if self.seen[pk] & {question.pk for question in asked}:
                continue
            try:
                accepted = lifecycle.accept(worker=self.workers[pk], hit=hit, now=self.now)
            except (Conflict, NotAllowed):  # it is full
                posted.remove(one)
                continue
            self.seen[pk] |= {question.pk for question in asked}
            answers, seconds = self.answer(asked)
            done = self.now + timedelta(seconds=seconds)
            who = {"assignment_id": accepted.assignment_id, "worker_id": accepted.worker.worker_id}
            seal = seals.seal(Hit.objects.get(provider_id=hit.hit_id), **who, text=answers)
            fields = write_answers({"answer": [answers], seals.FIELD: [seal]})
            heapq.heappush(self.out, (done, accepted.pk, accepted, fields))
            return True
        return False

    def answer(self, asked: list[Any]) -> tuple[str, float]:
        """Return the answers to the questions of a HIT as a page sends them, and how long they took."""
        from annotations.kinds.registry import read_asked
        from crowd.interfaces.relation import simulated

        contents = read_asked(asked)
        answers = []
        for one in asked:
            gold = self.gold[one.document.doc_id]
            answers.append(
                {
                    "question": one.pk,
                    "answer": simulated.given(contents[one.pk], gold, ERROR, self.rng),
                    "seconds": round(MEDIAN * math.exp(self.rng.gauss(0, SPREAD)), 1),
                }
            )
        seconds = sum(one["seconds"] for one in answers)
        return json.dumps({"version": 1, "answers": answers, "comment": ""}), seconds

    def send(self, done: datetime, _: int, accepted: Any, fields: str) -> None:
        """Have what was accepted sent."""
        from marketplace import lifecycle

        lifecycle.submit(assignment=accepted, answer=fields, now=done)
        self.news.add(accepted.hit.hit_id)
        self.free.append((done, accepted.worker_id))


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    import django

    django.setup()
    print(json.dumps(main(sys.argv[1], *map(int, sys.argv[2:]))))
