"""What is asked of the outputs of a data set, given once; and its inputs."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from annotations.models import Corpus, Input, Prompt
from annotations.texts.inputs import InputRecord, PromptRecord
from kbpo.core.errors import Conflict
from kbpo_formats.spans import Span


def prompt_of(corpus: Corpus) -> Prompt | None:
    """Return what is asked of a corpus' outputs; None where it is of another task."""
    return Prompt.objects.filter(corpus=corpus).first() if corpus.pk else None


@transaction.atomic
def give_prompt(*, corpus: Corpus, record: PromptRecord | None) -> Prompt | None:
    """Store what is asked of a new corpus' outputs, and return it; a corpus that is there keeps its own.

    Raises
    ------
    Conflict
        If the corpus is there, and something else is asked, declared or planned.
    """
    found = prompt_of(corpus)
    if record is None:
        return found
    if found is None:
        if corpus.documents.exists():
            raise Conflict(f"the corpus {corpus.tag} is there already, and its texts are no inputs")
        values = {"name": record.name, "metric": record.metric, "planning": _plain(record.planning)}
        return Prompt.objects.create(corpus=corpus, **values)
    for field, value in (
        ("prompt", (record.name, found.name)),
        ("metric", (record.metric, found.metric)),
        ("planning", (_plain(record.planning), found.planning)),
    ):
        if value[0] and value[0] != value[1]:
            raise Conflict(
                f"the corpus {corpus.tag} is there already, and its {field} is {value[1]!r}, not {value[0]!r}"
            )
    return found


def _plain(planning: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    return {measure: dict(values) for measure, values in planning.items()}


def row_of(record: InputRecord) -> tuple[list[int] | None, list[list[int]], list[str], str]:
    """Return what is stored of an input beside its document."""
    question = None if record.question is None else list(record.question)
    return question, [list(one) for one in record.passages], list(record.references), record.digest


def read_record(given: Input) -> InputRecord:
    """Return a stored input as it was submitted, with its document's text as that is now."""
    question = None if given.question is None else Span(*given.question)
    passages = tuple(Span(*one) for one in given.passages)
    document = given.document
    return InputRecord(document.doc_id, document.text, question, passages, tuple(given.references))


def as_line(given: Input) -> dict[str, Any]:
    """Return an input as a line of a file has it, which `load_corpus` reads."""
    record = read_record(given)

    def text(span: Span) -> str:
        return record.text[span.start : span.end]

    return {
        "input_id": record.doc_id,
        "question": None if record.question is None else text(record.question),
        "passages": [text(span) for span in record.passages],
        "references": list(record.references),
    }


def changed_inputs(corpus: Corpus) -> list[str]:
    """Return the ids of inputs that do not say what their digests do; of removed ones nobody knows."""
    rows = Input.objects.filter(document__corpus=corpus, document__takedown=None).select_related("document")
    return [
        one.document.doc_id
        for one in rows.order_by("pk").iterator(chunk_size=2000)
        if read_record(one).digest != one.digest
    ]
