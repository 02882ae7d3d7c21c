"""A small world with a known truth: documents, gold annotations, and knowledge bases in TAC format."""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

PEOPLE = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal", "Ivy", "Jon"]


@dataclass(frozen=True)
class Fact:
    """A claim in a document, by names and official predicate."""

    document: int
    predicate: str
    subject: str
    object: str


class World:
    """Documents of one shape: three relations hold in each, and four more could be claimed.

    "Ada0 Quill married Ben0 Moss. Ada0 Quill works for Orchard0 in Tarn0. Ben0 Moss was born in Tarn0."
    """

    TYPES = {"first": "PER", "second": "PER", "org": "ORG", "city": "GPE"}
    TRUE = [
        ("per:spouse", "first", "second"),
        ("per:employee_or_member_of", "first", "org"),
        ("per:city_of_birth", "second", "city"),
    ]
    FALSE = [
        ("per:parents", "first", "second"),
        ("per:employee_or_member_of", "second", "org"),
        ("per:cities_of_residence", "first", "city"),
        ("org:city_of_headquarters", "org", "city"),
    ]
    STORED = {
        "per:city_of_birth": "per:place_of_birth",
        "per:cities_of_residence": "per:place_of_residence",
        "org:city_of_headquarters": "org:place_of_headquarters",
    }

    def __init__(self, size: int) -> None:
        self.size = size
        self.true = [Fact(d, *fact) for d in range(size) for fact in self.TRUE]
        self.false = [Fact(d, *fact) for d in range(size) for fact in self.FALSE]

    def names(self, document: int) -> dict[str, str]:
        first, second = PEOPLE[document % 10], PEOPLE[(document + 1) % 10]
        return {
            "first": f"{first}{document} Quill",
            "second": f"{second}{document} Moss",
            "org": f"Orchard{document}",
            "city": f"Tarn{document}",
        }

    def text(self, document: int) -> str:
        n = self.names(document)
        return (
            f"{n['first']} married {n['second']}. {n['first']} works for {n['org']} in {n['city']}."
            f" {n['second']} was born in {n['city']}."
        )

    def span(self, document: int, role: str) -> tuple[int, int]:
        name = self.names(document)[role]
        start = self.text(document).index(name)
        return start, start + len(name)

    def write_corpus(self, path: Path) -> Path:
        rows = (
            {"doc_id": f"D{d:03}", "title": f"Document {d}", "date": "2026-01-02", "text": self.text(d)}
            for d in range(self.size)
        )
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    def write_gold(self, path: Path) -> Path:
        lines = []
        for d in range(self.size):
            mentions = [
                {"start": s, "end": e, "type": kind, "canonical": [s, e], "link": None}
                for role, kind in self.TYPES.items()
                for s, e in [self.span(d, role)]
            ]
            relations = [
                {
                    "predicate": self.STORED.get(predicate, predicate),
                    "subject": list(self.span(d, subject)),
                    "object": list(self.span(d, object_)),
                }
                for predicate, subject, object_ in self.TRUE
            ]
            row = {
                "doc_id": f"D{d:03}",
                "mentions": sorted(mentions, key=lambda m: m["start"]),
                "relations": relations,
            }
            lines.append(json.dumps(row) + "\n")
        path.write_text("".join(lines))
        return path

    def write_kb(self, path: Path, claims: Iterable[tuple[Fact, float]]) -> Path:
        claims = list(claims)
        lines = [path.stem]
        for d in sorted({fact.document for fact, _ in claims}):
            for role, kind in self.TYPES.items():
                start, end = self.span(d, role)
                where = f'"{self.names(d)[role]}"\tD{d:03}:{start}-{end - 1}'
                lines += [
                    f":{role}_{d}\ttype\t{kind}",
                    f":{role}_{d}\tcanonical_mention\t{where}",
                    f":{role}_{d}\tmention\t{where}",
                ]
        for fact, confidence in claims:
            d = fact.document
            lines.append(
                f":{fact.subject}_{d}\t{fact.predicate}\t:{fact.object}_{d}"
                f"\tD{d:03}:0-{len(self.text(d)) - 1}\t{confidence:.4f}"
            )
        path.write_text("\n".join(lines) + "\n")
        return path

    def system(self, *, recall: float, precision: float, seed: int) -> Sequence[tuple[Fact, float]]:
        """Return claims with about this recall and precision; the confidences lean the right way."""
        rng = random.Random(seed)
        found = [fact for fact in self.true if rng.random() < recall]
        wrong = rng.sample(self.false, min(len(self.false), round(len(found) * (1 - precision) / precision)))
        return [
            *((fact, round(rng.uniform(0.5, 1.0), 4)) for fact in found),
            *((fact, round(rng.uniform(0.2, 0.9), 4)) for fact in wrong),
        ]
