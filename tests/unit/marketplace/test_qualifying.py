import pytest

from marketplace.qualifying import meets


@pytest.mark.parametrize(
    ("comparator", "wanted", "met"),
    [
        ("LessThan", [80], [79]),
        ("LessThanOrEqualTo", [80], [79, 80]),
        ("GreaterThan", [80], [81]),
        ("GreaterThanOrEqualTo", [80], [80, 81]),
        ("EqualTo", [80], [80]),
        ("NotEqualTo", [80], [79, 81]),
        ("In", [79, 81], [79, 81]),
        ("NotIn", [79, 81], [80]),
        ("Exists", [], [79, 80, 81]),
        ("DoesNotExist", [], [None]),
    ],
)
def test_a_comparator_is_met_by_these_values_alone(
    comparator: str, wanted: list[int], met: list[int | None]
) -> None:
    requirement = {"Comparator": comparator, "IntegerValues": wanted}
    assert [value for value in (None, 79, 80, 81) if meets(requirement, value)] == met
