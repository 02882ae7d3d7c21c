"""From a HIT to an address of a study."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from crowd.models import Hit, ProlificObject, ProlificTask
from crowd.providers.base import NoAnswer, NotEnoughMoney, NotFound, Refused
from crowd.providers.prolific import Prolific, completion_url, is_closed
from kbpo.core.errors import Conflict, InvalidInput
from tests.integration.crowd.prolific.conftest import NOW, Offer, Work
from tests.prolific import PROJECT, Clock, FakeProlific, Problem


def test_a_hit_becomes_a_published_study_with_one_address(
    prolific: Prolific, fake: FakeProlific, offer: Offer
) -> None:
    published = prolific.publish(offer(1))
    (study,) = fake.studies.values()
    assert study["status"] == "ACTIVE"
    assert study["addresses"] == [
        {
            "external_url": f"https://tasks.example.org/hits/{offer(1).annotation}/"
            "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
            "total_allocation": 3,
            "allocated": 0,
        }
    ]
    assert published.provider_id == f"{study['id']}:{offer(1).annotation}"
    assert (published.places, published.open, published.held) == (3, 3, 0)
    assert published.expires_at == NOW + timedelta(days=1)


def test_a_study_says_what_the_work_is_and_pays(prolific: Prolific, fake: FakeProlific, offer: Offer) -> None:
    prolific.publish(offer(1, description="Is a < b & b < c?"))
    (study,) = fake.studies.values()
    assert study["name"] == "Say how two names are related"
    assert study["description"] == "Is a &lt; b &amp; b &lt; c?"
    assert (study["reward"], study["estimated_completion_time"], study["maximum_allowed_time"]) == (70, 4, 15)
    assert (study["project"], study["prolific_id_option"]) == (PROJECT, "url_parameters")
    assert study["completion_codes"][0]["actions"] == [{"action": "MANUALLY_REVIEW"}]
    assert study["submissions_config"]["max_submissions_per_participant"] == 1


def test_pay_below_the_minimum_is_refused_by_the_minutes_that_prolific_shows(prolific: Prolific) -> None:
    prolific.check_pay(reward_cents=14, seconds=20)
    with pytest.raises(InvalidInput, match="13 cents for about 1 minute"):
        prolific.check_pay(reward_cents=13, seconds=20)


def test_hits_of_a_group_share_a_study(prolific: Prolific, fake: FakeProlific, offer: Offer) -> None:
    names = {prolific.publish(offer(number)).provider_id.split(":")[0] for number in range(1, 6)}
    assert len(names) == len(fake.studies) == 1
    assert len(set(fake.addresses())) == len(fake.addresses()) == 5
    assert fake.places() == 15


@pytest.mark.parametrize("other", [{"group": "another batch"}, {"reward_cents": 80}, {"title": "Another"}])
def test_hits_that_offer_something_else_have_another_study(
    prolific: Prolific, fake: FakeProlific, offer: Offer, other: dict[str, object]
) -> None:
    prolific.publish(offer(1))
    prolific.publish(offer(2, **other))
    assert len(fake.studies) == 2


def test_publishing_again_changes_nothing(
    prolific: Prolific, connect: Callable[..., Prolific], fake: FakeProlific, offer: Offer
) -> None:
    first = prolific.publish(offer(1))
    prolific.publish(offer(2))
    locked = fake.locked
    assert connect().publish(offer(1)).provider_id == first.provider_id
    assert (len(fake.addresses()), fake.locked) == (2, locked)


def test_a_hit_stays_in_its_study_whatever_is_offered_later(
    prolific: Prolific, connect: Callable[..., Prolific], fake: FakeProlific, offer: Offer
) -> None:
    first = prolific.publish(offer(1))
    again = connect(hits_per_worker=5).publish(offer(1, estimated_seconds=60))
    assert again.provider_id == first.provider_id
    assert len(fake.addresses()) == 1


def test_a_study_that_is_still_being_published_takes_no_other_hit_yet(
    prolific: Prolific, fake: FakeProlific, offer: Offer
) -> None:
    fake.publishing_looks = 2
    prolific.publish(offer(1))
    with pytest.raises(NoAnswer, match="still publishing") as caught:
        prolific.publish(offer(2))
    assert caught.value.retry_after == 15.0
    prolific.get(prolific.publish(offer(1)).provider_id)
    prolific.publish(offer(2))
    assert len(fake.addresses()) == 2


def test_only_one_process_is_at_a_study(
    prolific: Prolific, fake: FakeProlific, offer: Offer, clock: Clock
) -> None:
    prolific.publish(offer(1))
    ProlificObject.objects.filter(kind="study").update(claimed_until=clock() + timedelta(seconds=30))
    with pytest.raises(NoAnswer, match="Another process") as caught:
        prolific.publish(offer(2))
    assert caught.value.retry_after is not None
    clock.forward(seconds=31)
    prolific.publish(offer(2))
    assert len(fake.addresses()) == 2


# Money


def test_nothing_is_published_without_the_money_for_it(
    prolific: Prolific, fake: FakeProlific, offer: Offer
) -> None:
    fake.balance = 3 * 94 - 1
    with pytest.raises(NotEnoughMoney, match=r"\$2\.82 are needed at Prolific; \$2\.81 are there"):
        prolific.publish(offer(1))
    assert fake.published() == []
    assert not ProlificTask.objects.exists()
    fake.balance += 1
    prolific.publish(offer(1))
    assert fake.balance == 0


def test_a_study_grows_only_by_what_there_is_money_for(
    prolific: Prolific, fake: FakeProlific, offer: Offer
) -> None:
    fake.balance = 300
    prolific.publish(offer(1))
    with pytest.raises(NotEnoughMoney):
        prolific.publish(offer(2))
    assert len(fake.addresses()) == 1


def test_money_that_goes_between_the_look_and_the_act_is_missed_in_the_same_words(
    prolific: Prolific, fake: FakeProlific, offer: Offer, monkeypatch: pytest.MonkeyPatch
) -> None:
    transition = fake._transition_study

    def spend(*args: object, **options: object) -> object:
        fake.balance = 0
        return transition(*args, **options)

    monkeypatch.setattr(fake, "_transition_study", spend)
    with pytest.raises(NotEnoughMoney):
        prolific.publish(offer(1))


def test_a_workspace_in_another_currency_is_refused(
    prolific: Prolific, fake: FakeProlific, offer: Offer
) -> None:
    fake.currency = "GBP"
    with pytest.raises(Refused, match="pays in GBP"):
        prolific.publish(offer(1))


def test_less_than_prolifics_minimum_is_refused_before_anything_is_asked(
    prolific: Prolific, fake: FakeProlific, offer: Offer
) -> None:
    with pytest.raises(Refused, match=r"\$7\.50 an hour; Prolific asks for at least \$8\.00: 54 cents"):
        prolific.publish(offer(1, reward_cents=50))
    assert fake.log == []


def test_the_balance_is_what_is_not_locked(prolific: Prolific, fake: FakeProlific, offer: Offer) -> None:
    prolific.publish(offer(1))
    assert prolific.balance_cents() == 100_000 - 3 * 94


# Who may take it


def test_only_the_qualified_are_offered_work_and_only_the_others_the_tutorial(
    prolific: Prolific, fake: FakeProlific, offer: Offer
) -> None:
    work = prolific.publish(offer(1, qualified_for="relation")).provider_id.split(":")[0]
    tutorial = prolific.publish(offer(2, unqualified_for="relation")).provider_id.split(":")[0]
    prolific.grant("able", kind="relation")
    fake.arrive(work, "able")
    fake.arrive(tutorial, "new")
    with pytest.raises(Problem, match="new is not eligible"):
        fake.arrive(work, "new")
    with pytest.raises(Problem, match="able is not eligible"):
        fake.arrive(tutorial, "able")


def test_the_blocked_are_offered_nothing_until_they_are_not(
    prolific: Prolific, connect: Callable[..., Prolific], fake: FakeProlific, offer: Offer
) -> None:
    study = prolific.publish(offer(1)).provider_id.split(":")[0]
    connect().block("rude", reason="abuse")
    with pytest.raises(Problem, match="rude is not eligible"):
        fake.arrive(study, "rude")
    connect().unblock("rude", reason="a mistake")
    fake.arrive(study, "rude")
    assert sorted(group["name"] for group in fake.groups.values()) == ["kbpo blocked"]


# Growing and ending


def test_a_hit_gets_more_places_once_for_a_token(
    prolific: Prolific, fake: FakeProlific, offer: Offer
) -> None:
    name = prolific.publish(offer(1)).provider_id
    prolific.publish(offer(2))
    prolific.extend(name, places=2, token="more")
    prolific.extend(name, places=2, token="more")
    prolific.extend(name, places=1, token="yet more")
    assert [row["total_allocation"] for row in fake.published()[0]["addresses"]] == [6, 3]
    assert prolific.get(name).places == 6


def test_extending_needs_money(prolific: Prolific, fake: FakeProlific, offer: Offer) -> None:
    name = prolific.publish(offer(1)).provider_id
    fake.balance = 93
    with pytest.raises(NotEnoughMoney):
        prolific.extend(name, places=1, token="more")
    fake.balance = 94
    prolific.extend(name, places=1, token="more")
    assert fake.places() == 4


def test_a_study_rests_when_the_last_of_its_hits_is_closed(
    prolific: Prolific, fake: FakeProlific, offer: Offer
) -> None:
    names = [prolific.publish(offer(number)).provider_id for number in (1, 2)]
    prolific.expire(names[0])
    assert fake.published()[0]["status"] == "ACTIVE"
    assert is_closed(Hit.objects.get(annotation=offer(1).annotation))
    assert [prolific.get(name).open for name in names] == [0, 3]
    prolific.expire(names[1])
    prolific.expire(names[1])
    assert fake.published()[0]["status"] == "PAUSED"
    assert [prolific.get(name).open for name in names] == [0, 0]


def test_a_hit_whose_time_is_over_closes_when_it_is_looked_at(
    prolific: Prolific, fake: FakeProlific, offer: Offer, clock: Clock
) -> None:
    name = prolific.publish(offer(1)).provider_id
    clock.forward(days=1)
    assert prolific.get(name).open == 0
    assert fake.published()[0]["status"] == "PAUSED"


def test_a_hit_that_is_prolonged_is_found_again(
    prolific: Prolific, fake: FakeProlific, offer: Offer, clock: Clock
) -> None:
    name = prolific.publish(offer(1)).provider_id
    prolific.expire(name)
    prolific.prolong(name, until=clock() + timedelta(days=3))
    assert fake.published()[0]["status"] == "ACTIVE"
    assert prolific.get(name).expires_at == clock() + timedelta(days=3)


def test_a_new_hit_wakes_its_study(prolific: Prolific, fake: FakeProlific, offer: Offer) -> None:
    prolific.expire(prolific.publish(offer(1)).provider_id)
    prolific.publish(offer(2))
    assert fake.published()[0]["status"] == "ACTIVE"


def test_a_study_that_is_done_with_is_stopped_and_its_money_free(
    prolific: Prolific, fake: FakeProlific, offer: Offer, work: Work
) -> None:
    names = [prolific.publish(offer(number)).provider_id for number in (1, 2)]
    prolific.approve(work(names[0].split(":")[0], "w1"), feedback="")
    for name in names:
        prolific.expire(name)
        prolific.remove(name)
    assert fake.published()[0]["status"] == "COMPLETED"
    assert (fake.balance, fake.locked, fake.paid) == (100_000 - 94, 0, 94)
    # what comes up again later wakes it
    prolific.extend(names[1], places=1, token="more")
    prolific.prolong(names[1], until=NOW + timedelta(days=9))
    assert fake.published()[0]["status"] == "ACTIVE"
    assert prolific.get(names[1]).open == 4


def test_a_hit_that_nobody_knows_is_not_found(prolific: Prolific) -> None:
    for act in (prolific.get, prolific.expire, prolific.remove, lambda name: list(prolific.collect(name))):
        with pytest.raises(NotFound, match="No HIT at Prolific is named 'x:y'"):
            act("x:y")


def test_published_hits_are_found_by_their_annotation(
    prolific: Prolific, fake: FakeProlific, offer: Offer
) -> None:
    prolific.publish(offer(1))
    prolific.publish(offer(2))
    prolific.publish(offer(3, group="another"))
    ProlificTask.objects.filter(annotation=offer(2).annotation).delete()
    found = {hit.annotation: hit.places for hit in prolific.published_since(NOW - timedelta(hours=1))}
    assert found == {offer(number).annotation: 3 for number in (1, 2, 3)}
    later = NOW + timedelta(days=900)
    assert list(prolific.published_since(later)) == []


# Coming and going back


def test_a_worker_goes_back_with_the_code_of_the_study(
    prolific: Prolific, fake: FakeProlific, offer: Offer
) -> None:
    name = prolific.publish(offer(1)).provider_id
    hit = Hit.objects.get(annotation=offer(1).annotation)
    code = fake.published()[0]["completion_codes"][0]["code"]
    back = f"https://app.prolific.com/submissions/complete?cc={code}"
    assert completion_url(hit, study_id=name.split(":")[0]) == back
    hit.provider_id = name
    assert completion_url(hit) == back


def test_a_worker_of_no_study_of_ours_has_nowhere_to_go_back_to(offer: Offer) -> None:
    offer(1)
    with pytest.raises(Conflict, match="open it there once more"):
        completion_url(Hit.objects.get(), study_id="elsewhere")
