# SPDX-License-Identifier: Apache-2.0
"""sparloom info --json: members, and values that are known without the library."""

import harness
from harness import data
from json_shapes import DESCRIPTION, HEAD, INPUT_SHAPE, SET, STORAGE, products_of_square


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


if __name__ == "__main__":
    harness.main()
