"""How many words documents have, and how many stand around what a question marks."""

from collections.abc import Iterable, Mapping

from django.db.models import IntegerField, Q, Sum
from django.db.models.expressions import Func

from annotations.models import Question, Sentence
from kbpo_formats.spans import Span

_SIZE = Func("token_starts", function="cardinality", output_field=IntegerField())


def count_tokens(documents: Iterable[int]) -> dict[int, int]:
    """Count the tokens of documents; those without sentences are left out."""
    rows = Sentence.objects.filter(document__in=list(documents)).order_by().values("document")
    return dict(rows.annotate(tokens=Sum(_SIZE)).values_list("document", "tokens"))


def of_documents(questions: Iterable[int]) -> dict[int, int]:
    """Count the tokens of the documents that questions are about, by the questions' ids."""
    documents = dict(Question.objects.filter(pk__in=list(questions)).values_list("pk", "document"))
    tokens = count_tokens(set(documents.values()))
    return {pk: tokens[document] for pk, document in documents.items() if document in tokens}


def count_around(spans: Mapping[int, Iterable[Span]]) -> int:
    """Count the tokens of the sentences that spans touch, each sentence once; spans by their document."""
    touched = Q(pk__in=[])
    for document, found in spans.items():
        for span in set(found):
            touched |= Q(document=document, start__lt=span.end, end__gt=span.start)
    total: int = Sentence.objects.filter(touched).aggregate(tokens=Sum(_SIZE, default=0))["tokens"]
    return total
