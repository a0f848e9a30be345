# SPDX-License-Identifier: Apache-2.0
"""The schema of doc/json.md for products, lists, the doctor and failures: members, types, and
values that are known without the library."""

import json
import os
import random
import re

import harness
from harness import INPUT, RESOURCE, data, run
from json_shapes import DESCRIPTION, HEAD, PRODUCT, VERIFY, products_of_square


class Products(harness.ToolTest):
    def check_product(self, command, *arguments):
        report = self.good_json(command, *arguments, "--verify", "--repeat", 4)
        self.check_shape(report, dict(PRODUCT, verify=VERIFY))
        self.assertTrue(report["verify"]["ok"])
        self.assertEqual(report["verify"]["failed"], 0)
        self.assertEqual((report["operation"], report["command"]), (command, command))
        self.assertRegex(report["result"]["checksum"], r"^[0-9a-f]{16}$")
        times = report["seconds"]["execute"]
        self.assertEqual(times["runs"], 4)
        self.assertEqual(report["counters"]["executions"], 4)
        self.assertTrue(0 <= times["q1"] <= times["median"] <= times["q3"])
        self.assertAlmostEqual(
            report["seconds"]["cold"], report["seconds"]["plan"] + times["first"]
        )
        self.assertAlmostEqual(
            report["gflops"] * times["median"] * 1e9, report["flop"], delta=1e-6 * report["flop"]
        )
        return report

    def test_spmv(self):
        report = self.check_product("spmv", data("west0067.mtx.gz"), "--threads", 2)
        self.assertEqual(report["flop"], 2 * 294)
        self.assertEqual(report["bytes"], 294 * 12 + 68 * 4 + 2 * 67 * 8)
        self.assertEqual((report["threads"], report["device"], report["type"]), (2, "cpu", "f64"))
        self.assertEqual(
            (report["result"]["rows"], report["result"]["cols"], report["result"]["nnz"]),
            (67, 1, None),
        )
        self.assertEqual(report["verify"]["compared"], 67)
        report = self.check_product("spmv", data("west0067.mtx.gz"), "--type", "f32", "--beta", 0.5)
        self.assertEqual(report["bytes"], 294 * 8 + 68 * 4 + 3 * 67 * 4)

    def test_spmm(self):
        report = self.check_product("spmm", data("lp_e226.mtx.gz"), "--columns", 5, "--transpose-a")
        self.assertEqual(report["flop"], 2 * 2768 * 5)
        self.assertEqual((report["result"]["rows"], report["result"]["cols"]), (472, 5))
        self.assertEqual((report["columns"], report["transpose_a"]), (5, True))

    def test_spgemm(self):
        for name in ["karate.mtx.gz", "west0067.mtx.gz", "1138_bus.mtx.gz"]:
            rows, cols, entries = harness.read_coordinate(data(name))
            total = harness.summed(entries)
            square = harness.product(total, total)
            report = self.check_product("spgemm", data(name))
            result = report["result"]
            self.assertEqual(
                (result["rows"], result["cols"], result["nnz"]), (rows, cols, len(square))
            )
            self.assertEqual(report["flop"], 2 * products_of_square(entries))
            self.assertAlmostEqual(result["compression"], products_of_square(entries) / len(square))
            self.assertLess(abs(result["norm"] / harness.norm(square.values()) - 1), 1e-12)
            self.assertEqual(report["verify"]["compared"], len(square))
            self.assertEqual(report["features"]["products"], products_of_square(entries))

    def test_steps_cover_all_rows_of_each_phase(self):
        report = self.check_product("spgemm", data("bcsstk16.mtx.gz"))
        counts = {}
        for step in report["chosen"]:
            counts[step["phase"]] = counts.get(step["phase"], 0) + step["row_count"]
        self.assertEqual(counts, {"symbolic": 4884, "numeric": 4884})

    def test_without_verify(self):
        report = self.good_json("spmv", data("cage4.mtx.gz"))
        self.check_shape(report, dict(PRODUCT, verify=None))
        self.assertGreaterEqual(report["seconds"]["execute"]["runs"], 3)

    def test_numbers_that_json_cannot_say_are_null(self):
        report = self.good_json("spmv", data("cage4.mtx.gz"), "--alpha", "nan", "--repeat", 1)
        self.assertIsNone(report["alpha"])
        self.assertIsNone(report["result"]["norm"])
        self.assertNotRegex(
            self.good("spmv", data("cage4.mtx.gz"), "--alpha", "inf", "--repeat", 1, "--json"),
            r"(?i)\b(nan|inf|infinity)\b",
        )

    def test_a_result_without_entries(self):
        path = self.write("a.mtx", harness.coordinate_text(3, 3, [(0, 1, 1)]))
        report = self.check_product("spgemm", path)
        self.assertEqual(
            (report["result"]["nnz"], report["result"]["compression"], report["flop"]), (0, None, 0)
        )


class Others(harness.ToolTest):
    def test_list(self):
        method = {
            "id": str,
            "summary": str,
            "source": str,
            "processor": str,
            "revision": int,
            "deterministic": bool,
            "in_place": bool,
        }
        report = self.good_json("list")
        self.check_shape(report, dict(HEAD, methods=[method]))
        ids = [m["id"] for m in report["methods"]]
        self.assertEqual(len(ids), len(set(ids)))
        for m in report["methods"]:
            self.assertRegex(
                m["id"], r"^(spmv|spmm|spgemm)/(compute|form|symbolic|numeric)/(cpu|gpu)/\w+$"
            )
            self.assertNotIn("", [m["summary"], m["source"]])
            self.assertEqual(m["processor"], m["id"].split("/")[2])
        text = self.good("list")
        for m in report["methods"]:
            self.assertIn(m["id"] + "\n", text)
            self.assertIn(m["source"], text)

    def test_doctor(self):
        processor = {"name": str, "kind": str, "threads": (int, None)}
        driver = {"name": str, "devices": [str], "problem": (str, None)}
        environment = {
            name: (str, None)
            for name in [
                "OMP_NUM_THREADS",
                "OMP_PROC_BIND",
                "OMP_PLACES",
                "OMP_DYNAMIC",
                "OMP_WAIT_POLICY",
                "OMP_THREAD_LIMIT",
            ]
        }
        report = self.good_json("doctor", "--threads", 3)
        self.check_shape(
            report,
            dict(
                HEAD,
                compiler=str,
                processors=[processor],
                processors_online=int,
                libraries=[{"name": str, "purpose": str, "available": bool}],
                drivers=[driver],
                environment=environment,
                methods=int,
                self_test={"run": int, "failed": int},
                remarks=[str],
            ),
        )
        self.assertEqual(report["processors"][0]["threads"], 3)
        self.assertEqual(report["self_test"]["failed"], 0)
        self.assertEqual(report["methods"], len(self.good_json("list")["methods"]))
        self.assertEqual([p["kind"] for p in report["processors"]], ["cpu"])
        self.assertEqual([d["name"] for d in report["drivers"]], ["cuda", "hip", "emu", "emu64"])
        for d in report["drivers"]:
            self.assertTrue(d["devices"] or d["problem"], d)
        self.assertRegex(self.good("doctor"), r"(?m)^emu64 +\d devices")

    def test_threads_that_the_environment_asks_for(self):
        """OpenMP's runtime ignores values that it does not understand, perhaps with a message."""
        source = random.Random()
        most = 8 * os.sysconf("SC_NPROCESSORS_ONLN")
        drawn = [
            str(source.randrange(-(2**33), 2**33)),
            str(source.randrange(1, 100)),
            str(source.randrange(4000, 10**6)),
        ]
        for text in ["", "abc", "0", "-3", "4,2", "4 2", "32768", "4294967295", "9" * 30, *drawn]:
            done = run(
                "spmv",
                data("west0067.mtx.gz"),
                "--json",
                env=dict(harness.environment(), OMP_NUM_THREADS=text),
            )
            self.assertEqual(done.returncode, 0, (text, done.stderr))
            threads = json.loads(done.stdout)["threads"]
            self.assertTrue(1 <= threads <= most, (text, threads))
            if text.isdigit() and 0 < int(text) < 2**31:
                self.assertEqual(threads, min(int(text), most), text)
        done = run("doctor", "--json", env=dict(harness.environment(), OMP_NUM_THREADS="1000000"))
        self.assertRegex(
            " ".join(json.loads(done.stdout)["remarks"]),
            "OMP_NUM_THREADS is 1,000,000, threads used: %d," % most,
        )

    def test_failures_are_objects_too(self):
        for code, arguments in [
            (INPUT, ["info", self.path("missing.mtx")]),
            (RESOURCE, ["spmv", data("cage4.mtx.gz"), "--budget", 10]),
        ]:
            done = run(*arguments, "--json")
            self.assertEqual(done.returncode, code)
            report = json.loads(done.stdout)
            self.check_shape(
                report, dict(HEAD, error={"status": str, "message": str, "detail": str})
            )
            self.assertIn(report["error"]["detail"], done.stderr)

    def test_file_names_that_are_not_text(self):
        name = os.path.join(os.fsencode(self.folder), b"\xff\xc3\xa4.mtx")
        with open(name, "w") as file:
            file.write(harness.coordinate_text(1, 1, [(0, 0, 1)]))
        report = self.good_json("info", os.fsdecode(name))
        self.assertTrue(report["inputs"][0]["file"].endswith("/\ufffd\u00e4.mtx"))

    def test_every_member_is_documented(self):
        with open(os.path.join(harness.SOURCE, "doc", "json.md")) as file:
            known = set(re.findall(r"`([a-z_0-9]+)`", file.read()))
        members = set()

        def collect(shape):
            for key, inner in shape.items() if isinstance(shape, dict) else []:
                members.add(key)
                collect(inner[0] if isinstance(inner, list) else inner)

        for shape in [PRODUCT, DESCRIPTION, {"verify": VERIFY}]:
            collect(shape)
        self.assertEqual(members - known, set())


if __name__ == "__main__":
    harness.main()
