"""What annotators are asked on the page of a relation question: more about its sentence and its mentions."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from annotations.kinds.registry import read_question
from annotations.kinds.relation import RelationQuestion
from annotations.models import Question, Sentence
from crowd.interfaces.relation import CANONICAL, RELATION
from kbpo_formats.spans import Span

PAIRS_AT_ONCE = 12  # of a sentence, on one page


def companions(question: Question) -> QuerySet[Question]:
    """Select what may be asked on the page of a relation question: about its sentence and its mentions."""
    asked = read_question(question.kind, question.payload)
    if not isinstance(asked, RelationQuestion):
        return Question.objects.none()
    questions = Question.objects.filter(document=question.document_id).exclude(pk=question.pk)
    first, second = asked.spans
    sentence = Sentence.objects.filter(
        document=question.document_id,
        start__lte=min(first.start, second.start),
        end__gte=max(first.end, second.end),
    ).first()
    pairs = Question.objects.none()
    if sentence is not None:
        pairs = questions.filter(
            kind=RELATION,
            payload__mentions__0__start__gte=sentence.start,
            payload__mentions__0__end__lte=sentence.end,
            payload__mentions__1__end__lte=sentence.end,
        )
    spans = set(asked.spans)
    for payload in pairs.exclude(state=Question.State.SETTLED).values_list("payload", flat=True):
        spans.update(Span(item["start"], item["end"]) for item in payload["mentions"])
    either = Q()
    for span in sorted(spans):
        either |= Q(payload__mention=span._asdict())
    return questions.filter(Q(either, kind=CANONICAL) | Q(pk__in=pairs.values("pk")))


def choose(question: Question, free: Sequence[Question]) -> list[Question]:
    """Return some of the pairs that are free, and the free canonical questions about their mentions."""
    pairs = [one for one in free if one.kind == RELATION][: PAIRS_AT_ONCE - 1]
    spans = [item for one in (question, *pairs) for item in _mentions(one)]
    return [*pairs, *(one for one in free if one.payload.get("mention") in spans)]


def _mentions(question: Question) -> list[dict[str, int]]:
    return [{"start": item["start"], "end": item["end"]} for item in question.payload.get("mentions", ())]
