"""The page of the correctness interface, an answer with its passages, and what its form says. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from annotations.kinds.correctness import NEITHER, RIGHT, WRONG, CorrectnessQuestion
from annotations.texts.passages import Passage
from crowd.interfaces.steps import Evidence, Fact, Page, Part, Step, StepOpen, Word, choices, field_name
from kbpo.core.errors import InvalidInput
from kbpo.core.showable import restored, visible
from kbpo_formats.spans import Span

YES, NO = "yes", "no"
VERDICTS: Mapping[str, int] = {"right": RIGHT, "wrong": WRONG, "neither": NEITHER}

_PLAUSIBLE_ASKS = "Could this be an answer to the question?"
_PLAUSIBLE_HINT = "Whether it is true does not matter yet, nor how well it is written."
_PLAUSIBLE = {YES: "Yes: it answers what was asked", NO: "No: it answers something else, or makes no sense"}
_PLAUSIBLE_MISSING = "Say whether it could be an answer."
_VERDICT_HINT = "Go by this passage alone, not by what you know, or by the other passages."
_VERDICT_WORDS = {
    "right": "It shows that the answer is right",
    "wrong": "It shows that the answer is wrong",
    "neither": "It does not help",
}
_VERDICT_MISSING = "Say what the passage shows."
_STATEMENTS = {
    "right": "“{words}”: this shows that “%s” is a right answer to “%s”.",
    "wrong": "“{words}”: this shows that “%s” is a wrong answer to “%s”.",
}
_MARKED = re.compile(r"([0-9]{1,6})-([0-9]{1,6})", re.ASCII)


def build_page(
    question_id: int,
    asked: CorrectnessQuestion,
    posted: Mapping[str, Sequence[str]],
    votes: Mapping[str, Mapping[str, int]] | None = None,
    *,
    asks_plausible: bool = True,
) -> Page:
    """Make the page of a question; parameters as those of the other interfaces' pages.

    Parameters
    ----------
    question_id : int
        What the page calls it.
    asked : CorrectnessQuestion
        With its passage.
    posted : mapping of str to sequence of str
        What has been chosen, highlighted and confirmed, by form field.
    votes : mapping of str to mapping of str to int, optional
        For an expert: of each step, how many chose each value.
    asks_plausible : bool
        Whether it is asked first if the answer is plausible.
    """
    prefix = field_name(question_id)
    question, answer = visible(_text(asked, asked.question)), visible(asked.answer)
    first = _choice_step(
        f"{prefix}-plausible",
        _PLAUSIBLE_ASKS,
        _PLAUSIBLE_HINT,
        _PLAUSIBLE_MISSING,
        _PLAUSIBLE,
        "yn",
        posted,
        None if votes is None else votes.get("plausible", {}),
    )
    steps = [first] if asks_plausible else []
    for number, span in enumerate(asked.passages, 1):
        name = passage_name(question_id, number)
        steps.append(
            _choice_step(
                name,
                f"Passage {number} of {len(asked.passages)}: what does it show?"
                if len(asked.passages) > 1
                else "What does the passage show?",
                _VERDICT_HINT,
                _VERDICT_MISSING,
                _VERDICT_WORDS,
                "123",
                posted,
                None if votes is None else votes.get(str(number), {}),
                evidence=_evidence(name, asked, span, question, answer, posted),
                unless=f"{first.name} {NO}" if asks_plausible else "",
            )
        )
    facts = (Fact("Question", question), Fact("Answer", answer or "(The answer is empty.)"))
    return Page((), tuple(steps), facts=facts)


def read_answer(
    question_id: int, asked: CorrectnessQuestion, posted: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Turn a form into an answer in its normal form.

    Raises
    ------
    StepOpen
        If something is missing or wrong; names the step.
    """
    if not read_plausible(question_id, posted):
        return asked.read_answer({"plausible": False, "passages": []})
    return read_passages(question_id, asked, posted)


def read_plausible(question_id: int, posted: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a form calls the answer plausible; `StepOpen` if it does not say."""
    field = f"{field_name(question_id)}-plausible"
    values = posted.get(field, ())
    if len(values) != 1 or values[0] not in _PLAUSIBLE:
        raise StepOpen(_PLAUSIBLE_MISSING, step=field)
    return values[0] == YES


def read_passages(
    question_id: int, asked: CorrectnessQuestion, posted: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Turn what a form says of the passages into an answer that is plausible; `StepOpen` at the first gap."""
    found = []
    for number, span in enumerate(asked.passages, 1):
        name = passage_name(question_id, number)
        verdict = _one(posted, name)
        if verdict not in VERDICTS:
            raise StepOpen(_VERDICT_MISSING, step=name)
        marked = None if VERDICTS[verdict] == NEITHER else _read_evidence(name, asked, span, posted)
        found.append({"verdict": VERDICTS[verdict], "span": None if marked is None else list(marked)})
    try:
        return asked.read_answer({"plausible": True, "passages": found})
    except InvalidInput as error:
        raise StepOpen(str(error), step=passage_name(question_id, 1)) from None


def filled(question_id: int, asked: CorrectnessQuestion, answer: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return a form that says a stored answer."""
    form = {f"{field_name(question_id)}-plausible": [YES if answer["plausible"] else NO]}
    values = {verdict: value for value, verdict in VERDICTS.items()}
    for number, (span, one) in enumerate(zip(asked.passages, answer["passages"], strict=False), 1):
        name = passage_name(question_id, number)
        form[name] = [values[one["verdict"]]]
        if one["span"] is not None:
            form[f"{name}-words"] = [_marked(word_spans(asked, span), Span(*one["span"]))]
            form[f"{name}-sure"] = [YES]
    return form


def passage_name(question_id: int, number: int) -> str:
    """Return the name of the step about a passage, the first of which has the number 1."""
    return f"{field_name(question_id)}-p{number}"


def word_spans(asked: CorrectnessQuestion, within: Span) -> list[Span]:
    """List the words of a passage that can be highlighted: its tokens, or what white space sets apart."""
    passage = _passage(asked)
    tokens = [one for one in passage.tokens if within.start <= one.start and one.end <= within.end]
    text = passage.text[within.start : within.end]
    if tokens and sum(one.end - one.start for one in tokens) == sum(not one.isspace() for one in text):
        return tokens
    return [Span(within.start + one.start(), within.start + one.end()) for one in re.finditer(r"\S+", text)]


def _choice_step(
    name: str,
    asks: str,
    hint: str,
    missing: str,
    words: Mapping[str, str],
    keys: str,
    posted: Mapping[str, Sequence[str]],
    votes: Mapping[str, int] | None,
    *,
    evidence: Evidence | None = None,
    unless: str = "",
) -> Step:
    offered = choices(words, keys, posted.get(name, ()), votes)
    return Step(name, False, (Part(asks),), hint, missing, offered, evidence=evidence, unless=unless)


def _evidence(
    name: str,
    asked: CorrectnessQuestion,
    within: Span,
    question: str,
    answer: str,
    posted: Mapping[str, Sequence[str]],
) -> Evidence:
    text, words, end = _passage(asked).text, [], within.start
    for span in word_spans(asked, within):
        words.append(Word(_lines(text[end : span.start]), visible(text[span.start : span.end])))
        end = span.end
    return Evidence(
        name,
        tuple(words),
        _lines(text[end : within.end]),
        _one(posted, f"{name}-words"),
        _one(posted, f"{name}-quote"),
        _one(posted, f"{name}-sure") == YES,
        {value: words % (answer, question) for value, words in _STATEMENTS.items()},
    )


def _read_evidence(
    name: str, asked: CorrectnessQuestion, within: Span, posted: Mapping[str, Sequence[str]]
) -> Span:
    marked, quote = _one(posted, f"{name}-words"), _one(posted, f"{name}-quote").strip()
    if marked:
        span = _read_marked(name, marked, word_spans(asked, within))
    elif quote:
        span = _find(name, _passage(asked).text, within, restored(quote, of=_text(asked, within)))
    else:
        raise StepOpen("Highlight the words of the passage that show it.", step=name)
    if _one(posted, f"{name}-sure") != YES:
        raise StepOpen("Read the sentence again, and confirm it.", step=name)
    return span


def _read_marked(name: str, marked: str, words: Sequence[Span]) -> Span:
    found = _MARKED.fullmatch(marked)
    first, last = (int(found[1]), int(found[2])) if found else (0, -1)
    if not 0 <= first <= last < len(words):
        raise StepOpen("Highlight words that the page shows; reload it.", step=name)
    return Span(words[first].start, words[last].end)


def _find(name: str, text: str, within: Span, quote: str) -> Span:
    words = r"\s+".join(re.escape(word) for word in quote.split())
    found = re.compile(words, re.IGNORECASE).search(text, within.start, within.end) if words else None
    if found is None:
        raise StepOpen("Those words do not stand in the passage: copy them as they are.", step=name)
    return Span(found.start(), found.end())


def _marked(words: Sequence[Span], span: Span) -> str:
    """Return the numbers of the words that a span touches, as the form has them; empty: of none."""
    touched = [number for number, word in enumerate(words) if word.overlaps(span)]
    return f"{touched[0]}-{touched[-1]}" if touched else ""


def _one(posted: Mapping[str, Sequence[str]], field: str) -> str:
    return next(iter(posted.get(field, ())), "")


def _lines(gap: str) -> str:
    """Return white space with the ends of lines as a browser reads them."""
    return gap.replace("\r\n", "\n").replace("\r", "\n")


def _text(asked: CorrectnessQuestion, span: Span) -> str:
    return _passage(asked).text[span.start : span.end]


def _passage(asked: CorrectnessQuestion) -> Passage:
    assert asked.passage is not None, "the document is read with the question"
    return asked.passage
