"""What simulated people say of an answer. Pure."""

import re
from random import Random

from annotations.kinds.correctness import NEITHER, RIGHT, WRONG, CorrectnessQuestion
from annotations.texts.records import AnnotationRecord
from kbpo_formats.spans import Span

_VERDICTS = (RIGHT, NEITHER, WRONG)


def right(asked: CorrectnessQuestion, gold: AnnotationRecord) -> dict[str, object]:
    """Return the right answer: what gold says of this one; else that passages show it in which it stands."""
    if (judged := gold.judgements.get(asked.answer)) is not None:
        return asked.read_answer(judged)
    if not asked.answer.strip():
        return asked.judgement(False)
    found = [_find(asked, span) for span in asked.passages]
    return asked.judgement(True, [(NEITHER, None) if span is None else (RIGHT, span) for span in found])


def given(asked: CorrectnessQuestion, gold: AnnotationRecord, error: float, rng: Random) -> dict[str, object]:
    """Return the right answer, or with the probability of an error another.

    Then what is plausible is not, or one passage is taken for something else, by its first words.
    """
    found = right(asked, gold)
    if rng.random() >= error or not asked.passages:
        return found
    if found["plausible"] and rng.random() < 0.5:
        return asked.judgement(False)
    listed = found["passages"] if found["plausible"] else []
    assert isinstance(listed, list)
    passages = [(one["verdict"], None if one["span"] is None else Span(*one["span"])) for one in listed] or [
        (NEITHER, None)
    ] * len(asked.passages)
    place = rng.randrange(len(passages))
    verdict = rng.choice([one for one in _VERDICTS if one != passages[place][0]])
    passages[place] = (verdict, None if verdict == NEITHER else _first_words(asked, asked.passages[place]))
    return asked.judgement(True, passages)


def _find(asked: CorrectnessQuestion, within: Span) -> Span | None:
    assert asked.passage is not None, "the document is read with the question"
    words = r"\s+".join(re.escape(word) for word in asked.answer.strip(" .").split())
    found = re.compile(words, re.IGNORECASE).search(asked.passage.text, within.start, within.end)
    return Span(found.start(), found.end()) if found and words else None


def _first_words(asked: CorrectnessQuestion, within: Span) -> Span:
    assert asked.passage is not None, "the document is read with the question"
    text = asked.passage.text[within.start : within.end]
    found = re.match(r"\s*(\S+(?:\s+\S+){0,4})", text)
    return within if found is None else Span(within.start + found.start(1), within.start + found.end(1))
