#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""benchmark_python.py [--rounds N] [--only WORD] [--json FILE] | --table FILE...

Compares Sparloom with what else multiplies SciPy's matrices in Python, in one process: SciPy,
sparse_dot_mkl, python-graphblas, torch; those that are installed. Contenders take turns, each
slice of at least two milliseconds; what is kept are the best and the median of N slices in
microseconds of a product. Every result is compared with SciPy's, and one that differs ends the
program. Conversions to a rival's own classes are not measured. --table writes what --json wrote as
a table, losses first.

Threads: OMP_NUM_THREADS, for all. Threads that wait do not spin, unless OMP_WAIT_POLICY is set.
"""

import argparse
import glob
import importlib
import json
import os
import sys
import time
import warnings

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("KMP_BLOCKTIME", "0")
for mkl in glob.glob(os.path.join(sys.prefix, "lib", "libmkl_rt.so.*")):  # of the package mkl
    os.environ.setdefault("MKL_RT", mkl)

import numpy as np
import scipy.sparse as sp

import sparloom as spl

RIVALS = {"MKL": "sparse_dot_mkl", "GraphBLAS": "graphblas", "torch": "torch"}
COLUMNS = ("SciPy", *RIVALS, "matmul", "plan", "accelerate", "frozen")
SLICE = 2e-3  # seconds
WARM = 12  # products after which accelerate() has its plan
MOST_WARM = 20e-3  # seconds of one that may be repeated so often

# --------------------------------------------------------------------------------- contenders
#
# A function for each library: a dict of functions for each product of A, v, X, and of A and B for
# "A@B". What a library does not have is missing.


def scipy_products(A, v, X, B):
    AT = A.T
    return {
        "A@v": lambda: A @ v,
        "A.T@v": lambda: AT @ v,
        "A@X(32)": lambda: A @ X,
        "A@B": lambda: A @ B,
    }


def mkl_products(A, v, X, B):
    from sparse_dot_mkl import dot_product_mkl as dot

    AT = A.T
    return {
        "A@v": lambda: dot(A, v),
        "A.T@v": lambda: dot(AT, v),
        "A@X(32)": lambda: dot(A, X),
        "A@B": lambda: dot(A, B),
    }


def graphblas_products(A, v, X, B):
    import graphblas as gb

    a, b = gb.io.from_scipy_sparse(A), gb.io.from_scipy_sparse(B)
    x, dense = gb.Vector.from_dense(v), gb.Matrix.from_dense(X)

    def finished(expression):
        result = expression.new()
        result.wait()
        return result

    multiply = gb.semiring.plus_times
    return {
        "A@v": lambda: finished(a.mxv(x, multiply)),
        "A.T@v": lambda: finished(a.T.mxv(x, multiply)),
        "A@X(32)": lambda: finished(a.mxm(dense, multiply)),
        "A@B": lambda: finished(a.mxm(b, multiply)),
    }


def torch_products(A, v, X, B):
    import torch

    warnings.filterwarnings("ignore", message="Sparse .* tensor support is in beta")

    def tensor(M):
        arrays = (torch.from_numpy(array) for array in (M.indptr, M.indices, M.data))
        return torch.sparse_csr_tensor(*arrays, size=M.shape)

    a, b = tensor(A), tensor(B)
    x, dense, transposed = torch.from_numpy(v), torch.from_numpy(X), a.t()
    return {
        "A@v": lambda: a @ x,
        "A.T@v": lambda: transposed @ x,
        "A@X(32)": lambda: a @ dense,
        "A@B": lambda: a @ b,
    }


def matmul_products(A, v, X, B):
    return {
        "A@v": lambda: spl.matmul(A, v),
        "A.T@v": lambda: spl.matmul(A, v, op_a="T"),
        "A@X(32)": lambda: spl.matmul(A, X),
        "A@B": lambda: spl.matmul(A, B),
    }


def plan_products(A, v, X, B):
    """Plans that were made before: of a sparse product, its values alone."""
    y, Y = np.empty(A.shape[0]), np.empty((A.shape[0], X.shape[1]))
    yt = np.empty(A.shape[1])
    kept = {}

    def planned(name, make, *operands):
        def product():
            if name not in kept:
                kept[name] = make()
            return kept[name](*operands)

        return product

    return {
        "A@v": planned("v", lambda: spl.plan(A, executions=1000), v, y),
        "A.T@v": planned("t", lambda: spl.plan(A, op_a="T", executions=1000), v, yt),
        "A@X(32)": planned("X", lambda: spl.plan(A, X, executions=1000), X, Y),
        "A@B": planned("B", lambda: spl.plan(A, B, executions=1000)),
    }


CONTENDERS = {
    "SciPy": scipy_products,
    "MKL": mkl_products,
    "GraphBLAS": graphblas_products,
    "torch": torch_products,
    "matmul": matmul_products,
    "plan": plan_products,
}


def as_scipy(result):
    """A result of any library as SciPy's or NumPy's."""
    if isinstance(result, (np.ndarray, sp.sparray, sp.spmatrix)):
        return result
    if type(result).__module__.startswith("torch"):
        if not str(result.layout).endswith("sparse_csr"):
            return result.numpy()
        parts = (result.values(), result.col_indices(), result.crow_indices())
        return sp.csr_array(tuple(part.numpy() for part in parts), shape=tuple(result.shape))
    import graphblas as gb

    if result.ndim == 1:
        return result.to_dense(fill_value=0)
    if result.nvals == result.nrows * result.ncols:
        return result.to_dense()
    return gb.io.to_scipy_sparse(result, "csr")


def same(result, expected):
    result = as_scipy(result)
    difference, size = abs(result - expected).max(), abs(expected).max()
    return result.shape == expected.shape and bool(difference <= 1e-12 * max(size, 1))


# ------------------------------------------------------------------------------------- timing


def seconds_of(function, times):
    start = time.perf_counter()
    for _ in range(times):
        function()
    return (time.perf_counter() - start) / times


def slice_of(name, function, times):
    """Seconds of a product; of SciPy's under accelerate() for those contenders."""
    if name not in ("accelerate", "frozen"):
        return seconds_of(function, times)
    with spl.scipy.accelerate(frozen=name == "frozen"):
        if seconds_of(function, 1) < MOST_WARM:
            seconds_of(function, WARM)
        return seconds_of(function, times)


def usable(functions, expected):
    """Those that give what is expected; the others, with a note, where a library has not built it.

    A wrong result ends the program.
    """
    found = {}
    for name, function in functions.items():
        try:
            result = function()
        except (RuntimeError, NotImplementedError, ValueError, TypeError) as error:
            print(f"  {name}: {str(error).splitlines()[0][:90]}", file=sys.stderr)
            continue
        if expected is not None and not same(result, expected):
            sys.exit(f"{name}: a wrong result")
        found[name] = function
    return found


def measure(what, functions, rounds, check=True):
    """Best and median microseconds of each contender, which take turns."""
    functions = usable(functions, functions["SciPy"]() if check else None)
    first = {name: slice_of(name, function, 1) for name, function in functions.items()}
    times = {name: max(1, int(SLICE / seconds)) for name, seconds in first.items()}
    if max(first.values()) > 0.1:
        rounds = max(3, rounds // 3)
    slices = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            slices[name].append(slice_of(name, function, times[name]))
    row = {
        name: [round(1e6 * min(s), 2), round(1e6 * float(np.median(s)), 2)]
        for name, s in slices.items()
    }
    print(what, {name: best for name, (best, _) in row.items()}, file=sys.stderr, flush=True)
    return {"product": what, "us": row}


# -------------------------------------------------------------------------------------- cases


def random_matrix(n, per_row):
    return sp.csr_array(sp.random_array((n, n), density=per_row / n, rng=1))


def poisson(*lengths):
    """The 5-point or 7-point matrix of a grid."""
    lines = [sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n)) for n in lengths]
    total = lines[0]
    for line in lines[1:]:
        eye, one = sp.eye_array(total.shape[0]), sp.eye_array(line.shape[0])
        total = sp.kron(total, one) + sp.kron(eye, line)
    return total.tocsr()


def texts(count):
    """Texts of 80 words of Zipf's distribution as rows of tf-idf weights."""
    rng = np.random.default_rng(1)
    chances = 1 / np.arange(1, 20001)
    words = rng.choice(20000, (count, 80), p=chances / chances.sum())
    rows = np.repeat(np.arange(count), 80)
    counts = sp.coo_array((np.ones(rows.size), (rows, words.ravel())), (count, 20000)).tocsr()
    counts.sum_duplicates()
    frequency = np.log((1 + count) / (1 + counts.astype(bool).sum(axis=0))) + 1
    weights = counts @ sp.diags_array(frequency)
    lengths = np.sqrt(weights.power(2).sum(axis=1))
    result = sp.csr_array(sp.diags_array(1 / lengths) @ weights)
    result.sort_indices()
    return result


MATRICES = {
    "small: random, 100 rows, 1,000 entries": lambda: random_matrix(100, 10),
    "middle: random, 20,000 rows, 400,000": lambda: random_matrix(20000, 20),
    "middle: 5-point 300x300, 450,000": lambda: poisson(300, 300),
    "middle: nodes of 3, 30,000 rows, 440,000": lambda: sp.kron(
        poisson(100, 100), np.ones((3, 3))
    ).tocsr(),
    "large: random, 200,000 rows, 2,000,000": lambda: random_matrix(200000, 10),
    "large: 7-point 80^3, 3,500,000": lambda: poisson(80, 80, 80),
}


def products_of(A, B, installed):
    """For each product the function of each contender."""
    rng = np.random.default_rng(2)
    v, X = rng.random(A.shape[1]), rng.random((A.shape[1], 32))
    made = {
        name: make(A, v, X, B)
        for name, make in CONTENDERS.items()
        if RIVALS.get(name, "scipy") in installed
    }
    made["accelerate"] = made["SciPy"]
    made["frozen"] = {product: made["SciPy"][product] for product in ("A@v", "A.T@v")}
    return {
        product: {name: m[product] for name, m in made.items() if product in m}
        for product in made["SciPy"]
    }


def multigrid(rounds, only):
    """pyamg: what accelerate() makes of a program that does not know it."""
    import pyamg

    for n in (100, 300):
        A, b = pyamg.gallery.poisson((n, n), format="csr"), np.ones(n * n)
        solver = pyamg.ruge_stuben_solver(A)
        for what, function in {
            "classical set-up": lambda A=A: pyamg.ruge_stuben_solver(A),
            "smoothed set-up": lambda A=A: pyamg.smoothed_aggregation_solver(A),
            "classical solve": lambda s=solver, b=b: s.solve(b, tol=1e-8),
        }.items():
            name = f"pyamg: {what}, Poisson {n}x{n}"
            if only in name:
                contenders = ("SciPy", "accelerate", "frozen")
                solve = what.endswith("solve")
                yield measure(name, dict.fromkeys(contenders, function), rounds, check=solve)


def all_cases(rounds, only, installed):
    for name, make in MATRICES.items():
        if not any(only in f"{name}, {p}" for p in ("A@v", "A.T@v", "A@X(32)", "A@A")):
            continue
        A = make()
        for product, functions in products_of(A, A, installed).items():
            what = f"{name}, {product.replace('B', 'A')}"
            if only in what:
                yield measure(what, functions, rounds)
    for count in (300, 2000):
        X = texts(count)
        what = f"text: X@X.T, {count} texts, {X.nnz:,} entries"
        if only in what:
            yield measure(what, products_of(X, X.T.tocsr(), installed)["A@B"], rounds)
    if "pyamg" in installed:
        yield from multigrid(rounds, only)


# -------------------------------------------------------------------------------------- table


def number(us):
    return "" if us is None else f"{us:.1f}" if us < 1000 else f"{us:,.0f}"


def ratio(rival, ours):
    if rival is None:
        return ""
    return f"**{rival / ours:.2f}**" if rival < ours else f"{rival / ours:.2f}"


def merged(rows):
    """One row for each product, with the best of several runs."""
    found = {}
    for row in rows:
        times = found.setdefault(row["product"], {"product": row["product"], "us": {}})["us"]
        for name, us in row["us"].items():
            times[name] = min(us, times.get(name, us))
    return list(found.values())


def table(rows):
    """Best times. The first ratio is SciPy's time to that of matmul or, without, of accelerate."""
    lines = []
    for row in rows:
        best = {name: us[0] for name, us in row["us"].items()}
        ours = best.get("matmul", best["accelerate"])
        rivals = [best[name] for name in RIVALS if name in best]
        other = min(rivals) if rivals else None
        ratios = [best["SciPy"] / ours] + ([other / ours] if other else [])
        times = " | ".join(number(best.get(name)) for name in COLUMNS)
        line = (
            f"| {row['product']} | {times} | {ratio(best['SciPy'], ours)} | {ratio(other, ours)} |"
        )
        lines.append((min(ratios), line))
    head = ["product", *COLUMNS, "to SciPy", "to the best other"]
    print(f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", sep="\n")
    print(*(line for _, line in sorted(lines)), sep="\n")


def main():
    parser = argparse.ArgumentParser(description="Sparloom and its rivals in Python")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="products whose name has this word")
    parser.add_argument("--json", help="where rows are added, one a line")
    parser.add_argument("--table", nargs="*", help="files of --json")
    arguments = parser.parse_args()
    if arguments.table:
        texts_of = [open(name, encoding="utf-8").read() for name in arguments.table]
        table(merged(json.loads(line) for text in texts_of for line in text.splitlines()))
        return
    installed = {"scipy"}
    for module in (*RIVALS.values(), "pyamg"):
        try:
            importlib.import_module(module)
            installed.add(module)
        except ImportError as error:
            print(f"without {module}: {error}", file=sys.stderr)
    rows = []
    for row in all_cases(arguments.rounds, arguments.only, installed):
        rows.append(row)
        if arguments.json:
            with open(arguments.json, "a", encoding="utf-8") as file:
                print(json.dumps(row), file=file)
    table(rows)


if __name__ == "__main__":
    main()
