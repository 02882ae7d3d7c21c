"""A batch for a submission."""

import pytest

from annotations.models import Corpus
from crowd.models import HitBatch
from tests.integration.crowd.budget.books import new_batch


@pytest.fixture
def batch(corpus: Corpus) -> HitBatch:
    return new_batch(corpus, submission_id=7)
