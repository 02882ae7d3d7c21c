"""How often names occur in a corpus: in how many of its documents.

In English Postgres' full-text search tells, by its index. It knows no other punctuation than ASCII's, and
words only by the spaces between them, so in other languages the texts themselves are gone through.
"""

from collections.abc import Collection
from typing import NamedTuple

from django.db import connection

from annotations.models import Corpus
from annotations.models.corpus import SEARCHED_CHARACTERS
from annotations.texts.languages import DEFAULT

# The very expression of the index `document_words`, so that it is used. OFFSET 0 keeps the planner from going
# through all documents of the corpus for each name, as it would while it knows nothing of a new table.
_OCCUR = f"""
SELECT asked.name, found.id, found.times
FROM unnest(%s::text[]) AS asked (name), LATERAL (
    SELECT document.id, document.corpus_id, greatest(1, (
        length(document.text) - length(replace(lower(document.text), asked.name, ''))
    ) / length(asked.name)) AS times
    FROM annotations_document AS document
    WHERE to_tsvector('simple'::regconfig, COALESCE(LEFT(document.text, {SEARCHED_CHARACTERS}), ''))
        @@ phraseto_tsquery('simple', asked.name)
    OFFSET 0
) AS found
WHERE found.corpus_id = %s
ORDER BY asked.name, found.id
"""  # noqa: S608 - a number of ours

# Letters and digits alone, in lower case, with two spaces between words and one around all, so that each of
# two names in a row has its own; where words are not set apart, without any white space.
_WORDS = "' ' || btrim(regexp_replace(lower({}), '[^[:alnum:]]+', '  ', 'g')) || ' '"
_CHARACTERS = r"regexp_replace(lower({}), '\s+', '', 'g')"

_IN_TEXTS = """
WITH plain AS MATERIALIZED (
    SELECT document.id, {text} AS text FROM annotations_document AS document WHERE document.corpus_id = %s
), asked AS (
    SELECT name, {name} AS wanted FROM unnest(%s::text[]) AS asked (name) WHERE name ~ '[[:alnum:]]'
)
SELECT asked.name, plain.id,
    (length(plain.text) - length(replace(plain.text, asked.wanted, ''))) / length(asked.wanted) AS times
FROM plain JOIN asked ON strpos(plain.text, asked.wanted) > 0
ORDER BY asked.name, plain.id
"""


# A name may stand behind letters that are words of their own. Which letters of a word are none of its own
# cannot be told without knowing it: so a name is found in a longer one that differs by such letters alone.
_BEHIND_LETTERS = """
WITH plain AS MATERIALIZED (
    SELECT document.id, {text} AS text FROM annotations_document AS document WHERE document.corpus_id = %s
), asked AS (
    SELECT name, substr({name}, 2) AS wanted
    FROM unnest(%s::text[]) AS asked (name) WHERE name ~ '[[:alnum:]]'
)
SELECT asked.name, plain.id, found.times
FROM plain JOIN asked ON strpos(plain.text, asked.wanted) > 0,
LATERAL (SELECT count(*) AS times FROM regexp_matches(plain.text, %s || asked.wanted, 'g')) AS found
WHERE found.times > 0
ORDER BY asked.name, plain.id
"""


class Occurrence(NamedTuple):
    """A name in a document, and how often it stands there."""

    name: str
    document_id: int
    times: int


def normalised(name: str) -> str:
    """Return the form under which a name is counted: lower case, single spaces, at most 200 characters.

    Examples
    --------
    >>> normalised("Port   Hallow")
    'port hallow'
    """
    return " ".join(name.split()).lower()[:200]


def find_occurrences(corpus: Corpus, names: Collection[str]) -> list[Occurrence]:
    """Find the documents of a corpus that contain each name, as a phrase of whole words in any case.

    Where white space does not stand between words, as in Chinese, they are those that contain its characters;
    where letters such as "and" are written on to words, as in Arabic, also those that have them before it.
    How often a name stands in a document is counted letter by letter; where a line break keeps it from being
    found so, it stands there once.

    Returns
    -------
    list of Occurrence
        By name, then by document.
    """
    wanted = sorted(set(names))
    if corpus.written_in.code != DEFAULT:
        return _in_texts(corpus, wanted)
    with connection.cursor() as cursor:
        cursor.execute(_OCCUR, [wanted, corpus.pk])
        return [Occurrence(*row) for row in cursor.fetchall()]


def _in_texts(corpus: Corpus, names: list[str]) -> list[Occurrence]:
    language = corpus.written_in
    plain, query = _WORDS, _IN_TEXTS
    given: list[int | str | list[str]] = [corpus.pk, names]
    if not language.has_spaces:
        plain = _CHARACTERS
    elif language.written_on:
        query = _BEHIND_LETTERS
        given.append(" " + "".join(f"[{letters}]?" for letters in language.written_on))
    query = query.format(text=plain.format("document.text"), name=plain.format("name"))
    with connection.cursor() as cursor:
        cursor.execute(query, given)
        return [Occurrence(*row) for row in cursor.fetchall()]
