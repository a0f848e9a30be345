# SPDX-License-Identifier: Apache-2.0
"""Products of integers and bool: SciPy's types, every bit as NumPy's. Hypothesis draws them."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from test_matmul_random import CONTEXT, OPERATORS, SIZES, apply, dense, exact, judge, sparse

import sparloom as spl

NAMES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
INTEGERS = st.sampled_from([np.dtype(name) for name in NAMES])
FACTORS = st.sampled_from([0, 1, -1, 3, 2.0, 2**40 + 5])


def shape_of(op, rows, cols):
    return (rows, cols) if op == "N" else (cols, rows)


def transposed(array, op):
    return array if op == "N" else array.T


def times(factor, array):
    """The product in the array's type, wrapped; of bool the logical one."""
    if array.dtype == bool:
        return array & bool(factor)
    return array * np.uint64(int(factor) % 2**64).astype(array.dtype)


@given(st.data())
def test_dense_products(data):
    draw = data.draw
    m, k, op = draw(SIZES), draw(SIZES), draw(OPERATORS)
    A = draw(sparse(*shape_of(op, m, k), draw(INTEGERS)))
    columns = draw(st.one_of(st.none(), st.integers(0, 9)))
    B = draw(dense((k,) if columns is None else (k, columns), draw(INTEGERS)))
    alpha, beta, context = draw(FACTORS), draw(FACTORS), draw(CONTEXT)
    dtype = np.result_type(A.dtype, B.dtype).newbyteorder("=")
    if dtype.kind == "f":  # a signed type with uint64
        found = spl.matmul(A, B, op_a=op, context=context)
        judge(found, apply(exact(A), op) @ exact(B), dtype)
        return
    product = transposed(A.astype(dtype).toarray(), op) @ B.astype(dtype)
    before = draw(dense(product.shape, dtype)).astype(dtype)
    out = before.copy()
    found = spl.matmul(A, B, op_a=op, alpha=alpha, beta=beta, out=out, context=context)
    assert found is out
    expected = times(alpha, product) + times(beta, before)
    np.testing.assert_array_equal(found, expected)
    plan = spl.plan(A, columns or None, dtype=B.dtype, op_a=op, context=context)
    if columns != 0:
        found = plan(B)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, product)


@given(st.data())
def test_sparse_products(data):
    draw = data.draw
    m, k, n, op_a, op_b = draw(SIZES), draw(SIZES), draw(SIZES), draw(OPERATORS), draw(OPERATORS)
    A = draw(sparse(*shape_of(op_a, m, k), draw(INTEGERS)))
    B = draw(sparse(*shape_of(op_b, k, n), draw(INTEGERS)))
    drop, context = draw(st.booleans()), draw(CONTEXT)
    found = spl.matmul(A, B, op_a=op_a, op_b=op_b, drop_zeros=drop, context=context)
    dtype = np.result_type(A.dtype, B.dtype)
    assert found.dtype == dtype and (not drop or np.all(found.data != 0))
    found.check_format(full_check=True)
    if dtype.kind == "f":
        judge(found.toarray(), apply(exact(A), op_a) @ apply(exact(B), op_b), dtype)
        return
    left, right = (M.astype(dtype).toarray() for M in (A, B))
    expected = transposed(left, op_a) @ transposed(right, op_b)
    np.testing.assert_array_equal(found.toarray(), expected)


@pytest.mark.parametrize("name", NAMES)
def test_plans_take_new_values(rng, name):
    A = sp.csr_array(rng.integers(0, 3, (20, 20)).astype(name))
    X = rng.integers(0, 200, (20, 3)).astype(name)
    plans = spl.plan(A), spl.plan(A, 3), spl.plan(A, A)
    first = plans[2]()
    for factor in (1, 77):
        B = A * A.dtype.type(factor)
        for plan in plans[:2]:
            plan.update_values(a=B)
        plans[2].update_values(a=B, b=B)
        np.testing.assert_array_equal(plans[0](X[:, 0].copy()), B @ X[:, 0])
        out = np.ones((20, 3), name)
        assert plans[1](X, out, beta=1) is out
        np.testing.assert_array_equal(out, B @ X + np.ones_like(X))
        assert plans[2](out=first) is first and first.dtype == name
        np.testing.assert_array_equal(first.toarray(), (B @ B).toarray())
    assert name in repr(plans[0])


def test_integers_and_reals(rng):
    A = sp.csr_array(rng.integers(-9, 9, (9, 7)).astype("int16"))
    x = rng.random(7).astype("float32")
    for B, y in ((A, x), (A.astype("int64"), x), (A.astype("float32"), np.arange(7))):
        found = spl.matmul(B, y)
        assert found.dtype == (B @ y).dtype
        np.testing.assert_allclose(found, B @ y, rtol=1e-5, atol=1e-4)
    assert spl.plan(A, dtype="float64")(x).dtype == "float64"
    with pytest.raises(TypeError, match="float32, the plan is of int16"):
        spl.plan(A)(x)
    with pytest.raises(TypeError, match="float64, the plan is of int16"):
        spl.plan(A).update_values(a=A.astype("float64"))


def test_refusals(rng):
    A = sp.csr_array(rng.integers(0, 9, (5, 5)))
    for factor in (0.5, "2", np.float64("inf")):
        with pytest.raises(ValueError, match=r"whole"):
            spl.matmul(A, np.ones(5, int), alpha=factor)
    with pytest.raises(NotImplementedError, match="type uint16 over min_plus"):
        spl.matmul(A.astype("uint16"), np.ones(5, "uint16"), semiring="min_plus")
    with pytest.raises(NotImplementedError, match="semiring"):
        spl.matmul(A, np.ones(5, int), semiring="max_times")
    with pytest.raises(NotImplementedError, match="longdouble|float128"):
        spl.matmul(A.astype("longdouble"), np.ones(5))
    with pytest.raises(NotImplementedError, match="uint64"):
        spl.describe(sp.csr_array(np.array([[2**63]], "uint64")))
    with pytest.raises(TypeError, match="out is int32, the product int64"):
        spl.matmul(A, np.ones(5, int), out=np.ones(5, "int32"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ending", ["mtx", "npz"])
def test_files_and_conversions(rng, tmp_path, name, ending):
    A = sp.csr_array((rng.random((6, 5)) < 0.5) * rng.integers(0, 2**60, (6, 5)).astype(name))
    path = tmp_path / f"a.{ending}"
    spl.write(path, A)
    found = spl.read(path, dtype="int64")
    assert found.dtype == "int64" and abs(found - A.astype("int64")).nnz == 0
    assert spl.describe(A).nnz == spl.describe(A.astype("int64")).nnz == A.nnz
    turned = spl.convert(A, format="csc", transpose=True)
    assert turned.dtype == name
    np.testing.assert_array_equal(turned.toarray(), A.T.toarray())
    wide = spl.convert(A, dtype="float64")
    np.testing.assert_array_equal(wide.toarray(), A.toarray().astype("float64"))


def test_equal_positions_wrap_and_vanish():
    pair = sp.coo_array((np.array([200, 56], "uint8"), ([0, 0], [0, 0])), shape=(1, 1))
    assert spl.convert(pair, format="csr", sum_duplicates=True).data.tolist() == [0]
    assert spl.convert(pair, format="csr", sum_duplicates=True, drop_zeros=True).nnz == 0


@pytest.mark.parametrize("name", ["int32", "int64"])
def test_generated(name):
    A = spl.gen("stencil5:9,9", dtype=name)
    assert A.dtype == name and A.nnz == spl.gen("stencil5:9,9").nnz
    with pytest.raises(ValueError, match="uint8"):
        spl.gen("stencil5:9,9", dtype="uint8")


@pytest.mark.parametrize("name", ["bool", "uint8", "int32", "uint32", "int64", "uint64"])
def test_words_of_bits(rng, name):
    A = sp.csr_array(rng.random((30, 12)) < 0.3)
    words = rng.integers(0, 2**64, (12, 3), np.uint64).astype(name)
    expected = [np.bitwise_or.reduce(words[A.indices[A.indptr[i] : A.indptr[i + 1]]])
                for i in range(30)]  # fmt: skip
    for B in (A, A.astype("float32"), A.astype("int16")):
        found = spl.matmul(B, words, semiring="or_second")
        assert found.dtype == name
        np.testing.assert_array_equal(found, expected)
        plan = spl.plan(B, words, semiring="or_second")
        np.testing.assert_array_equal(plan(words), expected)
        column = spl.plan(B, dtype=name, semiring="or_second")(words[:, 1].copy())
        np.testing.assert_array_equal(column, found[:, 1])
        product = spl.matmul(B, sp.csr_array(words), semiring="or_second")
        np.testing.assert_array_equal(product.toarray(), expected)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("semiring", ["min_plus", "max_second"])
def test_winners(rng, dtype, semiring):
    there = rng.random((30, 8)) < 0.3
    A = sp.csr_array(there * rng.integers(1, 4, there.shape).astype(dtype))
    X = rng.integers(0, 5, (8, 4)).astype(dtype)
    weights = A.toarray() if semiring == "min_plus" else np.zeros(there.shape, dtype)
    sign = 1 if semiring == "min_plus" else -1
    costs = np.where(there[:, :, None], (weights[:, :, None] + X) * sign, np.inf)
    winners = np.where(there.any(1)[:, None], costs.argmin(1), -1)
    p = spl.plan(A, 4, semiring=semiring)
    result, found = p.winners(X)
    assert found.dtype == "int64" and result.dtype == dtype
    np.testing.assert_array_equal(found, winners)
    np.testing.assert_array_equal(result, p(X))
    rows = rng.random(30) < 0.5
    result, found = p.winners(X, np.zeros((30, 4), dtype), mask=rows)
    np.testing.assert_array_equal(found, np.where(rows[:, None], winners, -1))
    np.testing.assert_array_equal(result, np.where(rows[:, None], p(X), 0))
    with pytest.raises(ValueError, match="min_|semiring"):
        spl.plan(A, 4).winners(X)
    with pytest.raises(TypeError, match="SpMM"):
        spl.plan(A, semiring=semiring).winners(X[:, 0].copy())


def test_jax(rng):
    jax = pytest.importorskip("jax")
    A = sp.csr_array(rng.integers(-9, 9, (9, 7)).astype("int16"))
    x = rng.integers(0, 9, (7, 2)).astype("int32")
    found = spl.matmul(A, jax.device_put(x, jax.devices("cpu")[0]))
    assert found.dtype == "int32"
    np.testing.assert_array_equal(found, A @ x)
