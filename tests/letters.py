"""A small corpus of texts with classes, and systems that say a class of each."""

import json
from pathlib import Path

from django.core.management import call_command
from django.utils import timezone

from annotations.models import Corpus
from evaluation.classification.task import TASK
from evaluation.models import Submission
from evaluation.scoring.published import freezing
from evaluation.submissions import lifecycle
from kbpo import pipeline
from tests.crowd import operator
from tests.leaks import HIDDEN, LABORATORY, SOCIETY, VEILED, WITHDRAWN, veil

TAG = "letters"
NAMES = ("complaint", "question")
DOCUMENTS = 90
CLASSES = """
name = "letters"
version = 1

[[class]]
name = "complaint"
guideline = "Somebody is not content."

[[class]]
name = "question"
guideline = "Somebody wants to know something."
"""
SYSTEMS = {"plain": "Alpha", HIDDEN: "Beta", WITHDRAWN: LABORATORY, VEILED: SOCIETY}
"""Systems of `write`'s corpus, in the order of arrival, with their teams."""


def true_class(number: int) -> str:
    """Return the class of a document."""
    return NAMES[number % 2]


def given(seed: int, number: int) -> tuple[str, float]:
    """Return the class that a system gives a document, and its confidence.

    The second is always sure; of the others no two documents have the same confidence.
    """
    is_right = (number * 5 + 2) % 11 > 2 if seed == 1 else (number // 2 + seed) % 9 > 1
    confidence = 1.0 if seed == 1 else 0.55 + 0.4 * ((number * (seed + 1) * 0.6180339887) % 1)
    return NAMES[(number + (not is_right)) % 2], confidence


def write(folder: Path) -> None:
    """Load the corpus, and write what people answer."""
    (folder / "classes.toml").write_text(CLASSES)
    texts = [
        {"doc_id": f"D{n:02}", "text": f"Mister Quorlan{n:02} writes about the ferry."}
        for n in range(DOCUMENTS)
    ]
    (folder / "texts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in texts))
    write_answers(folder)
    options = {"corpus": TAG, "task": "classification", "classes": str(folder / "classes.toml")}
    call_command("load_corpus", str(folder / "texts.jsonl"), verbosity=0, **options)
    Corpus.objects.filter(tag=TAG).update(target_half_width=0.1, audit_share=0.3)


def write_answers(folder: Path) -> None:
    """Write what people answer."""
    labels = [{"doc_id": f"D{n:02}", "label": true_class(n)} for n in range(DOCUMENTS)]
    (folder / "gold.jsonl").write_text("".join(json.dumps(one) + "\n" for one in labels))


def submit(folder: Path, name: str, team: str, seed: int) -> Submission:
    """Submit a system, and have it judged."""
    rows = []
    for n in range(DOCUMENTS):
        label, confidence = given(seed, n)
        rows.append({"doc_id": f"D{n:02}", "label": label, "confidence": confidence})
    path = folder / f"{seed}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    call_command("submit", str(path), corpus=TAG, team=team, name=name, verbosity=0)
    for _ in range(2):  # what audits ask, too
        pipeline.advance()
        gold = str(folder / "gold.jsonl")
        call_command("simulate_crowd", corpus=TAG, gold=gold, error=0.1, verbosity=0)
    pipeline.advance()
    return Submission.objects.get(name=name)


def judged(folder: Path) -> Corpus:
    """Make the corpus with its four systems, judged: one is hidden, one withdrawn, one anonymous."""
    write(folder)
    for seed, (name, team) in enumerate(SYSTEMS.items()):
        submit(folder, name, team, seed)
        if seed == 1:
            freezing.freeze(corpus=Corpus.objects.get(tag=TAG), task=TASK, now=timezone.now())
    veil(VEILED)
    user = operator()
    lifecycle.set_public(submission=Submission.objects.get(name=HIDDEN), user=user, is_public=False)
    lifecycle.withdraw(submission=Submission.objects.get(name=WITHDRAWN), user=user)
    pipeline.advance()
    return Corpus.objects.get(tag=TAG)
