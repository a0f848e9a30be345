# SPDX-License-Identifier: Apache-2.0
"""Files, descriptions, contexts, interrupts and threads."""

import logging
import os
import signal
import threading
import time

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import sparloom as spl


def test_files(tmp_path, random_csr):
    A = random_csr(12, 12)
    for name in ("a.mtx", "a.mtx.gz", "a.npz"):
        path = tmp_path / name
        spl.write(path, A)
        found = spl.read(path, format="coo").tocsr()
        assert (found != A).nnz == 0 and found.shape == A.shape
    np.testing.assert_array_equal(scipy.io.mmread(tmp_path / "a.mtx").toarray(), A.toarray())
    assert (sp.load_npz(tmp_path / "a.npz") != A).nnz == 0
    assert spl.read(tmp_path / "a.mtx", dtype="float32").dtype == "float32"


def test_wrong_files(tmp_path):
    with pytest.raises(OSError, match="none.mtx"):
        spl.read(tmp_path / "none.mtx")
    bad = tmp_path / "bad.mtx"
    bad.write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n")
    with pytest.raises(ValueError, match="bad.mtx:3"):
        spl.read(bad)
    with pytest.raises(NotImplementedError, match="csv"):
        spl.write(tmp_path / "a.csv", sp.eye_array(2, format="csr"))


def test_conversion(random_csr):
    A = random_csr(9, 7)
    for form in ("csr", "csc", "coo"):
        found = spl.convert(A, format=form, transpose=True, index_dtype="int64")
        assert found.format == form and (found != A.T).nnz == 0
    doubled = sp.coo_array(([1.0, -1, 2], ([0, 0, 1], [0, 0, 0])), shape=(2, 2))
    assert spl.convert(doubled, sum_duplicates=True).nnz == 2
    assert spl.convert(doubled, sum_duplicates=True, drop_zeros=True).nnz == 1


def test_description_and_partition(random_csr):
    A = random_csr(50, 40)
    d = spl.describe(A)
    assert (d.rows, d.cols, d.nnz) == (50, 40, A.nnz)
    assert d.longest_row == np.diff(A.indptr).max()
    lengths, rows = spl.distribution(A)
    assert (lengths * rows).sum() == A.nnz and rows.sum() == 50
    assert spl.storage(A).csr == A.data.nbytes + A.indices.nbytes + A.indptr.nbytes
    for kind in ("rows", "nnz", "density", "cost"):
        order, parts = spl.partition(A, [2.0, 1.0, 0.0], kind=kind)
        assert sorted(order.tolist()) == list(range(50))
        assert sum(p.nnz for p in parts) == A.nnz and parts[2].rows == 0


def test_contexts(random_csr):
    A = random_csr(30, 30)
    with spl.Context(threads=1, memory_budget="1 GiB") as context:
        assert spl.default_context() is context
        assert context.processors[0].threads == 1
        spl.matmul(A, A)
        assert context.memory().allocations > 0
    assert spl.default_context() is not context
    assert spl.default_context() is spl.default_context()
    with pytest.raises(ValueError, match="not a size"):
        spl.Context(memory_budget="much")
    with pytest.raises(NotImplementedError):
        spl.Context(devices="cuda:99")
    with pytest.raises(ValueError, match="the context has"):
        spl.matmul(A, A, context=context, processors="hip")


def test_memory_kept_for_later_calls(random_csr):
    A = random_csr(3000, 3000)

    def kept_after_a_product(**options):
        context = spl.Context(threads=1, **options)
        spl.matmul(A, A, context=context)
        return context, context.memory().kept

    context, kept = kept_after_a_product()
    assert kept > 0
    context.trim()
    assert context.memory().kept == 0
    assert kept_after_a_product(kept_memory=0)[1] == 0
    assert 0 < kept_after_a_product(kept_memory="64 KiB")[1] <= 2**16 < kept
    with pytest.raises(ValueError, match="not a size"):
        spl.Context(kept_memory="all")


def test_emulated_device(random_csr):
    A = random_csr(40, 40)
    context = spl.Context(threads=1, devices="emu,cpu")
    assert [p.kind for p in context.processors] == ["cpu", "emu"]
    found = spl.matmul(A, np.ones(40), context=context, processors="emu")
    np.testing.assert_allclose(found, A @ np.ones(40), atol=1e-13)
    P = random_csr(40, 9)
    made_for = {"executions": 5, "updates": 5}
    C = spl.triple(A, P, context=context, processors="emu", **made_for)
    assert abs(C - P.T @ A @ P).max() < 1e-12
    p = spl.plan(A, context=context, processors="cpu,emu")
    np.testing.assert_allclose(p(np.ones(40)), A @ np.ones(40), atol=1e-13)


def test_shares_of_processors(random_csr):
    A, x = random_csr(40, 40), np.ones(40)
    shared = {"context": spl.Context(threads=1, devices="emu,cpu"), "processors": "cpu,emu"}
    p = spl.plan(A, partition="rows", capabilities=[3, 1], **shared)
    assert [step.row_count for step in p.steps] == [30, 10]
    np.testing.assert_allclose(p(x), A @ x, atol=1e-13)
    for wrong in ([], [1], [1, 2, 3]):
        for call in (spl.plan, lambda A, **options: spl.matmul(A, x, **options)):
            with pytest.raises(ValueError, match="each of the context's processors"):
                call(A, capabilities=wrong, **shared)
    with pytest.raises(ValueError, match="nan"):
        spl.plan(A, capabilities=[1, np.nan], **shared)
    with pytest.raises(ValueError, match="rows, nnz, density, cost"):
        spl.plan(A, partition="halves", **shared)


def test_machine_and_wisdom(tmp_path, random_csr):
    context = spl.Context(threads=1)
    context.machine_set("cpu/bandwidth", 1.5e10)
    assert context.machine_get("cpu/bandwidth") == 1.5e10
    context.export_machine(tmp_path / "machine")
    assert spl.Context(threads=1).import_machine(tmp_path / "machine").taken == 1
    spl.plan(random_csr(500, 500), context=context, policy="measure")
    assert context.wisdom and context.wisdom[0].measured_here
    context.export_wisdom(tmp_path / "wisdom")
    other = spl.Context(threads=1)
    assert other.import_wisdom(tmp_path / "wisdom").taken == len(context.wisdom)
    other.forget_wisdom()
    assert other.wisdom == []


def test_logging(caplog, random_csr):
    with caplog.at_level(logging.DEBUG, logger="sparloom"):
        context = spl.Context(threads=1, log=True)
        spl.plan(random_csr(5, 5), context=context)
    assert all(record.name == "sparloom" for record in caplog.records)


def test_tool():
    assert spl.gen("stencil5:5,4").shape == (20, 20)
    assert "<svg" in spl.spy(spl.gen("stencil5:5,4"))._repr_svg_()
    assert "OpenMP" in spl.doctor()
    with pytest.raises(ValueError, match="stencl5"):
        spl.gen("stencl5:5,4")


# A product that takes some seconds if nobody stops it.
@pytest.fixture(scope="module")
def large():
    n, per_row = 400_000, 40
    rng = np.random.default_rng(1)
    indices = rng.integers(0, n, n * per_row, dtype="int32")
    indptr = np.arange(0, n * per_row + 1, per_row, dtype="int32")
    return sp.csr_array((np.ones(n * per_row), indices, indptr), shape=(n, n))


def test_ctrl_c_ends_a_product(large):
    # Shells start background jobs with the signal ignored, and Python leaves it so.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    begin = time.monotonic()
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            spl.matmul(large, large)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begin < 10  # of what takes longer even on an idle machine


def test_progress(large):
    seen = []

    def stop(stage, done, total):
        seen.append((stage, done, total))
        if len(seen) == 5:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        spl.matmul(large, large, progress=stop)
    assert len(seen) == 5 and all(isinstance(stage, str) for stage, _, _ in seen)


def test_the_gil_is_released(large):
    counted = 0
    done = threading.Event()

    def work():
        try:
            spl.matmul(large, large, progress=lambda *_: 1 / 0 if counted > 50 else None)
        except ZeroDivisionError:
            pass
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert counted > 50


def test_one_plan_in_two_threads_is_an_error(large):
    p, x = spl.plan(large), np.ones(large.shape[1])
    expected, wrong, busy = p(x), [], []

    def work():
        for _ in range(30):
            try:
                if not np.array_equal(p(x), expected):
                    wrong.append(1)
            except RuntimeError:
                busy.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and busy
