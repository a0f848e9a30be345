# SPDX-License-Identifier: Apache-2.0
"""bench --plot, bench page, bench compare."""

import csv
import json
import os

import harness
from harness import INPUT, INTERNAL, RESOURCE, UNSUPPORTED, USAGE, data, run
from test_cli_plot import CAIRO

QUICK = ["--time-limit", 0, "--rivals", "none", "--threads", 2]


class BenchFiles(harness.ToolTest):
    def results(self, name, factor=1.0, rival=None):
        """The tool's own results, all times multiplied by the factor; quartiles close to the
        median. `rival`: the time of one more library."""
        done = run(
            "bench",
            data("cage4.mtx.gz"),
            data("karate.mtx.gz"),
            "--json",
            "-q",
            "--op",
            "numeric",
            *QUICK,
        )
        report = json.loads(done.stdout)
        for case in report["cases"]:
            case["entries"][0]["warm"] = {
                "median": factor * 1e-3,
                "q1": factor * 0.99e-3,
                "q3": factor * 1.01e-3,
                "runs": 9,
            }
            if rival:
                case["entries"].append({"library": "other", "warm": {"median": rival}})
        return self.write(name, json.dumps(report))

    def test_unreadable_files(self):
        """What cannot be read is reported, and the others are measured all the same."""
        missing, wrong = self.path("missing.mtx"), self.write("wrong.mtx", "not a matrix\n")
        files = [missing, data("cage4.mtx.gz"), wrong, "gen:random:0", data("karate.mtx.gz")]
        for command in ["bench", "regret"]:
            done = run(command, *files, *QUICK[:2], "--op", "spmv", "--threads", 1, "-q")
            self.assertEqual(done.returncode, INPUT, done.stderr)
            for name in ["cage4", "karate"]:
                self.assertIn(name, done.stdout)
            messages = done.stderr.splitlines()
            self.assertEqual(len(messages), 3, done.stderr)
            for message, name in zip(messages, [missing, wrong, "random"]):
                self.assertRegex(message, "^sparloom: .*" + name)
            # the exit code is that of the first one
            self.assertEqual(
                run(command, *files[3:], *QUICK[:2], "--op", "spmv", "-q").returncode, USAGE
            )

    def test_unreadable_files_as_json(self):
        missing = self.path("missing.mtx")
        done = run(
            "bench", missing, data("cage4.mtx.gz"), *QUICK, "--op", "numeric", "-q", "--json"
        )
        report = json.loads(done.stdout)
        self.assertEqual((done.returncode, len(report["cases"])), (INPUT, 1))
        self.assertEqual(report["skipped"], 1)
        self.assertIn(missing, report["error"]["detail"])

    def test_methods_of_regret(self):
        """Those that are named are forced, in the operations that they are of."""
        methods = ["spmv/compute/cpu/csr_scalar", "spmv/compute/cpu/ell"]
        matrix, path = data("karate.mtx.gz"), self.path("times.csv")
        self.good("regret", matrix, *QUICK[:2], "-q", "-m", ",".join(methods), "--csv", path)
        with open(path) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["operation"] for row in rows}, {"spmv"})
        self.assertEqual(
            sorted(row["methods"] for row in rows if not row["policy"]), methods
        )
        for message, arguments in [
            ("there is no method", ["-m", "nosuch"]),
            ("a method of spmm on the CPU", ["-m", methods[0], "--op", "spmv,spmm"]),
            ("none of these runs on the CPU", ["-m", "spmv/compute/gpu/ell"]),
        ]:
            self.assertIn(message, self.bad(USAGE, "regret", matrix, *arguments))

    def test_plot(self):
        self.good(
            "bench",
            data("cage4.mtx.gz"),
            *QUICK,
            "--op",
            "spmv",
            "--plot",
            self.path("a.svg"),
            "-q",
        )
        with open(self.path("a.svg")) as file:
            self.assertIn("</svg>", file.read())
        self.assertIn(
            "nothing to draw",
            run(
                "bench",
                data("cage4.mtx.gz"),
                *QUICK,
                "--op",
                "numeric",
                "--plot",
                self.path("b.svg"),
                "-q",
            ).stderr,
        )
        self.assertEqual(os.listdir(self.folder), ["a.svg"])
        self.assertIn(
            ".svg or .png",
            self.bad(USAGE, "bench", data("cage4.mtx.gz"), "--plot", self.path("a.gif")),
        )
        self.bad(RESOURCE, "bench", data("cage4.mtx.gz"), "--plot", self.path("nowhere/a.svg"))

    @harness.unittest.skipIf(CAIRO, "built with cairo")
    def test_plot_without_cairo(self):
        self.assertIn(
            "libcairo",
            self.bad(UNSUPPORTED, "bench", data("cage4.mtx.gz"), "--plot", self.path("a.png")),
        )

    def test_page(self):
        first, page = self.results("first.json"), self.path("page.html")
        self.good("bench", "page", first, first, "-o", page)
        with open(page) as file:
            text = file.read()
        self.assertEqual(text.count("<h2>"), 2)
        self.assertEqual(text.count('<td class="text">karate.mtx.gz</td>'), 2)
        self.assertNotIn("://", text)
        self.bad(USAGE, "bench", "page", first)
        self.bad(USAGE, "bench", "page", "-o", page)
        self.assertIn(
            "--op does not apply",
            self.bad(USAGE, "bench", "page", first, "-o", page, "--op", "spmv"),
        )
        self.assertIn(
            "not JSON", self.bad(INPUT, "bench", "page", self.write("bad.json", "{"), "-o", page)
        )
        self.bad(INPUT, "bench", "page", self.path("none.json"), "-o", page)
        self.bad(RESOURCE, "bench", "page", first, "-o", self.path("nowhere/page.html"))
        with open(page) as file:
            self.assertEqual(file.read(), text)
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.json", "first.json", "page.html"])

    def test_picture_of_several_files(self):
        first, picture = self.results("first.json", rival=2e-3), self.path("all.svg")
        self.good("bench", "page", first, first, "-o", picture)
        with open(picture) as file:
            self.assertIn("</svg>", file.read())
        alone = self.results("alone.json")
        self.assertIn(
            "nothing to draw", run("bench", "page", alone, "-o", self.path("b.svg")).stderr
        )
        self.bad(INPUT, "bench", "page", first, self.path("none.json"), "-o", self.path("b.svg"))
        self.bad(RESOURCE, "bench", "page", first, "-o", self.path("nowhere/all.svg"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["all.svg", "alone.json", "first.json"])

    @harness.unittest.skipIf(CAIRO, "built with cairo")
    def test_picture_without_cairo(self):
        self.assertIn(
            "libcairo",
            self.bad(
                UNSUPPORTED, "bench", "page", self.results("a.json"), "-o", self.path("a.png")
            ),
        )

    def test_compare(self):
        before, after = self.results("before.json"), self.results("after.json", 2)
        self.assertIn(
            "2 slower, 0 faster, 0 unchanged", self.good("bench", "compare", before, after)
        )
        self.assertIn(
            "0 slower, 2 faster, 0 unchanged",
            self.good("bench", "compare", after, before, "--fail"),
        )
        self.assertIn(
            "0 slower, 0 faster, 2 unchanged", self.good("bench", "compare", after, after, "--fail")
        )
        done = run("bench", "compare", before, after, "--fail")
        self.assertEqual((done.returncode, done.stderr.count("2 cases are slower")), (INTERNAL, 1))
        self.assertRegex(
            done.stdout, r"(?m)^  2.00  1.00 ms .* -> 2.00 ms .* karate.mtx.gz numeric f64$"
        )
        report = self.good_json("bench", "compare", before, after)
        change = {
            "set": str,
            "matrix": str,
            "operation": str,
            "type": str,
            "columns": int,
            "before": float,
            "after": float,
            "factor": float,
            "verdict": str,
        }
        self.check_shape(
            report,
            {
                "sparloom": str,
                "command": str,
                "slower": int,
                "faster": int,
                "unchanged": int,
                "missing": int,
                "added": int,
                "changes": [change],
            },
        )
        self.assertEqual([c["verdict"] for c in report["changes"]], ["slower", "slower"])
        self.bad(USAGE, "bench", "compare", before)
        self.assertIn(
            'belongs to "bench compare"', self.bad(USAGE, "bench", data("cage4.mtx.gz"), "--fail")
        )
        self.assertIn(
            'belongs to "bench page"',
            self.bad(USAGE, "bench", data("cage4.mtx.gz"), "-o", self.path("a")),
        )


if __name__ == "__main__":
    harness.main()
