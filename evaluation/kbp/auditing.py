"""What is looked at again of a corpus beside the samples of its units, their labels and their scores."""

from collections.abc import Callable

from annotations.models import Corpus
from evaluation.kbp import asked
from evaluation.kbp.recall import audit as documents

OF_CORPUS: tuple[Callable[[Corpus], list[str]], ...] = (asked.audit, documents.audit)


def audit(corpus: Corpus) -> list[str]:
    """Say what differs, a sentence each."""
    return [finding for one in OF_CORPUS for finding in one(corpus)]
