# SPDX-License-Identifier: Apache-2.0
"""Contexts whose memory comes from the caller's functions, or from torch's or CuPy's pool."""

import ctypes
import gc
import sys
import threading

import numpy as np
import pytest

import sparloom as spl

libc = ctypes.CDLL(None)
libc.aligned_alloc.restype = ctypes.c_void_p
libc.aligned_alloc.argtypes = (ctypes.c_size_t, ctypes.c_size_t)
libc.free.argtypes = (ctypes.c_void_p,)


class Counting:
    """Memory of the C library, counted; refuses what would make more than `limit` bytes live."""

    def __init__(self, limit=2**62):
        self.limit, self.live, self.peak, self.blocks = limit, 0, 0, {}
        self.lock = threading.Lock()

    def alloc(self, size, align, place, stream):
        assert place == "host" and stream == 0 and align & (align - 1) == 0
        with self.lock:
            if self.live + size > self.limit:
                return None
            address = libc.aligned_alloc(align, -(-size // align) * align)
            self.blocks[address] = size
            self.live += size
            self.peak = max(self.peak, self.live)
            return address

    def free(self, address, size, place, stream):
        with self.lock:
            assert self.blocks.pop(address) == size
            self.live -= size
        libc.free(address)

    def context(self, **options):
        return spl.Context(allocator=(self.alloc, self.free), **options)


def test_all_memory_is_the_callers(random_csr):
    memory, A, x = Counting(), random_csr(5000, 5000), np.ones(5000)
    context = memory.context(threads=2)
    empty = memory.live
    p = spl.plan(A, A, context=context)
    C = p()
    assert memory.live == context.memory().live + empty > C.data.nbytes
    assert memory.peak >= context.memory().peak
    address = C.data.__array_interface__["data"][0]
    assert any(a <= address < a + n for a, n in memory.blocks.items())
    np.testing.assert_allclose(spl.matmul(A, x, context=context), A @ x, atol=1e-12)
    np.testing.assert_allclose(C @ x, A @ (A @ x), atol=1e-12)
    del p, context
    gc.collect()
    assert memory.live >= C.data.nbytes, "the product's arrays are still used"
    np.testing.assert_allclose(C @ x, A @ (A @ x), atol=1e-12)
    del C
    gc.collect()
    assert memory.live == 0 and not memory.blocks


def test_want_of_memory(random_csr):
    A = random_csr(3000, 3000)
    memory = Counting()
    spl.matmul(A, A, context=memory.context(threads=1))
    gc.collect()
    limits = np.linspace(0, memory.peak, 12).astype(int)
    succeeded = []
    for limit in limits:
        tight = Counting(limit)
        try:
            C = spl.matmul(A, A, context=tight.context(threads=1))
            assert abs(C - A @ A).max() < 1e-12
            succeeded.append(limit)
        except MemoryError:
            pass
        C = None
        gc.collect()
        assert tight.live == 0
    assert 0 not in succeeded and limits[-1] in succeeded


def test_exceptions_of_the_functions(monkeypatch):
    def alloc(size, align, place, stream):
        raise ZeroDivisionError("no such luck")

    unraisable = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    with pytest.raises(MemoryError):
        spl.Context(allocator=(alloc, print))
    assert [type(u.exc_value) for u in unraisable] == [ZeroDivisionError]
    with pytest.raises(ValueError, match="torch, cupy"):
        spl.Context(allocator="malloc")
    with pytest.raises(TypeError, match="two functions"):
        spl.Context(allocator=(alloc, None))


# ----------------------------------------------------------------------------------------- pools


@pytest.mark.gpu
def test_memory_of_torchs_pool():
    torch = pytest.importorskip("torch")
    A = spl.gen("stencil5:200,200")
    B = torch.sparse_csr_tensor(
        *(torch.from_numpy(a).cuda() for a in (A.indptr, A.indices, A.data)), size=A.shape
    )
    live = torch.cuda.memory_allocated()
    context = spl.Context(devices="cuda", allocator="torch")
    p = spl.plan(B, B, context=context)
    assert torch.cuda.memory_allocated() - live >= context.memory("cuda").live > 0
    C = p()
    assert abs(C.to_dense().cpu().numpy() - (A @ A).toarray()).max() < 1e-10
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        D = spl.matmul(B, B, context=context)
    stream.synchronize()
    assert (D.values() - C.values()).abs().max().item() == 0
    del p, C, D, context
    gc.collect()
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == live


@pytest.mark.gpu
def test_memory_of_cupys_pool():
    cupy = pytest.importorskip("cupy")
    import cupyx.scipy.sparse as csp

    A = spl.gen("stencil5:200,200")
    B, pool = csp.csr_matrix(A), cupy.get_default_memory_pool()
    live = pool.used_bytes()
    context = spl.Context(devices="cuda", allocator="cupy")
    p = spl.plan(B, B, context=context)
    assert pool.used_bytes() - live >= context.memory("cuda").live > 0
    C = p()
    assert abs(C.get() - A @ A).max() < 1e-10
    del p, C, context
    gc.collect()
    assert pool.used_bytes() == live
