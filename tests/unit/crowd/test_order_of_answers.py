"""The order in which a HIT's answers are kept tells nothing of its gold."""

from crowd.collecting import _mixed
from crowd.models import Hit


def test_the_oldest_question_of_a_hit_is_kept_first_no_more_often_than_another() -> None:
    first = [min(range(1, 6), key=lambda pk: _mixed(Hit(page_seed=seed), pk)) for seed in range(500)]
    assert all(70 < first.count(pk) < 130 for pk in range(1, 6))
