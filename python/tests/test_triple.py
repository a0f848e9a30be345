# SPDX-License-Identifier: Apache-2.0
"""Triple products against SciPy. Drawn ones are whole numbers: sums are exact."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from test_matmul_random import CONTEXT, OPERATORS, SIZES, sparse

import sparloom as spl

TYPES = st.sampled_from([np.int8, np.float32, np.float64])


def whole(matrix):
    matrix = matrix.tocsr()
    matrix.data = np.round(matrix.data.astype("float64") % 7).astype(matrix.dtype)
    return matrix


@given(st.data())
def test_against_scipy(data):
    draw = data.draw
    n, k, op_a, op_p = draw(SIZES), draw(SIZES), draw(OPERATORS), draw(OPERATORS)
    A = whole(draw(sparse(n, n, draw(TYPES))))
    P = whole(draw(sparse(*((n, k) if op_p == "N" else (k, n)), draw(TYPES))))
    dtype = np.result_type(A.dtype, P.dtype)
    if dtype.kind != "f":
        A, dtype = A.astype("float64"), np.dtype("float64")
    left, right = (A.T if op_a != "N" else A), (P.T if op_p != "N" else P)
    expected = (right.T.astype(dtype) @ left @ right).toarray()
    form = draw(st.sampled_from(["csr", "csc", "coo"]))
    found = spl.triple(
        A.asformat(form), P, op_a=op_a, op_p=op_p, alpha=2, context=draw(CONTEXT)
    )
    assert found.dtype == dtype and found.format == "csr"
    assert sp.isspmatrix(found) == sp.isspmatrix(A)
    found.check_format(full_check=True)
    np.testing.assert_array_equal(found.toarray(), 2 * expected)


def test_plans(random_csr):
    A, P = random_csr(40, 40), random_csr(40, 9)
    p = spl.triple_plan(A, P)
    first = p()
    bound = 1e-13
    assert abs(first - P.T @ A @ P).max() < bound
    assert p.result.nnz == first.nnz and "triple product" in repr(p)
    B, Q = A * 3, P * -2
    p.update_values(a=B)
    assert abs(p() - P.T @ B @ P).max() < 3 * bound
    p.update_values(b=Q)
    assert p(alpha=0.5, out=first) is first
    assert abs(first - 0.5 * (Q.T @ B @ Q)).max() < 12 * bound
    C = spl.triple(A, P.T, op_p="T")
    assert abs(C - P.T @ A @ P).max() < bound


def test_refusals(random_csr):
    A, P = random_csr(9, 9), random_csr(9, 4)
    with pytest.raises(TypeError, match="ndarray"):
        spl.triple(A, P.toarray())
    with pytest.raises(ValueError):
        spl.triple(A, P.T)
    with pytest.raises(ValueError):
        spl.triple(P, P)
    with pytest.raises(NotImplementedError):
        spl.triple(A.astype(int), P.astype(int))
    with pytest.raises(NotImplementedError):
        spl.triple(A, P, semiring="min_plus")
    with pytest.raises(TypeError, match="takes no dense operand"):
        spl.triple_plan(A, P)(np.ones(4))
