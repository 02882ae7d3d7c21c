"""What people said of the sampled outputs of a pool, judgement by judgement."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from annotations.kinds.registry import find_kind
from annotations.models import Label, Question, Response
from evaluation.units import Pool
from kbpo.core.database.bulk import read_rows
from kbpo_estimators.generation import Judgements
from kbpo_estimators.judging.sampled import numbered

CHUNK = 5_000
"""Questions whose answers are in memory at a time."""
_Said = tuple[int, Mapping[str, float]]  # who, and of each measure what
_NOBODY = 0


def read_judgements(pool: Pool, measures: Sequence[str]) -> Judgements:
    """Read the judgements of a pool's sample.

    An expert's answer stands for all of its question. What has no answer that counts has the value of its
    labels: 0 where its input was removed before anybody judged it.

    Parameters
    ----------
    pool : Pool
    measures : sequence of str
        Claims of its corpus' questions.
    """
    units, workers, said = [], [], []
    for position, answers in answers_of_sample(pool):
        for worker, values in answers:
            units.append(position)
            workers.append(worker)
            said.append([values[name] for name in measures])
    found = np.array(said, dtype=np.float64).reshape(-1, len(measures))
    return Judgements(
        np.array(units, dtype=np.int64),
        numbered(np.array(workers, dtype=np.int64)),
        {name: found[:, number] for number, name in enumerate(measures)},
    )


def answers_of_sample(pool: Pool) -> Iterator[tuple[int, Sequence[_Said]]]:
    """Yield each sampled unit's position in the pool, ascending, with what people said of it."""
    rows = read_rows(
        "SELECT sampled.question_id, sampled.unit_id FROM evaluation_sampledunit AS sampled"
        " JOIN evaluation_samplebatch AS batch ON batch.id = sampled.batch_id"
        " WHERE sampled.epoch_id = %s AND batch.number <= %s",
        [pool.epoch.pk, len(pool.batches)],
    )
    positions = pool.positions(np.array([unit for _, unit in rows], dtype=np.int64)).tolist()
    asked = sorted(zip(positions, (question for question, _ in rows), strict=True))
    for first in range(0, len(asked), CHUNK):
        some = asked[first : first + CHUNK]
        given = read_answers([question for _, question in some])
        for position, question in some:
            yield position, given[question]


def read_answers(questions: Collection[int]) -> Mapping[int, Sequence[_Said]]:
    """Return by question who said what; the answers of one in the order in which they came.

    An expert's answer stands for all of its question, labels for what nobody answered.
    """
    contents = {
        pk: find_kind(kind).read(payload)
        for pk, kind, payload in Question.objects.filter(pk__in=questions).values_list(
            "pk", "kind", "payload"
        )
    }
    found: dict[int, list[_Said]] = defaultdict(list)
    by_experts: dict[int, list[_Said]] = {}
    answers = Response.objects.filter(question__in=questions, is_valid=True).order_by("pk")
    for pk, worker, answer, is_expert in answers.values_list("question", "worker", "answer", "is_expert"):
        one = worker, contents[pk].values(answer)
        if is_expert:
            by_experts[pk] = [one]
        else:
            found[pk].append(one)
    found |= by_experts
    unanswered = contents.keys() - found.keys()
    if unanswered:
        of_labels: dict[int, dict[str, float]] = defaultdict(dict)
        labels = Label.objects.filter(question__in=unanswered)
        for pk, claim, value in labels.values_list("question", "claim", "value"):
            of_labels[pk][claim] = value
        found.update({pk: [(_NOBODY, values)] for pk, values in of_labels.items()})
    return found
