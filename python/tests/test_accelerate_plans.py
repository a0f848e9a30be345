# SPDX-License-Identifier: Apache-2.0
"""sparloom.scipy.accelerate(): kept plans, unchanged programs, and SciPy's own methods after it."""

import itertools
import threading

import numpy as np
import pytest
from scipy import sparse
from small_matrices import converted, random_matrix

from sparloom import Context
from sparloom import scipy as accelerated

FORMATS = ("csr", "csc", "coo", "bsr")
METHODS = ("_matmul_vector", "_matmul_multivector", "_matmul_sparse")
CLASSES = [type(getattr(sparse, f"{name}_array")((1, 1))).__mro__ for name in FORMATS]


def methods():
    return {
        (owner, name): vars(owner)[name]
        for owner in itertools.chain(*CLASSES)
        for name in METHODS
        if name in vars(owner)
    }


# --------------------------------------------------------- one matrix, many vectors; kept plans


@pytest.mark.parametrize("name", ["csr", "csc"])
def test_changes_in_place_are_seen(rng, name):
    a = converted(random_matrix(rng, (300, 300), density=0.1), name)
    x = rng.integers(-3, 4, 300).astype(float)
    with accelerated.accelerate(minimum_work=0):
        for change in range(6):
            with np.errstate(all="ignore"):
                expected = a.toarray() @ x
            np.testing.assert_array_equal(a @ x, expected)
            if change == 0:
                a.data[:] = rng.integers(-3, 4, len(a.data))
            elif change == 1:
                a.indices[:] = rng.permutation(a.indices)
            elif change == 2:  # the same number of entries, in other rows
                inner = np.sort(rng.integers(0, len(a.data) + 1, 299))
                a.indptr[1:-1] = inner
            elif change == 3:
                a.sort_indices()
            elif change == 4:
                a.sum_duplicates()


def test_another_matrix_at_the_same_address(rng):
    with accelerated.accelerate(minimum_work=0) as statistics:
        for _ in range(50):
            a = random_matrix(rng, (400, 400), density=0.05)
            np.testing.assert_array_equal(a @ np.ones(400), a.toarray().sum(1))
            np.testing.assert_array_equal(a.T @ np.ones(400), a.toarray().sum(0))
            del a
    assert statistics.computed == 100


@pytest.mark.parametrize("name", ["csr", "csc"])
def test_frozen_matrices(rng, name):
    with accelerated.accelerate(minimum_work=0, frozen=True) as statistics:
        for _ in range(20):  # the next matrix often gets the memory of the last one
            a = converted(random_matrix(rng, (400, 400), density=0.05), name)
            for _ in range(10):
                x = rng.integers(-3, 4, 400).astype(float)
                np.testing.assert_array_equal(a @ x, a.toarray() @ x)
                np.testing.assert_array_equal(a.T @ x, a.toarray().T @ x)
            a.data = a.data + 1
            np.testing.assert_array_equal(a @ x, a.toarray() @ x)
    assert statistics.computed == 20 * 21
    with accelerated.accelerate(minimum_work=0):
        a.data *= 2
        np.testing.assert_array_equal(a @ x, a.toarray() @ x)


def test_frozen_ends_with_its_context(rng):
    a, x = random_matrix(rng, (50, 50)), np.ones(50)
    with accelerated.accelerate(minimum_work=0):
        with accelerated.accelerate(minimum_work=0, frozen=True):
            for _ in range(10):
                a @ x
        a.data *= 2
        np.testing.assert_array_equal(a @ x, a.toarray() @ x)


def test_more_matrices_than_plans(rng):
    many = [random_matrix(rng, (50, 50)) for _ in range(40)]
    with accelerated.accelerate(minimum_work=0):
        for _ in range(3):
            for a in many:
                np.testing.assert_array_equal(a @ np.ones(50), a.toarray().sum(1))


def test_threads_multiply_by_one_matrix(rng):
    a = random_matrix(rng, (2000, 2000), density=0.02)
    x = rng.integers(-3, 4, (2000, 8)).astype(float)
    expected, wrong = a @ x, []

    def work(column):
        for _ in range(30):
            if not np.array_equal(a @ x[:, column], expected[:, column]):
                wrong.append(column)

    with accelerated.accelerate(minimum_work=0) as statistics:
        threads = [threading.Thread(target=work, args=(column,)) for column in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong and statistics.computed == 8 * 30


# ------------------------------------------------------------------------------- the context


def test_scipys_methods_come_back():
    before = methods()
    with accelerated.accelerate():
        assert methods() != before
    assert methods() == before


def test_they_come_back_after_an_exception():
    before = methods()
    with pytest.raises(ZeroDivisionError), accelerated.accelerate():
        raise ZeroDivisionError
    assert methods() == before


def test_contexts_nest():
    before, a = methods(), sparse.csr_array(np.eye(3))
    with accelerated.accelerate(minimum_work=0) as outer:
        with accelerated.accelerate(minimum_work=1e9) as inner:
            a @ np.ones(3)
        assert (inner.computed, inner.delegated) == (0, 1)
        assert methods() != before
        a @ np.ones(3)
    a @ np.ones(3)
    assert (outer.computed, outer.delegated) == (1, 1)
    assert (inner.computed, inner.delegated) == (0, 1)
    assert outer.seconds > 0 and inner.seconds == 0
    assert methods() == before


def test_contexts_end_in_any_order():
    before, a = methods(), sparse.csr_array(np.eye(3))
    first, second = accelerated.accelerate(minimum_work=0), accelerated.accelerate(minimum_work=0)
    first.__enter__()
    statistics = second.__enter__()
    first.__exit__(None, None, None)
    a @ np.ones(3)
    second.__exit__(None, None, None)
    assert statistics.computed == 1
    assert methods() == before


def test_contexts_of_many_threads():
    before, a, wrong = methods(), sparse.csr_array(np.eye(30)), []

    def work():
        for _ in range(50):
            with accelerated.accelerate(minimum_work=0) as statistics:
                a @ np.ones(30)
            if statistics.computed < 1:
                wrong.append(statistics)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and methods() == before


def test_decorator_and_recursion():
    context = accelerated.accelerate(minimum_work=0)

    @context
    def product(depth):
        assert methods() != before
        return product(depth - 1) if depth else sparse.eye_array(3, format="csr") @ np.ones(3)

    before = methods()
    np.testing.assert_array_equal(product(3), np.ones(3))
    assert methods() == before


def test_who_patched_meanwhile_keeps_his_method(monkeypatch):
    owner = next(c for c in sparse.csr_array.__mro__ if "_matmul_vector" in vars(c))
    scipys = vars(owner)["_matmul_vector"]
    with accelerated.accelerate(minimum_work=0):
        below = vars(owner)["_matmul_vector"]
        owner._matmul_vector = lambda self, other: 2 * below(self, other)
    a = sparse.csr_array(np.eye(3))
    count = accelerated._products.counts()[0]
    try:
        np.testing.assert_array_equal(a @ np.ones(3), 2 * np.ones(3))
        assert accelerated._products.counts()[0] == count
    finally:
        owner._matmul_vector = scipys


def test_small_products_stay_with_scipy():
    a = sparse.csr_array(np.eye(3))
    with accelerated.accelerate() as statistics:
        a @ np.ones(3), a @ np.ones((3, 2)), a @ a
    assert (statistics.computed, statistics.delegated) == (0, 3)
    assert "0 computed" in repr(statistics)


def test_a_plan_comes_with_repetition(rng):
    a, x = random_matrix(rng, (1000, 1000), density=0.02), np.ones(1000)
    with accelerated.accelerate(frozen=True) as statistics:
        for _ in range(12):
            np.testing.assert_array_equal(a @ x, a.toarray() @ x)
    assert (statistics.computed, statistics.delegated) == (4, 8)


@pytest.mark.parametrize("wrong", [-1, float("nan")])
def test_minimum_work_is_checked(wrong):
    with pytest.raises(ValueError, match="minimum_work"):
        accelerated.accelerate(minimum_work=wrong)


# -------------------------------------------------------------------------- unchanged programs


def both(program):
    theirs = program()
    with accelerated.accelerate(minimum_work=0) as statistics:
        ours = program()
    assert statistics.computed > 0
    return ours, theirs


def test_krylov():
    from scipy.sparse.linalg import cg, eigsh

    a = sparse.diags_array([-1.0, 2.1, -1.0], offsets=[-1, 0, 1], shape=(500, 500)).tocsr()
    b = np.ones(500)
    for program in (lambda: cg(a, b, rtol=1e-10)[0], lambda: eigsh(a, 3, v0=b)[0]):
        ours, theirs = both(program)
        np.testing.assert_allclose(ours, theirs, rtol=1e-7)


@pytest.mark.parametrize("solver", ["ruge_stuben_solver", "smoothed_aggregation_solver"])
def test_pyamg(solver):
    pyamg = pytest.importorskip("pyamg")
    a = pyamg.gallery.poisson((40, 40), format="csr")

    def program():
        np.random.seed(1)
        levels = getattr(pyamg, solver)(a, max_coarse=10)
        residuals = []
        x = levels.solve(np.ones(1600), x0=np.zeros(1600), tol=1e-8, residuals=residuals)
        return len(levels.levels), len(residuals), x

    (levels, steps, x), (their_levels, their_steps, their_x) = both(program)
    assert (levels, steps) == (their_levels, their_steps)
    np.testing.assert_allclose(x, their_x, rtol=1e-6)


def test_scikit_learn(rng):
    pytest.importorskip("sklearn")
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    words = [f"word{number}" for number in range(300)]
    texts = [" ".join(rng.choice(words, 40)) for _ in range(100)]

    def program():
        x = TfidfVectorizer().fit_transform(texts)
        similar = cosine_similarity(x, dense_output=False)
        return similar.toarray(), TruncatedSVD(5, random_state=1).fit_transform(x)

    for mine, other in zip(*both(program)):
        np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-9)


def test_networkx():
    networkx = pytest.importorskip("networkx")
    graph = networkx.gnp_random_graph(300, 0.05, seed=1, directed=True)
    ours, theirs = both(lambda: networkx.pagerank(graph, tol=1e-10))
    assert ours.keys() == theirs.keys()
    np.testing.assert_allclose(list(ours.values()), list(theirs.values()), rtol=1e-9)
