"""Names that differ in accents, case and widths alone are one; names of other letters are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.kbp.explorer.folding import LONGEST, folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("José", "Jose"),
        ("José", "Jose\u0301"),
        ("JOSÉ", "josé"),
        ("Straße", "STRASSE"),
        ("GROẞ", "gross"),
        ("Müller", "Muller"),
        ("İstanbul", "istanbul"),
        ("DIYARBAKIR", "Diyarbakır"),
        ("Łódź", "Lodz"),
        ("Søren Ærø", "Soren Aero"),
        ("Ａｃｍｅ　２", "Acme 2"),
        ("Σίσυφος", "ΣΙΣΥΦΟΣ"),
        ("Хрущёв", "Хрущев"),
        ("أحمد", "احمد"),
        ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם", "שלום"),
        ("O’Neill", "O'Neill"),
        ("Port\u00a0 Hallow", "port hallow"),
        ("Co\u00adop", "Coop"),
    ],
)
def test_accents_case_and_widths_do_not_matter(one, other):
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Jose", "Joze"), ("が", "か"), ("й", "и"), ("कि", "की"), ("Ada Quill", "AdaQuill"), ("ㄱ", "ㄴ")],
)
def test_other_letters_are_other_names(one, other):
    assert folded(one) != folded(other)


@pytest.mark.slow
@given(st.text())
def test_what_is_folded_stays_as_it_is(name):
    once = folded(name)
    assert folded(once) == once
    assert len(once) <= LONGEST
