"""How a score, a system or a snapshot is cited: plain text, and BibTeX that LaTeX can read. Pure."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime

SITE = "KBP Online"
#: What LaTeX or BibTeX reads as something else. Braces count for BibTeX even behind a backslash.
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    '"': r"\textquotedbl{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{letter: f"\\{letter}" for letter in "&%$#_"},
}
#: In an address: it is inside \url, which takes all but these.
_OF_ADDRESS = {
    "\\": "%5C",
    "{": "%7B",
    "}": "%7D",
    "^": "%5E",
    '"': "%22",
    " ": "%20",
    "<": "%3C",
    ">": "%3E",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """What is cited.

    Attributes
    ----------
    key : str
        Of the BibTeX entry.
    authors : str
        A team; the site itself, for a leaderboard.
    title : str
    what : str
        What it says, in a sentence without its end; empty for nothing.
    at : datetime
        When it stood so.
    address : str
    digest : str
        SHA-256 of what stands there; empty where it has none.
    """

    key: str
    authors: str
    title: str
    what: str
    at: datetime
    address: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation, ready to be copied."""

    plain: str
    bibtex: str
    address: str


def cite(cited: Cited) -> Citation:
    r"""Write a citation.

    Examples
    --------
    >>> day = datetime(2026, 11, 23)
    >>> made = cite(
    ...     Cited(key="a/3", authors="R&D_{", title="Émile 50%", what="F1 45.6", at=day, address="https://x/a_b/")
    ... )
    >>> made.plain
    'R&D_{. Émile 50%. F1 45.6. KBP Online, 23 November 2026. https://x/a_b/'
    >>> print(made.bibtex)
    @misc{a-3,
      author = {{R\&D\_\textbraceleft{}}},
      title = {{Émile 50\%}},
      year = {2026},
      month = nov,
      howpublished = {KBP Online, \url{https://x/a_b/}},
      note = {F1 45.6; as of 23 November 2026}
    }
    """
    day = f"{cited.at:%-d %B %Y}"
    digest = f"SHA-256 {cited.digest}" if cited.digest else ""
    said = [_line(one) for one in (cited.authors, cited.title, cited.what) if one]
    plain = ". ".join([*said, f"{SITE}, {day}", cited.address]) + (f" ({digest})" if digest else "")
    note = "; ".join(one for one in (escape(cited.what), f"as of {day}", digest) if one)
    fields = {
        "author": f"{{{{{escape(cited.authors)}}}}}",
        "title": f"{{{{{escape(cited.title)}}}}}",
        "year": f"{{{cited.at:%Y}}}",
        "month": f"{cited.at:%b}".lower(),
        "howpublished": f"{{{SITE}, \\url{{{_address(cited.address)}}}}}",
        "note": f"{{{note}}}",
    }
    lines = ",\n".join(f"  {name} = {value}" for name, value in fields.items())
    return Citation(plain, f"@misc{{{_key(cited.key)},\n{lines}\n}}", cited.address)


def escape(text: str) -> str:
    r"""Write a text so that LaTeX and BibTeX print it as it is; letters of every script stay, as UTF-8.

    Examples
    --------
    >>> print(escape("a_b & {c} 100% ~^#$ Ωμέγα"))
    a\_b \& \textbraceleft{}c\textbraceright{} 100\% \textasciitilde{}\textasciicircum{}\#\$ Ωμέγα
    """
    return "".join(_ESCAPED.get(letter, letter) for letter in _line(text))


def _line(text: str) -> str:
    """Return a text on one line, composed, without characters that nobody sees: they turn or hide others."""
    composed = unicodedata.normalize("NFC", text)
    shown = (" " if one.isspace() else one for one in composed if one.isspace() or not _is_hidden(one))
    return " ".join("".join(shown).split())


def _is_hidden(letter: str) -> bool:
    # joiners make letters of some scripts, and pictures
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn") and letter not in "\u200c\u200d"


def _address(address: str) -> str:
    return "".join(_OF_ADDRESS.get(letter, letter) for letter in address)


def _key(text: str) -> str:
    """Return a key that BibTeX takes: letters of ASCII, digits and hyphens."""
    return "".join(one if one.isascii() and (one.isalnum() or one in "-.") else "-" for one in text)
