"""The counts of a reading, in the order in which a reader asks."""

from evaluation.kbp.summary import summarise


def test_nothing_read_has_no_summary():
    assert summarise({}) is None


def test_shares_come_with_the_most_frequent_first():
    found = summarise({"entities": 6, "entities_by_type": {"GPE": 1, "ORG": 2, "PER": 3}})
    assert found.entities_by_type == (("PER", 3), ("ORG", 2), ("GPE", 1))


def test_reasons_are_said_in_words():
    found = summarise({"dropped_lines": 2, "dropped_by_reason": {"REPEATED_ASSERTION": 2}})
    assert found.dropped_by_reason == (("say the same as an earlier line", 2),)


def test_counts_of_another_age_leave_out_what_they_do_not_know():
    assert summarise({"lines": 4}).mentions == 0
