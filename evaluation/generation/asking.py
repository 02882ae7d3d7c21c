"""What is asked about an output under each prompt: the one place that knows the kinds of these questions."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from annotations import prompts
from annotations.kinds.correctness import CorrectnessQuestion
from annotations.kinds.quality import RATINGS, QualityQuestion
from annotations.models import Corpus, Input
from annotations.texts.inputs import ANSWER, QUALITY
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span

Asked = QualityQuestion | CorrectnessQuestion


@dataclass(frozen=True, slots=True)
class Asking:
    """What is asked under one prompt.

    Attributes
    ----------
    name : str
        The prompt's.
    kind : str
        Of the question.
    field : str
        Of its payload: the text that is judged.
    about : callable
        Makes what is asked of an input and a text.
    stored : callable
        From what is asked and what a recorded judgement says to an answer as it is stored; refuses one that
        does not fit.
    """

    name: str
    kind: str
    field: str
    about: Callable[[Input, str], Asked]
    stored: Callable[[Any, Mapping[str, Any]], dict[str, Any]]


def _is_right(given: Input, text: str) -> CorrectnessQuestion:
    passages = tuple(Span(*one) for one in given.passages)
    return CorrectnessQuestion(text, Span(*(given.question or (0, 0))), passages)


def _rated(asked: QualityQuestion, said: Mapping[str, Any]) -> dict[str, Any]:
    return asked.judgement({name: said[name] for name in RATINGS}, said["edit"], said["hter"])


def _verified(asked: CorrectnessQuestion, said: Mapping[str, Any]) -> dict[str, Any]:
    verdicts, passages = said["passages"], len(asked.passages)
    if said["plausible"] and len(verdicts) != passages:
        raise InvalidInput(f"{len(verdicts)} passages have a verdict; the input has {passages}")
    return asked.judgement(said["plausible"], [(verdict, None) for verdict in verdicts])


ASKING: Mapping[str, Asking] = MappingProxyType(
    {
        QUALITY: Asking(
            QUALITY, QualityQuestion.kind, "text", lambda given, text: QualityQuestion(text), _rated
        ),
        ANSWER: Asking(ANSWER, CorrectnessQuestion.kind, "answer", _is_right, _verified),
    }
)


def asking_of(corpus: Corpus) -> Asking:
    """Return what is asked about the outputs of a corpus.

    Raises
    ------
    InvalidInput
        If it has none.
    """
    prompt = prompts.prompt_of(corpus)
    if prompt is None:
        raise InvalidInput(f"{corpus.tag} has no outputs that could be judged", where="corpus")
    return ASKING[prompt.name]


def asked_of(corpus: Corpus, outputs: Collection[tuple[int, str]]) -> list[Asked]:
    """Return what is asked about outputs: row ids of inputs, and texts."""
    about = asking_of(corpus).about
    given = Input.objects.in_bulk({document for document, _ in outputs})
    return [about(given[document], text) for document, text in outputs]
