# SPDX-License-Identifier: Apache-2.0
"""--policy measure, --wisdom, and the command wisdom."""

import json
import os

import harness
from harness import INPUT, RESOURCE, USAGE, data, environment, run

MATRIX = data("bcsstk16.mtx.gz")
CPU = ["--device", "cpu", "--threads", 2]


class Wisdom(harness.ToolTest):
    def measure(self, store, *more):
        return self.good_json(
            "explain", "spmv", MATRIX, *CPU, "--policy", "measure", "--wisdom", store, *more
        )

    def entries(self, file):
        return self.good_json("wisdom", "list", file, *["--device", "cpu"])["wisdom"]

    def test_what_is_known_is_not_measured(self):
        store = self.path("store")
        first = self.measure(store)
        self.assertEqual(first["policy"], "measure")
        tried = [c for c in first["candidates"] if c["measured"] is not None]
        self.assertGreaterEqual(len(tried), 2)
        self.assertRegex(
            first["chosen"][0]["reason"],
            r"^(least measured time of|predicted to be the best of) \d+ methods",
        )
        second = self.measure(store)
        self.assertEqual([c for c in second["candidates"] if c["measured"] is not None], [])
        self.assertIn("remembered", second["chosen"][0]["reason"])
        self.assertEqual(second["chosen"][0]["method"], first["chosen"][0]["method"])
        (entry,) = self.entries(store)
        self.assertEqual(entry["method"], first["chosen"][0]["method"])
        self.assertTrue(entry["problem"].startswith("spmv/compute/f64/"))

    def test_nothing_is_kept_unasked(self):
        self.good("explain", "spmv", MATRIX, *CPU, "--policy", "measure", cwd=self.folder)
        self.assertEqual(os.listdir(self.folder), [])
        self.assertIn(
            "--policy measure",
            self.bad(USAGE, "explain", "spmv", MATRIX, "--wisdom", self.path("store")),
        )

    def test_files_are_merged_copied_and_emptied(self):
        one, two = self.path("one"), self.path("two")
        self.measure(one)
        self.measure(two, "--type", "f32")
        self.good("wisdom", "import", two, "--wisdom", one, "--quiet")
        self.assertEqual([e["problem"].split("/")[2] for e in self.entries(one)], ["f64", "f32"])
        self.good("wisdom", "export", self.path("copy"), "--wisdom", one)
        self.assertEqual(self.entries(self.path("copy")), self.entries(one))
        report = self.good_json("wisdom", "list", one)
        self.assertEqual(report["import"], {"taken": 2, "foreign": 0, "unknown": 0})
        self.assertRegex(
            self.good("wisdom", "list", one, "--quiet"), r"(?m)^    spmv/compute/cpu/[a-z_]+: \d"
        )
        self.good("wisdom", "forget", "--wisdom", one)
        self.assertEqual(self.entries(one), [])

    def test_bad_files_change_nothing(self):
        store = self.path("store")
        self.measure(store)
        with open(store) as file:
            good = file.read()
        bad = self.write("bad", good[:-30])
        self.assertIn("bad:", self.bad(INPUT, "wisdom", "import", bad, "--wisdom", store))
        self.bad(INPUT, "wisdom", "list", self.path("missing"))
        self.bad(INPUT, "explain", "spmv", MATRIX, "--policy", "measure", "--wisdom", bad)
        self.bad(RESOURCE, "wisdom", "export", self.path("none/copy"), "--wisdom", store)
        with open(store) as file:
            self.assertEqual(file.read(), good)
        with open(bad) as file:
            self.assertEqual(file.read(), good[:-30])

    def test_operands(self):
        for arguments in [
            ["dream"],
            ["list"],
            ["import", "x"],
            ["export"],
            ["forget"],
            ["forget", "x"],
        ]:
            self.bad(USAGE, "wisdom", *arguments)
        self.bad(USAGE, "wisdom", "forget", "x", "--wisdom", "y")

    def test_tune_needs_a_file_that_can_be_written(self):
        self.bad(USAGE, "tune")
        self.bad(RESOURCE, "tune", "-o", self.path("none/machine"))

    def test_environment(self):
        store = self.path("store")
        self.measure(store)
        seen = dict(environment(), SPARLOOM_WISDOM=store)
        report = json.loads(
            self.good(
                "explain",
                "spmv",
                MATRIX,
                *CPU,
                "--policy",
                "measure",
                "--json",
                "--quiet",
                env=seen,
            )
        )
        self.assertIn("remembered", report["chosen"][0]["reason"])
        lost = dict(
            environment(),
            SPARLOOM_WISDOM=self.path("missing"),
            SPARLOOM_WISDON="x",
            SPARLOOM_MACHINE=store,
        )
        done = run("doctor", "--json", "--device", "cpu", env=lost)
        remarks = "\n".join(json.loads(done.stdout)["remarks"])
        self.assertRegex(remarks, r"SPARLOOM_WISDOM is not used: .*missing")
        self.assertRegex(remarks, r"SPARLOOM_MACHINE is not used: .*no sparloom-machine file")
        self.assertRegex(remarks, r"(?m)^SPARLOOM_WISDON is set, but means nothing$")
        self.assertNotIn("SPARLOOM_PLUGINS", remarks)


if __name__ == "__main__":
    harness.main()
