from io import StringIO
from typing import Any

from django.core.management import call_command
from django.db.models import Exists, OuterRef
from django.utils import timezone

from annotations.models import Corpus, Document, Question
from crowd import budget, lessons, posting, qualifying
from crowd.interfaces import quality, relation
from crowd.models import Budget, HitBatch
from crowd.pricing.terms import BatchTerms
from crowd.providers import registry
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import UsageError
from kbpo.management.commands.load_demo import REPORTS, TAG

OPERATOR, WORKER = "operator@demo.example", "worker@demo.example"
MARKETPLACE = WorkerIdentity.Provider.MARKETPLACE
#: What is asked of the documents of each corpus.
WORK = {TAG: (relation.NAME, relation.RELATION), REPORTS: (quality.NAME, quality.QUALITY)}
DOCUMENTS = 4  # of each
CAP_CENTS = 50_00


class Command(BaseCommand):
    help = (
        "Put work for the demo's worker into the marketplace: a budget and a small batch for each of"
        " two kinds, and what their tutorials grant. Run load_demo first; running it again is harmless."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if MARKETPLACE not in registry.configured():
            raise UsageError("the marketplace's keys are not set: marketplace_key makes some")
        call_command("marketplace_worker", WORKER, stdout=StringIO())
        for tag, (name, kind) in WORK.items():
            self.post(Corpus.objects.get(tag=tag), name, kind)

    def post(self, corpus: Corpus, name: str, kind: str) -> None:
        by, now = User.objects.get(email=OPERATOR), timezone.now()
        if not Budget.objects.filter(scope=Budget.Scope.CORPUS, key=corpus.tag).exists():
            budget.create_budget(scope=Budget.Scope.CORPUS, key=corpus.tag, cap_cents=CAP_CENTS, by=by)
        worker = WorkerIdentity.objects.get(user__email=WORKER, provider=MARKETPLACE)
        skill = lessons.skill_of(HitBatch(corpus=corpus, kind=name))
        qualifying.qualify(provider=MARKETPLACE, worker_id=worker.worker_id, skill=skill, now=now)
        if HitBatch.objects.filter(corpus=corpus).exists():
            return
        waits = Question.objects.filter(document=OuterRef("pk"), kind=kind, state=Question.State.OPEN)
        documents = Document.objects.filter(Exists(waits), corpus=corpus).order_by("pk")[:DOCUMENTS]
        questions = Question.objects.filter(document__in=[document.pk for document in documents])
        terms = BatchTerms(corpus=corpus, kind=name, provider=MARKETPLACE)
        posting.open_batch(terms, by=by, now=now, questions=questions)
