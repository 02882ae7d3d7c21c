"""How knowledge bases are read: what `evaluation.reading` needs to know."""

from types import MappingProxyType

from evaluation.kbp.tac import sent
from evaluation.kbp.tac.predictions import Predictions
from evaluation.kbp.tac.problems import CODES, FORMAT_NAMES
from evaluation.kbp.tac.reader import NO_COUNTS
from evaluation.reading.corpus import Texts
from evaluation.reading.reader import Reader

READER = Reader(
    child="evaluation.kbp.tac.child",
    formats=FORMAT_NAMES,
    codes=CODES,
    no_counts=MappingProxyType(dict(NO_COUNTS)),
    receive=sent.read,
    nothing=sent.gather(Predictions(), Texts({})),
)
