"""Which submission was made at which HIT."""

from datetime import timedelta

from crowd.models import Hit, ProlificRequest
from crowd.providers.base import SubmittedWork
from crowd.providers.prolific import Prolific
from tests.integration.crowd.prolific.conftest import NOW, Offer, Work, see_page
from tests.prolific import LARGEST_PAGE, Clock, FakeProlific


def ids(works: object) -> list[str]:
    return [work.assignment_id for work in works]  # type: ignore[attr-defined]


def test_what_a_worker_sent_is_collected_at_the_hit_whose_page_they_saw(
    prolific: Prolific, fake: FakeProlific, offer: Offer, work: Work, clock: Clock
) -> None:
    names = [prolific.publish(offer(number)).provider_id for number in (1, 2)]
    study = names[0].split(":")[0]
    submission, url = fake.arrive(study, "w1")
    see_page(url)
    clock.forward(minutes=3)
    fake.complete(submission, fake.studies[study]["completion_codes"][0]["code"])
    (sent,) = prolific.collect(names[0])
    assert (sent.assignment_id, sent.worker_id, sent.state) == (submission, "w1", "submitted")
    assert (sent.accepted_at, sent.submitted_at) == (NOW, NOW + timedelta(minutes=3))
    assert sent.fields == {}
    assert list(prolific.collect(names[1])) == []


def test_work_that_is_not_finished_is_not_collected(
    prolific: Prolific, offer: Offer, work: Work, fake: FakeProlific
) -> None:
    name = prolific.publish(offer(1)).provider_id
    study = name.split(":")[0]
    work(study, "w1", finishes=False)
    fake.give_back(work(study, "w2"))
    assert list(prolific.collect(name)) == []


def test_reviewed_work_is_collected_in_its_state(
    prolific: Prolific, offer: Offer, work: Work, clock: Clock
) -> None:
    name = prolific.publish(offer(1)).provider_id
    study = name.split(":")[0]
    approved, rejected = work(study, "w1"), work(study, "w2")
    prolific.approve(approved, feedback="")
    prolific.reject(
        rejected, feedback="Low effort: " + "Each text was left open for less than a second. " * 3
    )
    assert {sent.assignment_id: sent.state for sent in prolific.collect(name)} == {
        approved: "approved",
        rejected: "rejected",
    }


def test_nobody_else_can_pass_for_a_submissions_worker(
    prolific: Prolific, fake: FakeProlific, offer: Offer
) -> None:
    name = prolific.publish(offer(1)).provider_id
    submission, url = fake.arrive(name.split(":")[0], "w1")
    see_page(url.replace("PROLIFIC_PID=w1", "PROLIFIC_PID=w2"))
    fake.complete(submission, None)
    assert list(prolific.collect(name)) == []


def test_all_pages_of_a_long_list_are_read(prolific: Prolific, offer: Offer, work: Work) -> None:
    name = prolific.publish(offer(1, places=LARGEST_PAGE + 5)).provider_id
    sent = {work(name.split(":")[0], f"w{number}") for number in range(LARGEST_PAGE + 5)}
    assert set(ids(prolific.collect(name))) == sent


def test_a_study_is_listed_once_for_hits_that_are_looked_at_in_a_row(
    prolific: Prolific, fake: FakeProlific, offer: Offer, work: Work, clock: Clock
) -> None:
    names = [prolific.publish(offer(number)).provider_id for number in range(1, 9)]
    work(names[0].split(":")[0], "w1")
    fake.log.clear()
    for name in names:
        list(prolific.collect(name))
    pages = fake.log.count(("GET", "submissions/"))
    assert pages == 2  # the second tells that there are no more
    clock.forward(seconds=21)
    list(prolific.collect(names[0]))
    assert fake.log.count(("GET", "submissions/")) == 2 * pages


def test_the_places_of_a_hit_are_open_held_or_done(
    prolific: Prolific, offer: Offer, work: Work, fake: FakeProlific, clock: Clock
) -> None:
    name = prolific.publish(offer(1)).provider_id
    study = name.split(":")[0]
    work(study, "w1", finishes=False)
    done = work(study, "w2")
    hit = prolific.get(name)
    assert (hit.places, hit.open, hit.held) == (3, 1, 1)
    fake.give_back(done)
    clock.forward(minutes=1)
    hit = prolific.get(name)
    assert (hit.places, hit.open, hit.held) == (3, 2, 1)


# Those who never opened a page


def test_a_submission_without_a_page_is_given_to_the_hit_that_misses_one(
    prolific: Prolific, offer: Offer, work: Work, clock: Clock
) -> None:
    names = [prolific.publish(offer(number, places=1)).provider_id for number in (1, 2)]
    study = names[0].split(":")[0]
    seen, stray = work(study, "w1"), work(study, "w2", opens=False)
    assert [ids(prolific.collect(name)) for name in names] == [[seen], []]  # its page may yet be opened
    clock.forward(minutes=11)
    assert [ids(prolific.collect(name)) for name in names] == [[seen], [stray]]


def test_a_stray_submission_belongs_to_one_hit_for_good(
    prolific: Prolific, connect, offer: Offer, work: Work, clock: Clock
) -> None:
    names = [prolific.publish(offer(number, places=2)).provider_id for number in (1, 2)]
    study = names[0].split(":")[0]
    # both HITs were given out, and neither has seen anybody
    strays = [work(study, worker, opens=False) for worker in ("w1", "w2")]
    clock.forward(minutes=11)
    first = [ids(prolific.collect(name)) for name in names]
    assert sorted(first[0] + first[1]) == sorted(strays)
    assert [ids(connect().collect(name)) for name in reversed(names)] == list(reversed(first))
    assert ProlificRequest.objects.filter(kind="stray").count() == 2


def test_a_worker_who_is_still_at_it_is_not_taken_for_a_stray(
    prolific: Prolific, offer: Offer, work: Work, clock: Clock
) -> None:
    names = [prolific.publish(offer(number, places=1)).provider_id for number in (1, 2)]
    study = names[0].split(":")[0]
    work(study, "w1", finishes=False)
    stray = work(study, "w2", opens=False)
    clock.forward(minutes=11)
    assert [ids(prolific.collect(name)) for name in names] == [[], [stray]]


def test_what_is_collected_is_kept_as_it_was_handed_over(
    prolific: Prolific, offer: Offer, work: Work
) -> None:
    name = prolific.publish(offer(1)).provider_id
    submission = work(name.split(":")[0], "w1")
    (sent,) = prolific.collect(name)
    assert isinstance(sent, SubmittedWork)
    assert f'"id": "{submission}"' in sent.raw
    assert Hit.objects.get().annotation == offer(1).annotation
