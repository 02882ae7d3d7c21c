"""What a tutorial's pages show, wherever it is taken: in a HIT, or by an annotator on the site."""

from collections.abc import Mapping
from typing import Any

from crowd.tutorials.lesson import Posted, Tutorial
from kbpo.core.errors import KbpoError

START = "crowd/tutorial/start.html"
PRACTICE = "crowd/tutorial/practice.html"
EXPLAINED = "crowd/tutorial/explained.html"


def start(tutorial: Tutorial) -> dict[str, Any]:
    """Return what the first page shows: how to judge, and examples with their answers."""
    return {
        "tutorial": tutorial,
        "ontology": tutorial.ontology,
        "examples": [
            {"review": one.review(one.right_answer), "explanation": one.explanation}
            for one in tutorial.examples
        ],
        "review_template": _template(tutorial, "review"),
        "instructions_template": _template(tutorial, "instructions"),
    }


def practice(
    tutorial: Tutorial, index: int, posted: Posted | None = None, error: KbpoError | None = None
) -> dict[str, Any]:
    """Return what a practice question's page shows."""
    return {
        "tutorial": tutorial,
        "ontology": tutorial.ontology,
        "index": index,
        "number": index + 1,
        "heading": f"Question {index + 1} of {len(tutorial.practice)}",
        "page": tutorial.practice[index].page(posted or {}),
        "error": error,
        "keys_template": _template(tutorial, "keys"),
        "practice_template": _template(tutorial, "practice"),
        "instructions_template": _template(tutorial, "instructions"),
    }


def explained(tutorial: Tutorial, index: int, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is shown once a practice question is answered: what was right, and why."""
    one = tutorial.practice[index]
    return {
        "tutorial": tutorial,
        "number": index + 1,
        "review": one.review(answer),
        "is_right": one.is_right(answer),
        "explanation": one.explanation,
        "comes_again": not tutorial.keeps(index, answer),
        "is_last": index + 1 == len(tutorial.practice),
        "review_template": _template(tutorial, "review"),
    }


def _template(tutorial: Tutorial, part: str) -> str:
    return f"crowd/tutorial/{tutorial.kind}/{part}.html"
