import numpy as np
import pytest
from scipy import sparse

from kbpo_estimators.judging.rows import Layout, Rows, beside, multiplied, root


def some_rows(seed, dense, m=4, n=7):
    rng = np.random.default_rng(seed)
    written = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.4)
    return Rows(sparse.csr_array(written), rng.normal(size=(m, dense.shape[0])), dense)


def written_out(rows):
    return rows.sparse.toarray() + rows.coefficients @ rows.dense


@pytest.fixture
def two():
    rng = np.random.default_rng(5)
    return some_rows(1, rng.normal(size=(2, 7))), some_rows(2, rng.normal(size=(3, 7)))


WEIGHTS = np.linspace(0.1, 2.0, 7)


def test_products_are_those_of_the_matrices_written_out(two):
    one, other = two
    expected = (written_out(one) * WEIGHTS) @ written_out(other).T
    assert one.products(other, WEIGHTS) == pytest.approx(expected)
    assert one.sums(other, WEIGHTS) == pytest.approx(np.diagonal(expected))


@pytest.mark.parametrize("full", [0.01, 0.5])
def test_sparse_and_full_matrices_are_multiplied_alike(full):
    rng = np.random.default_rng(3)
    one, other = (rng.normal(size=(m, 200)) * (rng.random((m, 200)) < full) for m in (5, 3))
    found = multiplied(sparse.csr_array(one), sparse.csr_array(other))
    assert found == pytest.approx(one @ other.T)


def test_a_layout_is_filled_time_after_time_and_leaves_columns_as_they_were():
    indptr, columns = np.array([0, 3, 3, 5]), np.array([4, 0, 2, 1, 0])
    layout = Layout.of(indptr, columns, 5)
    for values in (np.arange(1.0, 6.0), np.arange(6.0, 11.0)):
        expected = np.zeros((3, 5))
        expected[[0, 0, 0, 2, 2], columns] = values
        assert layout.filled(values).toarray().tolist() == expected.tolist()
    assert columns.tolist() == [4, 0, 2, 1, 0]


def test_rows_are_scaled_and_columns_written_out(two):
    one, _ = two
    by = np.arange(4.0)
    assert one.scaled(by).columns(np.array([1, 4])) == pytest.approx(
        by[:, None] * written_out(one)[:, [1, 4]]
    )


def test_a_root_and_what_stands_beside_it_have_the_covariances():
    rng = np.random.default_rng(3)
    both = rng.normal(size=(8, 5))
    first, second = both[:3], both[3:]
    of_first = root(first @ first.T)
    of_second = beside(of_first, second @ first.T)
    rest = root(second @ second.T - of_second @ of_second.T)
    assert of_first @ of_first.T == pytest.approx(first @ first.T)
    assert of_second @ of_first.T == pytest.approx(second @ first.T)
    assert of_second @ of_second.T + rest @ rest.T == pytest.approx(second @ second.T)


def test_rows_that_are_alike_have_the_same_root():
    rows = np.array([[1.0, 2.0], [1.0, 2.0], [0.5, -1.0]])
    found = root(rows @ rows.T)
    assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_nothing_has_no_root():
    assert root(np.zeros((3, 3))).shape == (3, 0)
    assert beside(np.zeros((3, 0)), np.ones((2, 3))).shape == (2, 0)
