"""A text for each input, copied from it: python baseline.py corpus.jsonl.gz OUT.jsonl [METRICS.tsv]."""

import gzip
import json
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

WORDS = 20  # of an output, where there is nothing to choose from
LONGEST = 400  # characters of an output
NOTHING = "There is nothing to say."
SENTENCE = re.compile(r".+?[.!?。！？؟](?=\s|$)|.+$", re.DOTALL)


def main(corpus: str, output: str, metrics: str = "") -> None:
    """Read a corpus, and write an output for each input; and beside it a metric of each."""
    with ExitStack() as opened:
        out = opened.enter_context(Path(output).open("w", encoding="utf-8", newline="\n"))
        table = None
        if metrics:
            table = opened.enter_context(Path(metrics).open("w", encoding="utf-8", newline="\n"))
            table.write("input_id\tcovered\n")
        for one in read_inputs(corpus):
            text = write(one["text"])
            out.write(json.dumps({"input_id": one["doc_id"], "output": text}, ensure_ascii=False) + "\n")
            if table is not None:
                table.write(f"{one['doc_id']}\t{metric(one['text'], text)!r}\n")


def write(text: str) -> str:
    """Return what is written for an input: the first sentence of its longest paragraph but the first."""
    first, *others = [part.strip() for part in text.split("\n\n") if part.strip()] or [""]
    if others:
        found = SENTENCE.search(max(others, key=len))
        written = found[0] if found else ""
    else:
        written = " ".join(first.split()[:WORDS])
    return " ".join(written.split())[:LONGEST].strip() or NOTHING


def metric(text: str, written: str) -> float:
    """Return the share of the input's words that were written."""
    known, words = set(written.lower().split()), text.lower().split()
    return sum(word in known for word in words) / max(1, len(words))


def read_inputs(path: str) -> Iterator[dict[str, Any]]:
    """Yield the inputs of a corpus."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: python baseline.py corpus.jsonl.gz OUT.jsonl [METRICS.tsv]")
    main(*sys.argv[1:])
