"""A keystroke is answered within 50 ms on a document of 3,000 words and 300 mentions."""

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from annotations import questions
from crowd.models import Reservation
from tests.browser.conftest import OpenPage
from tests.factories import DocumentFactory, UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

WORDS = 3000
MENTIONS = 300
LIMIT = 50  # ms, from the key to the frame that shows it
SENTENCE = "Ada Quill of Quill Press met the captain of Port Hallow in 1961 and spoke of Corvel at length. "

# From the event, as the browser stamps it, to the moment after the frame that shows what it did.
MEASURE = """
() => {
  window.delays = [];
  document.addEventListener("keydown", (event) => {
    if (["Control", "Shift"].includes(event.key)) return;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => window.delays.push(performance.now() - event.timeStamp);
      channel.port2.postMessage(null);
    });
  }, { capture: true });
}
"""
KEYS = (
    *(
        "ArrowRight",
        "ArrowRight",
        "Shift+ArrowRight",
        "Shift+ArrowRight",
        "o",
        "1",
        "0",
        "ArrowDown",
        "ArrowUp",
    ),
    *("PageDown", "End", "p", "0", "c", "n", "m", "Delete", "Control+z", "Control+y", "Control+z", "f"),
    *("Control+End", "ArrowLeft", "ArrowLeft", "Space", "g", "t", "Control+z", "Shift+m", "s", "r"),
)
ROUNDS = 4


def marked(words: int) -> dict[str, Any]:
    """A draft with 300 mentions, each third of a new entity: two words in ten belong to one."""
    mentions, entities = [], []
    for number in range(MENTIONS):
        first = number * (words // MENTIONS)
        entity = number // 3 + 1
        mentions.append(
            {"id": number + 1, "first": first, "last": first + 1, "type": "PER", "entity": entity}
        )
        if number % 3 == 0:
            entities.append(
                {"id": entity, "type": "PER", "canonical": number + 1, "isChosen": False, "link": None}
            )
    following = {"mention": MENTIONS + 1, "entity": len(entities) + 1}
    return {
        "words": words,
        "mentions": mentions,
        "entities": entities,
        "dismissed": [],
        "checked": [],
        "next": following,
    }


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    document = DocumentFactory.create(text=(SENTENCE * 150).strip(), segmented=True)
    words = sum(len(sentence.token_starts) for sentence in document.sentences.all())
    assert words == WORDS
    question = questions.ask_entities([document.pk])[document.pk]
    worker = UserFactory.create(annotator=True)
    page = open_page(reverse("annotate"), user=worker)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(f"**{reverse('annotate_question', args=[question.pk])}")
    Reservation.objects.update(draft=marked(words), draft_number=1)
    page.reload()
    assert page.locator(".w[data-tag]").count() == MENTIONS
    return page


def test_every_key_is_answered_in_time(page: Page) -> None:
    """The best of some rounds counts, since the machine has others to serve."""
    page.evaluate(MEASURE)
    rounds = [press_all(page) for _ in range(ROUNDS)]
    best = {f"{place} {key}": min(taken[place] for taken in rounds) for place, key in enumerate(KEYS)}
    slowest = sorted(best.items(), key=lambda item: -item[1])[:3]
    everything = sorted(delay for taken in rounds for delay in taken)
    print(
        f"\n{WORDS} words, {MENTIONS} mentions, {len(KEYS)} keys, best of {ROUNDS}: median "
        f"{sorted(best.values())[len(best) // 2]:.0f} ms, slowest "
        + ", ".join(f"{key} {delay:.0f} ms" for key, delay in slowest)
        + f"; of all {len(everything)}: median {everything[len(everything) // 2]:.0f} ms"
    )
    assert {key: delay for key, delay in best.items() if delay > LIMIT} == {}


def press_all(page: Page) -> list[float]:
    """Press the keys, each when the one before has been answered; return the delays."""
    page.locator("[data-text]").focus()
    page.keyboard.press("Control+Home")
    page.wait_for_function("count => window.delays.length === count", arg=1)
    for number, key in enumerate(KEYS, 2):
        page.keyboard.press(key)
        page.wait_for_function("count => window.delays.length === count", arg=number)
    return page.evaluate("window.delays.splice(0).slice(1)")
