# SPDX-License-Identifier: Apache-2.0
"""plot and partition."""

import base64
import os
import stat
import struct
import xml.etree.ElementTree
import zlib

import harness
from harness import INPUT, RESOURCE, UNSUPPORTED, USAGE, data, run
from json_shapes import HEAD, INPUT_SHAPE, NUMBER

PART = {
    "capability": float,
    "link": NUMBER,
    "rows": int,
    "nnz": int,
    "width": int,
    "density": float,
    "seconds": float,
}
PARTITION = {"kind": str, "density": float, "seconds": float, "parts": [PART]}


def have_cairo():
    """Whether the tool was built with libcairo; SPARLOOM_REQUIRE=cairo says that it must."""
    required = "cairo" in os.environ.get("SPARLOOM_REQUIRE", "").split(",")
    with harness.tempfile.TemporaryDirectory() as folder:
        done = run("plot", data("cage4.mtx.gz"), "-o", os.path.join(folder, "a.png"), "-q")
    return required or done.returncode != UNSUPPORTED


CAIRO = have_cairo()


class Plot(harness.ToolTest):
    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def check_picture(self, name):
        picture = self.read(name)
        if name.endswith("png"):
            self.assertTrue(picture.startswith(b"\x89PNG\r\n\x1a\n"))
        else:
            root = xml.etree.ElementTree.fromstring(picture)
            self.assertTrue(root.tag.endswith("svg"))
            self.assertGreater(len(list(root.iter())), 20)

    def test_all_kinds_of_matrices(self):
        empty = self.write("empty.mtx", harness.coordinate_text(0, 0, []))
        for source in [
            data("karate.mtx.gz"),
            data("lp_e226.mtx.gz"),
            "gen:denserow:400",
            "gen:random:3,90000,50",
            empty,
        ]:
            for name, options in [
                ("a.svg", ["--capabilities", "1,2,0,4"]),
                ("b.png" if CAIRO else "b.svg", ["--kind", "rows"]),
            ]:
                self.good("plot", source, "-o", self.path(name), "-q", *options)
                self.check_picture(name)
        self.assertEqual(len(os.listdir(self.folder)), 3)

    def test_images_show_entries(self):
        """The picture of entries is a PNG within the SVG: dark where the matrix has entries."""
        entries = [(i, i, 1) for i in range(400)]
        source = self.write("a.mtx", harness.coordinate_text(400, 800, entries))
        self.good("plot", source, "-o", self.path("a.svg"), "-q", "--kind", "spy")
        root = xml.etree.ElementTree.fromstring(self.read("a.svg"))
        image = next(node for node in root.iter() if node.tag.endswith("image"))
        address = image.attrib["{http://www.w3.org/1999/xlink}href"]
        png = base64.b64decode(address.removeprefix("data:image/png;base64,"))
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        chunks, at = [], 8
        while at < len(png):
            (length,) = struct.unpack_from(">I", png, at)
            name, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
            (checksum,) = struct.unpack_from(">I", png, at + 8 + length)
            self.assertEqual(checksum, zlib.crc32(name + content))
            chunks.append((name, content))
            at += 12 + length
        self.assertEqual([name for name, _ in chunks], [b"IHDR", b"IDAT", b"IEND"])
        cols, rows = struct.unpack_from(">II", chunks[0][1])
        self.assertEqual(chunks[0][1][8:], bytes([8, 6, 0, 0, 0]))
        lines = zlib.decompress(chunks[1][1])
        self.assertEqual(len(lines), rows * (1 + 4 * cols))
        for i in range(rows):
            line = lines[i * (1 + 4 * cols) :]
            self.assertEqual(line[0], 0)
            shown = [j for j in range(cols) if line[4 + 4 * j] > 0]  # not transparent
            self.assertTrue(shown)
            for j in shown:  # within the cells that the diagonal of the left half passes
                self.assertLess(abs((j + 0.5) / cols * 2 - (i + 0.5) / rows), 2.1 / min(rows, cols))

    def test_json(self):
        report = self.good_json("plot", data("karate.mtx.gz"), "-o", self.path("a.svg"))
        self.check_shape(
            report,
            dict(
                HEAD,
                inputs=[INPUT_SHAPE],
                partition=None,
                output={"file": str, "width": float, "height": float},
            ),
        )
        report = self.good_json(
            "plot",
            data("karate.mtx.gz"),
            "-o",
            self.path("a.svg"),
            "--capabilities",
            "1,1",
            "--links",
            "inf,1e9",
            "--partition",
            "cost",
        )
        self.check_shape(report["partition"], PARTITION)
        self.assertEqual([part["link"] for part in report["partition"]["parts"]], [None, 1e9])

    def test_mistakes(self):
        source, picture = data("karate.mtx.gz"), self.path("a.svg")
        self.assertIn("-o FILE.svg", self.bad(USAGE, "plot", source))
        self.assertIn(".svg or .png", self.bad(USAGE, "plot", source, "-o", self.path("a.gif")))
        self.assertIn(
            "none of spy", self.bad(USAGE, "plot", source, "-o", picture, "--kind", "pie")
        )
        self.assertIn(
            "--capabilities C",
            self.bad(USAGE, "plot", source, "-o", picture, "--kind", "partition"),
        )
        self.assertIn(
            "--capabilities C", self.bad(USAGE, "plot", source, "-o", picture, "--partition", "nnz")
        )
        self.assertIn(
            "does not go",
            self.bad(USAGE, "plot", source, "-o", picture, "--kind", "spy", "--capabilities", "1"),
        )
        self.bad(INPUT, "plot", self.path("none.mtx"), "-o", picture)
        self.bad(RESOURCE, "plot", source, "-o", self.path("nowhere/a.svg"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_was_there_stays(self):
        picture = self.write("a.svg", "old")
        self.bad(INPUT, "plot", self.write("bad.mtx", "no matrix"), "-o", picture)
        self.assertEqual(self.read("a.svg"), b"old")
        os.chmod(picture, 0o640)
        self.good("plot", data("karate.mtx.gz"), "-o", picture, "-q")
        self.check_picture("a.svg")
        self.assertEqual(stat.S_IMODE(os.stat(picture).st_mode), 0o640)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.svg", "bad.mtx"])


@harness.unittest.skipIf(CAIRO, "built with cairo")
class WithoutCairo(harness.ToolTest):
    def test_it_says_so(self):
        picture = self.path("a.png")
        self.assertIn(
            "libcairo", self.bad(UNSUPPORTED, "plot", data("karate.mtx.gz"), "-o", picture)
        )
        self.assertEqual(os.listdir(self.folder), [])


class Partition(harness.ToolTest):
    def test_s2_example(self):
        lengths = [2, 3, 1, 2, 7, 1, 3, 4, 6, 2]  # S2, example 2
        entries = [(i, j, 1) for i, length in enumerate(lengths) for j in range(length)]
        path = self.write("a.mtx", harness.coordinate_text(10, 10, entries))
        shares = self.path("parts.txt")
        report = self.good_json("partition", path, "--capabilities", "1,1", "-o", shares)
        self.check_shape(report, dict(HEAD, inputs=[INPUT_SHAPE], partition=PARTITION))
        parts = report["partition"]["parts"]
        self.assertEqual(report["partition"]["kind"], "density")
        self.assertEqual([part["nnz"] for part in parts], [18, 13])  # 1 1 2 2 2 3 3 4, then 6 7
        self.assertEqual([part["width"] for part in parts], [4, 7])
        self.assertAlmostEqual(parts[0]["density"], 18 / 32)
        self.assertAlmostEqual(report["partition"]["density"], 31 / (32 + 14))
        with open(shares) as file:
            self.assertEqual([int(line) for line in file], [int(length > 4) for length in lengths])

    def test_every_kind_shares_all_rows(self):
        rows, _, entries = harness.read_coordinate(data("west0067.mtx.gz"))
        for kind in ["rows", "nnz", "density", "cost"]:
            report = self.good_json(
                "partition",
                data("west0067.mtx.gz"),
                "--kind",
                kind,
                "--capabilities",
                "2,0,1,5",
                "--links",
                "1e9,1e9,inf,2e9",
            )
            parts = report["partition"]["parts"]
            self.assertEqual(report["partition"]["kind"], kind)
            self.assertEqual(sum(part["rows"] for part in parts), rows)
            self.assertEqual(sum(part["nnz"] for part in parts), len(entries))
            self.assertEqual((parts[1]["rows"], parts[1]["seconds"]), (0, 0))
            self.assertEqual(report["partition"]["seconds"], max(part["seconds"] for part in parts))

    def test_text(self):
        text = self.good(
            "partition", "gen:diagonal:3000", "--kind", "rows", "--capabilities", "1,2"
        )
        self.assertRegex(
            text, r"(?m)^   1 +1 +33.33 % +1,000 +1,000 +33.33 % +1 +100.00 % +100.00 %$"
        )
        self.assertNotIn("nan", self.good("partition", "gen:empty:3,3", "--capabilities", "1,0"))
        self.assertRegex(text, r"(?m)^density of all parts as ELL: 100.00 %$")

    def test_mistakes(self):
        source = data("cage4.mtx.gz")
        self.assertIn("--capabilities", self.bad(USAGE, "partition", source))
        for wrong in ["1,", "1,x", "1 ,2", ",1"]:
            self.assertIn(
                "is not a number", self.bad(USAGE, "partition", source, "--capabilities", wrong)
            )
        for wrong in ["-1,2", "nan", "inf", "0,0"]:
            self.bad(USAGE, "partition", source, "--capabilities", wrong)
        self.assertIn(
            "has 2 numbers",
            self.bad(USAGE, "partition", source, "--capabilities", "1", "--links", "1,2"),
        )
        self.assertIn(
            "none of rows",
            self.bad(USAGE, "partition", source, "--capabilities", "1", "--kind", "spy"),
        )
        self.bad(RESOURCE, "partition", source, "--capabilities", "1", "-o", self.path("nowhere/a"))
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    harness.main()
