# SPDX-License-Identifier: Apache-2.0
"""sparloom explain --json: members, replayed commands, forced methods."""

import shlex

import harness
from harness import data
from json_shapes import NUMBER, PLAN


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


if __name__ == "__main__":
    harness.main()
