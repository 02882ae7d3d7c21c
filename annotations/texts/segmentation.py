"""Sentences and tokens, as character offsets, from rules alone."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import spacy
import spacy.language
from spacy.pipeline import Sentencizer
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, Token
from spacy.util import compile_suffix_regex
from spacy.vocab import Vocab

from annotations.texts.languages import DEFAULT, Language, read_language

_LINE_BREAK = re.compile("\r\n|[\n\r\u2029]")
# What is one token where words are not set apart: white space, a run of Latin letters and digits ("IBM",
# "3.5"), or one character; each of them but white space with the marks that combine with it.
_CHARACTER = re.compile(
    r"\s+|(?:[0-9A-Za-z\u00c0-\u024f]+(?:[.,:'\u2019][0-9A-Za-z\u00c0-\u024f]+)*|.)"
    r"[\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef]*",
    re.DOTALL,
)
_MARKS_OF_VOWELS = r"[\u0591-\u05c7\u064b-\u065f\u0670]*"
_OPENING_MARKS = frozenset("¿¡")
# spaCy keeps a full stop with what is before it after digits, brackets and some letters of these.
_STOPS_KEPT = frozenset({"ar", "fa", "gu", "ml"})
_ENDING_MARKS = {"el": [";"]}  # of sentences, beside those of the sentencizer
_NOT_ENDING_MARKS = {"ja": ["."], "zh": ["."]}  # there the full stop is of foreign abbreviations and numbers


@dataclass(slots=True)
class SegmentedSentence:
    """A sentence: the half-open spans of its tokens, in order. White space is in no token."""

    token_starts: list[int] = field(default_factory=list)
    token_ends: list[int] = field(default_factory=list)

    @property
    def start(self) -> int:
        """Return where its first token starts."""
        return self.token_starts[0]

    @property
    def end(self) -> int:
        """Return where its last token ends."""
        return self.token_ends[-1]


def segment(texts: Sequence[str], language: str = DEFAULT) -> Iterator[list[SegmentedSentence]]:
    """Cut texts into sentences and tokens.

    A sentence ends as spaCy's sentencizer says, and at every blank line. Every character that is no white
    space is in exactly one token, and every token in exactly one sentence. Where words are not set apart by
    white space each character is a token, but for runs of Latin letters and digits. Where words such as "and"
    are letters of the word that follows, each such letter at the beginning of a word is a token.

    Parameters
    ----------
    texts : sequence of str
        A batch that fits in memory; what was learned of its words is forgotten afterwards.
    language : str
        A tag that `annotations.texts.languages.read_language` knows.

    Yields
    ------
    list of SegmentedSentence
        One list a text, in order; empty for a text of white space.
    """
    known = read_language(language)
    pipeline = _pipeline(known.code)
    with pipeline.memory_zone():
        for text, doc in zip(texts, pipeline.pipe(texts), strict=True):
            yield _sentences(text, doc, known)


class _ByCharacters:
    """A tokenizer for text without white space between words."""

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        words = _CHARACTER.findall(text)
        return Doc(self.vocab, words, [False] * len(words))


@cache
def _pipeline(code: str) -> spacy.language.Language:
    language = read_language(code)
    pipeline = spacy.blank(code if language.has_spaces else "xx")
    marks = [mark for mark in Sentencizer.default_punct_chars if mark not in _NOT_ENDING_MARKS.get(code, ())]
    pipeline.add_pipe("sentencizer", config={"punct_chars": [*marks, *_ENDING_MARKS.get(code, ())]})
    if not language.has_spaces:
        pipeline.tokenizer = _ByCharacters(pipeline.vocab)
    elif code != DEFAULT:
        stops = [r"(?<=[^\s.A-Za-z])\."] if code in _STOPS_KEPT else []
        ends = "".join(mark for mark in marks if mark != ".")
        suffixes = [*(pipeline.Defaults.suffixes or ()), f"[{re.escape(ends)}]", *stops]
        assert isinstance(pipeline.tokenizer, Tokenizer)
        pipeline.tokenizer.suffix_search = compile_suffix_regex(suffixes).search
    pipeline.max_length = 2**31 - 1  # spaCy's limit is meant for models; rules need no such memory
    return pipeline


def _sentences(text: str, doc: Doc, language: Language) -> list[SegmentedSentence]:
    sentences: list[SegmentedSentence] = []
    begins = True
    end = opened = 0  # opened: how many opening brackets and quotes stand right before, after white space
    for token in doc:
        begins = begins or bool(token.is_sent_start)
        if token.is_space:
            continue  # a sentence that begins with white space begins with the token after it
        start, ends = token.idx, _ends_of_parts(token.text, language)
        if start > end:
            opened = 0
        if begins or len(_LINE_BREAK.findall(text, end, start)) > 1:
            sentences.append(_opening(sentences, opened))
        opened = opened + 1 if _opens(token, language, is_apart=opened > 0 or start > end) else 0
        end = start + len(token)
        sentences[-1].token_starts += [start, *(start + cut for cut in ends)]
        sentences[-1].token_ends += [*(start + cut for cut in ends), end]
        begins = False
    return sentences


def _ends_of_parts(word: str, language: Language) -> list[int]:
    """Return where in a word those letters end that are words of their own; at least two are left."""
    if not language.written_on:
        return []
    found = _written_on(language.written_on).match(word)
    return sorted({found.end(part) for part in range(1, found.re.groups + 1)} - {-1}) if found else []


@cache
def _written_on(letters: tuple[str, ...]) -> re.Pattern[str]:
    parts = "".join(f"([{some}]{_MARKS_OF_VOWELS})?" for some in letters)
    return re.compile(rf"{parts}(?=\w{_MARKS_OF_VOWELS}\w)")


def _opens(token: Token, language: Language, *, is_apart: bool) -> bool:
    """Say whether a token opens what follows; quotes may also close, and are known by the space before."""
    if language.code == DEFAULT:
        return bool(token.is_left_punct) and is_apart
    if not language.has_spaces:
        return unicodedata.category(token.text[0]) in {"Ps", "Pi"}
    return token.text in _OPENING_MARKS or (bool(token.is_left_punct) and is_apart)


def _opening(sentences: list[SegmentedSentence], opened: int) -> SegmentedSentence:
    """Begin a sentence with what opens it: the sentencizer leaves it at the end of the one before."""
    if not opened or opened == len(sentences[-1].token_starts):
        return SegmentedSentence()
    last = sentences[-1]
    sentence = SegmentedSentence(last.token_starts[-opened:], last.token_ends[-opened:])
    del last.token_starts[-opened:], last.token_ends[-opened:]
    return sentence
