"""What is kept about a person here: their answers, which stay when they go."""

from collections.abc import Mapping
from datetime import UTC

from django.db.models import CharField, Value
from django.db.models.functions import MD5, Cast, Concat, Trunc
from django.utils.crypto import salted_hmac

from annotations.models import AcceptedAgreement, AcceptedTerms, CorpusMaker, CorpusRole, Response
from kbpo.accounts.models import User
from kbpo.accounts.personal.parts import Leaving, Part, Rows

AT_ONCE = 500  # rows that are in memory


def _export(user: User) -> Mapping[str, Rows]:
    # Not which of them count: that would say what was asked only to learn of the worker. Nor in the order of
    # their keys, which are given by question, nor to the millisecond: the oldest question of a HIT is that.
    secret = salted_hmac("annotations.personal", str(user.pk)).hexdigest()
    answers = (
        Response.objects.filter(worker=user)
        .annotate(
            answered=Trunc("answered_at", "minute", tzinfo=UTC),
            mixed=MD5(Concat(Cast("pk", CharField()), Value(secret))),
        )
        .order_by("answered", "mixed")
    )
    fields = ("question__document__corpus__tag", "question__document__doc_id", "question__kind")
    return {
        "roles": CorpusRole.objects.filter(user=user).values("corpus__tag", "role", "given_at"),
        "agreements": AcceptedAgreement.objects.filter(accepted_by=user).values(
            "agreement__corpus__tag", "agreement__version", "team__name", "accepted_at"
        ),
        "terms": AcceptedTerms.objects.filter(accepted_by=user).values(
            "terms__corpus__tag", "terms__version", "team__name", "accepted_at"
        ),
        "answers": answers.values(*fields, "answer", "seconds", "is_expert", "answered").iterator(
            chunk_size=AT_ONCE
        ),
    }


def _forget(leaving: Leaving) -> None:
    for kept in (CorpusRole, CorpusMaker):
        kept.objects.filter(user=leaving.user).delete()


PART = Part("answers", _export, _forget)
