"""Read and store one knowledge base: ``python -m research.benchmarks.storing KB CORPUS``.

A process for each size, so that its peak of memory is its own. Prints one line of JSON.
"""

import json
import os
import sys
import time
from pathlib import Path

BATCH = 500


def main(kb: Path, corpus_path: Path) -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    django.setup()

    from django.core.files import File
    from django.core.management import call_command
    from django.db import connection

    from annotations.models import Corpus, Document
    from evaluation.kbp.task import TASK as KBP
    from evaluation.models import Submission
    from evaluation.submissions import submitting
    from evaluation.submissions.texts import text_file
    from kbpo.accounts.models import Team

    call_command("migrate", verbosity=0)
    corpus = Corpus.objects.create(tag="benchmark", name="Benchmark")
    with corpus_path.open() as file:
        rows = map(json.loads, file)
        # Documents alone: their sentences and tokens play no part here.
        documents = (
            Document(corpus=corpus, doc_id=row["doc_id"], text=row["text"], digest=f"{number:064x}")
            for number, row in enumerate(rows)
        )
        Document.objects.bulk_create(documents, batch_size=BATCH)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")

    started = time.monotonic()
    text_file(corpus)
    texts_seconds = time.monotonic() - started

    with kb.open("rb") as file:
        submission = submitting.upload(
            task=KBP,
            user=None,
            team=Team.objects.create(name="Benchmark"),
            corpus=corpus,
            name="kb",
            file=File(file),
        )
    outcomes = []
    read_file = submitting.read_file

    def remember(**given):  # type: ignore[no-untyped-def]
        begun = time.monotonic()
        outcomes.append(read_file(**given))
        outcomes.append(time.monotonic() - begun)
        return outcomes[0]

    submitting.read_file = remember
    started = time.monotonic()
    submitting.read_submission(task=KBP, submission_id=submission.pk)
    seconds = time.monotonic() - started
    submission.refresh_from_db()
    assert submission.state == Submission.State.ACCEPTED, submission.state
    outcome, reading_seconds = outcomes
    print(
        json.dumps(
            {
                "texts_seconds": round(texts_seconds, 2),
                "reading_seconds": round(reading_seconds, 2),
                "reading_cpu_seconds": round(outcome.cpu_seconds, 2),
                "storing_seconds": round(seconds - reading_seconds, 2),
                "reader_memory": outcome.peak_memory,
                "worker_memory": _peak_memory(),
                "predictions": len(outcome.predictions),
            }
        )
    )


def _peak_memory() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("no VmHWM in /proc/self/status")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
