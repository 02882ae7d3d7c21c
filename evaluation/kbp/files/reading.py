"""How knowledge bases are read: what `evaluation.reading` needs to know."""

from types import MappingProxyType

from evaluation.kbp.files import sent
from evaluation.reading.reader import Reader
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.predictions import Predictions
from kbpo_formats.kbp.tac.problems import CODES, FORMAT_NAMES
from kbpo_formats.kbp.tac.reader import NO_COUNTS

READER = Reader(
    child="evaluation.kbp.files.child",
    formats=FORMAT_NAMES,
    codes=CODES,
    no_counts=MappingProxyType(dict(NO_COUNTS)),
    receive=sent.read,
    nothing=sent.gather(Predictions(), Texts({})),
)
