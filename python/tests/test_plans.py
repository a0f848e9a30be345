# SPDX-License-Identifier: Apache-2.0
"""Plans: products, new values, explanations, who keeps what alive."""

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse.linalg

import sparloom as spl


def near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


def test_spmv(rng, random_csr):
    A = random_csr(30, 20)
    p, x, y = spl.plan(A), rng.random(20), np.full(30, np.nan)
    near(p(x), A @ x)
    assert p(x, out=y) is y
    near(y, A @ x)
    near(p(x, y, alpha=2, beta=-2), np.zeros(30))
    near(p(rng.random(40)[::2]).shape, (30,))
    near(spl.plan(A, op_a="T")(y + 1), A.T @ (y + 1))
    for wrong in (np.ones(19), np.ones((20, 1)), None):
        with pytest.raises((ValueError, TypeError)):
            p(wrong)


def test_spmm(rng, random_csr):
    A, X = random_csr(30, 20), rng.random((20, 6))
    p = spl.plan(A, 6, order="F")
    near(p(X), A @ X)
    near(p(np.asfortranarray(X)), A @ X)
    near(spl.plan(A, X)(X), A @ X)
    with pytest.raises(ValueError, match="needs"):
        p(X[:, :5])
    for nothing in (0, X[:, :0]):
        with pytest.raises(ValueError, match="at least one"):
            spl.plan(A, nothing)
    with pytest.raises(ValueError, match="0 dimensions"):
        spl.plan(A, 1.5)
    near(spl.plan(A, X[:, 0])(X[:, 1]), A @ X[:, 1])


@pytest.mark.parametrize("method", [None, "spgemm/symbolic/cpu/upper_bound"])
def test_spgemm_with_new_values(rng, random_csr, method):
    A, B = random_csr(40, 30), random_csr(30, 20)
    p = spl.plan(A, B, method=method)
    first = p()
    near(first.toarray(), (A @ B).toarray())
    A2 = A.copy()
    A2.data = rng.random(A.nnz)
    p.update_values(a=A2)
    near(p().toarray(), (A2 @ B).toarray())
    near(first.toarray(), (A @ B).toarray())  # results are copies
    assert p.result.exact and p.result.nnz == first.nnz
    near(p(alpha=-3).toarray(), (-3 * A2 @ B).toarray())


@pytest.mark.parametrize("method", [None, "spgemm/symbolic/cpu/upper_bound"])
@pytest.mark.parametrize("d", [False, True])
def test_spgemm_into_an_earlier_result(rng, random_csr, method, d):
    A, B, D = random_csr(40, 30), random_csr(30, 20), random_csr(40, 20) if d else None
    context = spl.Context(threads=2)
    p = spl.plan(A, B, d=D, method=method, context=context)
    C, other = p(beta=float(d)), spl.plan(A, B, d=D)()
    kept, arrays, allocations = p(), (C.data, C.indices), p.counters.allocations
    expected = (A @ B).toarray() * 3 + (D.toarray() / 2 if d else 0)
    A.data *= 2
    p.update_values(a=A)
    before = context.memory()
    assert p(out=C, alpha=1.5, beta=0.5 if d else 0.0) is C
    near(C.toarray(), expected)
    assert C.data is arrays[0] and C.indices is arrays[1]
    assert p.counters.allocations == allocations and context.memory() == before
    near(kept.toarray(), (A @ B).toarray() / 2)
    for wrong in (other, C.copy(), C.toarray()):
        with pytest.raises(ValueError, match="no result of this plan"):
            p(out=wrong)
    C.data = C.data[:-1]  # its structure was changed
    with pytest.raises(ValueError, match="elements"):
        p(out=C)


def test_values_changed_in_place_are_announced(random_csr):
    A = random_csr(50, 40)
    p, x = spl.plan(A), np.ones(40)
    A.data *= 2
    p.update_values(a=A)
    near(p(x), A @ x)


def test_other_structure_is_refused_if_inputs_are_checked(random_csr):
    A = random_csr(50, 40)
    if A.nnz == 0:
        pytest.skip("nothing to change")
    p = spl.plan(A, check_inputs=True)
    other = A.copy()
    other.indices[0] = (other.indices[0] + 1) % 40
    with pytest.raises(spl.StaleError):
        p.update_values(a=other)


def test_plans_keep_their_operands(random_csr):
    A = random_csr(2000, 2000)
    x = np.ones(2000)
    expected, p = A @ x, spl.plan(A.copy())
    gc.collect()
    garbage = [np.full(A.nnz, np.nan) for _ in range(20)]
    near(p(x), expected)
    assert len(garbage) == 20


def test_operands_are_released(random_csr):
    A, other = random_csr(100, 100), random_csr(100, 100)
    arrays = [weakref.ref(a) for a in (A.data, A.indices, A.indptr)]
    p = spl.plan(A, other)
    p.update_values(a=A, b=other)
    del A
    gc.collect()
    assert all(array() is not None for array in arrays)
    del p
    gc.collect()
    assert all(array() is None for array in arrays)


def test_memory_is_given_back(random_csr):
    A = random_csr(500, 500)
    context = spl.Context(threads=2)
    live = context.memory().live
    for _ in range(5):
        p = spl.plan(A, A, context=context)
        p()
        spl.plan(A, 8, context=context)(np.ones((500, 8)))
    del p
    gc.collect()
    assert context.memory().live == live


def test_explanations(random_csr):
    A = random_csr(60, 60)
    p = spl.plan(A, A)
    assert {"symbolic", "numeric"} <= {step.phase for step in p.steps}
    assert p.explain() == str(p) and "spgemm" in str(p)
    chosen = {c.method for c in p.candidates if c.chosen}
    assert chosen == {step.method for step in p.steps}
    assert {f.name: f.value for f in p.features}["rows"] == 60
    p()
    assert p.counters.executions == 1
    assert "SpGEMM" in repr(p) and "60 x 60" in repr(p)
    table = p._repr_html_()
    assert all(c.method in table for c in p.candidates)
    assert table.count("<b>") == sum(c.chosen for c in p.candidates)


def test_forced_methods(random_csr):
    A, x = random_csr(60, 50), np.ones(50)
    for method in spl.methods():
        if method.id.startswith("spmv/compute/cpu/"):
            p = spl.plan(A, method=method.id)
            assert [step.method for step in p.steps] == [method.id]
            near(p(x), A @ x)


def test_linear_operator(rng, random_csr):
    A = random_csr(25, 18)
    L = spl.aslinearoperator(A)
    assert isinstance(L, scipy.sparse.linalg.LinearOperator)
    x, y, X = rng.random(18), rng.random(25), rng.random((18, 3))
    near(L @ x, A @ x)
    near(L.T @ y, A.T @ y)
    near(L.H @ y, A.T @ y)
    near(L @ X, A @ X)
    near(L.rmatmat(rng.random((25, 2))).shape, (18, 2))
    near((2 * L + L) @ x, 3 * (A @ x))
    A.data *= 3
    L.update_values(A)
    near(L @ x, A @ x)
    near(L.T @ y, A.T @ y)
