from annotations.models import Document, Question
from crowd.simulation.simulated_crowd import chosen_workers


def test_who_answers_hangs_on_seed_and_question_alone() -> None:
    def order(pk: int, key: str, seed: int) -> list[int]:
        return chosen_workers(Question(pk=pk, document=Document(doc_id="D1"), key=key), 30, seed)

    assert order(1, "key", 0) == order(2, "key", 0)
    assert order(1, "key", 0) != order(1, "key", 1)
    assert order(1, "key", 0) != order(1, "other", 0)
    assert sorted(order(1, "key", 0)) == list(range(30))
