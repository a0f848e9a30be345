# SPDX-License-Identifier: Apache-2.0
"""sparloom.scipy.accelerate(): SciPy's results and errors."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from small_matrices import converted, random_matrix

from sparloom import Context
from sparloom import scipy as accelerated

FORMATS = ("csr", "csc", "coo", "bsr")
OTHERS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")


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
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u4", "i8", "u8"])
def test_integers(rng, name, dtype):
    # They wrap, and are compared bit by bit.
    a = converted(random_matrix(rng, (20, 17), "i1"), name)
    a.data = (a.data.astype("i8") * 123456789).astype(dtype)
    for other in ("i4", "u4", "i8", "u8"):
        if np.result_type(dtype, other).kind == "f":
            continue
        x = rng.integers(0, 2**62, (17, 3)).astype(other)
        check(lambda a=a, x=x: a @ x[:, 0])
        check(lambda a=a, x=x: a @ x)
        check(lambda a=a, x=x: x.T @ a.T)
        b = random_matrix(rng, (17, 9))
        b.data = (b.data * 2**30).astype("i8").astype(other)
        check(lambda a=a, b=b: a @ b)
        check(lambda a=a, b=b: b.T @ a.T)


def test_small_products_of_integers_are_scipys(rng):
    a = random_matrix(rng, (300, 300), density=0.5)
    with Context(threads=4), accelerated.accelerate() as statistics:
        for dtype, computed in (("i4", 0), ("i8", 0), ("f8", 2)):
            b, x = a.astype(dtype), np.ones((300, 9), dtype)
            before = statistics.computed
            for _ in range(20):
                b @ x[:, 0].copy()
            found = (statistics.computed > before) + 0
            before = statistics.computed
            b @ x
            assert found + statistics.computed - before == computed


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("dtype", ["i2", "?", "c8", "c16", "g"])
def test_other_types_are_scipys(rng, name, dtype):
    a = converted(random_matrix(rng, (20, 17), "i1"), name).astype(dtype)
    for other in {"?", "i1"} if dtype in ("i2", "?") else {"f4", "f8", "c16"}:
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
