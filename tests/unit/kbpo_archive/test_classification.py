"""Classifications of which some systems are hidden: out of an archive comes what the service computes."""

from types import SimpleNamespace

import numpy as np
import pytest

from kbpo_archive.classification import _Computed, _from_predictions
from kbpo_archive.errors import BadArchive
from kbpo_estimators.classification.apart import Apart
from kbpo_estimators.classification.estimates import Given, Scores, Totals, learn

ITEMS, NAMES = 90, ["a", "b", "c"]
TEAMS = (0, 1, 0, 2)
MODELLED = [1, 4]


@pytest.fixture
def world():
    """Four systems, of which the first and the last are in the shared model."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, len(NAMES), ITEMS)
    sampled, folds = rng.random(ITEMS) < 0.5, rng.integers(0, 5, ITEMS)
    systems = [
        Given(np.where(rng.random(ITEMS) < right, truth, (truth + 1) % 3), rng.random(ITEMS), team)
        for right, team in zip((0.6, 0.7, 0.8, 0.9), TEAMS, strict=True)
    ]
    return World(systems, sampled, folds, np.where(sampled, truth, -1))


class World:
    def __init__(self, systems, sampled, folds, truth):
        self.systems, self.sampled, self.folds, self.truth = systems, sampled, folds, truth
        self.pi = np.full(ITEMS, 0.5)
        shown = [systems[one - 1] for one in MODELLED]
        given = len(NAMES), sampled, folds, truth
        self.q = learn(shown, *given)[0]
        self.own = {at: learn([*shown, systems[at]], *given)[0] for at in (1, 2)}
        rest = len(NAMES), self.pi, sampled, truth
        self.scores = Apart(
            Scores.of(systems, *rest, self.q),
            {at: Scores.of([systems[at]], *rest, q) for at, q in self.own.items()},
        )

    def tables(self, withheld):
        """Return what an archive has of systems whose classes are withheld."""
        sums, said = [], []
        for at in (one - 1 for one in withheld):
            shared = Totals.of([self.systems[at]], self.pi, self.q)
            own = Totals.of([self.systems[at]], self.pi, self.own[at])
            for number in range(len(NAMES)):
                row = own.assigned[0], shared.found[0], own.found[0], own.likely, own.need[0]
                sums.append((at + 1, number, *(one[number] for one in row)))
                said += [
                    (at + 1, unit, number, self.own[at][unit, number])
                    for unit in np.flatnonzero(self.sampled)
                ]
        names = ("system", "class", "items", "likely", "own", "all", "need")
        return {
            "class_sums": dict(zip(names, map(np.array, zip(*sums, strict=True)), strict=True)),
            "class_predicted": dict(
                zip(("system", "unit", "class", "value"), map(np.array, zip(*said, strict=True)), strict=True)
            ),
        }

    def pool(self, told, withheld, modelled):
        """Return what is read of an archive that withholds some systems' classes where nobody judged."""
        labels = [
            np.array(
                [
                    NAMES[one] if is_sampled or system not in withheld else ""
                    for one, is_sampled in zip(given.classes, self.sampled, strict=True)
                ],
                dtype=object,
            )
            for system, given in enumerate(self.systems, start=1)
        ]
        manifest = {"classes": NAMES, "predictions": told, "modelled": modelled}
        tables = self.tables(withheld) if told == "sums" else {}
        return SimpleNamespace(
            archive=SimpleNamespace(manifest=manifest, table=tables.__getitem__, path="archive.zip"),
            table_of_systems={"system": np.arange(1, 5)},
            systems=[
                SimpleNamespace(rows=np.arange(ITEMS), confidence=one.confidence, team=one.team)
                for one in self.systems
            ],
            split=lambda column: labels,
            size=ITEMS,
            sampled=self.sampled,
            units={"pi": self.pi, "fold": self.folds},
        )


@pytest.mark.parametrize(
    ("told", "withheld"),
    [("each", []), ("sums", [2, 3]), ("sums", [3]), ("nothing", [2, 3]), ("nothing", [3])],
)
def test_scores_and_differences_are_those_of_the_service(world, told, withheld):
    numbers, of = _from_predictions(world.pool(told, withheld, MODELLED), NAMES, world.truth)
    assert numbers == [one for one in (1, 2, 3, 4) if told == "sums" or one not in withheld]
    again, compared = of(None), 0
    for place, number in enumerate(numbers):
        assert again.overall(place) == world.scores.overall(number - 1)
        for one in range(len(NAMES)):
            assert again.by_class(place, one) == world.scores.by_class(number - 1, one)
            compared += 1
    assert compared
    computed = _Computed("votes", again, numbers, 4)
    side = again.side([again.overall(place) for place in range(len(numbers))])
    whole = world.scores.side([world.scores.overall(at) for at in range(4)])
    found, right = computed.differences(side, "accuracy"), whole.differences(whole, "accuracy")
    places = np.ix_(*2 * [np.array(numbers) - 1])
    np.testing.assert_allclose(found.estimates[places], right.estimates[places], rtol=0, atol=1e-15)
    np.testing.assert_allclose(found.variances[places], right.variances[places], rtol=0, atol=1e-15)
    assert np.isnan(found.estimates).sum() == 16 - len(numbers) ** 2


def test_a_model_that_learnt_from_what_is_withheld_is_refused(world):
    with pytest.raises(BadArchive, match="withholds classes that its model learnt from"):
        _from_predictions(world.pool("nothing", [3], [1, 3]), NAMES, world.truth)


def test_a_judged_item_without_a_class_is_refused(world):
    pool = world.pool("each", [], MODELLED)
    pool.split("label")[0][np.flatnonzero(world.sampled)[0]] = ""
    with pytest.raises(BadArchive, match="lacks the class that system 1 gives a judged item"):
        _from_predictions(pool, NAMES, world.truth)


def test_scores_of_the_shared_model_do_not_rest_on_other_systems(world):
    """A hidden system's own do: by its model it is right where others are not."""
    for at in (1, 2):
        one = world.systems[at]
        world.systems[at] = Given(np.where(world.sampled, one.classes, 0), one.confidence, one.team)
    changed = World(world.systems, world.sampled, world.folds, world.truth).scores
    for at in (0, 3):
        assert changed.overall(at) == world.scores.overall(at)
    assert changed.overall(1) != world.scores.overall(1)
