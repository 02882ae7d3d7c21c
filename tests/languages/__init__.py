"""Tiny corpora in three languages, with their truth and a system's claims, for tests."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kbpo_formats.spans import Span

TYPES = {"person": "PER", "place": "GPE", "company": "ORG"}


@dataclass(frozen=True)
class Sample:
    """Documents of one shape: somebody was born in a place, and works for a company.

    Attributes
    ----------
    language : str
    direction : {"ltr", "rtl"}
    title, shape : str
        With the names in braces.
    names : sequence of (str, str, str)
        Of each document: person, place, company.
    words : int
        Tokens of the first document.
    part : str
        Of the first person's name, from a word's beginning to a word's end.
    """

    language: str
    direction: str
    title: str
    shape: str
    names: Sequence[tuple[str, str, str]]
    words: int
    part: str

    def named(self, number: int) -> dict[str, str]:
        return dict(zip(TYPES, self.names[number], strict=True))

    def text(self, number: int) -> str:
        return self.shape.format(**self.named(number))

    def span(self, number: int, role: str) -> Span:
        name = self.named(number)[role]
        start = self.text(number).index(name)
        return Span(start, start + len(name))

    def write_corpus(self, path: Path) -> Path:
        rows = [
            {"doc_id": f"D{n}", "title": self.title.format(**self.named(n)), "text": self.text(n)}
            for n in range(len(self.names))
        ]
        return _write(path, rows)

    def write_gold(self, path: Path) -> Path:
        rows = []
        for n in range(len(self.names)):
            spans = {role: self.span(n, role) for role in TYPES}
            mentions = [
                {**spans[role]._asdict(), "type": kind, "canonical": [*spans[role]], "link": None}
                for role, kind in TYPES.items()
            ]
            relations = [
                {"predicate": predicate, "subject": [*spans["person"]], "object": [*spans[role]]}
                for predicate, role in (
                    ("per:place_of_birth", "place"),
                    ("per:employee_or_member_of", "company"),
                )
            ]
            mentions.sort(key=lambda one: one["start"])
            rows.append({"doc_id": f"D{n}", "mentions": mentions, "relations": relations})
        return _write(path, rows)

    def write_kb(self, path: Path) -> Path:
        """Write a system's claims in TAC's format: all that is true, and three claims more."""
        lines = [path.stem]
        for n in range(len(self.names)):
            for role, kind in TYPES.items():
                span = self.span(n, role)
                where = f'"{self.named(n)[role]}"\tD{n}:{span.start}-{span.end - 1}'
                lines += [f":{role}{n}\ttype\t{kind}"]
                lines += [f":{role}{n}\t{verb}\t{where}" for verb in ("canonical_mention", "mention")]
            claims = [("city_of_birth", "place"), ("employee_or_member_of", "company")]
            claims += [("cities_of_residence", "place")] if n % 2 else []
            for predicate, role in claims:
                justification = f"D{n}:0-{len(self.text(n)) - 1}"
                lines.append(f":person{n}\tper:{predicate}\t:{role}{n}\t{justification}\t0.{9 - n}")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


def _write(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


CHINESE = Sample(
    "zh-Hans",
    "ltr",
    "{person}和{company}",
    "{person}1970年生于{place}。她在{company}工作吗？是的，她是那里的IBM顾问！",
    [
        ("林华", "苏州", "华光公司"),
        ("王小明", "北京", "东方纸业"),
        ("陈丽", "广州", "海风船运"),
        ("赵国强", "成都", "青山书局"),
        ("何静", "南京", "明月剧院"),
        ("周海", "厦门", "白鹭银行"),
    ],
    words=31,
    part="林",
)
ARABIC = Sample(
    "ar",
    "rtl",
    "{person} و{company}",
    "وُلدت {person} في {place} سنة 1970. هل تعمل في {company}؟ نعم، تعمل هناك مستشارة لدى IBM!",
    [
        ("ليلى الحداد", "دمشق", "شركة النور"),
        ("مريم الخطيب", "بغداد", "دار القلم"),
        ("سارة منصور", "تونس", "مصرف الساحل"),
        ("هدى السالم", "عمان", "مسرح القمر"),
        ("نور الكاتب", "حلب", "مطبعة الفجر"),
        ("ريم العطار", "بيروت", "مكتبة الجبل"),
    ],
    words=26,
    part="ليلى",
)
SPANISH = Sample(
    "es",
    "ltr",
    "{person} y {company}",
    "{person} nació en {place} en 1970. ¿Trabaja en la {company}? ¡Sí, es asesora de «IBM»!",
    [
        ("Ana Belén Torres", "Sevilla", "Imprenta Luna"),
        ("Inés Ibáñez", "Lima", "Librería Ñandú"),
        ("Elsa Peña", "Quito", "Naviera Azul"),
        ("Marta Gómez", "Bogotá", "Editorial Olmo"),
        ("Lucía Núñez", "Cádiz", "Fábrica Roble"),
        ("Rosa Marín", "Oviedo", "Orquesta Niebla"),
    ],
    words=26,
    part="Ana",
)
SAMPLES = (CHINESE, ARABIC, SPANISH)
