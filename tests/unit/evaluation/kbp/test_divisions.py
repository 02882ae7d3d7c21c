import pytest

from evaluation.kbp.divisions import bands


@pytest.mark.parametrize(
    ("frequencies", "names", "tops"),
    [
        ([], ["at most 3", "more than 3"], [3]),
        ([1] * 10, ["at most 3", "more than 3"], [3]),
        ([1] * 8 + [4, 9], ["at most 3", "4", "more than 4"], [3, 4]),
        ([1] * 5 + [10] * 4 + [99], ["at most 3", "4 to 10", "more than 10"], [3, 10]),
    ],
)
def test_bands_follow_the_names_of_the_pool(frequencies, names, tops):
    assert bands(frequencies) == (names, tops)
