# SPDX-License-Identifier: Apache-2.0
"""Files that cannot be read, are wrong or cannot be written; memory that does not suffice."""

import csv
import gzip
import os
import random
import subprocess
import unittest

import harness
from harness import INPUT, RESOURCE, UNSUPPORTED, data, run

SEED = int(os.environ.get("SPARLOOM_SEED", "20261126"))
BANNER = "%%MatrixMarket matrix coordinate real general\n"


class Wrong(harness.ToolTest):
    def test_place_of_the_mistake(self):
        for text, line in [
            (BANNER + "2 2 2\n1 1 1\n1 3 1\n", 4),
            (BANNER + "% comment\n\n2 2 2\n1 1 1\n1 x 1\n", 6),
            (BANNER + "2 2 1\n0 1 1\n", 3),
            (BANNER + "2 2\n1 1 1\n", 2),
            ("%%MatrixMarket matrix coordinate real lopsided\n1 1 1\n1 1 1\n", 1),
            ("hello\n", 1),
        ]:
            path = self.write("bad.mtx", text)
            for command in [["info"], ["spmv"], ["spgemm"], ["explain", "spmv"]]:
                message = self.bad(INPUT, *command, path)
                self.assertRegex(message, r"^sparloom: %s:%d: ." % (path, line), text)

    def test_place_in_a_packed_file(self):
        path = self.path("bad.mtx.gz")
        with gzip.open(path, "wt") as file:
            file.write(BANNER + "2 2 2\n1 1 1\n1 3 1\n")
        self.assertIn("%s:4: " % path, self.bad(INPUT, "info", path))

    def test_second_and_third_file(self):
        good, wrong = data("cage4.mtx.gz"), self.write("bad.mtx", BANNER + "9 9 1\n1 1\n")
        self.assertIn("%s:3: " % wrong, self.bad(INPUT, "spgemm", good, wrong))
        self.assertIn("%s:3: " % wrong, self.bad(INPUT, "spgemm", good, good, "-D", wrong))

    def test_damaged_archive(self):
        with open(data("karate.mtx.gz"), "rb") as file:
            packed = file.read()
        for name, content in [
            ("cut.mtx.gz", packed[:-20]),
            ("noise.mtx.gz", packed[:60] + b"\x55" * 60 + packed[120:]),
            ("empty.mtx", b""),
        ]:
            with open(self.path(name), "wb") as file:
                file.write(content)
            self.assertIn(name, self.bad(INPUT, "info", self.path(name)))

    def test_complex_values_are_named(self):
        path = self.write(
            "z.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n"
        )
        self.assertIn("complex", self.bad(UNSUPPORTED, "info", path))

    @unittest.skipUnless(
        os.path.exists(os.path.join(harness.MALFORMED, "EXPECT.tsv")), "no malformed files"
    )
    def test_odd_files(self):
        with open(os.path.join(harness.MALFORMED, "EXPECT.tsv")) as file:
            verdicts = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        self.assertGreater(len(verdicts), 20)
        for row in verdicts:
            path = os.path.join(harness.MALFORMED, row["file"])
            done = run("info", path)
            if row["expect"] == "accept" and row["why"].startswith("2^40"):
                self.assertIn(
                    done.returncode, [0, RESOURCE], row
                )  # CSR has an offset for each row: 8 TB
                continue
            allowed = [0] if row["expect"] == "accept" else [INPUT, UNSUPPORTED]
            self.assertIn(done.returncode, allowed, (row, done.stderr))
            self.assertEqual(done.returncode == 0, done.stderr == "", row)
            if done.returncode and row["line"].isdigit():
                self.assertTrue(
                    done.stderr.startswith("sparloom: %s:%s: " % (path, row["line"])),
                    (row, done.stderr),
                )


class Unreadable(harness.ToolTest):
    def test_missing_file_and_folder(self):
        self.assertIn("No such file", self.bad(INPUT, "info", self.path("missing.mtx")))
        self.assertIn(self.folder, self.bad(INPUT, "info", self.folder))
        self.assertIn(
            "No such file",
            self.bad(INPUT, "spgemm", data("cage4.mtx.gz"), self.path("missing.mtx")),
        )

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_forbidden_file(self):
        path = self.write("a.mtx", harness.coordinate_text(1, 1, []))
        os.chmod(path, 0)
        self.assertIn("ermission", self.bad(INPUT, "info", path))


class Shapes(harness.ToolTest):
    def setUp(self):
        super().setUp()
        self.wide = self.write("wide.mtx", harness.coordinate_text(2, 3, [(0, 0, 1)]))
        self.square = self.write("square.mtx", harness.coordinate_text(4, 4, [(0, 0, 1)]))

    def test_operands_that_do_not_fit(self):
        message = self.bad(INPUT, "spgemm", self.wide, self.square)
        for number in ["2", "3", "4"]:
            self.assertIn(number, message)
        self.bad(INPUT, "explain", "spgemm", self.wide, self.square)
        self.bad(INPUT, "spgemm", self.wide, "--transpose-b", "-D", self.square)

    def test_square_of_a_matrix_that_is_not_square(self):
        message = self.bad(INPUT, "spgemm", self.wide)
        self.assertRegex(message, r"2 x 3.*--transpose-b")
        self.assertIn("--transpose-b", self.bad(INPUT, "explain", "spgemm", self.wide))
        self.good("spgemm", self.wide, "--transpose-b", "-r", 1)


class Unwritable(harness.ToolTest):
    def refused(self, path, *arguments):
        """The path is refused although the input does not even exist: nothing was read before."""
        message = self.bad(RESOURCE, "spgemm", self.path("missing.mtx"), "-o", path, *arguments)
        self.assertIn(path, message)
        return message

    def test_noticed_before_the_work(self):
        self.refused(self.path("no/such/folder/c.mtx"))
        self.refused(self.folder)
        self.refused(os.path.join(self.write("file", "x"), "c.mtx"))
        self.refused("/dev/full")
        self.bad(RESOURCE, "spgemm", data("cage4.mtx.gz"), "-o", self.path("x" * 5000))

    def test_every_command_looks_first(self):
        """Inputs are missing, too, but the message names the output that cannot be written."""
        source = random.Random(SEED)
        missing, nowhere = self.path("missing"), self.path("no/such/folder/")
        matrices = [
            ["convert", missing, "OUT"],
            ["spgemm", missing, "-o", "OUT"],
            ["gen", "nosuch", "-o", "OUT"],
        ]
        others = [
            ["partition", missing, "--capabilities", "1,2", "-o", "OUT"],
            ["plot", missing, "-o", "OUT.svg"],
            ["tune", "-o", "OUT"],
            ["bench", missing, "--csv", "OUT"],
            ["bench", missing, "--plot", "OUT.svg"],
            ["regret", missing, "--csv", "OUT"],
            ["bench", "page", missing, "-o", "OUT"],
            ["spmv", missing, "--policy", "measure", "--wisdom", "OUT"],
            ["explain", "spmv", missing, "--policy", "measure", "--wisdom", "OUT"],
        ]
        for command in matrices + others:
            letters = "".join(source.choice("abcdefgh") for _ in range(source.randint(1, 9)))
            done = run(*[word.replace("OUT", nowhere + letters) for word in command])
            self.assertIn(
                done.returncode,
                [RESOURCE] + [UNSUPPORTED] * any(".svg" in word for word in command),
                (SEED, command),
            )
            self.assertTrue(
                letters in done.stderr or done.returncode == UNSUPPORTED,
                (SEED, command, done.stderr),
            )
        for command in matrices:
            ending = source.choice(
                [
                    ".csv",
                    ".npy",
                    ".bz2",
                    ".mtx.bz2",
                    ".json",
                    ".npz.gz",
                    "." + "".join(source.choice("qwz") for _ in range(4)),
                ]
            )
            message = self.bad(
                UNSUPPORTED, *[word.replace("OUT", self.path("a" + ending)) for word in command]
            )
            for known in [".mtx", ".npz", ".graph", ".txt"]:
                self.assertIn(known, message, (SEED, command, ending))
        self.assertEqual(os.listdir(self.folder), [])

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_forbidden_folder(self):
        os.chmod(self.folder, 0o500)
        self.refused(self.path("c.mtx"))
        os.chmod(self.folder, 0o700)

    def test_a_failure_leaves_the_old_file(self):
        path = self.write("c.mtx", "what was there")
        self.bad(INPUT, "spgemm", self.path("missing.mtx"), "-o", path)
        self.bad(RESOURCE, "spgemm", data("bcsstk16.mtx.gz"), "--budget", "4M", "-o", path)
        with open(path) as file:
            self.assertEqual(file.read(), "what was there")
        self.assertEqual(os.listdir(self.folder), ["c.mtx"])

    @unittest.skipIf(
        "thread" in os.environ.get("SPARLOOM_SANITIZE", ""),
        "ThreadSanitizer needs larger files itself",
    )
    def test_file_too_large(self):
        """Writing fails in the middle: the limit of the process' file size is reached."""
        path = self.write("c.mtx", "what was there")
        command = 'trap "" XFSZ; ulimit -f 8; exec "$0" "$@"'
        done = subprocess.run(
            [
                "sh",
                "-c",
                command,
                harness.TOOL,
                "spgemm",
                data("west0067.mtx.gz"),
                "-q",
                "-o",
                path,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=100,
        )
        self.assertEqual(done.returncode, RESOURCE, done.stderr)
        self.assertIn("c.mtx", done.stderr)
        with open(path) as file:
            self.assertEqual(file.read(), "what was there")
        self.assertEqual(os.listdir(self.folder), ["c.mtx"])


class StandardOutput(harness.ToolTest):
    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full(self):
        for arguments in [
            ["list"],
            ["--help"],
            ["--version"],
            ["info", data("cage4.mtx.gz")],
            ["list", "--json"],
        ]:
            with open("/dev/full", "w") as full:
                done = subprocess.run(
                    [harness.TOOL] + arguments,
                    stdout=full,
                    stderr=subprocess.PIPE,
                    universal_newlines=True,
                    timeout=100,
                )
            self.assertEqual(done.returncode, RESOURCE)
            self.assertIn("cannot write to standard output", done.stderr)

    def test_closed(self):
        out = self.path("c.mtx")
        done = subprocess.run(
            [
                "sh",
                "-c",
                'exec "$0" "$@" >&-',
                harness.TOOL,
                "spgemm",
                data("cage4.mtx.gz"),
                "-o",
                out,
            ],
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=100,
        )
        self.assertEqual(done.returncode, RESOURCE)
        self.assertIn("cannot write to standard output", done.stderr)
        with open(out) as file:
            self.assertTrue(
                file.read().startswith("%%MatrixMarket"), "the report went into the matrix"
            )

    def test_reader_that_left(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [harness.TOOL, "list"],
            stdout=writer,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=100,
        )
        os.close(writer)
        self.assertEqual(done.returncode, RESOURCE)


class Budget(harness.ToolTest):
    def test_too_small_for_the_inputs(self):
        message = self.bad(RESOURCE, "info", data("bcsstk16.mtx.gz"), "--budget", "100K")
        self.assertRegex(message, r"budget.* 100,000")
        self.assertEqual(message.count("bcsstk16"), 1)

    def test_too_small_for_the_plan(self):
        read = self.good_json("explain", "spmv", data("bcsstk16.mtx.gz"))["memory"]["live"]
        message = self.bad(RESOURCE, "spgemm", data("bcsstk16.mtx.gz"), "--budget", 2 * read)
        self.assertRegex(message, r"needs [\d,]+ bytes|[\d,]+ bytes")

    def test_peak_stays_below(self):
        free = self.good_json("spgemm", data("bcsstk16.mtx.gz"), "-r", 1)
        budget = free["memory"]["peak"]
        bound = self.good_json(
            "spgemm", data("bcsstk16.mtx.gz"), "-r", 1, "--budget", budget, "--verify"
        )
        self.assertLessEqual(bound["memory"]["peak"], budget)
        self.assertEqual(bound["memory"]["budget"], budget)


if __name__ == "__main__":
    harness.main()
