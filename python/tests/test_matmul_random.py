# SPDX-License-Identifier: Apache-2.0
"""Products drawn by Hypothesis over all that matmul accepts, against NumPy in higher precision.

Cases are fresh in every run; a failure prints the smallest case. SPARLOOM_EXAMPLES: how many of
each kind.
"""

import os

import numpy as np
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sparloom as spl

settings.register_profile(
    "sparloom",
    max_examples=int(os.environ.get("SPARLOOM_EXAMPLES", "60")),
    deadline=None,  # the machine may be busy
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("sparloom")

SIZES = st.one_of(st.integers(0, 6), st.integers(7, 70))
TYPES = st.sampled_from([np.float32, np.float64])
OPERATORS = st.sampled_from("NTH")
SCALARS = st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.75])
FORMATS = ["csr", "csc", "coo", "bsr", "dia", "dok", "lil"]
CONTEXTS = {threads: spl.Context(threads=threads) for threads in (1, 3)}


def numbers(rng, shape, dtype):
    """Numbers between -1 and 1; integers anywhere."""
    if np.issubdtype(dtype, np.floating):
        return rng.uniform(-1, 1, shape).astype(dtype)
    return rng.integers(0, 2**64, shape, np.uint64).astype(dtype)


@st.composite
def sparse(draw, rows, cols, dtype):
    """A matrix of any format, class and width of indices; some unsorted or with duplicates."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(0, 4 * (rows + cols))) if rows and cols else 0
    i, j = rng.integers(0, max(rows, 1), count), rng.integers(0, max(cols, 1), count)
    if count and draw(st.booleans()):
        i[: count // 2] = i[0]  # a long row
    values = numbers(rng, count, dtype)
    values[rng.random(count) < 0.1] = 0
    kind = draw(st.sampled_from([sp.coo_array, sp.coo_matrix]))
    matrix = kind((values, (i, j)), shape=(rows, cols))
    form = draw(st.sampled_from(FORMATS))
    if form == "csr" and draw(st.booleans()):
        return duplicates(matrix, i, j, values)
    return widened(matrix.asformat(form), draw(st.sampled_from([np.int32, np.int64])))


def duplicates(matrix, i, j, values):
    """CSR with entries as they come: SciPy's own conversion would sum duplicates."""
    order = np.argsort(i, kind="stable")
    offsets = np.concatenate(([0], np.cumsum(np.bincount(i, minlength=matrix.shape[0]))))
    kind = sp.csr_matrix if sp.isspmatrix(matrix) else sp.csr_array
    return kind((values[order], j[order].astype("int32"), offsets.astype("int32")), matrix.shape)


def widened(matrix, index):
    """The same matrix with indices of that width, where its format has some."""
    if matrix.format in ("csr", "csc", "bsr"):
        matrix.indptr, matrix.indices = matrix.indptr.astype(index), matrix.indices.astype(index)
    elif matrix.format == "coo":
        matrix.coords = tuple(c.astype(index) for c in matrix.coords)
    return matrix


@st.composite
def dense(draw, shape, dtype):
    """An array of that shape: by rows, by columns, a part of a larger one, backwards, with gaps."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    layout = draw(st.sampled_from(["C", "F", "part", "backwards", "gaps", "foreign"]))
    if layout in ("part", "gaps"):
        step = 1 if layout == "part" else 2
        larger = numbers(rng, [step * n + 3 for n in shape], dtype)
        return larger[tuple(slice(1, 1 + step * n, step) for n in shape)]
    array = numbers(rng, shape, dtype)
    if layout == "foreign":
        return array.astype(array.dtype.newbyteorder())
    return array[::-1] if layout == "backwards" else np.array(array, order=layout)


@st.composite
def writable(draw, shape, dtype):
    """An array of NaN that results can be written to: by rows, columns or part of a larger one."""
    layout = draw(st.sampled_from(["C", "F", "part"]))
    if layout == "part" and len(shape) == 2:
        return np.full((shape[0], shape[1] + 5), np.nan, dtype)[:, 2 : 2 + shape[1]]
    return np.full(shape, np.nan, dtype, order="F" if layout == "F" else "C")


def exact(array):
    """Three matrices in extended precision: the numbers, their sizes, and how many they sum up.

    Entries of a sparse matrix that share a place are summed.
    """
    if sp.issparse(array):
        found = array.tocoo()
        values = found.data.astype(np.longdouble)
        parts = [values, abs(values), np.ones_like(values)]
        matrices = [sp.coo_array((part, found.coords), found.shape).toarray() for part in parts]
    else:
        matrix = array.astype(np.longdouble)
        matrix = matrix[:, np.newaxis] if matrix.ndim == 1 else matrix
        matrices = [matrix, abs(matrix), np.ones_like(matrix)]
    return np.stack(matrices)


def apply(matrices, op):
    return matrices if op == "N" else matrices.swapaxes(1, 2)


def judge(found, product, dtype, alpha=1, addend=None, beta=0):
    """Holds a result against alpha*product + beta*addend, both exact.

    An element may err by half an epsilon of the sum of sizes for each term and a few for factors.
    """
    expected, size, count = product * np.array([[[alpha]], [[abs(alpha)]], [[1]]])
    if beta != 0:
        expected, size = expected + beta * addend[0], size + abs(beta) * addend[1]
    bound = (count + 10) * np.finfo(dtype).eps / 2 * size + np.finfo(dtype).tiny
    found = found.reshape(expected.shape).astype(np.longdouble)
    assert np.isfinite(found).all()
    worst = np.max(abs(found - expected) - bound, initial=-1)
    assert worst <= 0, f"an element is {worst} beyond the error bound"


def common(*arrays):
    return np.result_type(*(a.dtype for a in arrays)).newbyteorder("=")


def shape_for(op, rows, cols):
    return (rows, cols) if op == "N" else (cols, rows)


CONTEXT = st.sampled_from([1, 3]).map(CONTEXTS.get)


@given(st.data())
def test_dense_products(data):
    draw = data.draw
    m, k, op = draw(SIZES), draw(SIZES), draw(OPERATORS)
    A = draw(sparse(*shape_for(op, m, k), draw(TYPES)))
    columns = draw(st.one_of(st.none(), st.integers(0, 40)))
    op_b = "N" if columns is None else draw(OPERATORS)
    B = draw(dense((k,) if columns is None else shape_for(op_b, k, columns), draw(TYPES)))
    alpha, beta = draw(SCALARS), draw(SCALARS)
    shape, dtype = (m, *(() if columns is None else (columns,))), common(A, B)
    out = draw(writable(shape, dtype))
    before = draw(dense(shape, dtype))
    if beta != 0:  # otherwise the NaN must not count
        out[...] = before
    found = spl.matmul(
        A, B, op_a=op, op_b=op_b, alpha=alpha, beta=beta, out=out, context=draw(CONTEXT)
    )
    assert found is out and found.dtype == dtype
    judge(found, apply(exact(A), op) @ apply(exact(B), op_b), dtype, alpha, exact(before), beta)


@given(st.data())
def test_products_with_the_sparse_operand_on_the_right(data):
    draw = data.draw
    m, k, n, op = draw(st.integers(0, 12)), draw(SIZES), draw(SIZES), draw(OPERATORS)
    A = draw(dense((m, k), draw(TYPES)))
    B = draw(sparse(*shape_for(op, k, n), draw(TYPES)))
    found = spl.matmul(A, B, op_b=op, alpha=0.5, context=draw(CONTEXT))
    assert found.shape == (m, n)
    judge(found, exact(A) @ apply(exact(B), op), common(A, B), 0.5)


@given(st.data())
def test_sparse_products(data):
    draw = data.draw
    m, k, n, op_a, op_b = draw(SIZES), draw(SIZES), draw(SIZES), draw(OPERATORS), draw(OPERATORS)
    A = draw(sparse(*shape_for(op_a, m, k), draw(TYPES)))
    B = draw(sparse(*shape_for(op_b, k, n), draw(TYPES)))
    D = draw(st.one_of(st.none(), sparse(m, n, draw(TYPES))))
    alpha, beta = draw(SCALARS), 0.0 if D is None else draw(SCALARS)
    found = spl.matmul(
        A, B, op_a=op_a, op_b=op_b, d=D, alpha=alpha, beta=beta, context=draw(CONTEXT)
    )
    dtype = common(A, B) if D is None else common(A, B, D)
    assert found.format == "csr" and found.dtype == dtype
    assert sp.isspmatrix(found) == sp.isspmatrix(A)
    found.check_format(full_check=True)
    for i in range(m):
        row = found.indices[found.indptr[i] : found.indptr[i + 1]]
        assert (np.diff(row) > 0).all(), f"row {i} is not sorted, or has duplicates"
    product = apply(exact(A), op_a) @ apply(exact(B), op_b)
    judge(found.toarray(), product, dtype, alpha, None if D is None else exact(D), beta)


@given(st.data())
def test_plans_with_new_values(data):
    draw = data.draw
    m, k, n = draw(SIZES), draw(SIZES), draw(st.integers(1, 20))
    dtype = draw(TYPES)
    A = sp.csr_array(draw(sparse(m, k, dtype)))
    B = sp.csr_array(draw(sparse(k, n, dtype)))
    x, X = draw(dense((k,), dtype)), draw(dense((k, n), dtype))
    context = draw(CONTEXT)
    plans = spl.plan(A, context=context), spl.plan(A, n, context=context)
    product = spl.plan(A, B, context=context)
    for factor in (1, -3):
        new = A * dtype(factor)
        for plan in (*plans, product):
            plan.update_values(a=new)
        judge(plans[0](x), exact(new) @ exact(x), dtype)
        judge(plans[1](X), exact(new) @ exact(X), dtype)
        judge(product().toarray(), exact(new) @ exact(B), dtype)


@given(st.data())
def test_same_bits_for_any_number_of_threads(data):
    draw = data.draw
    m, k, n, dtype = draw(SIZES), draw(SIZES), draw(SIZES), draw(TYPES)
    A, B = draw(sparse(m, k, dtype)), draw(sparse(k, n, dtype))
    X = draw(dense((k, n), dtype))
    one, three = (
        [spl.matmul(A, other, deterministic=True, context=c) for other in (X, B)]
        for c in CONTEXTS.values()
    )
    assert one[0].tobytes() == three[0].tobytes()
    assert one[1].data.tobytes() == three[1].data.tobytes()
    assert (one[1].indices == three[1].indices).all() and (one[1].indptr == three[1].indptr).all()
