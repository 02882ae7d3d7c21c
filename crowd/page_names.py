"""What a HIT's page calls its questions: numbers of the HIT's own, from which nobody learns their ages.

A question's own id tells when it was first asked, and so which of a page's questions was settled long ago.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from crowd.models import Hit

_BYTES = 5  # a number of JSON, and of a form's field


def page_names(hit: Hit, questions: Iterable[int]) -> dict[int, int]:
    """Return what the pages of a HIT call some questions; by their ids where nobody has accepted it yet."""
    return {pk: pk if hit.page_seed is None else _name(hit.page_seed, pk) for pk in questions}


def conceal(hit: Hit, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `hit_answers.to_data` does, with its questions by their names on the page."""
    names = page_names(hit, [one["question"] for one in data["answers"]])
    return {**data, "answers": [{**one, "question": names[one["question"]]} for one in data["answers"]]}


def reveal(hit: Hit, data: object, questions: Iterable[int]) -> object:
    """Return what came back for a HIT with its questions by their ids; what is no name stays."""
    if not isinstance(data, Mapping) or not isinstance(data.get("answers"), list):
        return data
    ids = {name: pk for pk, name in page_names(hit, questions).items()}
    return {**data, "answers": [_revealed(one, ids) for one in data["answers"]]}


def _revealed(one: object, ids: Mapping[int, int]) -> object:
    name = one.get("question") if isinstance(one, Mapping) else None
    if not isinstance(one, Mapping) or not isinstance(name, int) or isinstance(name, bool):
        return one
    return {**one, "question": ids.get(name, name)}


def _name(seed: int, pk: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed} name {pk}".encode()).digest()[:_BYTES])
