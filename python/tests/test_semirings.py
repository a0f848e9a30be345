# SPDX-License-Identifier: Apache-2.0
"""Products over semirings and under masks against loops over dense arrays."""

import numpy as np
import pytest
import scipy.sparse as sp

import sparloom as spl

MULTIPLY = {
    "times": lambda a, b: a * b,
    "pair": lambda a, b: 1.0,
    "first": lambda a, b: a,
    "second": lambda a, b: b,
    "plus": lambda a, b: a + b,
}
ADD = {"plus": (np.add, 0.0), "min": (np.minimum, np.inf), "max": (np.maximum, -np.inf)}
NAMES = [
    "plus_times",
    "plus_pair",
    "plus_first",
    "plus_second",
    "min_plus",
    "max_plus",
    "min_second",
    "max_second",
    "min_times",
    "max_times",
]


def draw(rng, rows, cols):
    """A matrix of small whole numbers and where it has entries."""
    there = rng.random((rows, cols)) < 0.3
    values = rng.integers(1, 5, (rows, cols)) * there
    return sp.csr_array(values.astype(float)), there


def expected(name, A, a_there, B, b_there):
    add, multiply = name.split("_")
    (join, none), times = ADD[add], MULTIPLY[multiply]
    C = np.full((A.shape[0], B.shape[1]), none)
    met = np.zeros(C.shape, bool)
    for i, k in np.argwhere(a_there):
        for j in np.flatnonzero(b_there[k]):
            C[i, j] = join(C[i, j], times(A[i, k], B[k, j]))
            met[i, j] = True
    return C, met


def same(product, values, there):
    np.testing.assert_array_equal(product.toarray(), np.where(there, values, 0))
    assert product.nnz == there.sum()


@pytest.mark.parametrize("name", NAMES)
def test_sparse_products(rng, name):
    A, a_there = draw(rng, 13, 9)
    B, b_there = draw(rng, 9, 17)
    mask, listed = draw(rng, 13, 17)
    C, met = expected(name, A.toarray(), a_there, B.toarray(), b_there)
    same(spl.matmul(A, B, semiring=name), C, met)
    same(spl.matmul(A, B, semiring=name, mask=mask), C, met & listed)
    same(spl.matmul(A, B, semiring=name, mask=mask != 0, complement=True), C, met & ~listed)
    same(spl.matmul(A, B, semiring=name, mask=mask, mask_pattern="full"), C, listed)
    same(spl.plan(A, B, semiring=name, mask=mask)(), C, met & listed)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integers(rng, name, dtype):
    A, a_there = draw(rng, 13, 9)
    B, b_there = draw(rng, 9, 17)
    whole = A.astype(dtype), B.astype(dtype)
    if name in ("min_times", "max_times"):
        with pytest.raises(NotImplementedError, match="semiring"):
            spl.matmul(*whole, semiring=name)
        return
    C, met = expected(name, A.toarray(), a_there, B.toarray(), b_there)
    mask, listed = draw(rng, 13, 17)
    product = spl.matmul(*whole, semiring=name, mask=mask)
    assert product.dtype == dtype
    same(product, C, met & listed)
    a_there[0] = False
    A, X = sp.csr_array(A.toarray() * a_there), rng.integers(1, 9, (9, 4)).astype(dtype)
    C, _ = expected(name, A.toarray(), a_there, X, np.ones(X.shape, bool))
    found, filled = spl.matmul(A.astype(dtype), X, semiring=name), a_there.any(1)
    np.testing.assert_array_equal(found[filled], C[filled])
    limits = np.iinfo(dtype)
    none = {"plus": 0, "min": limits.max, "max": limits.min}[name.split("_")[0]]
    assert (found[~filled] == none).all()


@pytest.mark.parametrize("name", NAMES)
def test_dense_operands(rng, name):
    A, there = draw(rng, 13, 9)
    X = rng.integers(1, 9, (9, 4)).astype(float)
    C, _ = expected(name, A.toarray(), there, X, np.ones(X.shape, bool))
    np.testing.assert_array_equal(spl.matmul(A, X, semiring=name), C)
    np.testing.assert_array_equal(spl.matmul(A, X[:, 1].copy(), semiring=name), C[:, 1])
    if name.endswith("second") and not name.startswith("plus"):
        with pytest.raises(NotImplementedError):
            spl.matmul(X.T, A, op_b="T", semiring=name)
        return
    swapped = {"plus_first": "plus_second", "plus_second": "plus_first"}.get(name, name)
    np.testing.assert_array_equal(spl.matmul(X.T, A, op_b="T", semiring=swapped), C.T)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("columns", [0, 3])
def test_masks_of_rows(rng, name, columns):
    A, there = draw(rng, 70, 9)
    X = rng.integers(1, 9, (9, max(columns, 1))).astype(float)
    C, _ = expected(name, A.toarray(), there, X, np.ones(X.shape, bool))
    X, C = (X, C) if columns else (X[:, 0].copy(), C[:, 0])
    join, none = ADD[name.split("_")[0]]
    p, rows = spl.plan(A, columns or None, semiring=name), rng.random(70) < 0.4
    chosen = rows if columns == 0 else rows[:, np.newaxis]
    bits = np.packbits(np.append(rows, np.zeros(58, bool)), bitorder="little").view(np.uint64)
    for mask in (rows, rows.astype(np.uint8) * 200, bits, np.repeat(rows, 2)[::2]):
        old = rng.integers(-9, 9, C.shape).astype(float)
        out = old.copy()
        assert p(X, out, mask=mask) is out
        np.testing.assert_array_equal(out, np.where(chosen, C, old))
        p(X, out, mask=mask, complement=True, beta=1)
        np.testing.assert_array_equal(out, np.where(chosen, C, join(old, C)))
        np.testing.assert_array_equal(p(X, mask=mask), np.where(chosen, C, none))
        p(X, out, mask=mask, clear=True, beta=1)
        np.testing.assert_array_equal(out, np.where(chosen, join(C, C), none))
    np.testing.assert_array_equal(p(X), C)


def test_refused_masks_of_rows(rng):
    A, _ = draw(rng, 6, 5)
    p, x = spl.plan(A), np.ones(5)
    for shape in (5, 7, (6, 1), ()):
        with pytest.raises(ValueError, match=r"6 rows need \(6,\) of bool"):
            p(x, mask=np.ones(shape, bool))
    with pytest.raises(ValueError, match=r"\(1,\) of uint64"):
        p(x, mask=np.ones(6, np.uint64))
    with pytest.raises(TypeError, match="int64"):
        p(x, mask=[1, 0, 1, 0, 1, 0])
    with pytest.raises(TypeError, match="when it is made"):
        spl.plan(A, A.T.tocsr())(mask=np.ones(6, bool))
    for lone in ({"complement": True}, {"clear": True}):
        with pytest.raises(ValueError, match="go with a mask"):
            p(x, **lone)
    y = np.ones(6)
    with pytest.raises(ValueError, match="mask"):
        p(x, y, mask=y.view(np.uint8)[:6].view(bool))  # overlaps the result
    with pytest.raises(NotImplementedError, match="alpha"):
        spl.plan(A, semiring="min_plus")(x, alpha=2, mask=np.ones(6, bool))


def test_refusals(rng):
    A, _ = draw(rng, 5, 5)
    with pytest.raises(ValueError, match="plus_first"):
        spl.matmul(A, A, semiring="nosuch")
    with pytest.raises(ValueError, match="mask"):
        spl.matmul(A, A, complement=True)
    with pytest.raises(ValueError):
        spl.matmul(A, A, mask=A[:3])
    with pytest.raises(NotImplementedError, match="alpha"):
        spl.matmul(A, A, semiring="min_plus", alpha=2)
    with pytest.raises(NotImplementedError, match="mask"):
        spl.matmul(A, np.ones(5), mask=A)
