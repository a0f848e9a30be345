# SPDX-License-Identifier: Apache-2.0
"""gen, gen:NAME as an input, and bench."""

import csv
import datetime
import json
import os
import shutil

import harness
from harness import INPUT, INTERNAL, OK, RESOURCE, UNSUPPORTED, USAGE, data, run

QUANTILES = {"median": float, "q1": float, "q3": float, "runs": int}
ENTRY = {
    "library": str,
    "verdict": str,
    "prepare": (float, None),
    "first": (float, None),
    "warm": (dict, None),
    "cold": (dict, None),
    "device_peak": (float, None),
    "reason": (str, None),
}
CASE = {
    "set": str,
    "matrix": str,
    "rows": int,
    "cols": int,
    "nnz": int,
    "b": (dict, None),
    "operation": str,
    "type": str,
    "columns": int,
    "flop": float,
    "bytes": (float, None),
    "batch": int,
    "ratio": (float, None),
    "break_even": (float, None),
    "entries": [ENTRY],
}
BENCH = {
    "sparloom": str,
    "command": str,
    "date": str,
    "cpu": str,
    "arguments": [str],
    "device": str,
    "order": str,
    "accuracy": str,
    "threads": int,
    "skipped": int,
    "triad_bytes_per_second": (float, None),
    "device_copy_bytes_per_second": (float, None),
    "libraries": [{"name": str, "version": str}],
    "geometric_means": [
        {
            "set": str,
            "operation": str,
            "type": str,
            "columns": int,
            "best": (float, None),
            "cases": int,
            "rivals": dict,
        }
    ],
    "cases": [CASE],
}


class Gen(harness.ToolTest):
    def test_list(self):
        text = self.good("gen")
        for word in ["box3d:nx,ny,nz", "webbase", "amazon", "hypersparse"]:
            self.assertIn(word, text)
        report = self.good_json("gen")
        self.check_shape(
            report,
            {
                "sparloom": str,
                "command": str,
                "families": [{"name": str, "parameters": str, "summary": str}],
                "stand_ins": [{"name": str, "set": str, "made_as": str}],
            },
        )
        sets = [row["set"] for row in report["stand_ins"]]
        self.assertEqual((sets.count("s3"), sets.count("s4")), (12, 13))

    def test_written_and_read_again(self):
        plain, packed = self.path("a.mtx"), self.path("a.mtx.gz")
        self.good("gen", "box2d", 4, 3, 2, "drop=0.2", "-o", plain)
        self.good("gen", "box2d:4,3,2,0.2", "-o", packed)
        rows, cols, entries = harness.read_coordinate(plain)
        self.assertEqual((rows, cols, entries), harness.read_coordinate(packed))
        self.assertEqual((rows, cols), (24, 24))
        positions = {(i, j) for i, j, _ in entries}
        self.assertEqual(positions, {(j, i) for i, j in positions})
        self.assertTrue(all(-1 <= v < 1 for _, _, v in entries))
        made = self.good_json("info", "gen:box2d:4,3,2,0.2")
        self.assertEqual(made["description"], self.good_json("info", plain)["description"])

    def test_seed(self):
        self.good("gen", "rmat", 50, 80, "-o", self.path("a.mtx"), "--seed", 5)
        self.good("gen", "rmat:50,80,seed=5", "-o", self.path("b.mtx"), "--threads", 3)
        self.good("gen", "rmat", 50, 80, "-o", self.path("c.mtx"), "--seed", 6)
        read = [harness.read_coordinate(self.path(name)) for name in ["a.mtx", "b.mtx", "c.mtx"]]
        self.assertEqual(read[0], read[1])
        self.assertNotEqual(read[0], read[2])

    def test_json(self):
        report = self.good_json("gen", "periodic", 5, 4, "-o", self.path("a.mtx"))
        self.check_shape(
            report,
            {
                "sparloom": str,
                "command": str,
                "name": str,
                "output": str,
                "rows": int,
                "cols": int,
                "nnz": int,
                "seconds": {"generate": float, "write": float},
            },
        )
        self.assertEqual((report["name"], report["rows"], report["nnz"]), ("periodic:5,4", 20, 80))

    def test_as_an_operand(self):
        self.good("spgemm", "gen:box3d:4,4,4,2", "--verify", "--quiet")
        self.good("spmm", "gen:random:40,30,5", "-k", 3, "--verify", "--quiet", "--type", "f32")
        report = self.good_json("spgemm", "gen:epidemiology", "--repeat", 1)
        self.assertEqual(report["flop"], 2 * 8413200)
        self.assertEqual(report["inputs"][0]["file"], "gen:epidemiology")

    def test_mistakes(self):
        self.assertIn("-o FILE", self.bad(USAGE, "gen", "qcd"))
        self.assertIn("lists them", self.bad(USAGE, "gen", "-o", self.path("a.mtx")))
        self.assertIn('did you mean "protein"', self.bad(USAGE, "info", "gen:protien"))
        self.assertIn(
            "needs a value of ny: gen:box2d:nx,ny",
            self.bad(USAGE, "gen", "box2d", 3, "-o", self.path("a.mtx")),
        )
        self.assertIn(
            "is not between", self.bad(USAGE, "gen", "box2d", 3, 3, 0, "-o", self.path("a.mtx"))
        )
        self.assertIn("different pairs", self.bad(USAGE, "info", "gen:rmat:4,7"))
        self.bad(RESOURCE, "gen", "diagonal", 3, "-o", self.path("nowhere/a.mtx"))
        self.assertEqual(os.listdir(self.folder), [])


class Bench(harness.ToolTest):
    QUICK = ["--time-limit", 0, "--rivals", "none", "--threads", 2]

    def test_json(self):
        path = self.path("times.csv")
        report = self.good_json(
            "bench",
            data("cage4.mtx.gz"),
            "gen:box2d:9,9,2",
            *self.QUICK,
            "--widths",
            "3,5",
            "--csv",
            path,
        )
        self.check_shape(report, BENCH)
        self.assertEqual((report["device"], report["order"], report["skipped"]), ("cpu", "row", 0))
        found = {(case["matrix"], case["operation"], case["columns"]) for case in report["cases"]}
        self.assertEqual(
            found,
            {
                (name, operation, columns)
                for name in ["cage4.mtx.gz", "gen:box2d:9,9,2"]
                for operation, columns in [
                    ("spmv", 1),
                    ("spmm", 3),
                    ("spmm", 5),
                    ("spgemm", 1),
                    ("numeric", 1),
                ]
            },
        )
        for case in report["cases"]:
            ours = case["entries"][0]
            self.assertEqual((ours["library"], ours["verdict"]), ("sparloom", "good"))
            self.check_shape(ours["warm"], QUANTILES)
            self.assertEqual(ours["cold"] is not None, case["operation"] == "spmv")
            self.assertEqual((case["batch"], ours["device_peak"], ours["reason"]), (1, None, None))
            self.assertEqual(case["type"], "f32" if case["operation"] == "spmm" else "f64")
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(report["cases"]))
        self.assertTrue(all(float(row["warm_median"]) > 0 for row in rows))

    def test_folder(self):
        os.makedirs(self.path("real/deeper"))
        shutil.copy(data("cage4.mtx.gz"), self.path("real"))
        shutil.copy(data("karate.mtx.gz"), self.path("real/deeper"))
        self.write("real/notes.txt", "not a matrix")
        self.write("real/bad.mtx", "not a matrix either")
        self.write(
            "real/huge.mtx",
            "%%%%MatrixMarket matrix coordinate real general\n%d %d 1\n1 1 1\n"
            % (1 << 58, 1 << 58),
        )
        done = run(
            "bench",
            "real",
            "--data",
            self.path("real"),
            "--op",
            "spmv",
            "--types",
            "f32,f64",
            "--json",
            "--quiet",
            *self.QUICK,
        )  # AddressSanitizer remarks on stderr that it refuses memory
        self.assertEqual(done.returncode, OK)
        report = json.loads(done.stdout)
        found = sorted((case["set"], case["matrix"], case["type"]) for case in report["cases"])
        self.assertEqual(
            found,
            [
                ("real", name, kind)
                for name in ["cage4.mtx.gz", "karate.mtx.gz"]
                for kind in ["f32", "f64"]
            ],
        )
        self.assertNotIn("error", report)
        self.assertEqual(report["skipped"], 2)
        done = run("bench", "real", "--data", self.path("real"), "--op", "spgemm", *self.QUICK)
        self.assertEqual(done.returncode, OK)
        self.assertRegex(done.stderr, r"bad\.mtx is skipped: .*bad\.mtx:1")
        self.assertRegex(done.stderr, r"huge\.mtx is skipped: .*[0-9,]{20,} bytes")
        self.assertRegex(done.stdout, r"(?m)^skipped: 2$")
        alone = run("bench", self.path("real/huge.mtx"), *self.QUICK)
        self.assertEqual(alone.returncode, RESOURCE)

    def test_folder_without_a_good_file(self):
        self.write("bad.mtx", "not a matrix")
        done = run("bench", "real", "--data", self.folder, *self.QUICK)
        self.assertEqual(done.returncode, OK)
        self.assertRegex(done.stdout, r"(?m)^skipped: 1$")

    def test_device(self):
        for device, lanes in [("emu", "32 lanes"), ("emu64:1", "64 lanes")]:
            path = self.path("times.csv")
            report = self.good_json(
                "bench",
                data("cage4.mtx.gz"),
                "gen:box2d:5,4,2",
                "--device",
                device,
                "--widths",
                3,
                "--order",
                "column",
                "--csv",
                path,
                *self.QUICK,
            )
            self.check_shape(report, BENCH)
            self.assertIn(lanes, report["device"])
            self.assertEqual((report["order"], report["triad_bytes_per_second"]), ("column", None))
            self.assertEqual(
                [word for word in report["arguments"] if word not in ["--json", "--quiet"]][:3],
                ["bench", data("cage4.mtx.gz"), "gen:box2d:5,4,2"],
            )
            written = datetime.datetime.strptime(report["date"], "%Y-%m-%dT%H:%M:%SZ")
            self.assertLess(abs((datetime.datetime.utcnow() - written).total_seconds()), 3600)
            self.assertGreater(len(report["cpu"]), 2)
            self.assertEqual(len(report["cases"]), 8)
            for case in report["cases"]:
                ours = case["entries"][0]
                self.assertEqual((ours["verdict"], ours["cold"]), ("good", None))
                self.assertTrue(case["batch"] == 1 or case["operation"] != "spgemm")
                self.assertGreaterEqual(
                    ours["device_peak"], 12 * case["nnz"] if case["operation"] == "spgemm" else 0
                )
            with open(path, newline="") as file:
                self.assertTrue(
                    all(
                        float(row["device_peak"]) >= 0 and int(row["batch"]) >= 1
                        for row in csv.DictReader(file)
                    )
                )
        text = self.good(
            "bench", data("cage4.mtx.gz"), "--device", "emu", "--op", "spgemm", *self.QUICK
        )
        self.assertRegex(text, r"(?m)^device .*32 lanes, threads 2")
        self.assertRegex(text, r"(?m)^matrix .* memory +rival's  best/ours")
        text = self.good(
            "bench", data("cage4.mtx.gz"), "--device", "cpu", "--op", "spgemm", *self.QUICK
        )
        self.assertNotIn("memory", text)

    def test_device_without_memory(self):
        """A case that does not fit is a failure with its reason; the other operations go on."""
        done = run(
            "--json",
            "bench",
            "gen:box2d:12,11,2",
            "--device",
            "emu",
            "--op",
            "spmv,spgemm",
            *self.QUICK,
            env=dict(harness.environment(), SPARLOOM_EMU_MEMORY="120000"),
        )
        self.assertEqual(done.returncode, INTERNAL)
        spmv, spgemm = [case["entries"][0] for case in json.loads(done.stdout)["cases"]]
        self.assertEqual(
            (spmv["verdict"], spmv["reason"], spgemm["verdict"], spgemm["warm"]),
            ("good", None, "failed", None),
        )
        self.assertRegex(spgemm["reason"], r"the emulated device has no \d+ bytes")
        self.assertIn("spgemm by sparloom failed: " + spgemm["reason"], done.stderr)

    def test_who_can_be_compared(self):
        small = data("cage4.mtx.gz")
        for rival in ["mkl", "graphblas", "eigen"]:
            message = self.bad(UNSUPPORTED, "bench", small, "--device", "emu", "--rivals", rival)
            self.assertRegex(
                message, rival + " computes on the CPU and cannot be compared with .*32 lanes"
            )
        message = self.bad(UNSUPPORTED, "bench", small, "--rivals", "cusparse")
        self.assertIn(
            "cusparse computes on NVIDIA GPUs and cannot be compared with the CPU: add --device "
            "cuda",
            message,
        )
        message = self.bad(UNSUPPORTED, "bench", small, "--device", "emu64", "--rivals", "cusparse")
        self.assertIn("cusparse computes on NVIDIA GPUs and cannot be compared with", message)
        message = self.bad(UNSUPPORTED, "bench", small, "--device", "emu", "--rivals", "cusparse-2")
        self.assertIn("cusparse-2 computes on NVIDIA GPUs", message)
        self.assertIn(
            "built without mkl-3", self.bad(UNSUPPORTED, "bench", small, "--rivals", "mkl-3")
        )
        self.assertIn("none of mkl", self.bad(USAGE, "bench", small, "--rivals", "mklx"))
        report = self.good_json(
            "bench", small, "--device", "emu", "--rivals", "all", "--op", "spmv", "--time-limit", 0
        )
        self.assertEqual([library["name"] for library in report["libraries"]], ["sparloom"])

    def test_rivals_that_are_opened(self):
        small = data("cage4.mtx.gz")
        build = os.path.dirname(os.path.dirname(harness.TOOL))
        path = os.path.join(build, "test", "opened-rival.so")
        quick = ["--op", "spmv", "--threads", 1, "--time-limit", 0]
        report = self.good_json("bench", small, "--rivals", path, *quick)
        self.assertEqual([rival["name"] for rival in report["libraries"]], ["sparloom", "loop"])
        entries = report["cases"][0]["entries"]
        self.assertEqual([entry["verdict"] for entry in entries], ["good", "good"])
        message = self.bad(
            UNSUPPORTED, "bench", small, "--device", "emu", "--rivals", path, "--op", "spmv"
        )
        self.assertIn("opened-rival.so cannot be started: it computes on the CPU", message)
        message = self.bad(UNSUPPORTED, "bench", small, "--rivals", "/nowhere/rival.so")
        self.assertIn("/nowhere/rival.so cannot be started: ", message)
        plugin = os.path.join(os.environ["SPARLOOM_PLUGINS"], "libsparloom-emu.so")
        message = self.bad(UNSUPPORTED, "bench", small, "--rivals", plugin)
        self.assertIn("it has no function sparloom_rival", message)

    def test_text(self):
        done = run("bench", data("lp_e226.mtx.gz"), "--op", "spmv,spgemm", *self.QUICK)
        self.assertEqual(done.returncode, OK)
        self.assertIn("spgemm is skipped: it is not square", done.stderr)
        self.assertIn("spmv f64", done.stdout)

    def test_rivals_that_were_built_agree_with_the_reference(self):
        for order in ["row", "column"]:
            report = self.good_json(
                "bench", data("bcsstk16.mtx.gz"), "--time-limit", 0, "--widths", 8, "--order", order
            )
            for case in report["cases"]:
                for entry in case["entries"]:
                    self.assertIn(
                        entry["verdict"], ["good", "absent"], (case["operation"], entry["library"])
                    )
            if len(report["libraries"]) == 1:
                break  # without rivals test_json has shown it

    def test_mistakes(self):
        small = data("cage4.mtx.gz")
        self.assertIn("none of spmv", self.bad(USAGE, "bench", small, "--op", "spam"))
        self.assertIn("none of f64", self.bad(USAGE, "bench", small, "--types", "f8"))
        for widths in ["0", "x", "3,", "70000"]:
            self.assertIn("--widths", self.bad(USAGE, "bench", small, "--widths", widths))
        self.assertIn("none of mkl", self.bad(USAGE, "bench", small, "--rivals", "nobody"))
        self.assertIn("--order", self.bad(USAGE, "bench", small, "--order", "diagonal"))
        self.assertIn(
            "not installed",
            self.bad(
                UNSUPPORTED,
                "bench",
                small,
                "--device",
                "hip:7",
                env=dict(harness.environment(), SPARLOOM_PLUGINS=self.folder),
            ),
        )
        self.assertIn("--time-limit", self.bad(USAGE, "bench", small, "--time-limit", "-1"))
        self.assertIn("--data", self.bad(USAGE, "bench", "real"))
        self.bad(USAGE, "bench")
        self.bad(RESOURCE, "bench", small, "--csv", self.path("nowhere/a.csv"))
        self.assertNotEqual(run("bench", "nosuch.mtx", *self.QUICK).returncode, OK)
        self.assertEqual(run("bench", "real", "--data", self.folder, *self.QUICK).returncode, INPUT)


if __name__ == "__main__":
    harness.main()
