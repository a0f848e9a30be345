#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An independent oracle: SciPy reads the files, multiplies the matrices and reads the results that
the tool wrote.

The pattern of C is that of products of ones, so that cancelled entries and explicit zeros count.
Values may differ by the error bound of the public header, once for the tool and once for SciPy,
which computes in f64."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
    import scipy
    import scipy.io
    import scipy.sparse as sp
except ImportError:
    scipy = None

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.environ.get("SPARLOOM_TOOL", "sparloom")
DATA = os.environ.get("SPARLOOM_DATA", os.path.join(SOURCE, "data"))
MOST_PRODUCTS = 3_000_000  # larger squares take SciPy too long here
SEED = 20240607


def run(*arguments):
    command = [TOOL] + [str(a) for a in arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=250)


def read(path):
    """The matrix of a file: CSR with duplicates summed, explicit zeros kept."""
    matrix = sp.coo_matrix(scipy.io.mmread(path))
    return sp.csr_matrix((matrix.data.astype(float), (matrix.row, matrix.col)), shape=matrix.shape)


def ones_like(matrix):
    return sp.csr_matrix((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)


def gamma(terms, unit):
    return terms * unit / (1 - terms * unit)


class Product:
    """alpha*A*B + beta*D with its pattern, and the error bound of each element."""

    def __init__(self, a, b, d=None, alpha=1.0, beta=0.0, single=False):
        if single:
            a, b = a.astype(np.float32).astype(float), b.astype(np.float32).astype(float)
            d = None if d is None else d.astype(np.float32).astype(float)
        self.counts = ones_like(a) @ ones_like(b)
        value, magnitude = alpha * (a @ b), abs(alpha) * (abs(a) @ abs(b))
        if d is not None:
            self.counts = self.counts + ones_like(d)
            value, magnitude = value + beta * d, magnitude + abs(beta) * abs(d)
        self.counts = sp.csr_matrix(self.counts)
        self.counts.sort_indices()
        unit = 2.0**-24 if single else 2.0**-53
        rows = np.repeat(np.arange(self.counts.shape[0]), np.diff(self.counts.indptr))
        self.value = self.at_pattern(value, rows)
        allowed = 2 * gamma(self.counts.data + 3, unit) + 2 * gamma(self.counts.data + 3, 2.0**-53)
        self.bound = allowed * self.at_pattern(magnitude, rows)

    def at_pattern(self, matrix, rows):
        if self.counts.nnz == 0:
            return np.zeros(0)
        return np.asarray(sp.csr_matrix(matrix)[rows, self.counts.indices]).ravel()


class Oracle(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sparloom-oracle-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.random = np.random.default_rng(SEED)

    def path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, matrix, **options):
        scipy.io.mmwrite(self.path(name), matrix, **options)
        return self.path(name)

    def random_matrix(self, rows, cols, density=0.1):
        return sp.random(
            rows,
            cols,
            density=density,
            random_state=self.random,
            data_rvs=lambda n: self.random.uniform(-1, 1, n),
        ).tocoo()

    def good(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        return done.stdout

    def expect_product(self, expected, *arguments):
        """Runs `spgemm ARGUMENT...` and compares what it writes."""
        out = self.path("out.mtx")
        self.good("spgemm", *arguments, "-q", "-o", out)
        c = sp.coo_matrix(scipy.io.mmread(out))
        self.assertEqual(c.shape, expected.counts.shape, arguments)
        self.assertEqual(c.nnz, expected.counts.nnz, arguments)
        c = sp.csr_matrix((c.data.astype(float), (c.row, c.col)), shape=c.shape)
        c.sort_indices()
        self.assertTrue((c.indptr == expected.counts.indptr).all(), arguments)
        self.assertTrue((c.indices == expected.counts.indices).all(), arguments)
        wrong = ~(abs(c.data - expected.value) <= expected.bound)  # NaN is wrong
        self.assertEqual(
            int(wrong.sum()), 0, (arguments, c.data[wrong][:3], expected.value[wrong][:3])
        )


class Generated(Oracle):
    def test_square_and_rectangular(self):
        for rows, inner, cols, density in [
            (30, 30, 30, 0.1),
            (1, 50, 7, 0.3),
            (50, 1, 50, 0.5),
            (80, 5, 60, 0.02),
            (200, 200, 200, 0.02),
            (7, 7, 7, 0.0),
            (40, 40, 40, 1.0),
        ]:
            a, b = (
                self.random_matrix(rows, inner, density),
                self.random_matrix(inner, cols, density),
            )
            files = self.save("a.mtx", a), self.save("b.mtx", b)
            for extra in [[], ["--unsorted"], ["--policy", "rules"], ["--threads", 3]]:
                self.expect_product(Product(read(files[0]), read(files[1])), *files, *extra)
            self.expect_product(
                Product(read(files[0]), read(files[1]), single=True), *files, "--type", "f32"
            )

    def test_scalars_and_addend(self):
        a, b = self.random_matrix(40, 25), self.random_matrix(25, 33)
        d = self.random_matrix(40, 33, 0.2)
        files = self.save("a.mtx", a), self.save("b.mtx", b), self.save("d.mtx", d)
        a, b, d = (read(file) for file in files)
        for alpha, beta in [(1, 1), (2.5, -0.5), (0, 3), (-1, 0), (0, 0)]:
            self.expect_product(
                Product(a, b, d, alpha, beta),
                files[0],
                files[1],
                "-D",
                files[2],
                "--alpha",
                alpha,
                "--beta",
                beta,
            )

    def test_transposed_operands(self):
        a, b = self.random_matrix(30, 20), self.random_matrix(30, 25)
        files = self.save("a.mtx", a), self.save("b.mtx", b), self.save("bt.mtx", b.T.tocoo())
        a, b = read(files[0]), read(files[1])
        self.expect_product(Product(a.T.tocsr(), b), files[0], files[1], "--transpose-a")
        self.expect_product(
            Product(a.T.tocsr(), b), files[0], files[2], "--transpose-a", "--transpose-b"
        )
        self.expect_product(Product(a, a.T.tocsr()), files[0], "--transpose-b")

    def test_every_method(self):
        a = self.random_matrix(60, 60, 0.08)
        file = self.save("a.mtx", a)
        methods = [
            line.split()[0]
            for line in self.good("list").splitlines()
            # without those that need a mask, for which the tool has no option
            if re.match("spgemm/[a-z]+/cpu/(?!mask|dots)", line)
        ]
        self.assertGreater(len(methods), 1)
        for method in methods:
            self.expect_product(Product(read(file), read(file)), file, "--method", method)

    def test_cancellation_and_explicit_zeros(self):
        signs = sp.coo_matrix(np.where(self.random.uniform(size=(12, 12)) < 0.5, -1.0, 1.0))
        signs.data[::5] = 0.0
        file = self.save("signs.mtx", signs)
        self.assertEqual(read(file).nnz, 144)
        self.expect_product(Product(read(file), read(file)), file)

    def test_duplicates(self):
        i, j = self.random.integers(0, 9, 200), self.random.integers(0, 9, 200)
        file = self.path("duplicates.mtx")
        with open(file, "w") as out:
            out.write("%%MatrixMarket matrix coordinate real general\n9 9 200\n")
            for r, c in zip(i, j):
                out.write(f"{r + 1} {c + 1} {self.random.uniform(-1, 1):.17g}\n")
        matrix = read(file)
        # Sums of m stored entries count as m products each: allow for the longest.
        expected = Product(matrix, matrix)
        expected.bound = expected.bound * 20 + 1e-13
        self.expect_product(expected, file)


class Symmetries(Oracle):
    def files(self):
        base = self.random_matrix(25, 25, 0.15).toarray()
        symmetric, skew = base + base.T, base - base.T
        whole = np.round(symmetric * 5)
        yield self.save("general.mtx", sp.coo_matrix(base), symmetry="general"), sp.coo_matrix(base)
        yield (
            self.save("symmetric.mtx", sp.coo_matrix(symmetric), symmetry="symmetric"),
            sp.coo_matrix(symmetric),
        )
        yield (
            self.save("skew.mtx", sp.coo_matrix(skew), symmetry="skew-symmetric"),
            sp.coo_matrix(skew),
        )
        yield (
            self.save("integer.mtx", sp.coo_matrix(whole.astype(int)), field="integer"),
            sp.coo_matrix(whole),
        )
        yield self.save("array.mtx", base, symmetry="general"), sp.coo_matrix(base)
        yield (
            self.save("array_symmetric.mtx", symmetric, symmetry="symmetric"),
            sp.coo_matrix(symmetric),
        )
        yield self.save("array_skew.mtx", skew, symmetry="skew-symmetric"), sp.coo_matrix(skew)
        pattern = sp.coo_matrix((symmetric != 0).astype(float))
        yield self.save("pattern.mtx", pattern, field="pattern", symmetry="general"), pattern
        yield (
            self.save("pattern_symmetric.mtx", pattern, field="pattern", symmetry="symmetric"),
            pattern,
        )

    def test_all_kinds_of_files(self):
        for file, matrix in self.files():
            with self.subTest(file=os.path.basename(file)):
                a = sp.csr_matrix(matrix)
                self.assertEqual(abs(read(file) - a).sum(), 0)
                identity = self.save("identity.mtx", sp.identity(a.shape[0]).tocoo())
                self.expect_product(
                    Product(a, sp.identity(a.shape[0], format="csr")), file, identity
                )
                self.expect_product(Product(a, a), file)
                told = json.loads(self.good("info", file, "--json"))["description"]
                self.assertEqual((told["rows"], told["cols"], told["nnz"]), a.shape + (a.nnz,))

    def test_dense_operations_verify(self):
        for file, _ in self.files():
            for command in [
                ["spmv"],
                ["spmv", "--transpose-a"],
                ["spmm", "-k", 7],
                ["spmm", "-k", 3, "--type", "f32"],
            ]:
                self.good(
                    command[0],
                    file,
                    *command[1:],
                    "--verify",
                    "--json",
                    "-q",
                    "--alpha",
                    2,
                    "--beta",
                    -1,
                )


class RealMatrices(Oracle):
    def test_info_and_squares(self):
        paths = sorted(glob.glob(os.path.join(DATA, "*.mtx.gz")))
        self.assertGreater(len(paths), 0, DATA)
        for path in paths:
            with self.subTest(file=os.path.basename(path)):
                raw = sp.coo_matrix(scipy.io.mmread(path))
                told = json.loads(self.good("info", path, "--json"))["description"]
                self.assertEqual((told["rows"], told["cols"], told["nnz"]), raw.shape + (raw.nnz,))
                a = read(path)
                square = a.shape[0] == a.shape[1]
                products = int(
                    np.diff(a.indptr)[a.indices].sum()
                    if square
                    else (np.diff(a.tocsc().indptr) ** 2).sum()
                )
                if raw.nnz == a.nnz:  # SciPy has summed duplicates
                    self.assertEqual(told["products"], products)
                if products > MOST_PRODUCTS:
                    continue
                extra = [] if square else ["--transpose-b"]
                self.expect_product(Product(a, a if square else a.T.tocsr()), path, *extra)
                for command in [["spmv"], ["spmm", "-k", 5]]:
                    self.good(command[0], path, *command[1:], "--verify", "-q")


def main():
    if scipy is None or tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 11):
        print("skipped: no scipy >= 1.11", file=sys.stderr)
        return 1 if "scipy" in os.environ.get("SPARLOOM_REQUIRE", "").split(",") else 77
    return 0 if unittest.main(exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
