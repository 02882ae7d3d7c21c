import gzip

import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from research.experiments.annotators import PAPER_FOUND, expected, fit, of_documents, of_votes


@pytest.fixture(scope="module")
def ease():
    return fit()


@pytest.mark.parametrize(("way", "people"), PAPER_FOUND)
def test_one_distribution_of_ease_gives_all_three_of_the_papers_figures(ease, way, people):
    assert expected(*ease, way, people) == pytest.approx(PAPER_FOUND[way, people], abs=0.015)


def test_settled_word_by_word_people_find_what_was_calculated(ease):
    found = of_documents(ease, 8, np.random.default_rng(1))["found"]
    assert found["union"]["3"] == pytest.approx(0.92, abs=0.05)
    assert found["majority"]["3"] == pytest.approx(0.78, abs=0.08)


def written(path, header, rows):
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join("\t".join(row) for row in [header, *rows]) + "\n")
    return path


HEADER = ["sentence", "gold", *(f"vote{number}" for number in range(1, 6))]


def test_recorded_votes_are_settled_as_runs_of_words(tmp_path):
    rows = [
        ["0", "PER", "PER", "PER", "PER", "O", "O"],
        ["0", "PER", "PER", "PER", "O", "PER", "O"],
        ["0", "O", "O", "O", "O", "O", "O"],
        ["1", "LOC", "O", "O", "LOC", "O", "O"],
    ]
    found = of_votes(written(tmp_path / "votes.tsv.gz", HEADER, rows))["found"]
    assert found["union"] == {"1": 0.5, "3": 1.0, "5": 1.0}
    assert found["majority"] == {"1": 0.5, "3": 0.5, "5": 0.5}


def test_votes_without_a_column_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="gold"):
        of_votes(written(tmp_path / "votes.tsv.gz", ["sentence"], [["0"]]))
