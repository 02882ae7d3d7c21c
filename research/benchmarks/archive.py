"""How large the archive of a real epoch is, and how long it takes to make it and to compute with it.

Ten real systems over KnowledgeNet's documents, which lie beside the project, not in it. The epoch is drawn,
answered from the gold judgements and released with all documents retired; its archive is downloaded from the
site, and used as a stranger would: by the client, and by the short script in an environment with NumPy alone.
"""

import os
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path
from typing import Any

from research.benchmarks import apart

TAG = "knowledgenet"
ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "knowledgenet"
SCRIPT = ROOT / "docs" / "recompute_precision.py"
SIZES = ((10, 300),)
ROUNDS = 6
"""Of answers and what follows from them: further votes, audits."""


def run(out: Path, *, quick: bool = False) -> None:
    """Measure it; write ``archive.json``."""
    if not DATA.is_dir():
        print(f"left out: {DATA} is missing")
        return
    apart.run("archive", out, {}, SIZES, lambda m, n: {"systems": m, "documents annotated in full": n})


def make(systems: int, documents: int) -> dict[str, Any]:
    """Load documents and systems, draw an epoch, have it judged, and release it."""
    from django.core.management import call_command

    from annotations.models import Corpus, Label, Question
    from evaluation.kbp.task import TASK as KBP
    from evaluation.models import Epoch, Submission
    from evaluation.scoring import releasing
    from kbpo import pipeline

    started = time.perf_counter()
    gold = str(DATA / "gold.jsonl.gz")
    call_command("load_corpus", str(DATA / "corpus.jsonl.gz"), "--corpus", TAG, verbosity=0)
    call_command("load_gold", gold, "--corpus", TAG, "--documents", str(documents), "--seed", "0")
    for path in sorted((DATA / "submissions").glob("*.kb.gz"))[:systems]:
        name = path.name.removesuffix(".kb.gz")
        call_command("submit", str(path), "--corpus", TAG, "--team", f"Team {name[0]}", "--name", name)
    for _ in range(ROUNDS):
        pipeline.advance()
        call_command("simulate_crowd", "--corpus", TAG, "--gold", gold, "--error", "0")
    pipeline.advance()
    assert not Submission.objects.exclude(state=Submission.State.SCORED).exists(), "not all are scored"
    corpus = Corpus.objects.get()
    releasing.release(corpus=corpus, task=KBP, retire=1.0)
    Corpus.objects.update(licence="as the data set's own, not given on", texts="public")
    assert Epoch.objects.filter(released_at__isnull=False).exists()
    return {
        "all before the archive, s": time.perf_counter() - started,
        "documents": corpus.documents.count(),
        "questions": Question.objects.count(),
        "labels": Label.objects.count(),
    }


def measure() -> dict[str, Any]:
    """Make the archive, download it, and use it."""
    from django.db import connection
    from django.utils import timezone

    from evaluation.archives import making
    from evaluation.models import EpochArchive
    from evaluation.registry import task_of

    connection.ensure_connection()  # whose process is timed
    EpochArchive.objects.all().delete()  # so that it may be measured again
    timed = apart.Stages()
    assert timed("making the archive", lambda: making.make_archives(find_task=task_of, now=timezone.now())), (
        "none was made"
    )
    archive = EpochArchive.objects.latest("edition")
    found: dict[str, Any] = {**timed.took, "figures": archive.figures, "archive, bytes": archive.size}
    with tempfile.TemporaryDirectory(prefix="kbpo-stranger-") as name:
        folder = Path(name)
        downloaded = folder / archive.name
        _download(f"/corpora/{TAG}/data/{archive.name}", downloaded)
        with zipfile.ZipFile(downloaded) as files:
            for one in files.infolist():
                found[f"{one.filename}, bytes"] = one.file_size
                found[f"{one.filename} in the archive, bytes"] = one.compress_size
        found |= _timed("kbpo recompute", [sys.executable, "-m", "kbpo_client", "recompute", str(downloaded)])
        training = [sys.executable, "-m", "kbpo_client", "training", str(downloaded)]
        found |= _timed("kbpo training", [*training, str(folder / "places")])
        written = [one for one in (folder / "places").rglob("*") if one.is_file()]
        found["training data, bytes"] = sum(one.stat().st_size for one in written)
        for kind in sorted((folder / "places" / "data").glob("*")):
            found[f"examples of {kind.name}"] = sum(
                len(file.read_bytes().splitlines()) for file in kind.iterdir()
            )
        stranger = _stranger(folder / "stranger")
        found |= _timed("the short script", [str(stranger), str(SCRIPT), str(downloaded)])
        found["the short script is apart by at most"] = max(
            float(line.rsplit(maxsplit=1)[1]) for line in found.pop("the short script: printed").splitlines()
        )
    for what in ("kbpo recompute", "kbpo training"):
        found[f"{what} says"] = found.pop(f"{what}: said").splitlines()[-1]
        del found[f"{what}: printed"]
    del found["the short script: said"]
    return found


def _download(address: str, path: Path) -> None:
    from django.conf import settings
    from django.test import Client

    answer = Client(HTTP_HOST=(settings.ALLOWED_HOSTS or ["localhost"])[0]).get(address)
    assert answer.status_code == 200, f"{address}: {answer.status_code}"
    path.write_bytes(b"".join(answer))


def _stranger(folder: Path) -> Path:
    """Return the Python of a new environment that has NumPy and nothing else."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "numpy"], check=True)  # noqa: S603
    return python


def _timed(name: str, command: list[str]) -> dict[str, Any]:
    """Carry out a command; return how long it took, in how much memory, and what it printed."""
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=printed, stderr=said)  # noqa: S603
        _, status, used = os.wait4(process.pid, 0)
        clock = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for stream in (printed, said):
            stream.seek(0)
            texts.append(stream.read().decode())
    assert process.returncode == 0, f"{name}: {texts}"
    return {
        f"{name}, s": clock,
        f"{name}, CPU s": used.ru_utime + used.ru_stime,
        f"{name}: printed": texts[0],
        f"{name}: said": texts[1],
    }


if __name__ == "__main__":
    apart.main(make, measure)
