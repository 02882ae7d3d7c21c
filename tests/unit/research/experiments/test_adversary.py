"""What a file can say otherwise without a claim changed changes nothing; what is no claim is refused."""

import functools

import pytest

from research.experiments.adversary.manoeuvres import COPIED, MANOEUVRES
from research.experiments.adversary.situation import Situation
from research.experiments.adversary.world import TARGET, World
from tests.knowledgenet import FOLDER, needs_knowledgenet

pytestmark = needs_knowledgenet


@functools.cache
def situation() -> Situation:
    world = World(FOLDER)
    return Situation(world, TARGET, world.honest(TARGET), {COPIED: world.honest(COPIED)})


def of(group: str) -> list:
    return [pytest.param(one, id=one.name) for one in MANOEUVRES if one.group == group]


@pytest.mark.slow
@pytest.mark.parametrize("manoeuvre", of("files that claim the same"))
def test_a_file_that_claims_the_same_has_every_score_of_the_honest_one(manoeuvre):
    version = manoeuvre.version(situation())
    assert version is not None
    assert version.is_as(situation().honest)


@pytest.mark.parametrize("manoeuvre", of("files that are refused"))
def test_a_file_that_says_what_cannot_be_is_refused(manoeuvre):
    assert manoeuvre.version(situation()) is None


@pytest.mark.parametrize("name", ["reversed confidences", "confidences as if it knew what is right"])
def test_confidences_have_no_say_in_what_is_true(name):
    (manoeuvre,) = (one for one in MANOEUVRES if one.name == name)
    world, one = situation().world, situation()
    assert world.exact(manoeuvre.version(one)) == world.exact(one.honest)


def test_a_copy_of_a_system_is_that_system():
    (manoeuvre,) = (one for one in MANOEUVRES if one.name == "copy another team's system")
    assert manoeuvre.version(situation()).is_as(situation().others[COPIED])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["surest half word by word", "surest twentieth letter by letter"])
def test_who_says_its_surest_claims_in_pieces_gains_little(name):
    (manoeuvre,) = (one for one in MANOEUVRES if one.name == name)
    one = situation()
    before, after = one.world.exact(one.honest), one.world.exact(manoeuvre.version(one))
    assert after["relation", "instance", "precision"] - before["relation", "instance", "precision"] < 0.035
    assert after["relation", "instance", "f1"] - before["relation", "instance", "f1"] < 0.012
