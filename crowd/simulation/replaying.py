"""A crowd that says again what people said elsewhere, through the code that takes a person's answer.

Of the judgements of an output one is drawn for each vote, with replacement, by seed and question alone.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotations import labels
from annotations.kinds.registry import Asked, read_asked
from annotations.models import Corpus, Question, Response
from annotations.responses import Answer, record_many
from crowd.simulation.simulated_crowd import (
    BATCH,
    DOMAIN,
    SimulationReport,
    in_batches,
    person,
    rng_of,
    waiting,
)
from kbpo.accounts.models import User

Said = tuple[str, dict[str, Any], float | None]
"""Who said what, and how many seconds that took."""
Recorded = Callable[[Mapping[Question, Asked]], Mapping[int, Sequence[Said]]]
"""Returns by question what was said of its output; refuses one of which nothing was."""


def replay(*, corpus: Corpus, recorded: Recorded, seed: int = 0) -> SimulationReport:
    """Answer every open question of a corpus as somebody did elsewhere, and settle them.

    Whoever is drawn again for the same question answers as another person.

    Parameters
    ----------
    corpus : Corpus
    recorded : callable
    seed : int

    Raises
    ------
    InvalidInput
        If nobody said anything of an output that is asked about.
    """
    answered: set[int] = set()
    answers = 0
    while True:
        given = 0
        for batch in in_batches(waiting(corpus, Question.State.OPEN)):
            votes = _votes(corpus, batch, recorded, seed)
            record_many(answers=votes)
            answered |= {vote.question.pk for vote in votes}
            given += len(votes)
        answers += given
        if not labels.settle_questions(BATCH, wait=True) + given:
            return SimulationReport(len(answered), answers, 0)


def _votes(corpus: Corpus, batch: Sequence[Question], recorded: Recorded, seed: int) -> list[Answer]:
    asked = read_asked(batch)
    said = recorded({question: asked[question.pk] for question in batch})
    there: dict[int, int] = defaultdict(int)
    valid: dict[int, int] = defaultdict(int)
    for response in Response.objects.filter(question__in=batch).defer("answer"):
        there[response.question_id] += 1
        valid[response.question_id] += response.is_valid and not response.is_expert
    drawn: list[tuple[Question, str, Said]] = []
    for question in batch:
        first = there[question.pk]
        missing = max(0, question.votes_needed - valid[question.pk])
        before = [_draw(question, place, said, seed)[0] for place in range(first)]
        for place in range(first, first + missing):
            one = _draw(question, place, said, seed)
            times = before.count(one[0])
            before.append(one[0])
            drawn.append((question, _address(corpus, one[0], times), one))
    people = _people({address for _, address, _ in drawn})
    return [
        Answer(question=question, worker=people[address], answer=answer, seconds=seconds, is_recorded=True)
        for question, address, (_, answer, seconds) in drawn
    ]


def _draw(question: Question, place: int, said: Mapping[int, Sequence[Said]], seed: int) -> Said:
    return rng_of(seed, question, f"recorded {place}").choice(said[question.pk])


def _address(corpus: Corpus, worker: str, times: int) -> str:
    digest = hashlib.sha256(f"{corpus.tag}|{worker}|{times}".encode()).hexdigest()
    return f"crowd-{digest[:20]}@{DOMAIN}"


def _people(addresses: set[str]) -> dict[str, User]:
    ordered = sorted(addresses)
    User.objects.bulk_create(
        (person(address, name=f"Simulated {address[:14]}", is_annotator=True) for address in ordered),
        ignore_conflicts=True,
    )
    return User.objects.in_bulk(ordered, field_name="email")
