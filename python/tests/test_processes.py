# SPDX-License-Identifier: Apache-2.0
"""Child processes, threads, and OpenMP beside that of other packages.

What could hang or end the interpreter runs in a process of its own, with a time limit.
"""

import concurrent.futures
import importlib.util
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
import scipy.sparse

import sparloom as spl

SECONDS = 60

# Products that take all threads of a context, and what SciPy says about them.
PRELUDE = """
import os
import numpy as np, scipy.sparse, sparloom as spl

def thread_count():
    return len(os.listdir("/proc/self/task"))

A = scipy.sparse.random_array((20000, 20000), density=5e-4, format="csr", rng=1)
X = np.random.default_rng(2).random((20000, 8))
expected = A @ X, A @ A

def check(found_dense, found_sparse):
    np.testing.assert_allclose(found_dense, expected[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found_sparse.data, expected[1].sorted_indices().data, atol=1e-12)

def multiply(context=None):
    check(spl.matmul(A, X, context=context), spl.matmul(A, A, context=context))
"""


def run(code, first="", **variables):
    """Runs a program, `first` before the prelude. Fails if the program does, or if it hangs."""
    # The other threads of NumPy would hide whether this library has any.
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", **variables)
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", first + PRELUDE + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr


# ------------------------------------------------------------------------------------------- fork


def test_a_forked_child_computes():
    run("""
        with spl.Context(threads=2):
            before = thread_count()
            dense, sparse = spl.plan(A, 8), spl.plan(A, A)
            check(dense(X), sparse())
            assert thread_count() > before, "the parent has no other threads"
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    multiply()
                    check(dense(X), sparse())  # plans of the parent
                    assert thread_count() == 1
                    status = 0
                finally:
                    os._exit(status)
            assert os.waitpid(child, 0)[1] == 0
            multiply()
        """)


def test_children_of_a_pool_compute():
    run("""
        import multiprocessing

        def norm(i):
            return float(np.linalg.norm(spl.matmul(A, X[:, i]))), thread_count()

        multiply()  # the default context has been used
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found = pool.map(norm, range(8))
        np.testing.assert_allclose([f[0] for f in found], np.linalg.norm(expected[0], axis=0))
        """)


def test_a_spawned_child_computes(tmp_path):
    program = tmp_path / "spawn.py"
    body = """
        def main():
            import multiprocessing
            multiply()
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                check(pool.apply(spl.matmul, (A, X)), pool.apply(spl.matmul, (A, A)))

        if __name__ == "__main__":
            main()
        """
    program.write_text(PRELUDE + textwrap.dedent(body), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------------------------------- threads


def test_threads_share_a_context():
    A = spl.gen("stencil5:60,50")
    vectors = np.random.default_rng(3).random((8, A.shape[1]))
    context = spl.Context(threads=2)
    expected = (A @ A).sorted_indices()

    def near(found, wanted):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)

    def work(x):
        plan, product = spl.plan(A, context=context), spl.plan(A, A, context=context)
        for _ in range(20):
            near(plan(x), A @ x)
            near(product().data, expected.data)
            near(spl.matmul(A, x, context=context), A @ x)
        return True

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, vectors))


def test_a_plan_serves_one_thread_at_a_time():
    A = scipy.sparse.random_array((20000, 20000), density=2e-3, format="csr", rng=1)
    plan = spl.plan(A, A, context=spl.Context(threads=1))
    expected = plan()
    started = threading.Event()
    products = []

    def multiply():
        started.set()
        products.append(plan())

    refused = 0
    for _ in range(20):
        started.clear()
        other = threading.Thread(target=multiply)
        other.start()
        started.wait()
        while other.is_alive() and not refused:
            try:
                plan.update_values(a=A)
            except RuntimeError as error:
                assert "in use by another thread" in str(error)
                refused += 1
        other.join()
        if refused:
            break
    assert refused, "two calls never met"
    for product in [*products, plan()]:
        np.testing.assert_array_equal(product.data, expected.data)


def test_all_calls_of_a_plan_in_many_threads(rng):
    A = spl.gen("stencil5:40,40")
    values, x = A.data.copy(), rng.random(A.shape[1])
    context = spl.Context(threads=2)
    vector, product = spl.plan(A, context=context), spl.plan(A, A, context=context)
    y, C = A @ x, product()
    reports = [vector.explain(), product.explain()]

    def same_values():
        return A.__class__((values.copy(), A.indices, A.indptr), shape=A.shape)

    calls = [
        lambda: np.testing.assert_allclose(vector(x), y, atol=1e-12),
        lambda: np.testing.assert_array_equal(product().data, C.data),
        lambda: vector.update_values(a=same_values()),
        lambda: product.update_values(a=same_values(), b=same_values()),
        lambda: [vector.explain(), product.explain()] == reports or pytest.fail("another text"),
        lambda: vector.counters.executions >= 0 and product.result.nnz == C.nnz,
        lambda: vector.steps and vector.candidates and vector.features,
        lambda: (vector.wait(), product.wait(), vector.shape, repr(product)),
    ]
    done, refused = [0] * len(calls), []

    def work(first):
        for i in range(200):
            k = (first + i) % len(calls)
            try:
                calls[k]()
                done[k] += 1
            except RuntimeError as error:
                assert "in use by another thread" in str(error)
                refused.append(k)

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        for _ in pool.map(work, range(6)):
            pass
    assert all(done) and sum(done) + len(refused) == 6 * 200


# ----------------------------------------------------------------------------------------- OpenMP


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_context_has_the_threads_it_was_asked_for(threads):
    run(f"""
        before = thread_count()
        context = spl.Context(threads={threads})
        multiply(context)
        assert context.processors[0].threads == {threads}
        assert thread_count() - before == {threads} - 1
        """)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_runtime_is_the_one_that_others_see(threads):
    pytest.importorskip("threadpoolctl")
    run(
        f"""
        import threadpoolctl
        multiply()
        pools = [p for p in threadpoolctl.threadpool_info() if p["user_api"] == "openmp"]
        assert [p["num_threads"] for p in pools] == [{threads}], pools
        assert pools[0]["prefix"] == "libgomp"
        assert spl.default_context().processors[0].threads == {threads}
        assert pools[0]["filepath"] in spl.doctor()
        """,
        OMP_NUM_THREADS=str(threads),
    )


OTHERS = {
    "sklearn": """
        from sklearn.cluster import KMeans
        KMeans(4, n_init=1, random_state=0).fit(X[:2000])
        """,
    "torch": """
        import torch
        torch.ones(2000, 2000) @ torch.ones(2000, 2000)
        """,
}
IMPORT = {"sklearn": "import sklearn.cluster", "torch": "import torch"}


@pytest.mark.parametrize("before", [False, True], ids=["after", "before"])
@pytest.mark.parametrize("package", OTHERS)
def test_another_package_with_openmp(package, before):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    work = textwrap.dedent(OTHERS[package])
    program = f"""
{work}
multiply()
{work}
multiply(spl.Context(threads=2))
assert spl.default_context().processors[0].threads == len(os.sched_getaffinity(0))
"""
    run(program, first=IMPORT[package] if before else "")
