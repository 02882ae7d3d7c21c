import pytest

from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.tac.lengths import Lengths
from kbpo_formats.kbp.tac.problems import ProblemLog
from kbpo_formats.kbp.tac.syntax import Place
from kbpo_formats.spans import Span

TEXT = "Ann met J. Lee of Bolt.\n\nShe left at once with all that she had in the house and the car."
SENTENCES = [0, 25]


@pytest.mark.parametrize(
    ("said", "warning"),
    [
        ("Ann", None),
        ("J. Lee of Bolt", None),
        ("She left at once with all that she had in the house", None),
        ("She left at once with all that she had in the house and", "has 13 words"),
        ("Bolt.\n\nShe", "goes on into another sentence"),
    ],
)
def test_a_mention_that_no_true_mention_can_be_near_is_a_warning(said, warning):
    log = ProblemLog("tac2016")
    start = TEXT.index(said)
    place = Place("D", Span(start, start + len(said)))
    Lengths(Texts({"D": TEXT}, {"D": SENTENCES}), log).check(place, 7, said)
    found = [(one.line, one.code, one.severity) for one in log.by_line()]
    assert found == ([(7, "LONG_MENTION", "WARNING")] if warning else [])
    assert all(warning in one.message for one in log.by_line())
