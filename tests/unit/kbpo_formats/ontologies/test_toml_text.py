"""Values written as TOML come back as they were."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from kbpo_formats.ontologies.toml_text import toml_lines

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=400)
LONG = st.lists(st.sampled_from(["a", "  ", " ", "word ", "\n", '"', "\\", "é", "\t"]), max_size=400).map(
    "".join
)
VALUES = TEXTS | LONG | st.booleans() | st.integers(0, 10**6)


@given(st.dictionaries(TEXTS, VALUES | st.lists(TEXTS | st.integers(0, 9)) | st.dictionaries(TEXTS, TEXTS)))
def test_what_is_written_is_read_back(values):
    assert tomllib.loads(toml_lines(values)) == values


@given(LONG)
def test_a_long_text_without_long_words_stands_on_short_lines(text):
    assert max(map(len, toml_lines({"key": text}).split("\n"))) < 300
