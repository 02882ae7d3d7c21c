"""What is refused as an ontology: with every fault, and its line."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.builtin import read_builtin
from kbpo_formats.ontologies.faults import Faulty
from kbpo_formats.ontologies.normal import compute_digest, read_normal, write_normal
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.ontologies.reading import MOST_BYTES, read_guidelines, read_ontology
from tests.conftest import ROOT

SMALL = """\
name = "small"
version = 1
title = "Small"

[[types]]
name = "PER"
word = "person"
kind = "entity"
guideline = "People."

[[types]]
name = "ORG"
word = "organization"
kind = "entity"
guideline = "Companies."

[[types]]
name = "DATE"
word = "date"
kind = "date"
guideline = "Dates."

[[relations]]
name = "per:founded"
subject = "PER"
objects = ["ORG"]
label = "founded"
statement = "{subject} founded {object}"
inverse = "org:founder"
guideline = "When they founded it."

[[relations]]
name = "per:spouse"
subject = "PER"
objects = ["PER"]
label = "spouse"
statement = "{subject} and {object} are married"
symmetric = true
guideline = "When they are married."

[[relations]]
name = "per:born"
subject = "PER"
objects = ["DATE"]
label = "born"
statement = "{subject} was born on {object}"
single_valued = true
guideline = "When they were born."

[[examples]]
text = "[Ada|PER] founded [Quill|ORG]."
holds = ["per:founded 1"]
explanation = "She did."
"""
LISTED = SMALL.replace(
    '[[types]]\nname = "PER"',
    """\
predicates = [
  { name = "per:founded", subject = "PER", objects = ["ORG"], stored_as = "per:founded", inverse = "org:founder" },
  { name = "org:founder", subject = "ORG", objects = ["PER"], stored_as = "per:founded", turned = true, inverse = "per:founded" },
  { name = "per:spouse", subject = "PER", objects = ["PER"], stored_as = "per:spouse", inverse = "per:spouse" },
  { name = "per:born", subject = "PER", objects = ["DATE"], stored_as = "per:born" },
  { name = "per:boss", subject = "PER", objects = ["PER"] },
]
aliases = [
  { reason = "deprecated", subjects = ["PER"], alias = "birth", name = "born" },
]

[[types]]
name = "PER\"""",  # noqa: E501
    1,
).replace('inverse = "org:founder"\nguideline', "guideline")


def read(text: str) -> Ontology:
    return read_ontology(text.encode())


def faults(text: str) -> list[str]:
    with pytest.raises(Faulty) as refused:
        read(text)
    return list(map(str, refused.value.faults))


def changed(text: str, *changes: tuple[str, str]) -> str:
    for before, after in changes:
        assert text.count(before) >= 1, before
        text = text.replace(before, after, 1)
    return text


def test_relations_and_their_inverses_are_what_files_may_state() -> None:
    found = read(SMALL).predicates_by_name

    assert list(found) == ["per:founded", "per:spouse", "per:born", "org:founder"]
    assert (found["org:founder"].turn, found["org:founder"].relation_for("PER")) == ("swap", "per:founded")
    assert found["per:founded"].inverse_for("ORG") == "org:founder"
    assert found["org:founder"].inverse_for("PER") == "per:founded"
    assert found["per:spouse"].turn == "symmetric"
    assert found["per:born"].is_single_valued


def test_listed_predicates_are_all_that_files_may_state() -> None:
    assert list(read(LISTED).predicates_by_name) == [
        "per:founded",
        "org:founder",
        "per:spouse",
        "per:born",
        "per:boss",
    ]


def test_types_without_a_letter_have_one_of_their_own() -> None:
    ontology = read(changed(SMALL, ('word = "person"', 'word = "person"\nkey = "d"')))

    assert [one.key for one in ontology.types] == ["d", "o", "a"]


def test_a_statement_without_a_reverse_reads_alike_both_ways() -> None:
    founded = read(SMALL).relations_by_name["per:founded"]

    assert founded.reverse == founded.statement


FAULTS = {
    # types
    "unknown type of the subject": (
        SMALL,
        ('subject = "PER"\nobjects = ["ORG"]', 'subject = "PEOPLE"\nobjects = ["ORG"]'),
        (25, "unknown type 'PEOPLE'; known are PER, ORG, DATE"),
    ),
    "unknown type of the object": (
        SMALL,
        ('objects = ["DATE"]', 'objects = ["TIME"]'),
        (44, "unknown type 'TIME'"),
    ),
    "two types of one name": (SMALL, ('name = "ORG"', 'name = "PER"'), (12, "two types named PER")),
    "two types of one word": (
        SMALL,
        ('word = "organization"', 'word = "Person"'),
        (13, "ORG and PER are both called 'Person'"),
    ),
    "two types of one key": (
        SMALL,
        ('word = "organization"', 'key = "o"\nword = "organization"'),
        ('word = "date"', 'key = "o"\nword = "date"'),
        (20, "DATE and ORG have the same key, o"),
    ),
    "a key that means something else": (
        SMALL,
        ('word = "date"', 'word = "date"\nkey = "n"'),
        (20, "key is 'n'; it must be one of the letters"),
    ),
    "a reserved type": (SMALL, ('name = "DATE"', 'name = "NONE"'), (18, "NONE is reserved")),
    "a type in small letters": (
        SMALL,
        ('name = "ORG"', 'name = "Org"'),
        (12, "name is 'Org'; it must be of cap"),
    ),
    "a type that is too long": (
        SMALL,
        ('name = "ORG"', 'name = "ORGANIZATION"'),
        (12, "name has 12 characters; at most 8"),
    ),
    "an unknown kind": (SMALL, ('kind = "date"', 'kind = "time"'), (20, "kind is 'time'; it must be one of")),
    "a type without a guideline": (
        SMALL,
        ('guideline = "Companies."\n', ""),
        (11, "guideline is missing"),
    ),
    "no entity": (
        SMALL.replace('"entity"', '"string"'),
        (5, 'no type that people are asked for is of kind "entity"'),
    ),
    "a relation of what is not asked": (
        SMALL,
        ('word = "organization"', 'word = "organization"\nasked = false'),
        (27, "people are not asked for mentions of ORG"),
    ),
    "a date as the subject": (
        SMALL,
        ('subject = "PER"\nobjects = ["PER"]', 'subject = "DATE"\nobjects = ["PER"]'),
        (34, "the subject is a date, DATE; it must be an entity"),
    ),
    "two kinds of strings": (
        SMALL,
        ('kind = "entity"\nguideline = "Companies."', 'kind = "string"\nguideline = "Companies."'),
        ('objects = ["DATE"]', 'objects = ["DATE", "ORG"]'),
        (44, "DATE and ORG are both strings in files"),
    ),
    # relations
    "two relations of one name": (
        SMALL,
        ('name = "per:spouse"', 'name = "per:founded"'),
        (33, "two relations of one"),
    ),
    "two relations whose names differ in case": (
        SMALL,
        ('name = "per:spouse"', 'name = "per:Founded"'),
        (33, "two relations of one name: per:founded and per:Founded"),
    ),
    "no statement": (
        SMALL,
        ('statement = "{subject} was born on {object}"\n', ""),
        (41, "statement is missing"),
    ),
    "a statement without its object": (
        SMALL,
        ("{subject} was born on {object}", "{subject} was born"),
        (46, "it must have {subject} and {object}, each once"),
    ),
    "a statement with something else": (
        SMALL,
        ("{subject} was born on {object}", "{subject} was born on {object} in {place}"),
        (46, "it must have {subject} and {object}, each once"),
    ),
    "a statement with its subject twice": (
        SMALL,
        ("{subject} was born on {object}", "{subject} was born on {object}, {subject} says"),
        (46, "each once"),
    ),
    "two relations that read alike": (
        SMALL + '[[relations]]\nname = "per:made"\nsubject = "PER"\nobjects = ["ORG"]\nlabel = "made"\n'
        'statement = "{subject} founded {object}"\nguideline = "When they made it."\n',
        (59, "per:made reads as per:founded does"),
    ),
    "no guideline": (SMALL, ('guideline = "When they were born."\n', ""), (41, "guideline is missing")),
    "an empty guideline": (SMALL, ('"When they were born."', '"  "'), (48, "guideline is empty")),
    "a guideline that is too long": (
        SMALL,
        ('"When they were born."', '"""\n' + "When they were born. \\\n" * 250 + '"""'),
        (48, "at most 4000 are allowed"),
    ),
    "no label": (SMALL, ('label = "born"\n', ""), (41, "label is missing")),
    "no object": (SMALL, ('objects = ["DATE"]', "objects = []"), (44, "objects is empty")),
    "an object twice": (
        SMALL,
        ('objects = ["DATE"]', 'objects = ["DATE",\n"DATE"]'),
        (45, "objects has 'DATE' twice"),
    ),
    "an object that is no text": (
        SMALL,
        ('objects = ["DATE"]', "objects = [1]"),
        (44, "objects has 1; it must be a"),
    ),
    "a reserved name": (
        SMALL,
        ('name = "per:born"', 'name = "per:mention"'),
        (42, "per:mention is reserved"),
    ),
    "a bad character": (
        SMALL,
        ('name = "per:born"', 'name = "per:b|orn"'),
        (42, "name is 'per:b|orn'; it must be letters"),
    ),
    "a name that is too long": (
        SMALL,
        ('name = "per:born"', f'name = "per:{"b" * 61}"'),
        (42, "name has 65 characters; at most 64"),
    ),
    "a prefix that is not the subject's": (
        SMALL,
        ('name = "per:born"', 'name = "org:born"'),
        (42, "org:born begins with org:, but its subject is PER; write per:born"),
    ),
    "a symmetric relation between two types": (
        SMALL,
        ('objects = ["PER"]', 'objects = ["ORG"]'),
        (38, "per:spouse is symmetric, so its objects must be PER alone"),
    ),
    "a symmetric relation with another inverse": (
        SMALL,
        ("symmetric = true", 'symmetric = true\ninverse = "per:husband"'),
        (39, "per:spouse is symmetric, so it is its own inverse"),
    ),
    "its own inverse": (
        SMALL,
        ('inverse = "org:founder"', 'inverse = "per:founded"'),
        (29, "per:founded begins with per:, but its subject is ORG"),
    ),
    "its own inverse between two of one type": (
        SMALL,
        ("symmetric = true", 'inverse = "per:spouse"'),
        (38, "per:spouse is its own inverse: write symmetric = true"),
    ),
    "an inverse that does not invert": (
        SMALL,
        ("symmetric = true", 'inverse = "per:born"'),
        (38, "per:born does not invert per:spouse: its own inverse is none"),
    ),
    "both directions listed": (
        SMALL + '[[relations]]\nname = "org:founder"\nsubject = "ORG"\nobjects = ["PER"]\nlabel = "founder"\n'
        'statement = "{object} is the founder of {subject}"\nguideline = "When."\ninverse = "per:founded"\n',
        (29, "org:founder and per:founded say the same; list one of them"),
        (61, "per:founded and org:founder say the same; list one of them"),
    ),
    "an inverse of a date": (
        SMALL,
        ("single_valued = true", 'inverse = "date:born"'),
        (47, "an object of DATE is a date, of which nothing is said"),
    ),
    "one inverse for two types": (
        SMALL,
        ('objects = ["ORG"]', 'objects = ["ORG", "PER"]'),
        ('inverse = "org:founder"', 'inverse = "founder"'),
        (29, "founder would have two meanings"),
    ),
    "an unknown key": (
        SMALL,
        ("single_valued = true", "single_value = true"),
        (47, "unknown key 'single_value': is single_valued meant?"),
    ),
    "something else than a truth": (
        SMALL,
        ("single_valued = true", 'single_valued = "yes"'),
        (47, "single_valued is 'yes'; it must be true or false"),
    ),
    # the whole
    "no name": (SMALL, ('name = "small"\n', ""), (1, "name is missing")),
    "a name with capitals": (
        SMALL,
        ('"small"', '"Small"'),
        (1, "name is 'Small'; it must be of small letters"),
    ),
    "no version": (SMALL, ("version = 1\n", ""), (1, "version is missing")),
    "version 0": (SMALL, ("version = 1", "version = 0"), (2, "it must be a whole number from 1")),
    "a version that is true": (SMALL, ("version = 1", "version = true"), (2, "it must be a whole number")),
    "no relations": (
        'name = "a"\nversion = 1\ntitle = "A"\n',
        (1, "relations is missing"),
        (1, "types is missing"),
    ),
    "relations that are no tables": (
        'name = "a"\nversion = 1\ntitle = "A"\nrelations = [\n1]\ntypes = 3',
        (5, "relations has 1; it must be a table"),
        (6, "types is 3; it must be a list of tables: [[types]]"),
    ),
    "a character that is not seen": (
        SMALL,
        ('title = "Small"', 'title = "Sm\\u200ball"'),
        (3, "holds the character"),
    ),
    "a key twice": (
        SMALL,
        ("version = 1", "version = 1\nversion = 2"),
        (3, "a key or a table is there twice"),
    ),
    "no TOML": (SMALL, ("version = 1", "version: 1"), (2, "this is no TOML")),
    # examples
    "an example with one mention": (
        SMALL,
        ("[Quill|ORG]", "Quill"),
        (51, "text must have two marked mentions"),
    ),
    "an example of an unknown type": (
        SMALL,
        ("[Quill|ORG]", "[Quill|FIRM]"),
        (51, "the unknown type 'FIRM'"),
    ),
    "an example of nothing": (
        SMALL,
        ("[Ada|PER] founded [Quill|ORG]", "[1999|DATE] and [Quill|ORG]"),
        (51, "no relation is admitted between DATE and ORG"),
        (52, "per:founded does not admit DATE as its subject with ORG"),
    ),
    "an example with an unknown relation": (
        SMALL,
        ("per:founded 1", "per:made 1"),
        (52, "unknown relation 'per:made'"),
    ),
    "an example the wrong way round": (
        SMALL,
        ("per:founded 1", "per:founded 2"),
        (52, "does not admit ORG as its"),
    ),
    "an example without a number": (SMALL, ("per:founded 1", "per:founded"), (52, "a relation and 1 or 2")),
    "an example without explanation": (
        SMALL,
        ('explanation = "She did."\n', ""),
        (50, "explanation is missing"),
    ),
    "a symmetric example the wrong way round": (
        SMALL,
        ("[Quill|ORG]", "[Bo|PER]"),
        ("per:founded 1", "per:spouse 2"),
        (52, "per:spouse is symmetric, so its subject is 1"),
    ),
    # predicates
    "an inverse beside listed predicates": (
        LISTED,
        ("symmetric = true", 'symmetric = true\ninverse = "per:spouse"'),
        (49, "inverse stands with the predicates"),
    ),
    "two predicates of one name": (
        LISTED,
        ('name = "per:boss"', 'name = "per:born"'),
        (10, "there are two predicates named per:born"),
    ),
    "one name with and without the type": (
        LISTED,
        ('name = "per:boss"', 'name = "born"'),
        (10, "born and per:born are one name of PER"),
    ),
    "a predicate of an unknown type": (
        LISTED,
        ('objects = ["PER"] },', 'objects = ["FIRM"] },'),
        (10, "unknown type 'FIRM'"),
    ),
    "stored as an unknown relation": (
        LISTED,
        ('stored_as = "per:born"', 'stored_as = "per:birth"'),
        (9, "per:born is stored as the unknown relation 'per:birth'"),
        (9, "is a relation, so the predicate of this name must be stored as it"),
        (51, "no predicate states per:born with an object of type DATE"),
    ),
    "stored as what does not fit": (
        LISTED,
        ('objects = ["PER"] },', 'objects = ["PER"], stored_as = "per:founded" },'),
        (10, "per:boss is stored as per:founded, which does not admit PER and PER"),
    ),
    "stored as nothing for one type": (
        LISTED,
        ('objects = ["PER"] },', 'objects = ["PER", "ORG"], stored_as = { ORG = "per:founded" } },'),
        (10, "stored_as says nothing of objects of type PER"),
    ),
    "stored for a type that is none": (
        LISTED,
        (
            'objects = ["PER"] },',
            'objects = ["ORG"], stored_as = { ORG = "per:founded", PER = "per:spouse" } },',
        ),
        (10, "stored_as names 'PER', which is none of the objects' types"),
    ),
    "turned and not scored": (
        LISTED,
        ('objects = ["PER"] },', 'objects = ["PER"], turned = true },'),
        (10, "per:boss is not scored, so nothing is turned"),
    ),
    "a symmetric one turned": (
        LISTED,
        ('stored_as = "per:spouse", inverse = "per:spouse"', 'stored_as = "per:spouse", turned = true'),
        (8, "per:spouse is symmetric, so nothing is turned"),
        (8, "must be stored as it, not turned"),
    ),
    "a listed inverse that is none": (
        LISTED,
        ('inverse = "org:founder"', 'inverse = "org:maker"'),
        (6, "the inverse of per:founded, 'org:maker', is no predicate"),
        (7, "per:founded does not invert org:founder: its own inverse is org:maker"),
    ),
    "a listed inverse that does not invert": (
        LISTED,
        ('turned = true, inverse = "per:founded"', "turned = true"),
        (6, "org:founder does not invert per:founded: its own inverse is none"),
    ),
    "a listed inverse of other types": (
        LISTED,
        ('inverse = "org:founder"', 'inverse = "per:spouse"'),
        (6, "per:spouse does not invert per:founded: it is not from ORG to PER"),
        (7, "per:founded does not invert org:founder"),
    ),
    "a relation that nothing states": (
        LISTED,
        ('  { name = "per:born", subject = "PER", objects = ["DATE"], stored_as = "per:born" },\n', ""),
        (12, "born is no predicate of PER"),
        (50, "no predicate states per:born with an object of type DATE"),
    ),
    "an alias of nothing": (
        LISTED,
        ('name = "born" }', 'name = "burn" }'),
        (13, "burn is no predicate of PER"),
    ),
    "an alias that is a predicate": (
        LISTED,
        ('alias = "birth"', 'alias = "boss"'),
        (13, "boss is a predicate of PER"),
    ),
    "an alias of an unknown type": (
        LISTED,
        ('subjects = ["PER"]', 'subjects = ["HE"]'),
        (13, "unknown type 'HE'"),
    ),
    "an unknown reason": (LISTED, ('"deprecated"', '"old"'), (13, "reason is 'old'; it must be one of")),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_said_with_its_line(name: str) -> None:
    text, *rest = FAULTS[name]
    changes = [one for one in rest if isinstance(one[0], str)]
    wanted = [one for one in rest if isinstance(one[0], int)]

    found = faults(changed(text, *changes))  # type: ignore[arg-type]

    for line, words in wanted:
        assert any(one.startswith(f"line {line}: ") and words in one for one in found), found


def test_all_faults_are_found_at_once() -> None:
    text = changed(
        SMALL,
        ('"{subject} founded {object}"', '"founded"'),
        ('objects = ["DATE"]', 'objects = ["TIME"]'),
        ('guideline = "Companies."\n', ""),
    )

    assert [re.match(r"line (\d+)", one)[1] for one in faults(text)] == ["11", "27", "43"]  # type: ignore[index]


def test_a_refusal_names_the_file() -> None:
    with pytest.raises(InvalidInput, match=r"^own\.toml: line 1: "):
        read_ontology(b"x", where="own.toml")


DEEP = b"a = " + b"[" * 3_000


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "name is missing"),
        (b"\xff", "line 1: this is not UTF-8"),
        (b'a = "\n\xc3\x28', "line 2: this is not UTF-8"),
        (b"#" * (MOST_BYTES + 1), "at most 262,144 are allowed"),
        (b"\n# " + b"x" * 5_000, "line 2: the line has more than 4,000 characters"),
        (DEEP, "nested too deep"),
        (DEEP + b"]" * 900, "nested too deep"),
        (b"version = " + b"9" * 3_900, "it must be a whole number"),
        (b"name = 2020-13-40", "this is no TOML"),
        (b"types = nan", "types is nan"),
        (b'name = "\\ud800"', "this is no TOML"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else "",
)
def test_what_is_no_file_of_the_form_is_refused_in_words(data: bytes, words: str) -> None:
    with pytest.raises(Faulty, match=re.escape(words)):
        read_ontology(data)


def faults_of(data: bytes) -> list[tuple[int, str]]:
    """Return what is wrong with a file, as lines and messages; whatever else is raised fails the test."""
    try:
        read_ontology(data)
    except Faulty as refused:
        return [(one.line, one.message) for one in refused.faults]
    return []


SEEDS = [SMALL.encode(), LISTED.encode(), (ROOT / "docs/ontologies/wikidata.toml").read_bytes()]
SNIPPETS = [
    b'"',
    b"'",
    b"[",
    b"]",
    b"{",
    b"}",
    b"=",
    b"\n",
    b"\x00",
    b"\xff",
    b"[[types]]",
    b"1e400",
    b"{object}",
]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SEEDS), st.randoms(use_true_random=False), st.integers(1, 5))
def test_a_damaged_file_is_read_or_refused(seed: bytes, random, times: int) -> None:  # type: ignore[no-untyped-def]
    data = bytearray(seed)
    for _ in range(times):
        at = random.randrange(len(data))
        end = at + random.choice([0, 0, 1, 3, 40])
        data[at:end] = random.choice(
            [b"", random.choice(SNIPPETS), bytes([random.randrange(256)]), data[end : end + 60]]
        )
    lines = bytes(data).count(b"\n") + 1

    assert all(1 <= line <= lines and "\n" not in message for line, message in faults_of(bytes(data)))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
@example(b"a.b.c = 1\na = 2")
@example(b"\xef\xbb\xbfname = 1")
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with pytest.raises(Faulty):
        read_ontology(data)


VALUES = st.recursive(
    st.sampled_from(["1", "true", '"a"', '"PER"', "1979-05-27", "inf", '"{subject}"', '"per:x 1"', '""']),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
        st.lists(inner, max_size=2).map(
            lambda parts: (
                "{" + ", ".join(f"{key} = {one}" for key, one in zip("ab", parts, strict=False)) + "}"
            )
        ),
    ),
    max_leaves=5,
)
LINES = [
    number for number, line in enumerate(LISTED.split("\n")) if " = " in line and not line.startswith(" ")
]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(LINES), VALUES)
def test_any_value_in_any_place_is_read_or_refused(number: int, value: str) -> None:
    lines = LISTED.split("\n")
    lines[number] = f"{lines[number].split(' = ')[0]} = {value}"

    assert all(message for _, message in faults_of("\n".join(lines).encode()))


# The normal form ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [SMALL, LISTED], ids=["implied", "listed"])
def test_an_ontology_is_what_its_normal_form_says(text: str) -> None:
    assert read_normal(write_normal(read(text))) == read(text)


def test_neither_spacing_nor_comments_nor_what_is_left_out_by_default_changes_the_digest() -> None:
    other = changed(
        SMALL,
        ("version = 1", "# own\nversion   =   1"),
        ("single_valued = true", "symmetric = false\nsingle_valued = true"),
        ('"People."', "'''\nPeople. '''"),
    )

    assert compute_digest(read(other)) == compute_digest(read(SMALL))


@pytest.mark.parametrize(
    "change",
    [
        ("version = 1", "version = 2"),
        ('"People."', '"Persons."'),
        ("single_valued = true\n", ""),
        ('"She did."', '"She did so."'),
    ],
    ids=lambda change: change[0],
)
def test_whatever_is_said_otherwise_changes_the_digest(change: tuple[str, str]) -> None:
    assert compute_digest(read(changed(SMALL, change))) != compute_digest(read(SMALL))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"name":1}', '{"relations":[1]}', '{"types":3}', "[" * 9_999]
)
def test_what_is_no_normal_form_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="no normal form"):
        read_normal(text)


# A corpus' own guidelines -----------------------------------------------------------------------------------

OWN = """\
[types]
PER = "People, and no animals."

[relations]
"per:title" = "Offices only."

[[examples]]
text = "[Ada|PER], the [captain|TITLE], left."
holds = ["per:title 1"]
explanation = "She was the captain."
"""


def test_a_corpus_may_say_something_else() -> None:
    found = read_guidelines(OWN.encode(), read_builtin("tac-kbp@1"))

    assert (found.of_types, found.of_relations) == (
        {"PER": "People, and no animals."},
        {"per:title": "Offices only."},
    )
    assert [one.holds for one in found.examples or ()] == [(("per:title", 0),)]


def test_a_corpus_that_says_nothing_of_examples_keeps_them() -> None:
    assert read_guidelines(b'[types]\nPER = "People."', read_builtin("tac-kbp@1")).examples is None


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "nothing is said"),
        ('[types]\nFAC = "Buildings."', 2, "unknown type 'FAC'"),
        ('[relations]\n\n"per:age" = "How old."', 3, "unknown relation 'per:age'"),
        ("[types]\nPER = 1", 2, "the guideline of 'PER' is 1; it must be a text"),
        ('[types]\nPER = " "', 2, "the guideline of 'PER' is empty"),
        ("types = 1", 1, "types is 1; it must be a table"),
        ("typed = 1\n[types]\nPER = 'P'", 1, "unknown key 'typed': is types meant?"),
        ('[[examples]]\ntext = "[Ada|PER] left."\nexplanation = "x"\nholds = []', 2, "two marked mentions"),
    ],
)
def test_guidelines_that_do_not_fit_are_refused_with_the_line(text: str, line: int, words: str) -> None:
    with pytest.raises(Faulty) as refused:
        read_guidelines(text.encode(), read_builtin("tac-kbp@1"))

    assert [one.line for one in refused.value.faults] == [line]
    assert words in str(refused.value)
