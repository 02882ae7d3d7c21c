"""Look again at the questions of batches: which are settled, and as what."""

from collections.abc import Iterator

from django.db.models import F

from annotations import checking
from annotations.models import Question
from evaluation.models import Epoch, SampleBatch, SampledUnit
from evaluation.task import Task


def audit(epoch: Epoch, task: Task) -> Iterator[str]:
    """Yield what differs between an epoch's questions, what was answered, and what estimates take for it."""
    asked: dict[int, int] = {}
    pairs = SampleBatch.questions.through.objects.filter(samplebatch__epoch=epoch)
    for question_id, number in pairs.values_list("question_id", "samplebatch__number"):
        asked[question_id] = min(number, asked.get(question_id, number))
    for batch in epoch.batches.filter(labelled_at__isnull=False).order_by("number"):
        waiting = batch.questions.exclude(state=Question.State.SETTLED).count()
        if waiting:
            yield f"batch {batch.number}: it counts as labelled, and {waiting} of its questions are not"
    elsewhere = SampledUnit.objects.filter(batch__epoch=epoch).exclude(epoch=F("batch__epoch"))
    for batch_number in sorted(elsewhere.values_list("batch__number", flat=True)):
        yield f"batch {batch_number}: a sampled unit is taken for one of another epoch"
    for what, question_ids in checking.changed_questions(asked).items():
        first = min(asked[pk] for pk in question_ids)
        yield f"batch {first}: {len(question_ids)} of its questions, and of later batches, {what}"
