"""Short letters to the ferry company of Arvenia, each of a class, and three systems that tell which.

All of it was written for the demo. What each class is, is told in `CLASSES`; the letters are made of a few
sentences a class and of what they are about, always in the same way.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from demo.build import write_lines

CLASSES = """# What letters to the ferry company are for.
name = "letters to the ferry"
version = 1
cannot_tell = true

[[class]]
name = "complaint"
guideline = "The writer is not content, whatever form the letter has."

[[class]]
name = "question"
guideline = "The writer wants to know something, and waits for an answer."

[[class]]
name = "thanks"
guideline = "The writer is content with something, and says so."

[[class]]
name = "notice"
guideline = "The writer tells something, and wants nothing back."
"""

_ABOUT = ("the evening ferry", "the kiosk on the pier", "the waiting room at Osk", "the new timetable")
_WHEN = ("on Sunday", "last week", "during the holidays")
_SENTENCES: Mapping[str, Sequence[str]] = {
    "complaint": (
        "I have written to you before about {about}, and {when} it was no better. Nobody answered.",
        "Why is nobody able to tell us anything about {about}? {When} forty people stood in the rain.",
        "Thank you so much for {about}: {when} it cost me two hours and a coat.",
    ),
    "question": (
        "Could you tell me whether there is room for bicycles near {about}, and whether it is free {when}?",
        "We are a class of twenty. Whom do we ask about {about}, please? We would like to come {when}.",
        "I found a blue umbrella near {about} {when} and wonder where I may leave it.",
    ),
    "thanks": (
        "My mother is ninety and was helped up all the steps {when}. Please tell the people of {about}.",
        "What a pleasure {about} was {when}! We shall come again.",
        "I did not believe that {about} could be mended so soon. {When} everything worked. Well done.",
    ),
    "notice": (
        "The choir sings near {about} {when}, from six to seven. The doors stay open.",
        "As agreed, the painters come to {about} {when}. They bring their own ladders.",
        "For your files: the key of {about} was handed back {when} and hangs in the office.",
    ),
}


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter and its class."""

    doc_id: str
    text: str
    label: str


def letters() -> list[Letter]:
    """Return all letters, the classes mixed, in an order that is always the same."""
    made = [
        (sentence.format(about=about, when=when, When=when[0].upper() + when[1:]), label)
        for label, sentences in _SENTENCES.items()
        for sentence, about, when in product(sentences, _ABOUT, _WHEN)
    ]
    made = made[::11] + [one for number, one in enumerate(made) if number % 11]
    return [
        Letter(f"letter-{number:03}", text[0].upper() + text[1:], label)
        for number, (text, label) in enumerate(made, 1)
    ]


Guess = tuple[str, float]


def by_marks(text: str) -> Guess:
    """Go by question and exclamation marks alone."""
    if "?" in text:
        return "question", 0.9
    return ("thanks", 0.7) if "!" in text else ("notice", 0.4)


def by_words(text: str) -> Guess:
    """Go by a few words that somebody thought of."""
    lists = {
        "complaint": ("nobody", "rain"),
        "thanks": ("thank", "pleasure", "well done"),
        "question": ("whether", "could you", "whom", "where"),
        "notice": ("files", "agreed", "doors", "office"),
    }
    found = {label: sum(word in text.lower() for word in words) for label, words in lists.items()}
    best = max(found, key=lambda label: found[label])
    return best, min(0.9, 0.3 + 0.2 * found[best])


def by_examples(text: str) -> Guess:
    """Compare the words with those of the first sentences of each class, as naive Bayes does."""
    scores = {}
    for label, sentences in _SENTENCES.items():
        counts = Counter(_words(" ".join(sentences[:2])))
        total = sum(counts.values())
        scores[label] = sum(math.log((counts[word] + 0.5) / (total + 40)) for word in _words(text))
    best = max(scores, key=lambda label: scores[label])
    others = sum(math.exp(max(-30.0, one - scores[best])) for one in scores.values())
    return best, round(max(0.05, 1 / others), 3)


SYSTEMS: Mapping[str, tuple[str, str, Callable[[str], Guess]]] = {
    "squiggle": ("Wren", "Question and exclamation marks, and nothing else.", by_marks),
    "word list": ("Heron", "A few words a class that somebody thought of.", by_words),
    "example": ("Plover", "Naive Bayes, learnt from two thirds of what people write.", by_examples),
}


def build(folder: Path) -> None:
    """Write corpus, classes, gold and the systems' files into a folder that is there."""
    written = letters()
    (folder / "letters.toml").write_text(CLASSES, "utf-8")
    write_lines(folder / "letters.jsonl", ({"doc_id": one.doc_id, "text": one.text} for one in written))
    write_lines(
        folder / "letters-gold.jsonl", ({"doc_id": one.doc_id, "label": one.label} for one in written)
    )
    for name, (_, _, guess) in SYSTEMS.items():
        guesses = ((one.doc_id, *guess(one.text)) for one in written)
        rows = ({"doc_id": doc, "label": label, "confidence": sure} for doc, label, sure in guesses)
        write_lines(folder / f"letters-{name}.jsonl", rows)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+|[?!]", text.lower())
