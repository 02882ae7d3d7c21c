from io import StringIO
from typing import Any

from django.core.management import call_command
from django.db.models import Exists, OuterRef
from django.utils import timezone

from annotations.models import Corpus, Document, Question
from crowd import budget, posting, qualifying
from crowd.interfaces import relation
from crowd.models import Budget, HitBatch
from crowd.models.qualification import Skill
from crowd.pricing.terms import BatchTerms
from crowd.providers import registry
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core.commands import Command as BaseCommand
from kbpo.core.errors import UsageError
from kbpo.management.commands.load_demo import TAG

OPERATOR, WORKER = "operator@demo.example", "worker@demo.example"
MARKETPLACE = WorkerIdentity.Provider.MARKETPLACE
DOCUMENTS = 4
CAP_CENTS = 50_00


class Command(BaseCommand):
    help = (
        "Put work for the demo's worker into the marketplace: a budget, a small batch, and what the tutorial"
        " grants. Run load_demo first; running it again is harmless."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if MARKETPLACE not in registry.configured():
            raise UsageError("the marketplace's keys are not set: marketplace_key makes some")
        corpus, by = Corpus.objects.get(tag=TAG), User.objects.get(email=OPERATOR)
        now = timezone.now()
        if not Budget.objects.filter(scope=Budget.Scope.CORPUS, key=TAG).exists():
            budget.create_budget(scope=Budget.Scope.CORPUS, key=TAG, cap_cents=CAP_CENTS, by=by)
        call_command("marketplace_worker", WORKER, stdout=StringIO())
        worker = WorkerIdentity.objects.get(user__email=WORKER, provider=MARKETPLACE)
        qualifying.qualify(
            provider=MARKETPLACE,
            worker_id=worker.worker_id,
            skill=Skill(relation.NAME, corpus.ontology_id),
            now=now,
        )
        if HitBatch.objects.filter(corpus=corpus).exists():
            return
        waits = Question.objects.filter(
            document=OuterRef("pk"), kind=relation.RELATION, state=Question.State.OPEN
        )
        documents = Document.objects.filter(Exists(waits), corpus=corpus).order_by("pk")[:DOCUMENTS]
        questions = Question.objects.filter(document__in=[document.pk for document in documents])
        terms = BatchTerms(corpus=corpus, kind=relation.NAME, provider=MARKETPLACE)
        posting.open_batch(terms, by=by, now=now, questions=questions)
