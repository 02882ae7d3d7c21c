"""Classes for texts, by their words: python baseline.py corpus.jsonl.gz OUT.jsonl [labels.jsonl]."""

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

STEM = 5  # letters of a word that must be the same
WORD = re.compile(r"[^\W\d_]{4,}")


def main(corpus: str, output: str, labels: str = "") -> None:
    """Read a corpus, and write a class for each document."""
    known = json.loads(Path(__file__).with_name("classes.json").read_text(encoding="utf-8"))
    words = {one["name"]: stems(f"{one['name']} {one['guideline']}") for one in known["classes"]}
    shared = Counter(stem for own in words.values() for stem in own)
    telling = {name: {stem for stem in own if shared[stem] == 1} for name, own in words.items()}
    usual = most_frequent(labels, words) if labels else next(iter(words))
    with Path(output).open("w", encoding="utf-8", newline="\n") as out:
        for document in read_lines(corpus):
            label, confidence = choose(document["text"], telling, usual)
            line = {"doc_id": document["doc_id"], "label": label, "confidence": confidence}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


def choose(text: str, telling: dict[str, set[str]], usual: str) -> tuple[str, float]:
    """Return the class of a text, and how sure that is."""
    found = stems(text)
    scores = {name: len(found & own) for name, own in telling.items()}
    best = max(scores, key=lambda name: (scores[name], name == usual))
    if not scores[best]:
        return usual, 0.3
    return best, round(0.3 + 0.6 * scores[best] / sum(scores.values()), 3)


def stems(text: str) -> set[str]:
    """Return the beginnings of a text's longer words."""
    return {word[:STEM] for word in WORD.findall(text.lower())}


def most_frequent(path: str, known: Iterable[str]) -> str:
    """Return the class that most documents of a file of released labels have."""
    counted = Counter(dict.fromkeys(known, 0))
    counted.update(one["class"] for one in read_lines(path) if one["value"] == 1 and one["class"] in counted)
    return counted.most_common(1)[0][0]


def read_lines(path: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON Lines, packed or not."""
    packed = path.endswith(".gz")
    with gzip.open(path, "rt", encoding="utf-8") if packed else open(path, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: python baseline.py corpus.jsonl.gz OUT.jsonl [labels.jsonl]")
    main(*sys.argv[1:])
