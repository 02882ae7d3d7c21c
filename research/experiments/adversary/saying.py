"""Ways to say the same in other words, or with other confidences; and what no file may say."""

from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np

from kbpo_formats.kbp.predictions import ReadPrediction
from kbpo_formats.kbp.tac.writer import write
from kbpo_formats.spans import Span
from research.experiments.adversary.situation import Claims, Situation
from tests.readers.knowledgenet import ONTOLOGY


def twice(one: Situation) -> bytes:
    """Say every line twice."""
    lines = one.file.decode().splitlines()
    return "\n".join([*lines, *lines[1:]]).encode()


def both_directions(one: Situation) -> bytes:
    """Say the inverse of every claim as well."""
    world = one.world
    return "".join(write(world.read(one.file), world.documents)).encode()


def other_order(one: Situation) -> bytes:
    """Shuffle the lines."""
    run, *lines = one.file.decode().splitlines()
    return "\n".join([run, *one.rng().permutation(lines).tolist()]).encode()


def turned_and_shifted(one: Situation) -> Claims:
    """Say each symmetric claim once more in the other order, one mention a character longer."""
    more = []
    for claim in one.claims:
        if ONTOLOGY.relations_by_name[claim.predicate].is_symmetric:
            end = min(claim.object.end + 1, len(one.world.data.texts[claim.doc_id]))
            more.append(claim._replace(object=Span(claim.object.start, end), turned=not claim.turned))
    return [*one.claims, *more]


def confident(one: Situation, values: Iterable[float]) -> Claims:
    """Return the claims with other confidences, none below .001."""
    kept = np.clip(list(values), 0.001, 1.0).tolist()
    return [claim._replace(confidence=value) for claim, value in zip(one.claims, kept, strict=True)]


def knowing(one: Situation, wrong: float, right: float) -> Claims:
    """Return the claims with one confidence where they are wrong, another where they are right."""
    return confident(one, np.where(one.honest.right["relation"] == 1, right, wrong).tolist())


def shaped(one: Situation) -> Claims:
    """Give each claim the confidence that a model of all labels would give it."""
    right: dict[tuple[str, tuple[str, ...]], list[float]] = defaultdict(list)
    claimed = {name: set(other.keys) for name, other in one.others.items()}

    def seen(key: str, claim: ReadPrediction) -> tuple[str, tuple[str, ...]]:
        return claim.predicate, tuple(name for name, keys in claimed.items() if key in keys)

    own = one.honest
    for key, claim, value in zip(own.keys, own.claims, own.right["relation"], strict=True):
        right[seen(key, claim)].append(value)
    mean = own.right["relation"].mean()
    return confident(
        one,
        (
            (sum(right[cell]) + mean) / (len(right[cell]) + 1)
            for key, claim in zip(own.keys, own.claims, strict=True)
            for cell in [seen(key, claim)]
        ),
    )


def beyond_the_end(one: Situation) -> bytes:
    """Point at what stands behind the end of each document."""
    run, *lines = one.file.decode().splitlines()
    return "\n".join(
        [run, *(line.replace("-", "-9") if ":KN" in line or "\tKN" in line else line for line in lines)]
    ).encode()


def types_swapped(one: Situation) -> bytes:
    """Call persons organizations and organizations persons."""
    swap = {"\ttype\tPER": "\ttype\tORG", "\ttype\tORG": "\ttype\tPER"}
    lines = one.file.decode().splitlines()
    return "\n".join(
        next((line.replace(old, new) for old, new in swap.items() if line.endswith(old)), line)
        for line in lines
    ).encode()


def last_column(value: str) -> Callable[[Situation], bytes]:
    """Return what gives one confidence to every relation."""

    def given(one: Situation) -> bytes:
        lines = [line.split("\t") for line in one.file.decode().splitlines()]
        return "\n".join(
            "\t".join([*cells[:4], value] if len(cells) == 5 and "mention" not in cells[1] else cells)
            for cells in lines
        ).encode()

    return given
