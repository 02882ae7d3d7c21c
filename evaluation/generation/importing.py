"""Judgements that were recorded elsewhere: brought in as a released epoch, or said again."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from annotations import labels, questions
from annotations.kinds.kind import Content, StoredAnswer
from annotations.models import Corpus, Document, Question, Response
from annotations.responses import Answer, record_many
from annotations.texts import jsonlines
from annotations.texts.records import read_id, read_text
from evaluation.design import recorded as recording
from evaluation.generation.asking import Asked, asked_of, asking_of
from evaluation.generation.recorded import Collected, Recorded, read_recorded
from evaluation.models import Epoch, Output, SampledUnit
from evaluation.task import Task
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput
from kbpo_formats.generation.outputs import tidy
from kbpo_formats.generation.problems import LONGEST_OUTPUT

BATCH = 500
DOMAIN = "recorded.invalid"

Outputs = Mapping[str, Mapping[str, str]]
"""By system and input, what it wrote."""
_Place = tuple[int, Asked]  # the row id of an input, and what is asked about an output
_Answered = tuple[str, dict[str, Any], float | None]  # who said what, and in how many seconds


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did.

    Attributes
    ----------
    judgements, outputs, workers : int
        In the file.
    created : int
        Judgements that were not there.
    epoch : Epoch or None
        That was released with them; None where all were there.
    """

    judgements: int
    outputs: int
    workers: int
    created: int
    epoch: Epoch | None


def read_outputs(path: Path | str) -> dict[str, str]:
    """Read what one system wrote: `input_id` and `output` a line.

    Raises
    ------
    InvalidInput
        Naming the line.
    """
    found: dict[str, str] = {}
    for number, value in jsonlines.read(path):
        where = jsonlines.place(path, number)
        input_id = read_id(value, where, "input_id")
        if value.get("output") is None:
            raise InvalidInput("the output is missing; it must be a text", where=where)
        output = read_text(value, "output", where)
        if len(output) > LONGEST_OUTPUT:
            raise InvalidInput(
                f"the output has {len(output):,} characters; {LONGEST_OUTPUT:,} are the most that is judged",
                where=where,
            )
        if input_id in found:
            raise InvalidInput(f"input {input_id} is there twice", where=where)
        found[input_id] = tidy(output)
    return found


@transaction.atomic
def import_judgements(
    *, path: Path | str, corpus: Corpus, task: Task, outputs: Outputs, by: User | None = None
) -> ImportReport:
    """Bring in recorded judgements as an epoch that is released; all of a file or nothing.

    The same file again changes nothing.

    Parameters
    ----------
    path : path-like
        What `evaluation.generation.recorded.read_recorded` reads.
    corpus : Corpus
    task : Task
        The corpus'.
    outputs : mapping of str to mapping of str to str
        By system and input, what it wrote.
    by : User, optional

    Raises
    ------
    InvalidInput
        `Faulty`, with whatever is wrong with the file, by line.
    Conflict
        If anything of the corpus was sampled, or an output has other judgements already.
    """
    task.check_corpus(corpus)
    given = _answers(path, corpus, _read(path, corpus, outputs))
    found = questions.ask(list(given), {place: len(said) for place, said in given.items()})
    people = _people(corpus, sorted({worker for said in given.values() for worker, _, _ in said}))
    answers = [
        Answer(question=question, worker=people[worker], answer=answer, seconds=seconds, is_recorded=True)
        for place, question in found.items()
        for worker, answer, seconds in given[place]
    ]
    new = _not_there(answers, {question.pk: len(given[place]) for place, question in found.items()})
    report = ImportReport(len(answers), len(found), len(people), len(new), None)
    if not new:
        return report
    recording.refuse_sampled(corpus)
    for first in range(0, len(new), BATCH):
        record_many(answers=new[first : first + BATCH])
    asked = {answer.question.pk for answer in new}
    while Question.objects.filter(pk__in=asked, state=Question.State.OPEN).exists():
        if not labels.settle_questions(BATCH, wait=True):
            raise Conflict("some of these outputs wait for an expert: they were asked about in another way")
    epoch = recording.release_recorded(corpus=corpus, task=task, questions=asked, by=by)
    return ImportReport(report.judgements, report.outputs, report.workers, report.created, epoch)


def _read(path: Path | str, corpus: Corpus, outputs: Outputs) -> list[tuple[Recorded, str]]:
    """Return the judgements with the text that each is about; all faults are said."""
    inputs = set(Document.objects.filter(corpus=corpus).values_list("doc_id", flat=True))
    faults, found = Collected(path), []
    seen: dict[tuple[str, str, str], int] = {}
    told: set[str] = set()  # systems whose outputs are missing: said once, not on each of their lines
    for one in read_recorded(path, asking_of(corpus).name):
        texts = {outputs[name][one.input_id] for name in one.systems if one.input_id in outputs.get(name, {})}
        unknown = [name for name in one.systems if name not in outputs]
        silent = [name for name in one.systems if name in outputs and one.input_id not in outputs[name]]
        if one.input_id not in inputs:
            faults.add(one.line, f"there is no input {one.input_id} in {corpus.tag}")
        elif unknown:
            if not told.issuperset(unknown):
                faults.add(one.line, f"nothing is known of what {', '.join(unknown)} wrote: name its outputs")
            told.update(unknown)
        elif silent:
            faults.add(one.line, f"{', '.join(silent)} wrote nothing for the input {one.input_id}")
        elif len(texts) > 1:
            faults.add(one.line, f"{', '.join(one.systems)} wrote different texts for {one.input_id}")
        else:
            (text,) = texts
            first = seen.setdefault((one.input_id, text, one.worker), one.line)
            if first != one.line:
                faults.add(one.line, f"worker {one.worker} judged that output on line {first} already")
            found.append((one, text))
    faults.refuse()
    return found


def _answers(
    path: Path | str, corpus: Corpus, given: Sequence[tuple[Recorded, str]]
) -> dict[_Place, list[_Answered]]:
    """Return what is asked about each output, with what was answered; all that does not fit is said."""
    ids = dict(Document.objects.filter(corpus=corpus).values_list("doc_id", "pk"))
    asking = asking_of(corpus)
    asked = asked_of(corpus, [(ids[one.input_id], text) for one, text in given])
    found: dict[_Place, list[_Answered]] = defaultdict(list)
    faults = Collected(path)
    for (one, _), content in zip(given, asked, strict=True):
        try:
            answer = asking.stored(content, one.said)
        except InvalidInput as error:
            faults.add(one.line, str(error))
        else:
            found[ids[one.input_id], content].append((one.worker, answer, one.seconds))
    faults.refuse()
    return found


def _not_there(answers: Sequence[Answer], votes: Mapping[int, int]) -> list[Answer]:
    """Return the answers that are not stored; refuse where an output has others."""
    stored: dict[int, dict[int, StoredAnswer]] = defaultdict(dict)
    rows = Response.objects.filter(question__in=votes)
    for question, worker, answer in rows.values_list("question", "worker", "answer"):
        stored[question][worker] = answer
    new = []
    for one in answers:
        there = stored.get(one.question.pk)
        if there is None:
            new.append(one)
        elif there.get(one.worker.pk) != one.answer or len(there) != votes[one.question.pk]:
            raise Conflict(
                f"an output for the input {one.question.document.doc_id} is judged already, in another way;"
                " what is judged never changes"
            )
    return new


def _people(corpus: Corpus, workers: Sequence[str]) -> dict[str, User]:
    """Return who judged, made where they are not there: nobody can sign in as them."""
    addresses = {worker: _address(corpus, worker) for worker in workers}
    made = []
    for number, worker in enumerate(workers, 1):
        person = User(
            email=addresses[worker], name=f"Recorded worker {number}", is_annotator=True, is_active=False
        )
        person.set_unusable_password()
        made.append(person)
    User.objects.bulk_create(made, ignore_conflicts=True)
    people = User.objects.in_bulk(list(addresses.values()), field_name="email")
    return {worker: people[address] for worker, address in addresses.items()}


def _address(corpus: Corpus, worker: str) -> str:
    digest = hashlib.sha256(f"{corpus.tag}|{worker}".encode()).hexdigest()
    return f"worker-{digest[:20]}@{DOMAIN}"


class Replayed:
    """What people said elsewhere of the outputs of a corpus, to be said again.

    Parameters
    ----------
    path : path-like
        What `read_recorded` reads; its systems are named as submissions of the corpus.
    corpus : Corpus

    Raises
    ------
    InvalidInput
        If the file is wrong, by line.
    """

    def __init__(self, path: Path | str, corpus: Corpus) -> None:
        self._asking = asking_of(corpus)
        self._said: dict[tuple[str, str], list[Recorded]] = defaultdict(list)
        for one in read_recorded(path, asking_of(corpus).name):
            for system in one.systems:
                self._said[one.input_id, system].append(one)

    def of(
        self, asked: Mapping[Question, Content]
    ) -> dict[int, list[tuple[str, dict[str, Any], float | None]]]:
        """Return by question who said what, and how long that took.

        Raises
        ------
        InvalidInput
            If nobody said anything of an output.
        """
        ids = [question.pk for question in asked]
        units = dict(SampledUnit.objects.filter(question__in=ids).values_list("question", "unit"))
        names: dict[int, list[str]] = defaultdict(list)
        wrote = Output.objects.filter(unit__in=units.values()).order_by("submission")
        for unit, name in wrote.values_list("unit", "submission__name"):
            names[unit].append(name)
        found = {}
        for question, content in asked.items():
            doc_id, systems = question.document.doc_id, names[units.get(question.pk, 0)]
            said = next((self._said[doc_id, one] for one in systems if (doc_id, one) in self._said), None)
            if said is None:
                raise InvalidInput(
                    f"nobody judged what {' or '.join(systems) or 'a system'} wrote for the input {doc_id}",
                    where="judgements",
                )
            stored = self._asking.stored
            found[question.pk] = [(one.worker, stored(content, one.said), one.seconds) for one in said]
        return found
