"""What the entity interface's scripts make of a document, step by step, without a page."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from annotations.entities import EntitiesQuestion
from tests.unit.annotations.test_entities import passage

pytestmark = pytest.mark.browser

TEXT = (
    "Ada Quill founded Quill Press in Port Hallow. She was its president until 3 May 1961. "
    "Quill met Ben Ash 🜚."
)
SENTENCES = [
    {
        "start": 0,
        "words": ["Ada", "Quill", "founded", "Quill", "Press", "in", "Port", "Hallow", "."],
        "gaps": [" ", " ", " ", " ", " ", " ", " ", ""],
        "paragraph": True,
    },
    {
        "start": 46,
        "words": ["She", "was", "its", "president", "until", "3", "May", "1961", "."],
        "gaps": [" ", " ", " ", " ", " ", " ", " ", ""],
        "paragraph": False,
    },
    {
        "start": 86,
        "words": ["Quill", "met", "Ben", "Ash", "🜚", "."],
        "gaps": [" ", " ", " ", " ", ""],
        "paragraph": False,
    },
]
START = """
const passageModule = await import("/static/js/entities/passage.js");
const marks = await import("/static/js/entities/marking.js");
const { History } = await import("/static/js/entities/history.js");
const passage = new passageModule.Passage(sentences);
let marking = marks.empty();
let step = null;
const take = (made) => { step = made; if (made.marking) marking = made.marking; return made; };
const mark = (first, last, type) => take(marks.mark(passage, marking, first, last, type)).current;
const named = ({ first, last, type }) => `${passage.text(first, last)} ${type}`;
const spans = () => marks.inOrder(marking).map(named);
const written = (one) => JSON.stringify(marks.toDraft(passage, one));
const entityOf = (id) => marking.entities.get(marking.mentions.get(id).entity);
const canonicalOf = (id) => marks.nameOf(passage, marking, entityOf(id));
"""


@pytest.fixture(scope="module")
def page(browser: Browser, live_server: LiveServer) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(f"{live_server.url}/static/js/entities.js")  # nothing but its origin matters
    yield page
    page.close()


def run(page: Page, script: str, **given: Any) -> Any:
    """Run a script that returns something, with the document and the modules at hand."""
    names = ", ".join(["sentences", *given])
    return page.evaluate(
        f"async ({{ {names} }}) => {{ {START} {script} }}", {"sentences": SENTENCES, **given}
    )


def test_offsets_are_characters_as_the_server_counts_them(page: Page) -> None:
    places = run(page, "return passage.words.map(({ text, start, end }) => [text, start, end])")
    assert places[7:10] == [["Hallow", 38, 44], [".", 44, 45], ["She", 46, 49]]
    assert places[-2:] == [["🜚", 104, 105], [".", 105, 106]]


def test_a_name_is_something_new_and_the_same_words_again_the_same_thing(page: Page) -> None:
    assert run(
        page,
        """mark(0, 1, "PER"); const first = step.say; mark(3, 4, "ORG");
        const ben = mark(20, 21, "PER"); const again = marks.mark(passage, marking, 18, 18, "PER");
        return [first, step.say, spans(), marking.entities.size, again.say];""",
    ) == [
        "“Ada Quill” marked as person; P1, new",
        "“Ben Ash” marked as person; P3, new",
        ["Ada Quill PER", "Quill Press ORG", "Ben Ash PER"],
        3,
        "“Quill” marked as person. Who or what is it?",  # a part of a name found before: ask
    ]


def test_a_pronoun_is_asked_about_and_the_last_one_before_it_is_offered_first(page: Page) -> None:
    assert run(
        page,
        """mark(20, 21, "PER"); mark(0, 1, "PER"); const she = mark(9, 9, "PER");
        const offered = marks.candidates(passage, marking, marking.mentions.get(she));
        const names = offered.map(({ entity }) => marks.nameOf(passage, marking, entity));
        take(marks.link(passage, marking, she, offered[0].entity.id));
        return [names, marking.mentions.get(she).entity === entityOf(2).id, canonicalOf(she)];""",
    ) == [["Ada Quill", "Ben Ash"], True, "Ada Quill"]


def test_likely_entities_come_first_the_same_words_then_a_part_of_them(page: Page) -> None:
    assert run(
        page,
        """mark(20, 21, "PER"); mark(0, 1, "PER"); const quill = mark(18, 18, "PER");
        return marks.candidates(passage, marking, marking.mentions.get(quill))
          .map(({ entity, alike }) => [marks.nameOf(passage, marking, entity), alike]);""",
    ) == [["Ada Quill", 1], ["Ben Ash", 0]]


@pytest.mark.parametrize(
    ("one", "other", "likeness"),
    [
        ("the Quill Press", "Quill Press’s", 2),
        ("Quill", "Ada Quill", 1),
        ("UN", "United Nations", 1),
        ("Ash", "Ada Quill", 0),
        ("", "Ada", 0),
    ],
)
def test_how_alike_names_are(page: Page, one: str, other: str, likeness: int) -> None:
    script = "return passageModule.likeness(passageModule.normalise(one), passageModule.normalise(other))"
    assert run(page, script, one=one, other=other) == likeness


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("3 May 1961", "1961-05-03"),
        ("May 3rd, 1961", "1961-05-03"),
        ("the 3rd of May 1961", "1961-05-03"),
        ("Nov. 2016", "2016-11"),
        ("1961", "1961"),
        ("2016-11-03", "2016-11-03"),
        ("31 February 1961", None),
        ("last May", None),
        ("1990s", None),
        ("1961 or 1962", None),
    ],
)
def test_a_date_that_is_written_out_is_known(page: Page, text: str, date: str | None) -> None:
    assert run(page, "return passageModule.parseDate(text)", text=text) == date


def test_a_date_brings_its_day(page: Page) -> None:
    assert run(page, 'const may = mark(14, 16, "DATE"); return entityOf(may).link') == {"date": "1961-05-03"}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("https://en.wikipedia.org/wiki/K%C3%B6ln#Name", "Köln"),
        (" Port_Hallow ", "Port Hallow"),
        ("https://en.m.wikipedia.org/wiki/AC/DC", "AC/DC"),
        ("https://en.wikipedia.org/wiki/100%", "100%"),
    ],
)
def test_a_page_may_be_given_by_its_address(page: Page, text: str, title: str) -> None:
    assert run(page, "return passageModule.titleOf(text)", text=text) == title


def test_a_mention_may_lie_in_another_of_another_type_and_not_cross_it(page: Page) -> None:
    assert run(
        page,
        """mark(3, 7, "ORG"); mark(6, 7, "GPE");
        const crossing = take(marks.mark(passage, marking, 2, 3, "PER"));
        return [spans(), crossing.refusal];""",
    ) == [
        ["Quill Press in Port Hallow ORG", "Port Hallow GPE"],
        "“founded Quill” would cut through “Quill Press in Port Hallow”, an organization. "
        "Choose words inside it, around it, or apart from it.",
    ]


def test_adjacent_mentions_stay_apart(page: Page) -> None:
    assert run(page, 'mark(0, 0, "PER"); mark(1, 1, "PER"); return spans()') == ["Ada PER", "Quill PER"]


def test_a_mention_of_the_same_type_gives_way_and_its_entity_goes_on(page: Page) -> None:
    assert run(
        page,
        """mark(0, 0, "PER"); take(marks.setLink(passage, marking, 1, { page: "Ada" }));
        const whole = mark(0, 1, "PER");
        return [spans(), step.say, entityOf(whole).link, canonicalOf(whole), marking.entities.size];""",
    ) == [
        ["Ada Quill PER"],
        "“Ada Quill” marked as person instead of “Ada”; P1, new",
        {"page": "Ada"},
        "Ada Quill",
        1,
    ]


def test_another_type_for_the_same_words_changes_the_mention(page: Page) -> None:
    assert run(
        page,
        """const one = mark(6, 7, "GPE"); mark(6, 7, "ORG");
        return [spans(), entityOf(one).type, marking.entities.size];""",
    ) == [["Port Hallow ORG"], "ORG", 1]


def test_a_type_that_the_mention_around_has_is_refused(page: Page) -> None:
    assert "shares words with “Quill Press in Port Hallow”" in run(
        page,
        """mark(3, 7, "ORG"); const inner = mark(6, 7, "GPE");
        return marks.retype(passage, marking, inner, "ORG").refusal;""",
    )


def test_the_fullest_name_is_canonical_until_one_is_chosen(page: Page) -> None:
    assert run(
        page,
        """const quill = mark(18, 18, "PER"), she = mark(9, 9, "PER");
        take(marks.link(passage, marking, she, entityOf(quill).id)); const before = canonicalOf(she);
        const ada = mark(0, 1, "PER"); take(marks.link(passage, marking, ada, entityOf(quill).id));
        const full = canonicalOf(she);
        take(marks.setCanonical(passage, marking, quill)); const chosen = canonicalOf(she);
        take(marks.remove(passage, marking, quill));
        return [before, full, chosen, canonicalOf(she)];""",
    ) == ["Quill", "Ada Quill", "Quill", "Ada Quill"]


def test_an_entity_goes_with_its_last_mention(page: Page) -> None:
    assert (
        run(
            page,
            """const ada = mark(0, 1, "PER"); take(marks.remove(passage, marking, ada));
            return marking.entities.size;""",
        )
        == 0
    )


def test_two_entities_become_one_with_a_link(page: Page) -> None:
    assert run(
        page,
        """const ada = mark(0, 1, "PER"), ben = mark(20, 21, "PER");
        take(marks.setLink(passage, marking, entityOf(ben).id, { none: true }));
        take(marks.merge(passage, marking, entityOf(ben).id, entityOf(ada).id));
        return [marking.entities.size, entityOf(ben).link, canonicalOf(ben)];""",
    ) == [1, {"none": True}, "Ada Quill"]


SUGGESTIONS = [
    {"first": 0, "last": 1, "type": "PER", "canonical": [0, 1], "link": {"page": "Ada Quill"}},
    {"first": 9, "last": 9, "type": "PER", "canonical": [0, 1], "link": None},
    {"first": 6, "last": 7, "type": "GPE", "canonical": [6, 7], "link": None},
]


def test_suggestions_bring_their_entities_and_links(page: Page) -> None:
    assert run(
        page,
        """for (const index of [1, 0]) take(marks.accept(passage, marking, suggestions, index));
        return [spans(), marking.entities.size, entityOf(1).link, canonicalOf(1),
          marks.pending(marking, suggestions).map(({ index }) => index)];""",
        suggestions=SUGGESTIONS,
    ) == [["Ada Quill PER", "She PER"], 1, {"page": "Ada Quill"}, "Ada Quill", [2]]


def test_what_stands_in_a_suggestions_way_takes_it_away(page: Page) -> None:
    assert (
        run(
            page,
            """mark(0, 0, "PER"); mark(6, 7, "ORG"); take(marks.dismiss(passage, marking, suggestions, 1));
        return marks.pending(marking, suggestions).length;""",
            suggestions=SUGGESTIONS,
        )
        == 0
    )


def test_every_step_is_undone_and_done_again_exactly(page: Page) -> None:
    assert run(
        page,
        """const history = new History(marking);
        const states = [written(marking)];
        const note = () => { history.push(marking, step.say); states.push(written(marking)); };
        mark(0, 1, "PER"); note();
        mark(9, 9, "PER"); note();
        take(marks.link(passage, marking, 2, 1)); note();
        take(marks.setLink(passage, marking, 1, { none: true })); note();
        take(marks.setCanonical(passage, marking, 2)); note();
        take(marks.accept(passage, marking, suggestions, 2)); note();
        mark(18, 18, "PER"); note();
        take(marks.link(passage, marking, step.current, null)); note();
        take(marks.merge(passage, marking, marking.mentions.get(step.current).entity, 1)); note();
        take(marks.retype(passage, marking, 1, "ORG")); note();
        take(marks.remove(passage, marking, 1)); note();
        take(marks.check(marking, 2, true)); note();
        const wrong = [];
        const compare = (way, at) => written(history.marking) === states[at] || wrong.push([way, at]);
        for (let at = states.length - 2; at >= 0; at -= 1) { history.undo(); compare("undo", at); }
        const bottom = history.undo();
        for (let at = 1; at < states.length; at += 1) { history.redo(); compare("redo", at); }
        return [wrong, states.length, bottom, history.redo()];""",
        suggestions=SUGGESTIONS,
    ) == [[], 13, None, None]


def test_a_step_after_undoing_forgets_what_was_undone(page: Page) -> None:
    assert run(
        page,
        """const history = new History(marking);
        mark(0, 1, "PER"); history.push(marking, "one"); history.undo(); marking = history.marking;
        mark(6, 7, "GPE"); history.push(marking, "two");
        return [history.redo(), history.undo(), history.undo()];""",
    ) == [None, "two", None]


def test_a_draft_comes_back_as_it_was_and_a_strange_one_is_left_alone(page: Page) -> None:
    assert run(
        page,
        """mark(0, 1, "PER"); mark(9, 9, "PER"); take(marks.check(marking, 1, true));
        const draft = JSON.parse(JSON.stringify(marks.toDraft(passage, marking)));
        const again = marks.toDraft(passage, marks.fromDraft(passage, draft));
        const strange = [null, {}, { ...draft, words: 3 }, { ...draft, next: 1 }, { ...draft, entities: [] },
          { ...draft, mentions: [{ id: 1, first: 0, last: 99, type: "PER", entity: null }] },
          { ...draft, mentions: [{ id: 1, first: 0, last: 1, type: "VERB", entity: null }] }];
        const read = strange.map((one) => marks.fromDraft(passage, one));
        return [JSON.stringify(again) === JSON.stringify(draft), read];""",
    ) == [True, [None] * 7]


def test_the_review_lists_what_must_be_said_and_what_may_be_overlooked(page: Page) -> None:
    assert run(
        page,
        """mark(0, 1, "PER"); mark(9, 9, "PER"); mark(12, 12, "TITLE");
        const left = marks.review(passage, marking, suggestions);
        const words = (numbers) => numbers.map((number) => passage.words[number].text);
        return [left.unplaced.length, left.unlinked.map(({ id }) => id), left.suggestions.length,
          left.sentences.map((sentence) => [sentence.index, words(sentence.words)])];""",
        suggestions=SUGGESTIONS,
    ) == [1, [1], 1, [[0, ["Quill", "Press", "Port", "Hallow"]], [1, ["May"]], [2, ["Quill", "Ben", "Ash"]]]]


@pytest.mark.parametrize(
    ("words", "capitalised"),
    [
        (["The", "firm", "of", "Ash"], ["Ash"]),
        (["“", "In", "May", "I", "left"], ["May"]),
        (["She", "left"], ["She"]),  # a mention, more likely than not
        (["Firm", "by", "firm", "fell"], []),
        (["Ash", "fell"], ["Ash"]),
    ],
)
def test_what_only_begins_a_sentence_is_no_name(page: Page, words: list[str], capitalised: list[str]) -> None:
    script = """
    const gaps = words.slice(1).map(() => " ");
    const other = new passageModule.Passage([{ start: 0, words, gaps, paragraph: true }]);
    return words.filter((_, number) => other.isCapitalised(number));"""
    assert run(page, script, words=words) == capitalised


def test_the_answer_is_what_the_server_takes(page: Page) -> None:
    answer = run(
        page,
        """mark(0, 1, "PER"); mark(9, 9, "PER"); take(marks.link(passage, marking, 2, 1));
        take(marks.setLink(passage, marking, 1, { page: "Ada Quill" }));
        mark(12, 12, "TITLE"); mark(14, 16, "DATE"); mark(6, 7, "GPE");
        take(marks.setLink(passage, marking, 4, { none: true }));
        return marks.toAnswer(passage, marking);""",
    )
    read = EntitiesQuestion(passage(TEXT)).read_answer(answer)
    assert [TEXT[one["start"] : one["end"]] for one in read["mentions"]] == [
        "Ada Quill", "Port Hallow", "She", "president", "3 May 1961",
    ]  # fmt: skip
    assert [one["link"] for one in read["entities"]] == [
        {"page": "Ada Quill"}, {"none": True}, {"none": True}, {"date": "1961-05-03"},
    ]  # fmt: skip
