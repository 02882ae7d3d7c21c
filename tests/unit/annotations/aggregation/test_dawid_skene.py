import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.aggregation.dawid_skene import dawid_skene
from kbpo.core.errors import InvalidInput

# Dawid and Skene (1979), table 1: how fit 45 patients are for an anaesthetic, from 1 to 4, by five
# anaesthetists, the first of whom judged every form three times.
PATIENTS = """
111-1-1-1-1 333-4-3-3-4 112-2-1-2-2 222-3-1-2-1 222-3-2-2-2 222-3-3-2-2 122-2-1-1-1 333-3-4-3-3 222-2-2-2-3
232-2-2-2-3 444-4-4-4-4 222-3-3-4-3 111-1-1-1-1 222-3-2-1-2 121-1-1-1-1 111-2-1-1-1 111-1-1-1-1 111-1-1-1-1
222-2-2-2-1 222-1-3-2-2 222-2-2-2-2 222-2-2-2-1 222-3-2-2-2 221-2-2-2-2 111-1-1-1-1 111-1-1-1-1 232-2-2-2-2
111-1-1-1-1 111-1-1-1-1 112-1-1-2-1 111-1-1-1-1 333-3-2-3-3 111-1-1-1-1 222-2-2-2-2 222-3-2-3-2 433-4-3-4-3
221-2-2-3-2 232-3-2-3-3 333-3-4-3-2 111-1-1-1-1 111-1-1-1-1 121-2-1-1-1 232-2-2-2-2 121-1-1-1-1 222-2-2-2-2
"""
PAPER = np.array(
    [
        (patient, observer, int(category) - 1)
        for patient, forms in enumerate(PATIENTS.split())
        for observer, categories in enumerate(forms.split("-"))
        for category in categories
    ]
)


@pytest.fixture(scope="module")
def paper():
    return dawid_skene(*PAPER.T, classes=4, smoothing=0, tolerance=1e-9)


def votes(rng, truth, errors, of_each=3):
    """Votes of random workers, each wrong as often as `errors` says, as (items, workers, votes)."""
    truth = np.asarray(truth, dtype=int)
    workers = np.argsort(rng.random((truth.size, len(errors))), axis=1)[:, :of_each]
    wrong = rng.random(workers.shape) < np.asarray(errors)[workers]
    given_ = np.where(wrong, 1 - truth[:, None], truth[:, None])
    return np.repeat(np.arange(truth.size), of_each), workers.ravel(), given_.ravel()


worlds = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=40
).map(lambda rows: np.array([(item, *rest) for item, rest in enumerate(((0, 0), (0, 1)))] + rows))


def fit(rows, **options):
    """A fit to rows of (item, worker, vote); items without a vote are taken out."""
    item = np.unique(rows[:, 0], return_inverse=True)[1]
    return dawid_skene(item, rows[:, 1], rows[:, 2], **options)


# The paper


def test_the_paper_has_seven_votes_on_each_of_45_patients():
    assert np.bincount(PAPER[:, 0]).tolist() == [7] * 45


def test_the_shares_of_the_classes_are_those_of_the_papers_table_2(paper):
    assert paper.prior.round(2).tolist() == [0.40, 0.42, 0.11, 0.07]


def test_the_first_observers_error_rates_are_those_of_the_papers_table_3(paper):
    assert paper.confusion[0].round(2).tolist() == [
        [0.89, 0.11, 0.00, 0.00],
        [0.07, 0.88, 0.05, 0.00],
        [0.00, 0.34, 0.66, 0.00],
        [0.00, 0.00, 0.56, 0.44],
    ]


def test_the_first_patients_classes_are_those_of_the_papers_table_4(paper):
    assert paper.posteriors[:6].round(2).tolist() == np.eye(4)[[0, 3, 1, 1, 1, 1]].tolist()


def test_the_paper_converges(paper):
    assert paper.converged


# Small worlds


def test_one_step_worked_by_hand():
    # Start: T = (1, 0), (0, 1), (1/3, 2/3). Worker 2 votes 0, 1, 0: of class 0, 1 + 1/3 votes, all for 0; of
    # class 1, 1 + 2/3 votes, 1 of them for 1. Workers 0 and 1 vote 0, 1, 1: of class 0, 1 of 4/3 for 0; of
    # class 1 all for 1. p = (4/9, 5/9). Third item: 4/9 · (1/4)² · 1 against 5/9 · 1 · (2/5).
    one = dawid_skene([0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 2] * 3, [0, 0, 0, 1, 1, 1, 1, 1, 0],
                      smoothing=0, max_iterations=1)  # fmt: skip
    assert one.posteriors[2, 0] == pytest.approx((4 / 9 / 16) / (4 / 9 / 16 + 5 / 9 * 2 / 5))


def test_what_nobody_disputes_is_certain_without_smoothing():
    truth = [0, 1, 1, 0, 1]
    got = dawid_skene(np.repeat(range(5), 3), [0, 1, 2] * 5, np.repeat(truth, 3), smoothing=0)
    assert got.posteriors[:, 1].tolist() == truth


def test_what_nobody_disputes_stays_with_smoothing():
    truth = np.array([0, 1, 1, 0, 1])
    got = dawid_skene(np.repeat(range(5), 3), [0, 1, 2] * 5, np.repeat(truth, 3))
    assert (got.posteriors.argmax(axis=1) == truth).all()


def test_a_worker_who_is_always_wrong_counts_for_the_opposite():
    rng = np.random.default_rng(4)
    truth = rng.random(400) < 0.5
    errors = [0.1] * 6 + [1.0]
    got = dawid_skene(*votes(rng, truth, errors, of_each=4), smoothing=0)
    assert got.confusion[6, 1, 0] > 0.9


def test_careful_workers_outvote_two_who_guess():
    # Workers 0 and 1 agree with the truth, 2 and 3 always say yes: three of four votes are for it.
    truth = np.array([0, 1] * 100)
    items = np.repeat(np.arange(200), 4)
    said = np.column_stack([truth, truth, np.ones((200, 2), int)])
    got = dawid_skene(items, np.tile(range(4), 200), said.ravel())
    assert ((got.posteriors[:, 1] > 0.5) == truth).all()


def test_a_worker_of_few_votes_is_thought_to_be_like_the_others():
    rng = np.random.default_rng(1)
    items, workers, said = votes(rng, rng.random(300) < 0.5, [0.1] * 5)
    got = dawid_skene([*items, 0], [*workers, 5], [*said, 1 - said[0]])
    assert abs(got.confusion[5] - got.confusion[:5].mean(axis=0)).max() < 0.06


def test_the_limit_of_iterations_shows():
    got = dawid_skene(*PAPER.T, classes=4, smoothing=0, max_iterations=2)
    assert (got.iterations, got.converged) == (2, False)


# Properties


@pytest.mark.slow
@given(worlds, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_the_votes_does_not_matter(rows, random):
    shuffled = random.sample(range(len(rows)), len(rows))
    assert fit(rows[shuffled]).posteriors == pytest.approx(fit(rows).posteriors, abs=1e-4)


@pytest.mark.slow
@given(worlds, st.permutations(range(5)))
@settings(deadline=None)
def test_the_workers_names_do_not_matter(rows, names):
    renamed = np.column_stack([rows[:, 0], np.array(names)[rows[:, 1]], rows[:, 2]])
    assert fit(renamed).posteriors == pytest.approx(fit(rows).posteriors, abs=1e-4)


@pytest.mark.slow
@given(worlds)
@settings(deadline=None)
def test_every_answer_turned_turns_every_posterior(rows):
    turned = np.column_stack([rows[:, :2], 1 - rows[:, 2]])
    names = fit(turned).posteriors[:, ::-1]
    # Where votes say nothing of the truth, either order of the names is as good.
    assert np.allclose(names, fit(rows).posteriors, atol=1e-3) or np.allclose(
        names, fit(rows).posteriors[:, ::-1], atol=1e-3
    )


@given(worlds, st.floats(0, 100))
@settings(deadline=None)
def test_posteriors_and_rates_are_probabilities(rows, smoothing):
    got = fit(rows, smoothing=smoothing)
    for one in (got.posteriors, got.confusion, got.prior[None]):
        assert (one >= 0).all()
        assert np.allclose(one.sum(axis=-1), 1)


@given(worlds)
@settings(deadline=None)
def test_workers_taken_together_are_never_worse_than_chance(rows):
    got = fit(rows)
    item = np.unique(rows[:, 0], return_inverse=True)[1]
    right = [got.posteriors[item, c][rows[:, 2] == c].sum() / max(got.posteriors[item, c].sum(), 1e-300)
             for c in (0, 1)]  # fmt: skip
    assert sum(right) >= 1 - 1e-6 or got.posteriors.min(axis=0).max() > 1 - 1e-6


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_the_likelihood_never_falls(seed):
    rng = np.random.default_rng(seed)
    rows = votes(rng, rng.random(40) < 0.4, rng.uniform(0, 0.4, 6))

    def likelihood(iterations):
        got = dawid_skene(*rows, smoothing=0, tolerance=1e-12, max_iterations=iterations)
        score = np.tile(got.prior, (40, 1))
        for item, worker, vote in zip(*rows, strict=True):
            score[item] *= got.confusion[worker, :, vote]
        return np.log(score.sum(axis=1)).sum()

    found = [likelihood(iterations) for iterations in (1, 2, 5, 20)]
    assert (np.diff(found) >= -1e-9).all()


# What is refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"votes": [0, 2]}, "votes: the value 2 at position 1 is wrong; a whole number of at least 0"),
        ({"votes": [0, float("nan")]}, "votes: the value nan at position 1"),
        ({"items": [0, -1]}, "items: the value -1 at position 1"),
        ({"items": [0, 2]}, "items: item 1 has no vote; one is needed"),
        ({"items": [], "workers": [], "votes": []}, "items: is empty"),
        ({"workers": [0]}, "workers: has 1 values where the other arguments have 2"),
        ({"classes": 1}, "classes: is 1"),
        ({"smoothing": -1.0}, "smoothing: is -1.0"),
        ({"tolerance": 0.0}, "tolerance: is 0.0"),
        ({"max_iterations": 0}, "max_iterations: is 0"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named(change, message):
    arguments = {"items": [0, 1], "workers": [0, 0], "votes": [0, 1]} | change
    with pytest.raises(InvalidInput) as refused:
        dawid_skene(**arguments)
    assert message in str(refused.value)
