"""A small data set of generated text, systems that write for it, and people who judge."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

from django.core.management import call_command
from django.utils import timezone

from annotations import responses
from annotations.models import Corpus, Question
from evaluation.models import Submission
from evaluation.registry import task_of
from evaluation.scoring.published import freezing
from kbpo import pipeline
from kbpo.accounts.models import User
from tests.factories import UserFactory
from tests.leaks import HIDDEN, LABORATORY, SOCIETY, VEILED, WITHDRAWN, veil

TAG = "notes"
INPUTS = 60
SYSTEMS = {"plain": "Alpha", HIDDEN: "Beta", WITHDRAWN: LABORATORY, VEILED: SOCIETY}
"""Systems of `judged`'s corpus, in the order of arrival, with their teams."""


def reference(number: int) -> str:
    """Return the reference of an input, with a word that nothing else has."""
    return f"Ferry Quorlan{number:02} sails."


def output(seed: int, number: int) -> str:
    """Return what a system writes for an input, with a word that nothing else has."""
    return f"The ferry Vesper{seed}x{number:02} {'sails' if (number + seed) % 3 else 'leaves the harbour'}."


def submit(folder: Path, name: str, team: str, seed: int) -> Submission:
    """Submit a system, and have its sample drawn."""
    rows = [{"input_id": f"I{n:02}", "output": output(seed, n)} for n in range(INPUTS)]
    path = folder / f"{seed}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    call_command("submit", str(path), corpus=TAG, team=team, name=name, verbosity=0)
    pipeline.advance()
    return Submission.objects.get(name=name)


def judge(people: Sequence[User], rng: Random) -> None:
    """Have people answer whatever waits for votes."""
    for question in Question.objects.filter(state="open").order_by("pk"):
        for worker in rng.sample(list(people), question.votes_needed):
            level = rng.choice([1, 1, 0] if "sails" in question.payload["text"] else [1, 0, -1])
            edit = None if level == 1 else question.payload["text"] + " Today."
            answer = {"fluency": level, "redundancy": 1, "overall": level, "edit": edit}
            responses.record(question=question, worker=worker, answer=answer, seconds=40.0)
    pipeline.advance()


def judged(folder: Path) -> tuple[Corpus, Sequence[User]]:
    """Make the data set with its four systems, judged: one is hidden, one withdrawn, one anonymous."""
    inputs = [{"input_id": f"I{n:02}", "references": [reference(n)]} for n in range(INPUTS)]
    (folder / "inputs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in inputs))
    options = {"task": "generation", "prompt": "quality", "metric": "chrf", "verbosity": 0}
    options["planning"] = ["overall=0.2,0.3,0.0"]
    call_command("load_corpus", str(folder / "inputs.jsonl"), corpus=TAG, **options)
    Corpus.objects.filter(tag=TAG).update(target_half_width=0.15)
    corpus = Corpus.objects.get(tag=TAG)
    people, rng = [UserFactory.create(annotator=True) for _ in range(8)], Random(3)
    for seed, (name, team) in enumerate(SYSTEMS.items()):
        submit(folder, name, team, seed)
        judge(people, rng)
        if seed == 1:
            freezing.freeze(corpus=corpus, task=task_of(corpus), now=timezone.now())
    Submission.objects.filter(name=HIDDEN).update(is_public=False)
    Submission.objects.filter(name=WITHDRAWN).update(state="withdrawn")
    veil(VEILED)
    return corpus, people
