import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evaluation.kbp.words import Words
from kbpo_formats.spans import Span

texts = st.text(st.sampled_from("ab. \n\u00a0\u3000\u200b\U0001f600"), max_size=12)


@given(texts=st.lists(texts, min_size=1, max_size=4), start=st.integers(0, 12), length=st.integers(1, 12))
def test_a_span_touches_the_runs_without_white_space_that_it_shares_a_character_with(texts, start, length):
    words = Words.of({str(number): text for number, text in enumerate(texts)})
    for number, text in enumerate(texts):
        span = Span(start, min(start + length, len(text)))
        if span.start < span.end:
            runs = [Span(*run.span()) for run in re.finditer(r"\S+", text)]
            touched = words.touched_by(words.begin([str(number)])[:, None] + np.array([span]))
            assert touched.tolist() == [sum(span.overlaps(run) for run in runs)]


def test_without_texts_there_are_no_words():
    assert Words.of({}).starts.tolist() == []
