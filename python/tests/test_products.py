# SPDX-License-Identifier: Apache-2.0
"""Products against SciPy, and the promises of matmul: kinds, types, copies, errors."""

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

import sparloom as spl


def near(found, expected, dtype="float64"):
    # Operands are below 1 in size, and rows have at most 8 entries, columns 30.
    bound = 0 if dtype.startswith("int") else 100 * np.finfo(dtype).eps
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "lil"])
def test_every_kind_of_product(rng, random_csr, form, index, dtype):
    A = random_csr(17, 12, dtype, index).asformat(form)
    B = random_csr(12, 9, dtype, index)
    dense = A.toarray()
    x, X = rng.random(12).astype(dtype), rng.random((12, 5)).astype(dtype)
    near(spl.matmul(A, x), dense @ x, dtype)
    near(spl.matmul(A, X), dense @ X, dtype)
    near(spl.matmul(A, np.asfortranarray(X)), dense @ X, dtype)
    near(spl.matmul(X.T, A, op_b="T"), X.T @ dense.T, dtype)
    near(spl.matmul(X, A, op_a="T", op_b="T"), X.T @ dense.T, dtype)
    near(spl.matmul(rng.random(17).astype(dtype), A).shape, (12,), dtype)
    product = spl.matmul(A, B)
    near(product.toarray(), dense @ B.toarray(), dtype)
    near(spl.matmul(A, A, op_b="T").toarray(), dense @ dense.T, dtype)
    near(spl.matmul(B, A, op_a="T", op_b="H").toarray(), B.toarray().T @ dense.T, dtype)
    assert product.dtype == dtype and product.has_canonical_format
    assert product.indices.dtype == product.indptr.dtype
    product.check_format(full_check=True)


def test_scalars_and_addends(rng, random_csr):
    A, B, D = random_csr(15, 11), random_csr(11, 6), random_csr(15, 6)
    x, y = rng.random(11), rng.random(15)
    expected = 2 * (A @ x) - 3 * y
    assert spl.matmul(A, x, alpha=2, beta=-3, out=y) is y
    near(y, expected)
    Y = np.asfortranarray(rng.random((15, 4)))
    X = rng.random((11, 4))
    expected = A @ X + 0.5 * Y
    near(spl.matmul(A, X, beta=0.5, out=Y), expected)
    left, out = rng.random((3, 15)), np.empty((3, 11))
    assert spl.matmul(left, A, out=out).base is out or np.shares_memory(out, out)
    near(out, left @ A.toarray())
    near(spl.matmul(A, B, d=D, alpha=-1, beta=2).toarray(), (2 * D - A @ B).toarray())


def test_poisoned_output_is_overwritten(random_csr):
    A = random_csr(40, 30)
    y = np.full(40, np.nan)
    near(spl.matmul(A, np.ones(30), out=y), A @ np.ones(30))


def test_result_has_the_kind_of_the_operand(random_csr):
    A = random_csr(6, 6)
    assert type(spl.matmul(A, A)) is sp.csr_array
    assert type(spl.matmul(sp.csr_matrix(A), A)) is sp.csr_matrix
    assert type(spl.matmul(A.tocsc(), A)) is sp.csr_array


def test_results_own_the_librarys_arrays(random_csr):
    A = random_csr(300, 300)
    context = spl.Context(threads=1)
    before = context.memory().live
    product = spl.matmul(A, A, context=context)
    assert not product.data.flags.owndata
    held = context.memory().live - before
    assert held >= product.data.nbytes + product.indices.nbytes + product.indptr.nbytes
    data, expected = product.data, product.data.copy()
    del product
    gc.collect()
    np.testing.assert_array_equal(data, expected)  # one array keeps all three
    assert context.memory().live - before == held
    del data
    gc.collect()
    assert context.memory().live == before


def test_results_outlive_their_context(random_csr):
    A = random_csr(50, 50)
    context = spl.Context(threads=1)
    gone = weakref.ref(context)
    product = spl.matmul(A, A, context=context)
    del context
    gc.collect()
    assert gone() is None
    near(product.toarray(), (A @ A).toarray())


def test_types(random_csr):
    A, x = random_csr(5, 4), np.ones(4)
    assert spl.matmul(A.astype("float32"), x).dtype == "float64"
    assert spl.matmul(A.astype("float32"), x.astype("float32")).dtype == "float32"
    near(spl.matmul(A, np.arange(4)), A @ np.arange(4))
    whole = sp.csr_array([[1, 2], [3, 4]])
    assert spl.matmul(whole, whole, cast=True).dtype == "float64"
    near(spl.matmul(whole, whole, cast=True).toarray(), [[7, 10], [15, 22]])
    with pytest.raises(NotImplementedError, match="complex"):
        spl.matmul(A * 1j, x)
    with pytest.raises(TypeError, match="out is float32"):
        spl.matmul(A, x, out=np.empty(5, "float32"))


def test_mixed_types_copy_no_structure(random_csr):
    A = random_csr(8, 8, "float32")
    p = spl.plan(A, random_csr(8, 8), context=spl.Context(threads=1))
    near(p().toarray(), p().toarray())
    parts = spl._types.parts_as(spl._operands.parts_of(A), "float64")
    assert parts[3] is A.indptr and parts[4] is A.indices


def test_strides(rng, random_csr):
    A, wide = random_csr(9, 10), rng.random((20, 14))
    for X in (wide[:10], wide[::2], wide[:10, ::2], wide[:10, 1:2], wide.T[:10], wide[9::-1]):
        near(spl.matmul(A, X), A @ X)
    for x in (wide[0, :10], wide[::2, 0], wide[9::-1, 3]):
        near(spl.matmul(A, x), A @ x)
    near(spl.matmul(A, wide[:10].astype(">f8")), A @ wide[:10])
    near(spl.matmul(A, list(range(10)), cast=True), A @ np.arange(10))
    out = np.zeros((9, 28))[:, ::2]
    with pytest.raises(ValueError):
        spl.matmul(A, wide[:10], out=out)
    part = np.full((9, 20), 7.0)
    spl.matmul(A, wide[:10], out=part[:, 3:17])
    near(part[:, 3:17], A @ wide[:10])
    assert (part[:, :3] == 7).all() and (part[:, 17:] == 7).all()


def test_arrays_that_lie_apart_are_copied(rng):
    where = np.argwhere(rng.random((9, 8)) < 0.3)  # SciPy keeps its columns as they are
    A = sp.coo_array((rng.random((len(where), 2))[:, 0], (where[:, 0], where[:, 1])), shape=(9, 8))
    near(spl.matmul(A, np.ones(8)), A @ np.ones(8))
    B = A.tocsr()
    B.data = np.repeat(B.data, 2)[::2]
    near(spl.matmul(B, B, op_b="T").toarray(), (A @ A.T).toarray())


def test_other_objects_are_refused(random_csr):
    A = random_csr(5, 4)
    with pytest.raises(TypeError, match="mask"):
        spl.matmul(A, np.ma.ones(4))
    for nothing in (None, np.ones((3, 3)), "A"):
        with pytest.raises(TypeError, match="no sparse matrix"):
            spl.plan(nothing)
        with pytest.raises(TypeError, match="no sparse matrix"):
            spl.describe(nothing)


def test_wrong_options_are_named(random_csr):
    A = random_csr(5, 5)
    for make in (spl.plan, spl.triple_plan, spl.frontier_plan):
        operands = (A, A) if make is spl.triple_plan else (A,)
        with pytest.raises(TypeError, match="no option 'polciy' .did you mean 'policy'.*deter"):
            make(*operands, polciy="rules")
    with pytest.raises(TypeError, match="no option 'speed'; beside"):
        spl.matmul(A, A, speed=11)
    wrong = {"threads": "two", "executions": 1.5, "deterministic": "no", "unsorted": 2}
    for option, value in (wrong | {"capabilities": "fast", "complement": None}).items():
        with pytest.raises(TypeError, match=option):
            spl.plan(A, A, mask=A, **{option: value})
    assert spl.plan(A, deterministic=np.True_, threads=np.int64(1)).explain()


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
def test_empty_shapes(shape):
    A = sp.csr_array(shape)
    rows, cols = shape
    assert spl.matmul(A, np.ones(cols)).tolist() == [0.0] * rows
    assert spl.matmul(A, np.ones((cols, 3))).shape == (rows, 3)
    assert spl.matmul(A, np.ones((cols, 0))).shape == (rows, 0)
    assert spl.matmul(A, A, op_b="T").shape == (rows, rows)


def test_zeros(random_csr):
    A = sp.csr_array([[1.0, 1.0], [0, 2.0]])
    B = sp.csr_array([[1.0, 0], [-1.0, 3.0]])
    assert spl.matmul(A, B).nnz == 4
    dropped = spl.matmul(A, B, drop_zeros=True)
    assert dropped.nnz == 3
    near(dropped.toarray(), (A @ B).toarray())


def test_errors(random_csr):
    A, x = random_csr(6, 4), np.ones(4)
    for arguments in ((A, np.ones(5)), (A, A), (A, np.ones((6, 2)))):
        with pytest.raises(ValueError):
            spl.matmul(*arguments)
    with pytest.raises(TypeError, match="no operand is sparse"):
        spl.matmul(np.eye(2), np.eye(2))
    with pytest.raises(ValueError, match="op_a"):
        spl.matmul(A, x, op_a="X")
    with pytest.raises(ValueError, match="policy"):
        spl.matmul(A, x, policy="best")
    with pytest.raises(ValueError, match="beta needs out"):
        spl.matmul(A, x, beta=1)
    with pytest.raises(ValueError, match="method"):
        spl.matmul(A, x, method="spmv/compute/cpu/none")
    with pytest.raises(TypeError, match="colour"):
        spl.matmul(A, x, colour="red")
    y = np.zeros(6)
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        spl.matmul(A, x, out=y)
    broken = A.copy()
    broken.indices = broken.indices + 100
    if broken.nnz:
        with pytest.raises(ValueError, match="column 1"):
            spl.matmul(broken, x)
    square = random_csr(6, 6)
    with pytest.raises(ValueError):
        spl.matmul(square, square.data[:6] if square.nnz >= 6 else y, out=square.data[:6])


def test_budget(random_csr):
    A = random_csr(2000, 2000)
    with pytest.raises(spl.BudgetError) as caught:
        spl.matmul(A, A, memory_budget="1 kB")
    assert isinstance(caught.value, MemoryError) and "bytes" in str(caught.value)
    budget = caught.value.needed
    for _ in range(4):  # sparloom.h: three retries as a rule
        try:
            near(spl.matmul(A, A, memory_budget=budget).toarray(), (A @ A).toarray())
            return
        except spl.BudgetError as error:
            assert error.needed > budget
            budget = error.needed
    raise AssertionError("four budgets did not suffice")


def test_threads_do_not_matter_if_deterministic(random_csr):
    A = random_csr(3000, 2000)
    x = np.linspace(-1, 1, 2000)
    one, two = (spl.matmul(A, x, threads=t, deterministic=True) for t in (1, 2))
    assert one.tobytes() == two.tobytes()


PLAIN = {sp.csr_array: 1, sp.csr_matrix: 1, sp.csc_array: 2, sp.csc_matrix: 2}


@pytest.mark.parametrize("cls", PLAIN)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_plain_products_take_the_short_way(rng, random_csr, cls, dtype):
    core = spl.default_context()._core
    size = 9 if dtype.startswith("int") else 1
    A = cls((random_csr(30, 20) * size).astype(dtype))
    for across, op in ((False, A), (True, A.T)):
        for shape in ((op.shape[1],), (op.shape[1], 3)):
            X = (rng.random(shape) * size).astype(dtype)
            found = spl._core.plain_product(core, PLAIN[cls], across, A, X)
            assert found.dtype == dtype and found.flags.owndata
            near(found, op @ X, dtype)
            np.testing.assert_array_equal(spl.matmul(A, X, op_a="T" if across else "N"), found)
    for shape in ((30,), (3, 30)):
        X = (rng.random(shape) * size).astype(dtype)
        found = spl._core.plain_product(core, PLAIN[cls], True, A, X, True)
        assert found.dtype == dtype and found.flags.owndata and found.flags.c_contiguous
        near(found, X @ A, dtype)
        np.testing.assert_array_equal(spl.matmul(X, A), found)


@pytest.mark.parametrize("cls", [sp.csr_array, sp.csr_matrix])
def test_plain_sparse_products_take_the_short_way(random_csr, cls):
    core = spl.default_context()._core
    A, B = cls(random_csr(30, 20)), cls(random_csr(20, 9))
    assert spl._core.plain_spgemm(core, A, B) is not None
    found = spl.matmul(A, B)
    made = cls((found.data, found.indices, found.indptr), shape=found.shape)
    assert type(found) is cls and found._shape == made._shape
    flags = {"_has_sorted_indices", "_has_canonical_format"}
    assert vars(found).keys() == vars(made).keys() | flags
    found.check_format(full_check=True)
    near(found.toarray(), (A @ B).toarray())
    found.data[:], found.note = 0, "mine"
    assert not hasattr(spl.matmul(A, B), "note")
    others = [(A, B.astype("float32")), (A.tocsc(), B), (A, A), (A, B.astype(complex))]
    for left, right in others:
        assert spl._core.plain_spgemm(core, left, right) is None


def test_other_products_take_the_long_way(rng, random_csr):
    core = spl.default_context()._core
    A, x, X = random_csr(30, 20), rng.random(20), rng.random((20, 6))
    others = [
        (A, x.astype("float32")),
        (A, x.astype(">f8")),
        (A, np.ones(20, int)),
        (A, np.ones(21)),
        (A, rng.random(40)[::2]),
        (A, X[:, ::2]),
        (A, np.asfortranarray(X)),
        (A, np.empty((20, 0))),
        (A, np.float64(1).reshape(())),
        (A.astype(int), x),
        (A.astype(complex), x),
    ]
    for matrix, array in others:
        assert spl._core.plain_product(core, 1, False, matrix, array) is None
    for matrix, array in others[:2] + others[4:8]:
        np.testing.assert_allclose(spl.matmul(matrix, array), matrix @ array, rtol=1e-6)


def test_small_plans_wake_no_threads(random_csr):
    context = spl.Context(threads=2)
    A = random_csr(40, 40)
    for B in (None, 8, A):
        assert ", 1 threads" in spl.plan(A, B, context=context).explain()
        assert ", 2 threads" in spl.plan(A, B, context=context, threads=2).explain()
    assert ", 2 threads" in spl.plan(random_csr(9000, 9000), context=context).explain()


def test_jax(rng, random_csr):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    cpu = jax.devices("cpu")[0]
    A = random_csr(30, 20)
    for dtype in ("float64", "float32"):
        B, x, X = A.astype(dtype), rng.random(20).astype(dtype), rng.random((20, 3)).astype(dtype)
        for array in (x, X):
            found = spl.matmul(B, jax.device_put(array, cpu))
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, spl.matmul(B, array))
            planned = spl.plan(B, array)(jax.device_put(array, cpu))
            near(planned, found, dtype)
    with pytest.raises(ValueError):
        spl.matmul(A, jax.device_put(np.ones(21), cpu))


def test_jax_reads_in_place_and_within_jit(rng, random_csr, monkeypatch):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    A, plan = random_csr(30, 30), spl.plan(random_csr(30, 30))
    x = jax.device_put(rng.random(30), jax.devices("cpu")[0])
    expected = A @ np.asarray(x)

    def multiply(v, product):
        return 2 * jax.pure_callback(product, jax.ShapeDtypeStruct(v.shape, v.dtype), v)

    for product in (lambda v: spl.matmul(A, v), plan):
        found = jax.jit(multiply, static_argnums=1)(x, product)
        near(found, 2 * product(np.asarray(x)))
    with pytest.raises(TypeError, match="Abstract tracer"):
        jax.jit(lambda v: spl.matmul(A, v))(x)
    monkeypatch.setattr(type(x), "__array__", None)  # whoever copies it to NumPy fails
    near(spl.matmul(A, x), expected)
    near(spl.matmul(x, A.T), expected)
    with pytest.raises(ValueError, match="read-only"):
        spl.matmul(A, np.ones(30), out=x)
