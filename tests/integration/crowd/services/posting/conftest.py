import pytest


@pytest.fixture(autouse=True)
def none_to_all_of_a_hits_ten_questions(everybody_may_say_none: None) -> None:
    """Have no pattern seen in that."""
