"""How long the built-in metrics of 11,490 summaries take, metric by metric, in one process.

Texts are made up: summaries of about 60 words, as frequent as words are, some of which repeat themselves,
with a reference or two. Others are measured too where KBPO_BENCH_TEXTS names folders, with a colon between,
that have ``inputs.jsonl.gz`` and ``outputs.*.jsonl.gz``.
"""

import gzip
import json
import os
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from evaluation.generation.metrics.computing import compute
from evaluation.generation.metrics.registry import METRICS, Needs, Text

SUMMARIES, QUICK = 11_490, 1_000
GOAL = 60.0  # seconds, for all of them
WORDS = 30_000
ALL = list(METRICS.values())
HOSTILE = {
    "nothing": "",
    "100,000 letters without a space": "x" * 100_000,
    "100,000 marks": "." * 100_000,
    "100,000 characters that are words": "中" * 100_000,
    "100,000 marks that combine": "e" + "\u0301" * 100_000,
    "20,000 words, two different": "cat sat " * 10_000,
    "2,000 words in another order": " ".join(f"w{n * 7919 % 2000}" for n in range(2_000)),
}


def run(out: Path, *, quick: bool = False) -> None:
    """Measure; write ``metrics.json``."""
    texts = _summaries(QUICK if quick else SUMMARIES)
    metrics = [metric for metric in ALL if metric.needs in (Needs.NOTHING, Needs.REFERENCES)]
    report: dict[str, Any] = {"summaries": len(texts), "goal, s": GOAL, "cores": os.cpu_count()}
    report["load"] = round(os.getloadavg()[0], 1)
    started, cpu = time.monotonic(), time.process_time()
    compute(texts, metrics)
    report["all, s"] = round(time.monotonic() - started, 1)
    report["its CPU, s"] = round(time.process_time() - cpu, 1)
    some = texts[:1_000]
    report["CPU of each, ms a text"] = {
        metric.name: round(1_000 * _seconds(some, [metric]) / len(some), 3) for metric in metrics
    }
    plain = " ".join(f"w{n}" for n in range(2_000))
    report["CPU of hostile texts, s"] = {
        name: round(_seconds([Text(text, (plain, text), plain, (plain,)) for _ in "1"], ALL), 2)
        for name, text in HOSTILE.items()
    }
    for folder in filter(None, os.environ.get("KBPO_BENCH_TEXTS", "").split(":")):
        found = _read(Path(folder))
        report[f"CPU of {len(found)} texts of {Path(folder).name}, s"] = round(_seconds(found, ALL), 1)
    for name, value in report.items():
        print(f"{name}: {value}", flush=True)
    (out / "metrics.json").write_text(json.dumps(report, indent=2) + "\n")


def _seconds(texts: list[Text], metrics: Any) -> float:
    started = time.process_time()
    compute(texts, metrics)
    return time.process_time() - started


def _summaries(n: int) -> list[Text]:
    rng = np.random.default_rng(1)
    chance = 1 / np.arange(1, WORDS + 1)  # as often as words of a language are (Zipf)
    lengths = np.maximum(5, rng.normal(60, 20, size=(n, 3)).astype(int))
    words = rng.choice(WORDS, size=int(lengths.sum()), p=chance / chance.sum())
    parts = np.split(words, np.cumsum(lengths.ravel())[:-1])
    choose = Random(1)
    texts = []
    for place in range(n):
        output, *others = ([f"word{one}" for one in part] for part in parts[3 * place : 3 * place + 3])
        start = choose.randrange(len(others[0]))
        copied = others[0][start : start + choose.randrange(40)]  # what a system takes over from its source
        output[5 : 5 + len(copied)] = copied
        if choose.random() < 0.3:
            output += output[-12:] * choose.randrange(1, 4)
        references = others[: choose.choice([1, 1, 2])]
        texts.append(Text(_written(output), tuple(map(_written, references))))
    return texts


def _written(words: list[str]) -> str:
    sentences = (words[start : start + 14] for start in range(0, len(words), 14))
    return " ".join(f"{' '.join(one).capitalize()}." for one in sentences)


def _read(folder: Path) -> list[Text]:
    inputs = {}
    with gzip.open(folder / "inputs.jsonl.gz", "rt") as lines:
        for row in map(json.loads, lines):
            passages = [one if isinstance(one, str) else one["text"] for one in row.get("passages") or ()]
            inputs[row["input_id"]] = (tuple(row["references"]), row.get("question"), tuple(passages))
    texts = []
    for path in sorted(folder.glob("outputs.*.jsonl.gz")):
        with gzip.open(path, "rt") as lines:
            texts += [Text(row["output"], *inputs[row["input_id"]]) for row in map(json.loads, lines)]
    return texts
