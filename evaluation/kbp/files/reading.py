"""How knowledge bases are read: what `evaluation.reading` needs to know."""

from types import MappingProxyType

from evaluation.kbp.files import sent
from evaluation.reading.reader import Reader
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.counts import NO_COUNTS
from kbpo_formats.kbp.predictions import Predictions
from kbpo_formats.kbp.problems import CODES, FORMATS

READER = Reader(
    child="evaluation.kbp.files.child",
    formats=FORMATS,
    codes=CODES,
    no_counts=MappingProxyType(dict(NO_COUNTS)),
    receive=sent.read,
    nothing=sent.gather(Predictions(), Texts({})),
)
