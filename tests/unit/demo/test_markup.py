import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.markup import parse

HEAD = "A title\n2031-04-02\n\n"


def gold_relations(body: str) -> list[tuple[str, str, str]]:
    """Give the relations with the words of their mentions."""
    document, gold = parse(HEAD + body, doc_id="d")
    text = document["text"]
    return [
        (r["predicate"], text[slice(*r["subject"])], text[slice(*r["object"])]) for r in gold["relations"]
    ]


def test_a_document_is_the_line_that_load_corpus_reads() -> None:
    document, _ = parse(HEAD + "One [Ann|PER ann].\nTwo.\n\nThree.", doc_id="d1")

    assert document == {
        "doc_id": "d1",
        "title": "A title",
        "date": "2031-04-02",
        "text": "One Ann. Two.\n\nThree.",
    }


def test_gold_is_the_line_that_load_gold_reads() -> None:
    _, gold = parse(
        HEAD + "[Ann|PER ann] lives in [Ellery|GPE ellery].\n> per:place_of_residence ann ellery", doc_id="d1"
    )

    assert gold == {
        "doc_id": "d1",
        "mentions": [
            {"start": 0, "end": 3, "type": "PER", "canonical": [0, 3], "link": None},
            {"start": 13, "end": 19, "type": "GPE", "canonical": [13, 19], "link": None},
        ],
        "relations": [{"predicate": "per:place_of_residence", "subject": [0, 3], "object": [13, 19]}],
    }


def test_the_first_mention_is_canonical() -> None:
    _, gold = parse(HEAD + "[Ann Ash|PER ann] and [she|PER ann].", doc_id="d")

    assert [mention["canonical"] for mention in gold["mentions"]] == [[0, 7], [0, 7]]


def test_a_star_makes_another_mention_canonical() -> None:
    _, gold = parse(HEAD + "[She|PER ann] is [Ann Ash|PER ann *].", doc_id="d")

    assert [mention["canonical"] for mention in gold["mentions"]] == [[7, 14], [7, 14]]


def test_a_title_is_its_own_canonical_mention_each_time() -> None:
    _, gold = parse(HEAD + "A [mayor|TITLE m] and a [mayor|TITLE m].", doc_id="d")

    assert [mention["canonical"] for mention in gold["mentions"]] == [[2, 7], [14, 19]]


def test_mentions_may_nest() -> None:
    document, gold = parse(HEAD + "The [[Ellery|GPE e] Line|ORG l].", doc_id="d")

    words = [(document["text"][m["start"] : m["end"]], m["type"]) for m in gold["mentions"]]
    assert words == [("Ellery", "GPE"), ("Ellery Line", "ORG")]


def test_a_relation_holds_of_every_pair_of_mentions_in_a_sentence() -> None:
    body = "[Ann|PER a] wed [Bo|PER b].\n> per:spouse a b\n[She|PER a] met [Bo|PER b]."

    assert gold_relations(body) == [("per:spouse", "Ann", "Bo"), ("per:spouse", "She", "Bo")]


def test_a_mention_in_a_sentence_of_its_own_is_in_no_pair() -> None:
    body = "[Ann|PER a] wed [Bo|PER b].\n> per:spouse a b\n[She|PER a] smiled."

    assert gold_relations(body) == [("per:spouse", "Ann", "Bo")]


def test_the_last_mention_before_stands_in_for_one_that_the_sentence_lacks() -> None:
    body = (
        "[Ann|PER a] came.\n[She|PER a] spoke.\nTheir home is [Ellery|GPE e].\n> per:place_of_residence a e"
    )

    assert gold_relations(body) == [("per:place_of_residence", "She", "Ellery")]


def test_of_a_symmetric_relation_the_mention_that_starts_first_is_the_subject() -> None:
    assert gold_relations("[Ann|PER a] wed [Bo|PER b].\n> per:spouse b a") == [("per:spouse", "Ann", "Bo")]


def test_two_predicates_may_hold_of_one_pair() -> None:
    body = "[Ann|PER a] runs [Ash|ORG o].\n> per:employee_or_member_of a o\n> per:organizations_founded a o"

    assert len(gold_relations(body)) == 2


def test_mentions_that_overlap_are_no_pair() -> None:
    body = "The [[Ellery|GPE e] Line|ORG l] of [Ellery|GPE e].\n> org:place_of_headquarters l e"

    _, gold = parse(HEAD + body, doc_id="d")

    assert [relation["object"] for relation in gold["relations"]] == [[19, 25]]


WORDS = st.text(
    st.characters(blacklist_categories=["C", "Z"]) | st.sampled_from("[]|\\ "), min_size=1
).filter(lambda words: words == words.strip() and not words.startswith(">"))
PIECES = st.tuples(WORDS, st.none() | st.sampled_from(["PER", "ORG", "GPE", "DATE", "TITLE"]))


def escape(words: str) -> str:
    return "".join(f"\\{character}" if character in "[]|\\" else character for character in words)


@pytest.mark.slow
@given(st.lists(st.lists(PIECES, min_size=1), min_size=1))
def test_what_is_written_is_what_is_read(sentences: list[list[tuple[str, str | None]]]) -> None:
    lines, text, expected = [], "", []
    for sentence in sentences:
        text += " " if text else ""
        marked = []
        for number, (words, kind) in enumerate(sentence):
            text += " " if number else ""
            if kind is None:
                marked.append(escape(words))
            else:
                marked.append(f"[{escape(words)}|{kind} {kind.lower()}]")
                expected.append((len(text), len(text) + len(words), kind))
            text += words
        lines.append(" ".join(marked))

    document, gold = parse(HEAD + "\n".join(lines), doc_id="d")

    assert document["text"] == text
    assert [(m["start"], m["end"], m["type"]) for m in gold["mentions"]] == expected
