# SPDX-License-Identifier: Apache-2.0
"""Products with sparse vectors against plain loops over dense arrays. Values are whole numbers:
sums are exact."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from test_matmul_random import CONTEXT, OPERATORS, SIZES, sparse

import sparloom as spl

MULTIPLY = {"times": lambda a, b: a * b, "plus": lambda a, b: a + b, "second": lambda a, b: b}
ADD = {"plus": lambda a, b: a + b, "min": min, "max": max}
SEMIRINGS = ["plus_times", "min_plus", "max_second", "plus_second"]


def whole(matrix):
    """CSR of whole numbers with each position once."""
    matrix = matrix.tocsr()
    matrix.data = np.round(np.abs(matrix.data.astype("float64")) % 7).astype(matrix.dtype)
    matrix.sum_duplicates()
    return matrix


def entries(matrix):
    coo = matrix.tocoo()
    return list(zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist()))


def multiplied(A, X, semiring):
    """{(vector, row): value} of op(A)*x for each row of X."""
    add, multiply = semiring.split("_")
    found = {}
    for k, j, factor in entries(X):
        for i, column, value in entries(A):
            if column == j:
                term = MULTIPLY[multiply](value, factor)
                found[k, i] = ADD[add](found[k, i], term) if (k, i) in found else term
    return found


def as_dict(Y):
    return {(k, i): value for k, i, value in entries(Y)}


@given(st.data())
def test_against_loops(data):
    draw = data.draw
    rows, cols, vectors, op = draw(SIZES), draw(SIZES), draw(SIZES), draw(OPERATORS)
    dtype = draw(st.sampled_from([np.int32, np.int64, np.float32, np.float64]))
    A, X = whole(draw(sparse(rows, cols, dtype))), draw(sparse(vectors, cols, dtype))
    X = whole(X)
    semiring = draw(st.sampled_from(SEMIRINGS))
    expected = multiplied(A, X, semiring)
    given = (A if op == "N" else A.T).asformat(draw(st.sampled_from(["csr", "csc", "coo"])))
    p = spl.frontier_plan(
        given, draw(st.integers(1, 5)), op_a=op, semiring=semiring, context=draw(CONTEXT)
    )
    assert p.shape == (rows, cols)
    Y = p(X)
    assert Y.shape == (vectors, rows) and Y.dtype == dtype and Y.format == "csr"
    Y.check_format(full_check=True)
    assert as_dict(Y) == expected
    mask = np.array(draw(st.lists(st.booleans(), min_size=vectors * rows, max_size=vectors * rows)))
    mask = mask.astype(bool).reshape(vectors, rows)
    for complement in (False, True):
        Y = p(X, mask=mask, complement=complement)
        assert as_dict(Y) == {p: v for p, v in expected.items() if mask[p] != complement}
    into = np.full((vectors, rows), 3, dtype)
    changed = {p: ADD[semiring.split("_")[0]](3, v) for p, v in expected.items()}
    changed = {p: v for p, v in changed.items() if v != 3}
    assert as_dict(p(X, into=into)) == changed
    assert {(k, i): into[k, i] for k, i in zip(*np.nonzero(into != 3))} == changed
    for k in range(vectors):
        at = slice(X.indptr[k], X.indptr[k + 1])
        indices, values = p((X.indices[at].tolist(), X.data[at]))
        assert values.dtype == dtype and list(indices) == sorted(indices)
        one = {(k, i): v for i, v in zip(indices.tolist(), values.tolist())}
        assert one == {p: v for p, v in expected.items() if p[0] == k}


def levels_of(A, source):
    """Breadth-first search by a queue."""
    level, queue = {source: 0}, [source]
    for v in queue:
        for w in A.indices[A.indptr[v] : A.indptr[v + 1]].tolist():
            if w not in level:
                level[w] = level[v] + 1
                queue.append(w)
    return level


def test_searches(rng):
    n = 300
    A = sp.random_array((n, n), density=0.01, random_state=rng, format="csr")
    A.data = np.ones(len(A.data), np.int32)
    p = spl.frontier_plan(A, op_a="T", semiring="min_second", dtype="int32")
    visited = np.zeros(n, bool)
    visited[7], level, found = True, 0, {7: 0}
    x = np.array([7])
    while len(x):
        x, parents = p((x, None), mask=visited, complement=True)
        level += 1
        found |= dict.fromkeys(x.tolist(), level)
        assert all(A[v, w] == 1 for v, w in zip(parents, x))
        visited[x] = True
    assert found == levels_of(A, 7)
    levels, _ = spl.graph.bfs(A, 7)
    assert found == {v: level for v, level in enumerate(levels.tolist()) if level >= 0}


def test_new_values(random_csr):
    A = random_csr(30, 20)
    p = spl.frontier_plan(A)
    B = A.copy()
    B.data = np.arange(len(B.data)) + 1.0
    x = np.arange(20), np.ones(20)
    p.update_values(B)
    indices, values = p(x)
    np.testing.assert_array_equal(values, (B @ x[1])[indices])
    assert set(np.nonzero(np.diff(B.indptr))[0]) == set(indices)
    assert "pushed" in p.explain() and "30 x 20" in repr(p)


def test_refusals(random_csr):
    A = random_csr(9, 6)
    p = spl.frontier_plan(A)
    ones = np.ones(2)
    for indices in ([3, 1], [1, 6], [-1, 2], [2, 2]):
        with pytest.raises(ValueError):
            p((np.array(indices), ones))
    with pytest.raises(ValueError, match="values"):
        p(([1, 2], None))
    with pytest.raises(ValueError):
        p(([1, 2], np.ones(3)))
    with pytest.raises(TypeError, match="indices"):
        p(([1.5, 2], ones))
    with pytest.raises(TypeError, match="no tuple"):
        p(np.ones(6))
    with pytest.raises(ValueError, match="6 columns"):
        p(random_csr(2, 5))
    with pytest.raises(ValueError, match="shape"):
        p(([1, 2], ones), mask=np.ones(6, bool))
    with pytest.raises(TypeError, match="mask"):
        p(([1, 2], ones), mask=np.ones(9))
    with pytest.raises(ValueError, match="complement"):
        p(([1, 2], ones), complement=True)
    with pytest.raises(TypeError, match="into"):
        p(([1, 2], ones), into=np.ones(9, np.float32))
    with pytest.raises(ValueError, match="into"):
        p(([1, 2], ones), into=np.ones(18)[::2])
    with pytest.raises(ValueError):
        spl.frontier_plan(A, 0)
    with pytest.raises(NotImplementedError, match="int8"):
        spl.frontier_plan(A.astype(np.int8))
    with pytest.raises(TypeError):
        spl.frontier_plan(A.toarray())


def test_predecessors(rng):
    A = sp.random_array((60, 60), density=0.06, random_state=rng, format="csr")
    distances, tree = spl.graph.sssp(A, 5, predecessors=True)
    np.testing.assert_array_equal(distances, spl.graph.sssp(A, 5))
    expected, of_scipy = sp.csgraph.dijkstra(A, indices=5, return_predecessors=True)
    np.testing.assert_allclose(distances, expected, rtol=1e-12)
    of_scipy[5] = 5
    np.testing.assert_array_equal(tree, np.where(of_scipy < 0, -1, of_scipy))
