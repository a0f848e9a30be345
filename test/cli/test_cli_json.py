# SPDX-License-Identifier: Apache-2.0
"""The schema of doc/json.md: members, types, and values that are known without the library."""

import json
import os
import random
import re
import shlex

import harness
from harness import INPUT, RESOURCE, data, run

NUMBER = (float, None)
INPUT_SHAPE = {
    "name": str,
    "file": str,
    "rows": int,
    "cols": int,
    "nnz": int,
    "offset_bits": int,
    "index_bits": int,
    "read_seconds": float,
}
HEAD = {"sparloom": str, "command": str}
STEP = {
    "rows": str,
    "row_count": int,
    "phase": str,
    "method": str,
    "reason": str,
    "seconds": float,
    "bytes": int,
}
CANDIDATE = {
    "step": int,
    "method": str,
    "applicable": bool,
    "chosen": bool,
    "reason": (str, None),
    "seconds": NUMBER,
    "measured": NUMBER,
    "bytes": int,
}
PART = {
    "processor": str,
    "rows": int,
    "work": int,
    "blocks": int,
    "predicted_transfer": float,
    "predicted_execution": float,
    "transfer": float,
    "execution": float,
}
PLAN = dict(
    HEAD,
    operation=str,
    device=str,
    threads=int,
    policy=str,
    type=str,
    transpose_a=bool,
    transpose_b=bool,
    semiring=str,
    complement=bool,
    mask_pattern=str,
    columns=(int, None),
    inputs=[INPUT_SHAPE],
    parts=[PART],
    chosen=[STEP],
    candidates=[CANDIDATE],
    features=dict,
    memory={
        "live": int,
        "peak": int,
        "plan_live": int,
        "plan_peak": int,
        "device_live": (int, None),
        "device_peak": (int, None),
        "budget": (int, None),
    },
    counters={
        "executions": int,
        "allocations": int,
        "launches": int,
        "synchronisations": int,
        "fetched": int,
    },
)
VERIFY = {
    "ok": (bool, None),
    "reason": (str, None),
    "compared": int,
    "failed": int,
    "undecided": int,
    "worst_row": int,
    "worst_col": int,
    "worst_ratio": NUMBER,
}
EXECUTE = {"first": float, "median": float, "q1": float, "q3": float, "runs": int}
PRODUCT = dict(
    PLAN,
    alpha=NUMBER,
    beta=NUMBER,
    seconds={"plan": float, "execute": EXECUTE, "cold": float},
    flop=float,
    gflops=float,
    bytes=NUMBER,
    gbytes_per_second=NUMBER,
    result={
        "rows": int,
        "cols": int,
        "nnz": (int, None),
        "compression": NUMBER,
        "norm": NUMBER,
        "checksum": str,
    },
)
DESCRIPTION = {
    "rows": int,
    "cols": int,
    "nnz": int,
    "density": float,
    "mean_row": float,
    "row_deviation": float,
    "longest_row": int,
    "empty_rows": int,
    "duplicates": int,
    "unsorted_rows": int,
    "pattern_symmetric": bool,
    "value_symmetric": bool,
    "bandwidth": int,
    "products": int,
    "block_size": int,
    "distinct_values": int,
    "value_bytes": float,
    "holed_block_size": int,
    "block_fill": float,
}


STORAGE = dict(
    {name: (int, None) for name in ["coo", "csr", "ell", "rvs", "sliced_ell"]},
    ell_density=float,
    rvs_density=float,
    sliced_ell_density=float,
    ell_compute_density=float,
    rvs_compute_density=float,
)
SET = {"length": int, "rows": int}


def products_of_square(entries):
    lengths = {}
    for i, _, _ in entries:
        lengths[i] = lengths.get(i, 0) + 1
    return sum(lengths.get(j, 0) for _, j, _ in entries)


class Info(harness.ToolTest):
    def test_shape_and_values_of_real_matrices(self):
        for name in ["karate.mtx.gz", "west0067.mtx.gz", "1138_bus.mtx.gz", "m_05_05_crk.mtx.gz"]:
            report = self.good_json("info", data(name))
            self.check_shape(
                report,
                dict(
                    HEAD,
                    inputs=[INPUT_SHAPE],
                    description=DESCRIPTION,
                    storage=STORAGE,
                    distribution=[SET],
                ),
            )
            rows, cols, entries = harness.read_coordinate(data(name))
            about = report["description"]
            self.assertEqual(
                (about["rows"], about["cols"], about["nnz"]), (rows, cols, len(entries))
            )
            self.assertEqual(about["products"], products_of_square(entries), name)
            self.assertEqual(about["bandwidth"], max(abs(i - j) for i, j, _ in entries))
            self.assertAlmostEqual(about["density"], len(entries) / (rows * cols))
            total = harness.summed(entries)
            self.assertEqual(
                about["value_symmetric"], all(total.get((j, i)) == v for (i, j), v in total.items())
            )

    def test_duplicates_empty_rows_and_order(self):
        path = self.write(
            "a.mtx",
            harness.coordinate_text(4, 5, [(0, 3, 1), (0, 1, 2), (2, 2, 1), (2, 2, 5), (2, 2, 1)]),
        )
        about = self.good_json("info", path)["description"]
        self.assertEqual(
            (
                about["duplicates"],
                about["unsorted_rows"],
                about["empty_rows"],
                about["longest_row"],
            ),
            (2, 1, 2, 3),
        )

    def test_unknowns_per_node(self):
        for source, size in [("gen:box2d:9,8,6", 6), ("gen:box2d:9,8,1", 1)]:
            self.assertEqual(self.good_json("info", source)["description"]["block_size"], size)
        self.assertRegex(
            self.good("info", "gen:box2d:9,8,6"),
            r"(?m)^block size +6 +unknowns per node, 72 nodes, ",
        )
        about = self.good_json("info", "gen:box2d:19,18,3,holes=.1")["description"]
        self.assertEqual((about["block_size"], about["holed_block_size"]), (1, 3))
        self.assertAlmostEqual(about["block_fill"], 0.9, delta=0.02)
        self.assertRegex(
            self.good("info", "gen:box2d:19,18,3,holes=.1"),
            r"(?m)^block size +1 +3 unknowns per node if holes are allowed, 342 nodes, blocks "
            r"(89|9[01])[.0-9]* % full",
        )

    def test_values(self):
        for source, distinct, least in [
            ("gen:stencil5:9,9", -1, 8),
            ("gen:stencil5:9,9,values=1", 1, 0),
            ("gen:stencil5:9,9,values=7", 7, 1),
        ]:
            about = self.good_json("info", source)["description"]
            self.assertEqual((about["distinct_values"], about["value_bytes"]), (distinct, least))
        self.assertRegex(
            self.good("info", "gen:stencil5:9,9,values=7"),
            r"(?m)^values +7 +distinct: each fits 1 of its 8 bytes",
        )

    def test_distribution_and_storage(self):
        lengths = [2, 3, 1, 2, 7, 1, 3, 4, 6, 2]  # S2, example 2
        entries = [(i, j, 1) for i, length in enumerate(lengths) for j in range(length)]
        path = self.write("a.mtx", harness.coordinate_text(10, 10, entries))
        report = self.good_json("info", path)
        self.assertEqual(
            [(s["length"], s["rows"]) for s in report["distribution"]],
            [(1, 2), (2, 3), (3, 2), (4, 1), (6, 1), (7, 1)],
        )
        storage = report["storage"]
        self.assertEqual(
            (storage["coo"], storage["csr"], storage["ell"], storage["rvs"]),
            (31 * 16, 31 * 12 + 11 * 4, 70 * 12, 31 * 12 + 10 * 4),
        )
        self.assertAlmostEqual(storage["ell_density"], 31 / 70)
        self.assertEqual(storage["rvs_density"], 1)
        text = self.good("info", path)
        self.assertRegex(text, r"(?m)^ELL +840 B +density 0.4429$")
        self.assertRegex(text, r"(?m)^ +7 +1$")

    def test_long_distribution_is_abbreviated(self):
        entries = [(i, j, 1) for i in range(30) for j in range(i)]
        text = self.good("info", self.write("a.mtx", harness.coordinate_text(30, 30, entries)))
        self.assertRegex(text, r"(?m)^ +10 +1\n +\.\.\.\n +29 +1$")

    def test_matrix_without_elements(self):
        about = self.good_json("info", self.write("a.mtx", harness.coordinate_text(0, 0, [])))[
            "description"
        ]
        self.assertEqual(
            (about["rows"], about["nnz"], about["density"], about["bandwidth"]), (0, 0, 0, -1)
        )

    def test_text_has_thousands_separators(self):
        self.assertRegex(self.good("info", data("pubmed.mtx.gz")), r"(?m)^rows +19,717$")


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


class Explain(harness.ToolTest):
    def check_explained(self, *arguments):
        report = self.good_json("explain", *arguments)
        result = (
            {"rows": int, "cols": int, "nnz": int, "exact": bool} if "spgemm" in arguments else None
        )
        self.check_shape(report, dict(PLAN, seconds={"plan": float}, result=result, replay=str))
        methods = [method["id"] for method in self.good_json("list")["methods"]]
        self.assertGreater(len(report["chosen"]), 0)
        for step in report["chosen"]:
            self.assertIn(step["method"], methods)
        for candidate in report["candidates"]:
            self.assertIn(candidate["method"], methods)
            self.assertIn(candidate["step"], range(len(report["chosen"])))
        chosen = {(c["step"], c["method"]) for c in report["candidates"] if c["chosen"]}
        self.assertTrue(chosen <= {(i, step["method"]) for i, step in enumerate(report["chosen"])})
        for value in report["features"].values():
            self.check_shape(value, NUMBER)
        self.assertEqual(report["counters"]["executions"], 0)
        return report

    def test_operations_and_policies(self):
        for policy in ["cost", "rules"]:
            report = self.check_explained("spmv", data("karate.mtx.gz"), "--policy", policy)
            self.assertEqual(report["policy"], policy)
            self.assertEqual(report["features"]["nnz_a"], 156)
            self.check_explained("spmm", data("karate.mtx.gz"), "--columns", 8, "--policy", policy)
            report = self.check_explained(
                "spgemm", data("karate.mtx.gz"), data("karate.mtx.gz"), "--policy", policy
            )
            self.assertEqual([i["name"] for i in report["inputs"]], ["A", "B"])

    def test_replay_computes_the_same(self):
        strange = self.path("it's a matrix.mtx")
        self.good("convert", data("karate.mtx.gz"), strange, "-q")
        for arguments in [
            ["spmv", strange, "--type", "f32", "--transpose-a"],
            ["spmm", strange, "-k", 5, "--policy", "rules"],
            ["spgemm", strange, "-D", strange, "--unsorted", "--budget", "1G", "--threads", 3],
            ["spgemm", data("bcsstk16.mtx.gz"), "--deterministic"],
            ["spgemm", strange, "--mask", strange, "--complement", "--semiring", "min_plus"],
        ]:
            explained = self.check_explained(*arguments)
            line = self.good("explain", *arguments, "--replay")
            self.assertEqual(line, explained["replay"] + "\n")
            words = shlex.split(line)
            self.assertEqual(words[:2], ["sparloom", arguments[0]])
            again = self.good_json(*words[1:], "--repeat", 1)
            self.assertEqual(
                [(s["phase"], s["method"]) for s in again["chosen"]],
                [(s["phase"], s["method"]) for s in explained["chosen"]],
            )
            for key in [
                "operation",
                "device",
                "threads",
                "type",
                "transpose_a",
                "transpose_b",
                "semiring",
                "complement",
                "columns",
            ]:
                self.assertEqual(again[key], explained[key], key)
            self.assertEqual(
                [i["file"] for i in again["inputs"]], [i["file"] for i in explained["inputs"]]
            )

    def test_exact_number_of_entries(self):
        _, _, entries = harness.read_coordinate(data("west0067.mtx.gz"))
        total = harness.summed(entries)
        report = self.check_explained("spgemm", data("west0067.mtx.gz"))
        if report["result"]["exact"]:
            self.assertEqual(report["result"]["nnz"], len(harness.product(total, total)))
        else:
            self.assertGreaterEqual(report["result"]["nnz"], len(harness.product(total, total)))

    def test_text_names_the_chosen_method(self):
        report = self.check_explained("spmv", data("karate.mtx.gz"))
        text = self.good("explain", "spmv", data("karate.mtx.gz"))
        self.assertIn(report["chosen"][0]["method"], text)
        self.assertIn("karate.mtx.gz: 34 x 34, 156 entries", text)

    def test_method_is_obeyed(self):
        for method in self.good_json("list")["methods"]:
            operation = method["id"].split("/")[0]
            extra = ["--columns", 3] if operation == "spmm" else []
            extra += ["--device", "emu"] if method["processor"] == "gpu" else []
            matrix = harness.matrix_for(method["id"], data("cage4.mtx.gz"))
            extra += harness.options_for(method["id"]) + harness.mask_for(method["id"], matrix)
            report = self.check_explained(operation, matrix, "--method", method["id"], *extra)
            self.assertIn(method["id"], [step["method"] for step in report["chosen"]])


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
