"""Knowledge bases that say given claims, and what can be changed in a file without a change of any claim."""

from collections import defaultdict
from collections.abc import Callable

from kbpo_formats.spans import Span
from research.experiments.adversary.world import Claims, World

Naming = Callable[[int, str, Span, str, Span], str]
"""From the place of a claim, its document, a mention, its type and full name to the entity's name."""


def written(
    world: World,
    claims: Claims,
    *,
    run: str = "Adversary",
    named: Naming | None = None,
    value: str | None = None,
) -> bytes:
    """Write claims as a knowledge base.

    Parameters
    ----------
    world : World
    claims : sequence of ReadPrediction
    run : str
    named : callable or None
        What each end of a claim is called as an entity; None: each an entity of its own.
    value : str or None
        What stands for dates and other strings; None for what the claim has.
    """
    said: dict[str, None] = {}
    relations = []
    for place, one in enumerate(claims):
        ends = []
        for role in ("subject", "object"):
            mention, full = getattr(one, role), getattr(one, f"{role}_canonical")
            if full is None:
                ends.append((f'"{value or one.object_entity}"'.replace("\\", ""), mention))
                continue
            kind = getattr(one, f"{role}_type")
            name = f":E{place}{role}" if named is None else named(place, one.doc_id, mention, kind, full)
            ends.append((name, mention))
            said[f"{name}\ttype\t{kind}"] = None
            for verb, span in (("mention", mention), ("mention", full), ("canonical_mention", full)):
                quoted = _quoted(" ".join(world.text(one.doc_id, span).split()))
                said[f"{name}\t{verb}\t{quoted}\t{_place(one.doc_id, span)}"] = None
        (subject, first), (object_, second) = reversed(ends) if one.turned else ends
        order = (second, first) if one.object_canonical is None else (first, second)
        places = ",".join(_place(one.doc_id, span) for span in order)
        relations.append(f"{subject}\t{one.official}\t{object_}\t{places}\t{_decimal(one.confidence)}")
    return "\n".join([run, *said, *relations, ""]).encode()


def gathered(claims: Claims) -> Naming:
    """Return names by which the surest half's ends are entities of their own, and all others a few entities.

    These have one mention in each of many documents, so that no claim changes.
    """
    order = sorted(range(len(claims)), key=lambda place: claims[place].confidence)
    doubtful = set(order[: len(claims) // 2])
    numbers: dict[tuple[str, str], dict[tuple[Span, Span], int]] = defaultdict(dict)

    def named(place: int, doc_id: str, mention: Span, kind: str, full: Span) -> str:
        if place not in doubtful:
            return f":Own{place}_{mention.start}"
        known = numbers[doc_id, kind]
        return f":Few_{kind}_{known.setdefault((mention, full), len(known))}"

    return named


def renamed(file: bytes) -> bytes:
    """Return a file in which every entity has another name."""
    return _changed(
        file, lambda cells: [f":Other_{cell[1:]}" if cell.startswith(":") else cell for cell in cells]
    )


def in_other_letters(file: bytes) -> bytes:
    """Return a file whose mentions are spelled with look-alike letters and characters that nobody sees."""
    alike = str.maketrans({"a": "\u0430", "e": "\u0435", "o": "\u043e", "i": "i\u200b"})

    def change(cells: list[str]) -> list[str]:
        if len(cells) > 2 and cells[1].endswith("mention"):
            return [*cells[:2], cells[2].translate(alike), *cells[3:]]
        return cells

    return _changed(file, change)


def _changed(file: bytes, change: Callable[[list[str]], list[str]]) -> bytes:
    lines = file.decode().splitlines()
    return "\n".join("\t".join(change(line.split("\t"))) for line in lines).encode() + b"\n"


def _place(doc_id: str, span: Span) -> str:
    return f"{doc_id}:{span.start}-{span.end - 1}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _decimal(confidence: float) -> str:
    return f"{confidence:.12f}".rstrip("0").ljust(3, "0")
