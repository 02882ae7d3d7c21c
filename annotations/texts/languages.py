"""The languages that a corpus may be in: which way they are written, and where their words end. Pure."""

import re
from dataclasses import dataclass
from typing import Literal

from kbpo.core.errors import InvalidInput

Direction = Literal["ltr", "rtl"]

DEFAULT = "en"
LONGEST_TAG = 16

#: Those whose words stand apart, and whose sentences spaCy ends by rules alone; and those cut by characters.
NAMES = dict(
    line.split(maxsplit=1)
    for line in """\
af Afrikaans
am Amharic
ar Arabic
az Azerbaijani
bg Bulgarian
bn Bengali
ca Catalan
cs Czech
da Danish
de German
el Greek
en English
es Spanish
et Estonian
eu Basque
fa Persian
fi Finnish
fo Faroese
fr French
ga Irish
gd Scottish Gaelic
gu Gujarati
he Hebrew
hi Hindi
hr Croatian
hu Hungarian
hy Armenian
id Indonesian
is Icelandic
it Italian
ja Japanese
kn Kannada
ky Kyrgyz
la Latin
lb Luxembourgish
lt Lithuanian
lv Latvian
mk Macedonian
ml Malayalam
mr Marathi
ms Malay
nb Norwegian Bokmål
ne Nepali
nl Dutch
nn Norwegian Nynorsk
pl Polish
pt Portuguese
ro Romanian
ru Russian
sa Sanskrit
si Sinhala
sk Slovak
sl Slovenian
sq Albanian
sr Serbian
sv Swedish
ta Tamil
te Telugu
ti Tigrinya
tl Tagalog
tr Turkish
tt Tatar
uk Ukrainian
ur Urdu
yo Yoruba
zh Chinese
""".splitlines()
)

#: Those that are written without spaces between words: each character counts as a word.
WITHOUT_SPACES = frozenset({"ja", "zh"})

#: Those that write "and", "in", "to" as letters on to the word after them: which, in the order in which they
#: come, one of each. Each counts as a word of its own, so that a name that they are written on to is one too.
WRITTEN_ON = {"ar": ("وف", "بلك"), "he": ("ו", "שכ", "בכלמה")}

_RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur"})
_RIGHT_TO_LEFT_SCRIPTS = frozenset({"Adlm", "Arab", "Hebr", "Nkoo", "Syrc", "Thaa"})
_WIKIPEDIAS = {"nb": "no"}  # the others are called as their language
_TAG = re.compile(r"([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|[0-9]{3}))?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Language:
    """A language in which documents are written.

    Attributes
    ----------
    tag : str
        Of BCP 47, as it is usually spelt: language, script and region, such as ``"zh-Hant-TW"``.
    code : str
        The language alone, such as ``"zh"``.
    direction : {"ltr", "rtl"}
        As HTML has it.
    """

    tag: str
    code: str
    direction: Direction

    @property
    def name(self) -> str:
        """Its English name."""
        return NAMES[self.code]

    @property
    def has_spaces(self) -> bool:
        """Whether white space stands between its words; if not, each character counts as a word."""
        return self.code not in WITHOUT_SPACES

    @property
    def written_on(self) -> tuple[str, ...]:
        """The letters that are words of their own where a word begins, in the order in which they come."""
        return WRITTEN_ON.get(self.code, ())

    @property
    def wikipedia(self) -> str:
        """The name under which its Wikipedia is found, as in ``"en.wikipedia.org"``."""
        return _WIKIPEDIAS.get(self.code, self.code)

    @property
    def pages(self) -> str:
        """How the addresses of its Wikipedia's pages begin."""
        return f"https://{self.wikipedia}.wikipedia.org/wiki/"


def read_language(tag: str) -> Language:
    """Return the language that a tag of BCP 47 names.

    Parameters
    ----------
    tag : str
        A language, with script and region if need be, in any case.

    Raises
    ------
    InvalidInput
        If it is no such tag, or documents in that language cannot be cut into words; lists those that can.

    Examples
    --------
    >>> read_language("zh-hant-tw").tag
    'zh-Hant-TW'
    >>> read_language("ar").direction
    'rtl'
    """
    found = _TAG.fullmatch(tag)
    if found is None:
        raise InvalidInput(
            f"{tag[:40]!r} is no tag of a language; it should be like en, pt-BR or zh-Hant-TW (BCP 47)"
        )
    code = found[1].lower()
    script, region = (found[2] or "").title(), (found[3] or "").upper()
    if code not in NAMES:
        raise InvalidInput(
            f"documents in the language {code!r} cannot be cut into words here; those in "
            f"{', '.join(NAMES)} can"
        )
    is_rtl = script in _RIGHT_TO_LEFT_SCRIPTS if script else code in _RIGHT_TO_LEFT
    return Language("-".join(filter(None, (code, script, region))), code, "rtl" if is_rtl else "ltr")


ENGLISH = read_language(DEFAULT)
