"""A small corpus of texts with classes, and systems that say a class of each."""

import json
from datetime import timedelta
from pathlib import Path

from django.core.management import call_command
from django.utils import timezone

from annotations.models import Corpus
from evaluation.models import Submission
from kbpo import pipeline

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
HIDDEN, WITHDRAWN, VEILED = "Zanzibar the hidden", "Zanzibar the withdrawn", "Zanzibar the anonymous"
SYSTEMS = {"plain": "Alpha", HIDDEN: "Beta", WITHDRAWN: "Zanzibar laboratory", VEILED: "Zanzibar society"}
"""Systems of `write`'s corpus, in the order of arrival, with their teams."""


def true_class(number: int) -> str:
    """Return the class of a document."""
    return NAMES[number % 2]


def given(seed: int, number: int) -> tuple[str, float]:
    """Return the class that a system gives a document, and its confidence.

    All but the second say the same of documents whose numbers are 18 apart.
    """
    is_right = (number * 5 + 2) % 11 > 2 if seed == 1 else (number // 2 + seed) % 9 > 1
    return NAMES[(number + (not is_right)) % 2], 0.6 + 0.1 * ((number * (seed + 1)) % 3)


def write(folder: Path) -> None:
    """Load the corpus, and have its people's classes ready."""
    (folder / "classes.toml").write_text(CLASSES)
    texts = [
        {"doc_id": f"D{n:02}", "text": f"Mister Quorlan{n:02} writes about the ferry."}
        for n in range(DOCUMENTS)
    ]
    (folder / "texts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in texts))
    labels = [{"doc_id": f"D{n:02}", "label": true_class(n)} for n in range(DOCUMENTS)]
    (folder / "gold.jsonl").write_text("".join(json.dumps(one) + "\n" for one in labels))
    options = {"corpus": TAG, "task": "classification", "classes": str(folder / "classes.toml")}
    call_command("load_corpus", str(folder / "texts.jsonl"), verbosity=0, **options)
    Corpus.objects.filter(tag=TAG).update(target_half_width=0.1, audit_share=0.3)


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
    veil()
    return Corpus.objects.get(tag=TAG)


def veil() -> None:
    """Hide, withdraw and veil whichever of the systems are there."""
    Submission.objects.filter(name=HIDDEN).update(is_public=False)
    Submission.objects.filter(name=WITHDRAWN).update(state="withdrawn")
    until = timezone.now() + timedelta(days=30)
    Submission.objects.filter(name=VEILED).update(anonymous_until=until, alias=1, alias_run=1)
