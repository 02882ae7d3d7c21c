"""Short reports from Arvenia, and six systems that summarise them.

All of it was written for the demo: each file of `reports` has a report, a reference of two sentences, and
the summary of somebody careful, who slips now and then. What people would say of a summary is told by rules
(`judgement`): they look at how much of it is said again, at how it begins and ends, and at how much of the
reference is in it. So the scores that the board should come to are known. With its summaries a system submits
two metrics (`metrics`): one that is worth something, and one that a list of words does best by.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

from demo.build import write_lines

FOLDER = Path(__file__).parent / "reports"
_SENTENCE = re.compile(r"(?<=[.?!])\s+")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """
        a about after all an and are as at be been before but by can for from had has have he her his in is
        it its more no not of on one or said she so some than that the their them then there they this to
        two up was were when which who will with would
        """,
    )
)


@dataclass(frozen=True, slots=True)
class Report:
    """A report, and what was written of it in two sentences."""

    input_id: str
    text: str
    reference: str
    careful: str

    @property
    def sentences(self) -> list[str]:
        """Return its sentences."""
        return _SENTENCE.split(self.text.replace("\n\n", " "))


def reports() -> list[Report]:
    """Return all reports, by name."""
    return [_read(path) for path in sorted(FOLDER.glob("*.txt"))]


def _read(path: Path) -> Report:
    text, reference, careful = re.split(r"\n\n== (?:reference|careful)\n", path.read_text("utf-8"))
    return Report(path.stem, text, reference, careful.strip())


def lead(report: Report) -> str:
    """Return the first two sentences."""
    return " ".join(report.sentences[:2])


def lottery(report: Report) -> str:
    """Return two sentences, in their order, of which it knows nothing."""
    rng, sentences = Random(report.input_id), report.sentences
    return " ".join(sentences[place] for place in sorted(rng.sample(range(len(sentences)), 2)))


def echo(report: Report) -> str:
    """Return the first sentence, and go back to its end once or more, as some networks do."""
    words = report.sentences[0].split()
    again = " ".join(words[-6:])
    return " ".join([" ".join(words), *[again] * (1 + len(report.input_id) % 3)])


def cut(report: Report) -> str:
    """Return the first twenty words, wherever that ends."""
    return " ".join(report.text.split()[:20])


def keywords(report: Report) -> str:
    """Return the words that stand there most often, and no sentence."""
    return ", ".join(_frequent(report))


def _frequent(report: Report) -> list[str]:
    counts = Counter(word for word in re.findall(r"[A-Za-z]+", report.text) if word.lower() not in _COMMON)
    return [word for word, _ in counts.most_common(10)]


def careful(report: Report) -> str:
    """Return what somebody wrote, with a slip here and there."""
    return report.careful


SYSTEMS: Mapping[str, tuple[str, str, Callable[[Report], str]]] = {
    "first two": ("Wren", "The first two sentences of a report.", lead),
    "lottery": ("Wren", "Two sentences of a report, drawn by lot.", lottery),
    "echo": ("Heron", "The first sentence, whose end it says again.", echo),
    "scissors": ("Heron", "The first twenty words.", cut),
    "keywords": ("Plover", "The most frequent words.", keywords),
    "careful": ("Plover", "Sentences of its own, with a slip now and then.", careful),
}


METRICS = ("coverage", "frequent")
"""The columns of a file of metrics."""


def metrics(report: Report, summary: str) -> tuple[float, float]:
    """Return which share it has of what counts in the reference, and of the report's frequent words."""
    frequent = {word.lower() for word in _frequent(report)}
    return _kept(summary, report.reference), len(frequent & _words(summary)) / len(frequent)


def judgement(report: Report, summary: str) -> dict[str, object]:
    """Return what a fair judge says of a summary, with an edit where it is not the best in all.

    It is redundant as far as pairs of words are said again; it reads well if it begins with a capital, ends
    with a full stop and is no list; it is good as a whole if it has half of what counts in the reference, and
    fails below a fifth.
    """
    words = summary.lower().split()
    again = sum(n - 1 for n in Counter(pairwise(words)).values()) / max(1, len(words) - 1)
    faults = (not summary.endswith(".")) + (not summary[:1].isupper()) + (summary.count(",") > len(words) / 2)
    kept = _kept(summary, report.reference)
    redundancy = 1 if again < 0.05 else 0 if again < 0.25 else -1
    fluency = max(-1, 1 - faults)
    overall = min(1 if kept >= 0.5 else 0 if kept >= 0.2 else -1, redundancy, fluency)
    said: dict[str, object] = {
        "fluency": fluency,
        "redundancy": redundancy,
        "overall": overall,
        "edit": None,
    }
    if min(fluency, redundancy, overall) < 1:
        said["edit"] = report.reference if overall < 0 else _mended(report, summary)
    return said


def _kept(summary: str, reference: str) -> float:
    """Return which share of the words that count in a reference stand in a summary."""
    counts = _words(reference) - _COMMON
    return len(counts & _words(summary)) / len(counts)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _mended(report: Report, summary: str) -> str:
    """Return the summary with nothing said again, and the last sentence of the reference added."""
    words: list[str] = []
    for word in summary.split():
        if not words or (words[-1], word) not in set(pairwise(words)):
            words.append(word)
    mended = " ".join(words).rstrip(",.")
    return f"{mended}. {_SENTENCE.split(report.reference)[-1]}"


def build(folder: Path) -> None:
    """Write inputs, the systems' outputs and metrics, and what is right, into a folder that is there."""
    every = reports()
    write_lines(
        folder / "reports.jsonl",
        ({"input_id": one.input_id, "passages": [one.text], "references": [one.reference]} for one in every),
    )
    for name, (_, _, summarise) in SYSTEMS.items():
        outputs = [{"input_id": one.input_id, "output": summarise(one)} for one in every]
        write_lines(folder / f"reports-{name}.jsonl", outputs)
        rows = [[one.input_id, *(f"{value:.4f}" for value in metrics(one, summarise(one)))] for one in every]
        table = "".join("\t".join(row) + "\n" for row in [["input_id", *METRICS], *rows])
        (folder / f"reports-{name}.tsv").write_text(table, "utf-8")
    write_lines(folder / "reports-gold.jsonl", (_gold(one) for one in every))


def _gold(report: Report) -> dict[str, object]:
    outputs = {summarise(report) for _, _, summarise in SYSTEMS.values()}
    judgements = {output: judgement(report, output) for output in sorted(outputs)}
    return {"doc_id": report.input_id, "judgements": judgements}
