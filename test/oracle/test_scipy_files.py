#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SciPy as the independent oracle of file formats: it reads the archives that the tool writes,
and the tool reads those it writes."""

import os
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

TOOL = os.environ.get("SPARLOOM_TOOL", "sparloom")
UNSUPPORTED = 5
TYPES = ["f8", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]


def run(*arguments):
    return subprocess.run(
        [TOOL] + [str(a) for a in arguments], capture_output=True, text=True, timeout=250
    )


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sparloom-oracle-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.random = np.random.default_rng(20240607)

    def path(self, name):
        return os.path.join(self.folder, name)

    def convert(self, source, name, *options):
        done = run("convert", source, self.path(name), "-q", *options)
        if (
            done.returncode == UNSUPPORTED
            and "libzip" in done.stderr
            and "libzip" not in os.environ.get("SPARLOOM_REQUIRE", "").split(",")
        ):
            self.skipTest("no libzip")
        self.assertEqual(done.returncode, 0, (source, done.stderr))
        return self.path(name)

    def matrix(self, rows, cols, density, kind="f8"):
        matrix = sp.random(rows, cols, density=density, random_state=self.random, format="csr")
        values = self.random.integers(-100, 100, matrix.nnz) + (0.3 if kind[0] == "f" else 0)
        return sp.csr_matrix(
            (values.astype(kind), matrix.indices, matrix.indptr), shape=matrix.shape
        )

    def save(self, name, matrix, compressed, wide=False):
        if wide and matrix.format == "coo":
            matrix.row, matrix.col = matrix.row.astype("i8"), matrix.col.astype("i8")
        elif wide:
            matrix.indices, matrix.indptr = matrix.indices.astype("i8"), matrix.indptr.astype("i8")
        sp.save_npz(self.path(name), matrix, compressed=compressed)
        return self.path(name)

    def expect_same(self, path, expected, kind="f8"):
        found, expected = sp.load_npz(path), sp.csr_matrix(expected)
        self.assertEqual(
            (found.format, found.shape, found.dtype), ("csr", expected.shape, np.dtype(kind))
        )
        self.assertTrue((found.indptr == expected.indptr).all())
        self.assertTrue((found.indices == expected.indices).all())
        self.assertEqual(found.data.tobytes(), expected.data.astype(kind).tobytes())
        found.check_format(full_check=True)

    def test_what_scipy_writes(self):
        for n, (rows, cols, density) in enumerate(
            [(24, 36, 0.2), (36, 24, 0.02), (12, 12, 0), (300, 420, 0.05)]
        ):
            for kind in TYPES if n == 0 else ["f8"]:
                for layout in ["csr", "csc", "coo", "bsr"]:
                    for wide in [False, True]:
                        matrix = self.matrix(rows, cols, density, kind)
                        stored = (
                            matrix.tobsr((3, 4)) if layout == "bsr" else matrix.asformat(layout)
                        )
                        path = self.save("a.npz", stored, compressed=wide, wide=wide)
                        with self.subTest(layout=layout, kind=kind, wide=wide, rows=rows):
                            expected = sp.csr_matrix(stored)
                            if layout == "bsr":
                                expected = stored.tocsr()
                            self.expect_same(self.convert(path, "b.npz"), expected)

    def test_single_precision(self):
        matrix = self.matrix(50, 60, 0.1)
        path = self.save("a.npz", matrix, compressed=True)
        self.expect_same(self.convert(path, "b.npz", "--type", "f32"), matrix, "f4")

    def test_arrays_as_well_as_matrices(self):
        matrix = self.matrix(20, 30, 0.1)
        path = self.save("a.npz", sp.csr_array(matrix), compressed=True)
        self.expect_same(self.convert(path, "b.npz"), matrix)

    def test_unsorted_entries_and_duplicates_stay(self):
        matrix = sp.csr_matrix((np.arange(6.0), [3, 1, 1, 0, 2, 2], [0, 3, 3, 6]), shape=(3, 4))
        path = self.save("a.npz", matrix, compressed=False)
        self.expect_same(self.convert(path, "b.npz"), matrix)

    def test_what_scipy_reads(self):
        for name in ["west0067", "cage4", "lp_e226"]:
            source = os.path.join(os.environ["SPARLOOM_DATA"], name + ".mtx.gz")
            found = sp.load_npz(self.convert(source, name + ".npz", "--sort"))
            expected = sp.csr_matrix(scipy.io.mmread(source))
            expected.sort_indices()
            self.assertEqual((found != expected).nnz, 0)
            self.assertEqual(found.nnz, expected.nnz)

    def test_empty(self):
        for shape in [(1, 1), (5, 3)]:
            path = self.save("a.npz", sp.csr_matrix(shape), compressed=True)
            self.expect_same(self.convert(path, "b.npz"), sp.csr_matrix(shape))

    def test_refused(self):
        matrix = self.matrix(8, 8, 0.3)
        for other in [matrix.todia(), matrix.astype("c16"), matrix.astype("c8")]:
            path = self.save("a.npz", other, compressed=True)
            self.assertEqual(run("info", path).returncode, UNSUPPORTED)
        np.savez(self.path("o.npz"), format=np.array(None, dtype=object), allow_pickle=True)
        self.assertIn("pickled", run("info", self.path("o.npz")).stderr)
        np.savez(
            self.path("big.npz"),
            format=b"csr",
            shape=np.array([8, 8], dtype=">i8"),
            data=matrix.data,
            indices=matrix.indices,
            indptr=matrix.indptr,
        )
        self.assertIn("big-endian", run("info", self.path("big.npz")).stderr)


def main():
    if scipy is None or tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 11):
        print("skipped: no scipy >= 1.11", file=sys.stderr)
        return 1 if "scipy" in os.environ.get("SPARLOOM_REQUIRE", "").split(",") else 77
    return 0 if unittest.main(exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
