# SPDX-License-Identifier: Apache-2.0
"""sparloom convert: keeps the matrix in every format."""

import gzip
import os
import unittest

import harness
from harness import INPUT, RESOURCE, UNSUPPORTED, USAGE, data, run
from json_shapes import HEAD, INPUT_SHAPE

OUTPUT = {
    "file": str,
    "rows": int,
    "cols": int,
    "nnz": int,
    "convert_seconds": float,
    "write_seconds": float,
}


def have_npz():
    """Whether the tool was built with libzip; SPARLOOM_REQUIRE=libzip says that it must."""
    required = "libzip" in os.environ.get("SPARLOOM_REQUIRE", "").split(",")
    with harness.tempfile.TemporaryDirectory() as folder:
        done = run("convert", data("cage4.mtx.gz"), os.path.join(folder, "a.npz"), "-q")
    return required or done.returncode != UNSUPPORTED


class Convert(harness.ToolTest):
    def convert(self, source, name, *options):
        self.good("convert", source, self.path(name), "-q", *options)
        return self.path(name)

    def entries(self, path):
        return harness.read_coordinate(path)

    def test_through_every_format_that_keeps_a_matrix(self):
        source = self.convert(data("p2p-Gnutella31.mtx.gz"), "first.mtx")
        with open(source) as file:
            expected = file.read()
        names = ["a.mtx.gz", "a.txt", "a.tsv.gz", "a.edges"] + (["a.npz"] if have_npz() else [])
        for name in names:
            between = self.convert(source, name)
            with open(self.convert(between, "back.mtx")) as file:
                text = file.read()
            if not name.startswith("a.mtx") and not name.endswith(
                "npz"
            ):  # edge lists do not keep the size
                text, wanted = text.split("\n")[2:], expected.split("\n")[2:]
                self.assertEqual(text, wanted, name)
            else:
                self.assertEqual(text, expected, name)

    def test_graph(self):
        source = self.convert(data("karate.mtx.gz"), "karate.graph")
        with open(source) as file:
            self.assertEqual(file.readline(), "34 78\n")
        rows, cols, entries = self.entries(data("karate.mtx.gz"))
        back = self.entries(self.convert(source, "back.mtx"))
        self.assertEqual((rows, cols, sorted(entries)), (back[0], back[1], sorted(back[2])))
        packed = self.convert(source, "karate.graph.gz")
        with gzip.open(packed, "rt") as file, open(source) as plain:
            self.assertEqual(file.read(), plain.read())

    def test_what_a_format_cannot_hold(self):
        self.assertIn(
            "diagonal",
            self.bad(UNSUPPORTED, "convert", data("bcsstk16.mtx.gz"), self.path("a.graph")),
        )
        self.assertIn(
            "symmetric",
            self.bad(UNSUPPORTED, "convert", data("west0067.mtx.gz"), self.path("a.graph")),
        )
        self.assertIn(
            "square", self.bad(UNSUPPORTED, "convert", data("lp_e226.mtx.gz"), self.path("a.txt"))
        )
        self.assertEqual(os.listdir(self.folder), [])

    def test_options(self):
        source = self.write(
            "a.mtx",
            harness.coordinate_text(2, 3, [(1, 2, 1.5), (1, 0, 2), (1, 2, 0.25), (0, 1, 0.1)]),
        )
        self.assertEqual(
            self.entries(self.convert(source, "b.mtx"))[2],
            [(0, 1, 0.1), (1, 2, 1.5), (1, 0, 2), (1, 2, 0.25)],
        )
        self.assertEqual(
            self.entries(self.convert(source, "b.mtx", "--sort"))[2],
            [(0, 1, 0.1), (1, 0, 2), (1, 2, 1.5), (1, 2, 0.25)],
        )
        self.assertEqual(
            self.entries(self.convert(source, "b.mtx", "--sum-duplicates"))[2],
            [(0, 1, 0.1), (1, 0, 2), (1, 2, 1.75)],
        )
        self.assertEqual(
            self.entries(self.convert(source, "b.mtx", "--transpose", "--sort")),
            (3, 2, [(0, 1, 2), (1, 0, 0.1), (2, 1, 1.5), (2, 1, 0.25)]),
        )
        zeros = self.write(
            "zeros.mtx",
            harness.coordinate_text(2, 3, [(1, 2, 1.5), (1, 0, 0), (1, 2, -1.5), (0, 1, 2)]),
        )
        self.assertEqual(
            self.entries(self.convert(zeros, "b.mtx", "--drop-zeros"))[2],
            [(0, 1, 2), (1, 2, 1.5), (1, 2, -1.5)],
        )
        self.assertEqual(
            self.entries(self.convert(zeros, "b.mtx", "--drop-zeros", "--sum-duplicates"))[2],
            [(0, 1, 2)],
        )
        with open(self.convert(source, "b.mtx", "--type", "f32")) as file:
            self.assertIn(" 0.1\n", file.read())

    def test_in_place(self):
        source = self.write("a.mtx", harness.coordinate_text(2, 2, [(1, 1, 1), (0, 0, 2)]))
        self.convert(source, "a.mtx", "--transpose")
        self.assertEqual(self.entries(source)[2], [(0, 0, 2), (1, 1, 1)])
        self.assertEqual(os.listdir(self.folder), ["a.mtx"])

    def test_json(self):
        source = self.write("a.mtx", harness.coordinate_text(2, 3, [(1, 2, 1.5), (1, 2, 2)]))
        report = self.good_json(
            "convert", source, self.path("b.mtx"), "--transpose", "--sum-duplicates"
        )
        self.check_shape(report, dict(HEAD, inputs=[INPUT_SHAPE], output=OUTPUT))
        output = report["output"]
        self.assertEqual(
            (output["rows"], output["cols"], output["nnz"], output["file"]),
            (3, 2, 1, self.path("b.mtx")),
        )

    def test_text(self):
        text = self.good("convert", data("cage4.mtx.gz"), self.path("a.mtx"))
        self.assertRegex(
            text, r"(?s)cage4.*9 x 9, 49 entries, read in.*a\.mtx: 9 x 9, 49 entries, written in"
        )

    def test_failures(self):
        self.bad(USAGE, "convert", data("cage4.mtx.gz"))
        self.bad(USAGE, "convert", data("cage4.mtx.gz"), self.path("a.mtx"), self.path("b.mtx"))
        self.bad(USAGE, "info", data("cage4.mtx.gz"), "--sort")
        self.bad(INPUT, "convert", self.path("missing.mtx"), self.path("a.mtx"))
        self.bad(RESOURCE, "convert", self.path("missing.mtx"), self.path("no/folder/a.mtx"))
        self.bad(RESOURCE, "convert", data("bcsstk16.mtx.gz"), self.path("a.mtx"), "--budget", "1M")
        self.bad(
            INPUT, "convert", self.write("a.npz", "PK\3\4 and no archive"), self.path("b.mtx")
        ) if have_npz() else None
        self.assertEqual([name for name in os.listdir(self.folder) if name != "a.npz"], [])


if __name__ == "__main__":
    harness.main()
