# SPDX-License-Identifier: Apache-2.0
"""sparloom frontier: products with sparse vectors, against plain Python."""

import unittest

import harness
from harness import INPUT, UNSUPPORTED, USAGE, data


def multiplied(a, x, multiply, add):
    """{(vector, row): value} of y = A*x for each vector, both {(row, column): value}."""
    y = {}
    for (k, j), factor in x.items():
        for (i, column), value in a.items():
            if column != j:
                continue
            term = multiply(value, factor)
            y[k, i] = add(y[k, i], term) if (k, i) in y else term
    return y


SEMIRINGS = {
    "plus_times": (lambda a, b: a * b, lambda a, b: a + b),
    "min_plus": (lambda a, b: a + b, min),
    "max_second": (lambda a, b: b, max),
}


class Frontiers(harness.ToolTest):
    def draw(self, name, rows, cols, count, seed):
        """The path of a matrix without repeated positions, and its entries."""
        total = harness.summed(harness.random_entries(rows, cols, count, seed))
        entries = [(i, j, v) for (i, j), v in total.items()]
        return self.write(name, harness.coordinate_text(rows, cols, entries)), total

    def check(self, expected, rows, cols, *arguments):
        path = self.path("y.mtx")
        report = self.good_json("frontier", *arguments, "-o", path, "-r", 2, "--verify")
        self.assertEqual(report["result"]["nnz"], len(expected))
        self.assertTrue(report["verify"]["ok"])
        self.assertEqual(report["verify"]["compared"], len(expected))
        found = harness.read_coordinate(path)
        self.assertEqual(found[:2], (rows, cols))
        self.assertEqual({(i, j): v for i, j, v in found[2]}, expected)
        return report

    def test_products(self):
        a, of_a = self.draw("a.mtx", 40, 30, 200, 1)
        x, of_x = self.draw("x.mtx", 7, 30, 40, 2)
        wide, of_wide = self.draw("wide.mtx", 5, 40, 20, 3)
        back = {(j, i): v for (i, j), v in of_a.items()}
        for name, (multiply, add) in SEMIRINGS.items():
            expected = multiplied(of_a, of_x, multiply, add)
            report = self.check(expected, 7, 40, a, x, "--semiring", name)
            products = sum(1 for (_, j) in of_x for (_, c) in of_a if c == j)
            self.assertEqual(report["flop"], 2 * products)
            expected = multiplied(back, of_wide, multiply, add)
            self.check(expected, 5, 30, a, wide, "--semiring", name, "--transpose-a")

    def test_masks(self):
        a, of_a = self.draw("a.mtx", 40, 30, 200, 4)
        x, of_x = self.draw("x.mtx", 7, 30, 40, 5)
        mask, of_mask = self.draw("mask.mtx", 7, 40, 90, 6)
        y = multiplied(of_a, of_x, *SEMIRINGS["plus_times"])
        for extra, wanted in [([], True), (["--complement"], False)]:
            expected = {p: v for p, v in y.items() if (p in of_mask) == wanted}
            self.check(expected, 7, 40, a, x, "--mask", mask, *extra)

    def test_one_vector(self):
        for type_ in ["f32", "i64"]:
            report = self.good_json(
                "frontier", data("karate.mtx.gz"), "gen:random:1,34,3", "--type", type_, "--verify"
            )
            self.assertEqual((report["result"]["rows"], report["result"]["cols"]), (1, 34))
            self.assertTrue(report["verify"]["ok"])
            self.assertEqual([i["name"] for i in report["inputs"]], ["A", "X"])
        text = self.good("frontier", data("karate.mtx.gz"), "gen:random:1,34,3", "--transpose-a")
        self.assertIn("Y = X*A,", text)

    def test_mistakes(self):
        small = data("karate.mtx.gz")
        self.assertIn("too few", self.bad(USAGE, "frontier", small))
        self.assertIn("needs a mask", self.bad(USAGE, "frontier", small, small, "--complement"))
        wrong = "gen:random:3,33,2"
        self.assertIn("X is 3 x 33", self.bad(INPUT, "frontier", small, wrong))
        right = "gen:random:3,34,2"
        text = self.bad(INPUT, "frontier", small, right, "--mask", wrong)
        self.assertIn("the mask is 3 x 33, expected 3 x 34", text)
        self.bad(UNSUPPORTED, "frontier", small, right, "--type", "f16")


if __name__ == "__main__":
    unittest.main()
