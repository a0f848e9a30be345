# SPDX-License-Identifier: Apache-2.0
"""sparloom.scipy.accelerate(): SciPy's results and errors, and SciPy's own methods after it."""

import itertools
import threading

import numpy as np
import pytest
from scipy import sparse

from sparloom import Context
from sparloom import scipy as accelerated

FORMATS = ("csr", "csc", "coo", "bsr")
OTHERS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
METHODS = ("_matmul_vector", "_matmul_multivector", "_matmul_sparse")
CLASSES = [type(getattr(sparse, f"{name}_array")((1, 1))).__mro__ for name in FORMATS]


def methods():
    return {
        (owner, name): vars(owner)[name]
        for owner in itertools.chain(*CLASSES)
        for name in METHODS
        if name in vars(owner)
    }


def random_matrix(rng, shape, dtype=float, density=0.3, index=np.int32):
    """CSR with duplicates, explicit zeros and columns in any order. Values are small integers: sums
    are exact, and some are 0."""
    count = int(density * shape[0] * shape[1])
    rows = np.sort(rng.integers(0, max(shape[0], 1), count))
    offsets = np.searchsorted(rows, np.arange(shape[0] + 1)).astype(index)
    columns = rng.integers(0, max(shape[1], 1), count).astype(index)
    values = rng.integers(0 if np.dtype(dtype).kind in "bu" else -2, 3, count).astype(dtype)
    return sparse.csr_array((values, columns, offsets), shape=shape)


def converted(matrix, name, kind="array"):
    kept = matrix.copy()  # SciPy's conversions sort what they convert
    if name == "bsr":
        return getattr(sparse, f"bsr_{kind}")(kept, blocksize=(1, 1))
    return getattr(sparse, f"{name}_{kind}")(kept)


def assert_same_dense(ours, theirs):
    assert type(ours) is type(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    if isinstance(theirs, np.ndarray):
        for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE", "ALIGNED"):
            assert ours.flags[flag] == theirs.flags[flag]
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))  # of zeros, too


def assert_same_sparse(ours, theirs):
    assert type(ours) is type(theirs)
    for name in ("dtype", "shape", "nnz", "format", "ndim"):
        assert getattr(ours, name) == getattr(theirs, name), name
    for name in ("data", "indices", "indptr"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert mine.dtype == other.dtype and mine.shape == other.shape, name
        assert mine.flags.c_contiguous and mine.flags.writeable, name
    ours.check_format(full_check=True)
    if ours.nnz and hasattr(ours, "has_sorted_indices"):
        assert ours.has_sorted_indices and ours.has_canonical_format
    ours, theirs = ours.copy(), theirs.copy()
    for matrix in (ours, theirs):
        matrix.sort_indices()
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


def check(product, computed=True):
    """The same product by SciPy and by Sparloom."""
    theirs = product()
    with accelerated.accelerate(minimum_work=0) as statistics:
        ours = product()
    same = assert_same_sparse if sparse.issparse(theirs) else assert_same_dense
    same(ours, theirs)
    assert (statistics.computed > 0) == computed, statistics
    return statistics


def error_of(action):
    with pytest.raises(Exception) as caught:
        action()
    return type(caught.value), str(caught.value)


# ---------------------------------------------------------------------------------- the products


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("name", FORMATS)
def test_dense_products(rng, name, kind):
    for _ in range(10):
        shape = tuple(rng.integers(2, 40, 2))
        index = rng.choice([np.int32, np.int64])
        a = random_matrix(rng, shape, rng.choice(["f4", "f8"]), 0.2, index)
        a = converted(a, name, kind)
        left, right = (
            rng.integers(-3, 4, (length, int(rng.integers(1, 9)))).astype(rng.choice(["f4", "f8"]))
            for length in shape
        )
        check(lambda a=a, x=right: a @ x[:, 0])
        check(lambda a=a, x=right: a @ x[:, :1])
        check(lambda a=a, x=right: a @ x)
        check(lambda a=a, x=right: a @ np.asfortranarray(x))
        check(lambda a=a, x=right: a.dot(x))
        check(lambda a=a, x=left: x[:, 0] @ a)
        check(lambda a=a, x=left: x.T @ a)
        check(lambda a=a, x=left: a.T @ x)
        check(lambda a=a, x=right: a @ np.repeat(x, 2, axis=1)[::1, ::2])
        check(lambda a=a, x=right: a @ x.tolist())


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("left", FORMATS)
@pytest.mark.parametrize("right", OTHERS)
def test_sparse_products(rng, left, right, kind):
    for _ in range(4):
        rows, inner, cols = rng.integers(1, 40, 3)
        index = rng.choice([np.int32, np.int64])
        a = random_matrix(rng, (rows, inner), rng.choice(["f4", "f8"]), 0.2, index)
        b = random_matrix(rng, (inner, cols), rng.choice(["f4", "f8"]), 0.2)
        if kind == "matrix" and index == np.int64:
            # SciPy narrows indices after a look at them. Where it has left out zeros it looks at
            # memory that nobody has written: no zeros here.
            a.data, b.data = abs(a.data) + 1, abs(b.data) + 1
        a, b = converted(a, left, kind), converted(b, right, kind)
        if left == "bsr" and right == "bsr" and not (a.nnz and b.nnz):
            continue
        check(lambda a=a, b=b: a @ b)
        check(lambda a=a: a @ a.T)
        check(lambda a=a: a.T @ a)


def test_power_and_matrix_star(rng):
    a = random_matrix(rng, (30, 30))
    check(lambda: sparse.csr_matrix(a) * sparse.csr_matrix(a))
    check(lambda: sparse.csr_matrix(a) ** 3)
    check(lambda: sparse.linalg.matrix_power(a, 3))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "u8", "f4", "f8", ">f8", ">f4"])
def test_mixed_types(rng, name, dtype):
    a = converted(random_matrix(rng, (20, 17), np.dtype(dtype).newbyteorder("=")), name)
    a.data = a.data.astype(dtype)
    for other in ("f4", "f8"):
        x = rng.integers(-3, 4, (17, 3)).astype(other)
        check(lambda a=a, x=x: a @ x[:, 0])
        check(lambda a=a, x=x: a @ x)
    b = random_matrix(rng, (17, 9))
    check(lambda: a @ b)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("dtype", ["i4", "?", "c8", "c16", "g"])
def test_other_types_are_scipys(rng, name, dtype):
    a = converted(random_matrix(rng, (20, 17), "i1"), name).astype(dtype)
    for other in {"?", "i8"} if dtype in ("i4", "?") else {"f4", "f8", "c16"}:
        x = rng.integers(0, 4, (17, 3)).astype(other)
        assert_same_dense_by_scipy(lambda a=a, x=x: a @ x[:, 0])
        assert_same_dense_by_scipy(lambda a=a, x=x: a @ x)
    b = random_matrix(rng, (17, 9), "i2").astype(dtype)
    with accelerated.accelerate(minimum_work=0) as statistics:
        ours = a @ b
    assert ours.dtype == (a @ b).dtype and abs(ours - a @ b).sum() == 0
    assert statistics.computed == 0


def assert_same_dense_by_scipy(product):
    theirs = product()
    with accelerated.accelerate(minimum_work=0) as statistics:
        ours = product()
    assert type(ours) is type(theirs) and ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)
    assert statistics.computed == 0 and statistics.delegated > 0


def test_not_finite(rng):
    for odd in (np.nan, np.inf, -np.inf):
        a = random_matrix(rng, (30, 30))
        a.data[rng.integers(0, len(a.data), 3)] = odd
        x = rng.integers(-3, 4, (30, 4)).astype(float)
        x[rng.integers(0, 30, 3)] = odd
        for m in (a, a.tocsc(), a.tocoo()):
            products = lambda m=m, x=x: (m @ x, m @ x[:, 0], (m @ m).toarray())
            with np.errstate(all="ignore"):
                theirs = products()
                with accelerated.accelerate(minimum_work=0):
                    ours = products()
            for mine, other in zip(ours, theirs):
                np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("name", FORMATS)
def test_shapes_without_elements(rng, name):
    for rows, inner, cols in itertools.product((0, 1, 3), repeat=3):
        if name == "bsr" and not (rows and inner and cols):
            continue
        a, b = (converted(sparse.csr_array(s), name) for s in ((rows, inner), (inner, cols)))
        for product in (
            lambda a=a, b=b: a @ b,
            lambda a=a: a @ np.ones(a.shape[1]),
            lambda a=a, b=b: a @ np.ones(b.shape),
        ):
            theirs = product()
            with accelerated.accelerate(minimum_work=0):
                ours = product()
            same = assert_same_sparse if sparse.issparse(theirs) else assert_same_dense
            same(ours, theirs)


def test_zeros_of_a_product_are_not_stored():
    a = sparse.csr_array(np.array([[1.0, -1.0], [2.0, 3.0]]))
    b = sparse.csr_array(np.array([[1.0, 2.0], [1.0, 5.0]]))
    check(lambda: a @ b)
    with accelerated.accelerate(minimum_work=0):
        assert (a @ b).nnz == 3
        assert (a @ (0.0 * b)).nnz == 0


def test_reals_are_within_the_bound_of_any_order(rng):
    seeds = [int(seed) for seed in rng.integers(0, 2**31, 2)]
    a, b = (sparse.random(200, 200, 0.1, "csr", random_state=seed) for seed in seeds)
    x = rng.standard_normal((200, 7))
    theirs = [a @ x[:, 0], a @ x, x.T @ a, (a @ b).toarray()]
    with accelerated.accelerate(minimum_work=0):
        ours = [a @ x[:, 0], a @ x, x.T @ a, (a @ b).toarray()]
    sizes = [abs(a) @ abs(x[:, 0]), abs(a) @ abs(x), abs(x.T) @ abs(a), (abs(a) @ abs(b)).toarray()]
    for mine, other, size in zip(ours, theirs, sizes):
        assert (abs(mine - other) <= 4 * 203 * 2.0**-53 * size).all()


def test_operands_are_left_as_they_were(rng):
    a, b = random_matrix(rng, (30, 30)), random_matrix(rng, (30, 30))
    before = [array.copy() for m in (a, b) for array in (m.data, m.indices, m.indptr)]
    flags = [dict(vars(m)).keys() for m in (a, b)]
    with accelerated.accelerate(minimum_work=0):
        a @ b, a @ np.ones(30), a.T @ np.ones((30, 2))
    after = [array for m in (a, b) for array in (m.data, m.indices, m.indptr)]
    for old, new in zip(before, after):
        np.testing.assert_array_equal(old, new)
    assert [dict(vars(m)).keys() for m in (a, b)] == flags


def test_arrays_that_the_library_does_not_read_as_they_are(rng):
    a = random_matrix(rng, (30, 20))
    a.data = np.repeat(a.data, 2)[::2]
    check(lambda: a @ np.ones(20))
    a.indptr = a.indptr.astype(np.int64)
    check(lambda: a @ np.ones(20))
    check(lambda: a @ np.ones((20, 3)))
    check(lambda: a.T @ np.ones(30))
    x = np.zeros(20 * 8 + 1, "u1")[1:].view("f8")
    x[:] = 3
    check(lambda: a @ x)
    a.data, a.indices = np.append(a.data, 7.0), np.append(a.indices, 0)
    check(lambda: a @ np.ones(20))
    check(lambda: a @ a.T)


@pytest.mark.parametrize("name", ["csr", "csc"])
@pytest.mark.parametrize("threads", [1, 4])
def test_short_rows_are_for_many_threads(rng, name, threads):
    n = 20000
    a = converted(random_matrix(rng, (n, n), density=20 / n), name)
    diagonal = converted(sparse.diags_array(np.ones(n)), name)
    pair = (a, diagonal) if name == "csr" else (diagonal, a)
    with Context(threads=threads), accelerated.accelerate() as statistics:
        short = pair[0] @ pair[1]
        assert statistics.computed == (threads == 4)
        a @ a
        assert statistics.computed == (threads == 4) + 1
    assert abs(short - a).max() == 0


def test_errors_are_scipys():
    a = sparse.csr_array(np.eye(3))
    actions = [
        lambda: a @ np.ones(4),
        lambda: a @ np.ones((4, 2)),
        lambda: a @ sparse.csr_array(np.eye(4)),
        lambda: a @ np.ones((3, 2, 2)),
        lambda: a @ 3.0,
        lambda: a @ "abc",
        lambda: np.ones(4) @ a,
        lambda: a._matmul_vector(np.ones(7, object)),
    ]
    for action in actions:
        theirs = error_of(action)
        with accelerated.accelerate(minimum_work=0):
            assert error_of(action) == theirs


def test_what_the_library_refuses_is_scipys(rng, monkeypatch):
    a = random_matrix(rng, (30, 30))
    theirs = [a @ np.ones(30), a @ np.ones((30, 2)), (a @ a).toarray()]
    for name in ("vector_product", "dense_product", "sparse_product"):
        monkeypatch.setattr(accelerated._products, name, lambda *_: None)
    with accelerated.accelerate(minimum_work=0):
        ours = [a @ np.ones(30), a @ np.ones((30, 2)), (a @ a).toarray()]
    for mine, other in zip(ours, theirs):
        np.testing.assert_array_equal(mine, other)


def test_subclasses_are_scipys(rng):
    class Mine(sparse.csr_array):
        pass

    a = Mine(random_matrix(rng, (9, 9)))
    with accelerated.accelerate(minimum_work=0) as statistics:
        assert type(a @ a) is Mine
        a @ np.ones(9)
    assert (statistics.computed, statistics.delegated) == (0, 2)


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
