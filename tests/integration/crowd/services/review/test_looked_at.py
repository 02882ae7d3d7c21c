"""Work is looked at before it is paid: scripts earn nothing, and honest work is paid in the time told."""

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from annotations import questions
from annotations.models import Question, Response
from crowd import collecting, review
from crowd.interfaces.offers import PAID_WITHOUT_US
from crowd.models import Assignment, Hit
from crowd.posting import publishing
from tests import crowd
from tests.factories import ADA, DocumentFactory
from tests.integration.crowd.services.conftest import Desk
from tests.integration.crowd.services.review.acts import flag, reject

AT_ONCE, SLOWLY = timedelta(seconds=0.3), timedelta(minutes=2)
Send = Callable[..., list[str]]


@pytest.fixture(autouse=True)
def _as_people_read(settings: Any) -> None:
    settings.CROWD_FASTEST_READING = 8.0


@pytest.fixture
def hits(desk: Desk) -> list[Hit]:
    """Twelve questions, each a HIT, of a batch with the usual terms."""
    return desk.posted(documents=12, held_answers=10)


def work(desk: Desk, hits: list[Hit], worker: str, took: timedelta = SLOWLY, **said: Any) -> list[str]:
    idents = []
    for hit in hits:
        desk.wait(minutes=3)
        idents.append(desk.send(hit, worker, took=took, **said))
    desk.collect()
    desk.decide()
    return idents


def look_at(desk: Desk, idents: list[str]) -> None:
    pks = [desk.assignment(ident).pk for ident in idents]
    assert review.approve_all(assignments=pks, by=desk.operator, now=desk.now) == len(pks)
    crowd.tell(desk.now)


def born(question: Question) -> Any:
    return crowd.BORN


@pytest.mark.slow
@pytest.mark.parametrize(("took", "word"), [(AT_ONCE, "Sent 0.3 s after"), (SLOWLY, 'say "none"')])
def test_a_script_that_ticks_none_earns_nothing_before_a_person_has_seen_it(
    desk: Desk, hits: list[Hit], took: timedelta, word: str
) -> None:
    work(desk, hits, "SCRIPT", took)
    desk.wait(days=29)
    desk.collect()
    desk.decide()
    assert desk.money()[1] == 0
    assert any(word in one.flag for one in Assignment.objects.all())


@pytest.mark.slow
def test_a_script_that_waits_and_ticks_at_random_waits_for_a_person(desk: Desk, hits: list[Hit]) -> None:
    for number, hit in enumerate(hits):
        work(desk, [hit], "SCRIPT", say=crowd.say_none if number % 3 else born)
    assert desk.money()[1] == 0
    assert {one.hold for one in Assignment.objects.all()} == {
        "New to this: a person has approved 0 of the first 10 answers."
    }


@pytest.fixture
def documents(desk: Desk) -> list[Hit]:
    """Ten documents to mark, each a HIT."""
    made = [DocumentFactory.create(corpus=desk.corpus, segmented=True) for _ in range(10)]
    questions.ask_entities([one.pk for one in made])
    Question.objects.update(votes_needed=6)
    batch = desk.open(kind="entities", reward_cents=325)
    desk.post()
    return list(batch.hits.order_by("pk"))


def marked(question: Question) -> Any:
    return {
        "mentions": [{**ADA._asdict(), "type": "PER", "entity": 1}],
        "entities": [{"id": 1, "canonical": ADA._asdict(), "link": {"none": True}}],
    }


@pytest.mark.slow
def test_scripts_that_copy_marks_are_flagged_from_the_tenth_document_on_however_many_do(
    desk: Desk, documents: list[Hit]
) -> None:
    work(desk, documents, "HONEST", say=marked)
    paid = desk.money()[1]
    for number in range(3):
        idents = work(desk, documents, f"COPIES{number}", say=marked)
        flags = [desk.assignment(ident).flag for ident in idents]
        assert [one for one in flags if one] == [
            "On 10 of 10 documents the marks are those of another worker, to the character."
        ]
    assert desk.money()[1] == paid > 0  # what came with it waits too


@pytest.mark.slow
def test_an_honest_worker_is_paid_in_the_time_that_was_told(desk: Desk, hits: list[Hit]) -> None:
    idents = [
        work(desk, [hit], "HONEST", say=say)[0]
        for hit, say in zip(hits, [born, crowd.say_none] * 6, strict=True)
    ]
    assert desk.money()[1] == 0
    desk.wait(days=1)
    look_at(desk, idents[:10])
    desk.decide()
    assert {desk.assignment(ident).state for ident in idents} == {"approved"}
    first = desk.assignment(idents[0])
    assert desk.now < review.due_by(first) == first.submitted_at + timedelta(days=3)
    crowd.check_books()


@pytest.mark.slow
def test_who_was_looked_at_is_paid_by_rule(desk: Desk, hits: list[Hit]) -> None:
    look_at(desk, work(desk, hits[:10], "HONEST", say=born))
    [ident] = work(desk, hits[10:11], "HONEST")
    assert desk.assignment(ident).state == "approved"


@pytest.mark.slow
def test_what_a_person_has_seen_of_one_worker_says_nothing_of_another(desk: Desk, hits: list[Hit]) -> None:
    look_at(desk, work(desk, hits[:10], "HONEST", say=born))
    [ident] = work(desk, hits[10:11], "SOMEBODY")
    assert desk.assignment(ident).state == "submitted"


@pytest.mark.slow
def test_after_a_rejection_a_worker_is_new_again(desk: Desk, hits: list[Hit]) -> None:
    look_at(desk, work(desk, hits[:10], "WORKER", say=born))
    [ident] = work(desk, hits[10:11], "WORKER", AT_ONCE)
    desk.wait(minutes=1)
    reject(desk, ident)
    [ident] = work(desk, hits[11:], "WORKER")
    assert "approved 0 of the first 10" in desk.assignment(ident).hold


@pytest.mark.slow
def test_other_work_of_a_flagged_worker_waits_until_that_is_decided(desk: Desk, hits: list[Hit]) -> None:
    look_at(desk, work(desk, hits[:10], "WORKER", say=born))
    one, other = (desk.send(hit, "WORKER") for hit in hits[10:])
    desk.collect()
    flag(one, desk)
    desk.decide()
    assert desk.assignment(other).hold == "Other work of this worker waits for a person."
    look_at(desk, [one])
    desk.decide()
    assert desk.assignment(other).state == "approved"


@pytest.mark.parametrize("last_first", [False, True])
def test_what_was_begun_and_sent_together_waits_in_whichever_order_it_is_taken_in(
    desk: Desk, last_first: bool
) -> None:
    hits = desk.posted(documents=6)
    accepted = desk.now
    desk.wait(seconds=3)  # in which three of them can be read
    idents = []
    for hit in hits:
        desk.wait(seconds=0.01)
        idents.append(desk.send(hit, "KNOWN", say=born, took=desk.now - accepted))
    Hit.objects.update(next_look_at=desk.now + timedelta(minutes=20))
    for hit in reversed(hits) if last_first else hits:
        Hit.objects.filter(pk=hit.pk).update(next_look_at=desk.now)
        while collecting.collect_next(now=desk.now, due_by=desk.now, rng=Random(0)) is not None:
            pass
    desk.decide()
    found = [desk.assignment(ident) for ident in idents]
    assert {one.state for one in found} == {"submitted"}
    assert all("other pieces of work within 3." in one.flag for one in found)
    assert not Response.objects.filter(is_valid=True).exists()


def test_work_that_follows_other_work_is_not_held_against_it(desk: Desk) -> None:
    idents = work(
        desk, desk.posted(documents=4), "HONEST", took=timedelta(minutes=4)
    )  # each begun in the last
    assert {desk.assignment(ident).state for ident in idents} == {"approved"}


def test_all_of_a_batch_is_held_if_it_says_so(desk: Desk) -> None:
    [hit] = desk.posted(holds_all=True)
    [ident] = work(desk, [hit], "HONEST")
    assert desk.assignment(ident).hold == "All work of this batch is looked at."


def test_votes_of_held_work_count_and_those_of_flagged_work_do_not(desk: Desk, hits: list[Hit]) -> None:
    work(desk, hits[:1], "NEW")
    work(desk, hits[1:2], "SCRIPT", AT_ONCE)
    assert list(Response.objects.order_by("pk").values_list("is_valid", flat=True)) == [True, False]


def test_a_provider_pays_nothing_that_waits_before_the_longest_delay_there_is(
    desk: Desk, hits: list[Hit]
) -> None:
    offer = publishing._offer(hits[0])
    assert offer.auto_approval_seconds == PAID_WITHOUT_US.total_seconds() == 30 * 24 * 3600


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (
            {"held_answers": 10},
            "A person looks at your first 10 answers; all work is decided and paid within 3 days.",
        ),
        ({"holds_all": True}, "A person looks at every answer; all work is decided and paid within 3 days."),
        ({"auto_approval": timedelta(hours=36)}, "All work is decided and paid within 36 hours."),
    ],
)
def test_workers_are_told_before_they_accept(desk: Desk, terms: dict[str, Any], words: str) -> None:
    [hit] = desk.posted(**terms)
    assert publishing._offer(hit).description.endswith(words)


def test_approving_in_one_go_leaves_what_somebody_else_has_decided(desk: Desk, hits: list[Hit]) -> None:
    one, other = work(desk, hits[:2], "WORKER")
    reject(desk, one)
    pks = [desk.assignment(ident).pk for ident in (one, other)]
    assert review.approve_all(assignments=pks, by=desk.operator, now=desk.now) == 1
    assert desk.assignment(one).state == "rejected"


# Reminders


def remind(desk: Desk) -> int:
    return review.remind_operators(now=desk.now)


def test_operators_are_reminded_before_the_time_is_over_and_once_after(
    desk: Desk, hits: list[Hit], mailoutbox: list[Any]
) -> None:
    work(desk, hits[:2], "WORKER")
    desk.wait(hours=47)
    assert remind(desk) == 0
    desk.wait(hours=2)
    assert remind(desk) == 2
    assert remind(desk) == 0
    desk.wait(hours=12)
    assert remind(desk) == 0
    desk.wait(hours=12)
    assert remind(desk) == 2
    desk.wait(days=9)
    assert remind(desk) == 0
    assert [one.to for one in mailoutbox] == [[desk.operator.email]] * 2
    assert "2 pieces of work wait for somebody to look at. The first is to be paid by" in mailoutbox[0].body
    assert "The first was to be paid by" in mailoutbox[1].body
    assert "/desk/held/" in mailoutbox[0].body


def test_what_cannot_be_sent_is_sent_the_next_time(
    desk: Desk, hits: list[Hit], mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    work(desk, hits[:1], "WORKER")
    desk.wait(days=4)
    with monkeypatch.context() as away:

        def refuse(*_: object) -> None:
            raise ConnectionRefusedError

        away.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
        assert remind(desk) == 0
    assert remind(desk) == 1
    assert len(mailoutbox) == 1
