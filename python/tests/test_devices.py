# SPDX-License-Identifier: Apache-2.0
"""Operands of CuPy and torch on a GPU: no copies, the right stream."""

import time

import numpy as np
import pytest
import scipy.sparse as sp

import sparloom as spl


pytestmark = pytest.mark.gpu


@pytest.fixture
def matrix(random_csr):
    return random_csr(3000, 2500)


def on_torch(torch, A, index="int32"):
    arrays = (A.indptr.astype(index), A.indices.astype(index), A.data)
    return torch.sparse_csr_tensor(
        *(torch.from_numpy(a.copy()).cuda() for a in arrays), size=A.shape
    )


def near(found, expected):
    found = found.get() if hasattr(found, "get") else found.cpu().numpy()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


def test_cupy(rng, matrix):
    cupy = pytest.importorskip("cupy")
    import cupyx.scipy.sparse as csp

    A = csp.csr_matrix(matrix)
    x, X = rng.random(2500), rng.random((2500, 5))
    near(spl.matmul(A, cupy.asarray(x)), matrix @ x)
    near(spl.matmul(A, cupy.asarray(X)), matrix @ X)
    near(spl.matmul(A, cupy.asfortranarray(cupy.asarray(X))), matrix @ X)
    y = rng.random(3000)
    near(spl.matmul(A, cupy.asarray(y), op_a="T"), matrix.T @ y)
    C = spl.matmul(A, A, op_b="T")
    assert type(C).__module__.startswith("cupyx")
    near(C.toarray(), (matrix @ matrix.T).toarray())


@pytest.mark.parametrize("index", ["int32", "int64"])
def test_torch(rng, matrix, index):
    torch = pytest.importorskip("torch")
    A = on_torch(torch, matrix, index)
    x, X = rng.random(2500), rng.random((2500, 5))
    near(spl.matmul(A, torch.from_numpy(x).cuda()), matrix @ x)
    near(spl.matmul(A, torch.from_numpy(X).cuda()), matrix @ X)
    C = spl.matmul(A, A, op_b="T")
    assert C.layout is torch.sparse_csr and C.device.type == "cuda"
    near(C.to_dense(), (matrix @ matrix.T).toarray())


def test_half_precision(rng, matrix):
    torch = pytest.importorskip("torch")
    for dtype in (torch.float16, torch.bfloat16):
        A = on_torch(torch, matrix)
        A = torch.sparse_csr_tensor(
            A.crow_indices(), A.col_indices(), A.values().to(dtype), size=A.shape
        )
        X = torch.rand(2500, 16, device="cuda").to(dtype)
        found = spl.matmul(A, X)
        assert found.dtype is dtype
        exact = A.to_dense().double() @ X.double()
        assert (found.double() - exact).abs().max() <= 2**-7 * exact.abs().max()


def test_plans_read_arrays_in_place(rng, matrix):
    torch = pytest.importorskip("torch")
    A, x = on_torch(torch, matrix), torch.rand(2500, dtype=torch.float64, device="cuda")
    p, y = spl.plan(A), torch.empty(3000, dtype=torch.float64, device="cuda")
    p(x, out=y)
    near(y, matrix @ x.cpu().numpy())
    fetched = p.counters.fetched
    for _ in range(3):
        x.mul_(2)
        p(x, out=y)
    near(y, matrix @ x.cpu().numpy())
    assert p.counters.fetched == fetched
    A.values().mul_(3)
    p.update_values(a=A)
    near(p(x), 3 * (matrix @ x.cpu().numpy()))


def test_the_current_stream_orders_calls(matrix):
    torch = pytest.importorskip("torch")
    A, x = on_torch(torch, matrix), torch.zeros(2500, dtype=torch.float64, device="cuda")
    p, y = spl.plan(A), torch.empty(3000, dtype=torch.float64, device="cuda")
    p(x, out=y)
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # a tenth of a second in front of what x becomes
        x.fill_(1)
        p(x, out=y)  # in another stream this would see zeros
        doubled = 2 * y
    stream.synchronize()
    near(doubled, 2 * (matrix @ np.ones(2500)))


def test_jax(rng, matrix):
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX was built without CUDA")
    jax.config.update("jax_enable_x64", True)
    A, x, X = on_torch(torch, matrix), jax.numpy.ones(2500), jax.numpy.ones((2500, 5))
    found = spl.matmul(A, 2 * x)
    assert type(found) is torch.Tensor
    near(found, 2 * (matrix @ np.ones(2500)))
    near(spl.matmul(A, X), matrix @ np.ones((2500, 5)))
    p = spl.plan(A)
    for k in range(5):  # new arrays each time: their producer may still be at work
        near(p(k * x), k * (matrix @ np.ones(2500)))
    fetched = p.counters.fetched
    p(x)
    assert p.counters.fetched == fetched


def test_calls_cost_less_than_torchs(matrix):
    torch = pytest.importorskip("torch")
    A, x = on_torch(torch, matrix), torch.ones(2500, dtype=torch.float64, device="cuda")
    p, y = spl.plan(A), torch.empty(3000, dtype=torch.float64, device="cuda")

    def seconds_of(call):
        call()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(100):
            call()
        passed = time.perf_counter() - begin  # what it takes to enqueue
        torch.cuda.synchronize()
        return passed

    ours, theirs = (
        min(seconds_of(call) for _ in range(10))
        for call in (lambda: p(x, out=y), lambda: torch.mv(A, x, out=y))
    )
    assert ours < theirs, f"{1e4 * ours:.1f} us a call, torch {1e4 * theirs:.1f} us"


def test_places_are_told_apart(matrix):
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match="place"):
        spl.matmul(matrix, torch.ones(2500, dtype=torch.float64, device="cuda"), out=None)
    with pytest.raises((ValueError, TypeError)):
        spl.plan(on_torch(torch, matrix))(np.ones(2500))


def test_host_operands_on_a_device(matrix):
    context = spl.Context(devices="cuda")
    found = spl.matmul(matrix, np.ones(2500), context=context)
    np.testing.assert_allclose(found, matrix @ np.ones(2500), atol=1e-12)
    C = spl.matmul(matrix, matrix.T.tocsr(), context=context)
    np.testing.assert_allclose(C.toarray(), (matrix @ matrix.T).toarray(), atol=1e-12)
    assert isinstance(C, sp.csr_array)
