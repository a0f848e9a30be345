# SPDX-License-Identifier: Apache-2.0
"""Many threads at once, in every part of the package. With a GIL they take turns; without one, in a
free-threaded interpreter, they meet."""

import gc
import os
import subprocess
import sys
import sysconfig
import threading
import time

import numpy as np
import pytest
from scipy import sparse
from test_allocators import Counting

import sparloom as spl

THREADS = 8
SECONDS = float(os.environ.get("SPARLOOM_THREAD_SECONDS", "1"))


def meet(*works):
    """Runs each work in turns in many threads that begin together. Raises what any has raised."""
    start, errors = threading.Barrier(THREADS), []

    def run(number):
        start.wait()
        end = time.monotonic() + SECONDS
        try:
            while time.monotonic() < end and not errors:
                for shift in range(len(works)):
                    works[(number + shift) % len(works)](number)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.fixture
def problem(rng, random_csr):
    """A, x, X, and what SciPy says about A@x, A@X, A@A."""
    A, x, X = random_csr(300, 300), rng.random(300), rng.random((300, 4))
    return A, x, X, A @ x, A @ X, (A @ A).toarray()


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a GIL")
def test_the_gil_stays_off():
    code = "import sys, sparloom; sys.exit(sys._is_gil_enabled())"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


def test_products(problem):
    A, x, X, y, Y, C = problem
    meet(
        lambda _: near(spl.matmul(A, x), y),
        lambda _: near(spl.matmul(A.tocsc(), X), Y),
        lambda _: near(spl.matmul(A, A, drop_zeros=True).toarray(), C),
        lambda _: near(spl.matmul(A, x.tolist(), cast=True), y),
        lambda _: pytest.raises(ValueError, spl.matmul, A, x[1:]),
    )


def test_plans_of_each_thread(problem):
    A, x, X, y, Y, C = problem
    context = spl.Context(threads=2)

    def plan_again(_):
        p, q, r = (spl.plan(A, B, context=context) for B in (None, X, A))
        near(p(x), y)
        near(q(X), Y)
        near(r().toarray(), C)
        assert p.steps and q.candidates and r.features and repr(r)

    live = context.memory().live
    meet(plan_again)
    gc.collect()
    assert context.memory().live == live


def test_one_plan_and_one_result(problem):
    A, x, _, y, _, C = problem
    p, product = spl.plan(A), spl.plan(A, A)()
    counts = np.zeros((THREADS, 2), int)

    def multiply(number):
        try:
            near(p(x), y)
            counts[number, 0] += 1
        except RuntimeError as error:
            assert "in use by another thread" in str(error)
            counts[number, 1] += 1

    meet(multiply, lambda _: near(product.toarray(), C))
    assert counts[:, 0].sum() and counts.sum() == p.counters.executions + counts[:, 1].sum()


def test_contexts_that_come_and_go(problem, tmp_path):
    A, x, _, y, _, C = problem
    shared = [spl.Context(threads=1)]

    def replace(_):
        shared[0] = spl.Context(threads=1, memory_budget="1 GiB")

    def use(number):
        context = shared[0]
        with context:
            assert spl.default_context() is context
            near(spl.matmul(A, x), y)
        near(spl.matmul(A, A, context=context).toarray(), C)
        assert context.memory().live >= 0 and context.processors
        context.trim()
        context.machine_set("cpu/bandwidth", 1e10 + number)
        context.export_machine(tmp_path / str(number))
        assert spl.Context(threads=1).import_machine(tmp_path / str(number)).taken == 1

    meet(use, replace)


def test_matrices(problem):
    A, x, _, y, _, _ = problem
    description, storage = spl.describe(A), spl.storage(A)
    graph, parents = spl.graph.Graph(A), spl.graph.bfs(A, 0)[1]

    def convert(_):
        turned = spl.convert(A, format="csc", transpose=True)
        near(turned.T @ x, y)
        assert spl.describe(A) == description and spl.storage(A) == storage
        assert sum(part.rows for part in spl.partition(A, 3)[1]) == 300

    def search(_):
        np.testing.assert_array_equal(spl.graph.bfs(A, 0)[1], parents)
        try:
            np.testing.assert_array_equal(spl.graph.bfs(graph, 0)[1], parents)
        except RuntimeError as error:
            assert "in use by another thread" in str(error)

    meet(convert, search)


@pytest.mark.parametrize("frozen", [False, True])
def test_accelerate(problem, frozen):
    A, x, X, y, Y, C = problem
    matrices = [(k + 1) * A for k in range(20)]  # more than plans are kept

    def multiply(number):
        for k, matrix in enumerate(matrices):
            for _ in range(3):
                near(matrix @ x, (k + 1) * y)
        near(A @ X, Y)
        near((A @ A).toarray(), C)

    def multiply_new_arrays(number):
        matrix = sparse.csr_array((A.data * number, A.indices.copy(), A.indptr.copy()), A.shape)
        for _ in range(20):  # from the ninth on there is a plan, which goes with the arrays
            near(matrix @ x, number * y)

    def begin_and_end(_):
        with spl.scipy.accelerate(minimum_work=0, frozen=frozen):
            near(A @ x, y)

    with spl.scipy.accelerate(minimum_work=0, frozen=frozen) as statistics:
        meet(multiply, multiply_new_arrays, begin_and_end)
        assert statistics.computed > 0
    meet(multiply, begin_and_end)  # now the first and the last context are among them


def test_plans_that_give_way_call_the_allocator(problem):
    """Its functions are Python: meanwhile other threads ask for plans."""
    A, x, _, y, _, _ = problem
    memory, matrices = Counting(), [(k + 1) * A for k in range(20)]

    def multiply(_):
        for k, matrix in enumerate(matrices):
            near(matrix @ x, (k + 1) * y)

    with memory.context(threads=1), spl.scipy.accelerate(minimum_work=0) as statistics:
        meet(multiply)
        assert statistics.computed > 0
    gc.collect()
    assert memory.live == 0
