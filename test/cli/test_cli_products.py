# SPDX-License-Identifier: Apache-2.0
"""Results of the tool against products in plain Python."""

import operator
import os

import harness
from harness import data

ROWS, INNER, COLS = 22, 18, 28
UNSUPPORTED = 5
INFINITY = float("inf")
# what adds, what multiplies, what there is without products
SEMIRINGS = {
    "plus_times": (operator.add, operator.mul, 0.0),
    "plus_pair": (operator.add, lambda a, b: 1, 0.0),
    "plus_first": (operator.add, lambda a, b: a, 0.0),
    "plus_second": (operator.add, lambda a, b: b, 0.0),
    "min_plus": (min, operator.add, INFINITY),
    "max_plus": (max, operator.add, -INFINITY),
    "min_second": (min, lambda a, b: b, INFINITY),
    "max_second": (max, lambda a, b: b, -INFINITY),
    "min_times": (min, operator.mul, INFINITY),
    "max_times": (max, operator.mul, -INFINITY),
}


class Written(harness.ToolTest):
    """spgemm -o, read back. The values are small whole numbers and halves: every sum is exact in
    f32, too."""

    def setUp(self):
        super().setUp()
        self.a = harness.random_entries(ROWS, INNER, 90, 1)
        self.b = harness.random_entries(INNER, COLS, 80, 2)
        self.d = harness.random_entries(ROWS, COLS, 60, 3)
        self.files = {
            "a": self.write("a.mtx", harness.coordinate_text(ROWS, INNER, self.a)),
            "b": self.write("b.mtx", harness.coordinate_text(INNER, COLS, self.b)),
            "d": self.write("d.mtx", harness.coordinate_text(ROWS, COLS, self.d)),
            "at": self.write("at.mtx", self.turned(self.a, INNER, ROWS)),
            "bt": self.write("bt.mtx", self.turned(self.b, COLS, INNER)),
        }

    @staticmethod
    def turned(entries, rows, cols):
        return harness.coordinate_text(rows, cols, [(j, i, v) for i, j, v in entries])

    def multiply(self, *arguments, out="c.mtx"):
        path = self.path(out)
        self.good("spgemm", *arguments, "--verify", "--quiet", "--repeat", 2, "-o", path)
        return harness.read_coordinate(path)

    def expected(self, alpha=1.0, beta=0.0, with_d=False):
        c = {
            key: alpha * v
            for key, v in harness.product(harness.summed(self.a), harness.summed(self.b)).items()
        }
        for position, v in harness.summed(self.d).items() if with_d else []:
            c[position] = c.get(position, 0.0) + beta * v
        return c

    def check_result(self, result, expected, is_sorted=True):
        rows, cols, entries = result
        self.assertEqual((rows, cols), (ROWS, COLS))
        positions = [(i, j) for i, j, _ in entries]
        self.assertEqual(len(positions), len(set(positions)), "a position is stored twice")
        if is_sorted:
            self.assertEqual(positions, sorted(positions))
        self.assertEqual({(i, j): v for i, j, v in entries}, expected)

    def test_product(self):
        for extra in [
            [],
            ["--type", "f32"],
            ["--policy", "rules"],
            ["--threads", 3],
            ["--deterministic"],
            ["--check-inputs"],
            ["--budget", "10M"],
            ["--device", "cpu"],
        ]:
            self.check_result(
                self.multiply(self.files["a"], self.files["b"], *extra), self.expected()
            )

    def test_unsorted(self):
        self.check_result(
            self.multiply(self.files["a"], self.files["b"], "--unsorted"), self.expected(), False
        )

    def test_packed(self):
        result = self.multiply(self.files["a"], self.files["b"], out="c.mtx.gz")
        with open(self.path("c.mtx.gz"), "rb") as file:
            self.assertEqual(file.read(2), b"\x1f\x8b")
        self.check_result(result, self.expected())

    def test_scalars_and_addend(self):
        a, b, d = self.files["a"], self.files["b"], self.files["d"]
        self.check_result(self.multiply(a, b, "--alpha", -2), self.expected(alpha=-2))
        self.check_result(self.multiply(a, b, "-D", d), self.expected(1, 1, True))
        self.check_result(
            self.multiply(a, b, "-D", d, "--alpha", 0.5, "--beta", -4), self.expected(0.5, -4, True)
        )
        self.check_result(self.multiply(a, b, "-D", d, "--beta", 0), self.expected(1, 0, True))
        self.check_result(
            self.multiply(a, b, "-D", d, "--alpha", 0, "--beta", 2), self.expected(0, 2, True)
        )

    def test_transposes(self):
        a, b, at, bt, d = (self.files[name] for name in ["a", "b", "at", "bt", "d"])
        self.check_result(self.multiply(at, b, "--transpose-a"), self.expected())
        self.check_result(self.multiply(a, bt, "--transpose-b"), self.expected())
        self.check_result(
            self.multiply(at, bt, "--transpose-a", "--transpose-b", "-D", d),
            self.expected(1, 1, True),
        )

    def test_a_matrix_with_itself(self):
        a, square = harness.summed(self.a), self.path("s.mtx")
        self.good("spgemm", self.files["a"], "--transpose-b", "--verify", "-q", "-o", square)
        _, _, entries = harness.read_coordinate(square)
        self.assertEqual(
            {(i, j): v for i, j, v in entries}, harness.product(a, harness.summed(self.a, True))
        )
        self.good("spgemm", self.files["a"], "--transpose-a", "--verify", "-q", "-o", square)
        _, _, entries = harness.read_coordinate(square)
        self.assertEqual(
            {(i, j): v for i, j, v in entries}, harness.product(harness.summed(self.a, True), a)
        )

    def test_every_method(self):
        """Each position once and in order, as blocks need it."""
        operands = [
            self.write(
                f"{name}.mtx",
                harness.coordinate_text(rows, cols, [(*at, v) for at, v in sorted(once.items())]),
            )
            for name, rows, cols, once in [
                ("once_a", ROWS, INNER, harness.summed(self.a)),
                ("once_b", INNER, COLS, harness.summed(self.b)),
            ]
        ]
        methods = [m["id"] for m in self.good_json("list")["methods"]]
        everywhere = self.write("m.mtx", harness.coordinate_text(ROWS, COLS, self.everywhere()))
        for method in methods:
            if method.startswith("spgemm/") and not method.endswith("/node_blocks"):  # has none
                extra = ["--device", "emu"] if "/gpu/" in method else []
                extra += harness.mask_for(method, everywhere)
                expected = self.expected()
                if "full" in extra:
                    expected = {(i, j): expected.get((i, j), 0.0) for i, j, _ in self.everywhere()}
                self.check_result(self.multiply(*operands, "--method", method, *extra), expected)

    @staticmethod
    def everywhere():
        return [(i, j, 1) for i in range(ROWS) for j in range(COLS)]

    def over(self, name):
        """The product over a semiring; entries of equal positions count one by one."""
        add, multiply, _ = SEMIRINGS[name]
        by_row, c = {}, {}
        for k, j, w in self.b:
            by_row.setdefault(k, []).append((j, w))
        for i, k, v in self.a:
            for j, w in by_row.get(k, []):
                value = multiply(v, w)
                c[i, j] = add(c[i, j], value) if (i, j) in c else value
        return {position: float(value) for position, value in c.items()}

    def test_semirings_and_masks(self):
        a, b, d = self.files["a"], self.files["b"], self.files["d"]
        listed = {(i, j) for i, j, _ in self.d}
        for name in SEMIRINGS:
            c, none = self.over(name), SEMIRINGS[name][2]
            options = [a, b, "--semiring", name]
            self.check_result(self.multiply(*options), c)
            inside = {position: v for position, v in c.items() if position in listed}
            self.check_result(self.multiply(*options, "--mask", d), inside)
            outside = {position: v for position, v in c.items() if position not in listed}
            self.check_result(self.multiply(*options, "--mask", d, "--complement"), outside)
            full = {position: c.get(position, none) for position in listed}
            self.check_result(
                self.multiply(*options, "--mask", d, "--mask-pattern", "full"), full
            )

    def test_explanation_names_mask_and_semiring(self):
        a, b, d = self.files["a"], self.files["b"], self.files["d"]
        for options, line in [
            (["--semiring", "max_times"], "  semiring max_times\n"),
            (["--mask", d], "  semiring plus_times; positions that a mask has\n"),
            (["--mask", d, "--complement"], "plus_times; positions that a mask has not\n"),
            (["--mask", d, "--mask-pattern", "full"], "; all positions of a mask\n"),
        ]:
            self.assertIn(line, self.good("explain", "spgemm", a, b, *options))
        self.assertNotIn("  semiring ", self.good("explain", "spgemm", a, b))

    def test_what_does_not_go_with_masks(self):
        a, b, d = self.files["a"], self.files["b"], self.files["d"]
        for alone in [["--complement"], ["--mask-pattern", "full"]]:
            self.assertRegex(
                self.bad(harness.USAGE, "spgemm", a, b, *alone), alone[0] + ".*--mask FILE"
            )
        self.bad(harness.INPUT, "spgemm", a, b, "--mask", a)
        self.bad(UNSUPPORTED, "spgemm", a, b, "--semiring", "min_plus", "--alpha", 2)
        self.assertIn("min_plus", self.bad(harness.USAGE, "spgemm", a, b, "--semiring", "nosuch"))

    def test_report_names_mask_and_semiring(self):
        a, b, d = self.files["a"], self.files["b"], self.files["d"]
        options = ["spgemm", a, b, "--mask", d, "--semiring", "max_second", "--repeat", 1]
        text = self.good(*options, "--verify")
        self.assertIn("verified:", self.good(*options, "--verify", "--device", "emu"))
        self.assertIn("C = A*B, over max_second, f64", text)
        self.assertRegex(text, r"mask +.*d\.mtx: 22 x 28, 60 entries")
        self.assertIn("verified:", text)
        report = self.good_json(*options, "--complement")
        self.assertEqual((report["semiring"], report["complement"]), ("max_second", True))
        self.assertEqual([i["name"] for i in report["inputs"]], ["A", "B", "mask"])

    def test_old_file_is_replaced(self):
        self.write("c.mtx", "something else")
        self.check_result(self.multiply(self.files["a"], self.files["b"]), self.expected())
        self.assertEqual(
            sorted(os.listdir(self.folder)),
            ["a.mtx", "at.mtx", "b.mtx", "bt.mtx", "c.mtx", "d.mtx"],
        )

    def test_remark(self):
        done = harness.run("spgemm", self.files["a"], self.files["b"], "-o", self.path("c.mtx"))
        self.assertRegex(done.stderr, r"^sparloom: wrote .*c\.mtx: [\d,]+ entries\n$")


class NotANumber(harness.ToolTest):
    def setUp(self):
        super().setUp()
        self.a = self.write(
            "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 nan\n2 2 3\n"
        )
        self.good_a = self.write("g.mtx", harness.coordinate_text(2, 2, [(0, 0, 2), (1, 0, 1)]))

    def test_alpha_zero_reads_no_values(self):
        report = self.good_json("spmv", self.a, "--alpha", 0, "--repeat", 1, "--verify")
        self.assertEqual(report["result"]["norm"], 0)

    def test_beta_zero_overwrites(self):
        """The old result is NaN where beta is 0."""
        for command, extra in [("spmv", []), ("spmm", ["--columns", 4])]:
            report = self.good_json(
                command, data("karate.mtx.gz"), "--beta", 0, "--repeat", 1, *extra
            )
            self.assertIsNotNone(report["result"]["norm"])

    def test_structural_zeros_annihilate(self):
        out = self.path("c.mtx")
        self.good("spgemm", self.good_a, self.a, "--verify", "-q", "-o", out)
        _, _, entries = harness.read_coordinate(out)
        self.assertEqual([(i, j) for i, j, _ in entries], [(0, 0), (1, 0)])
        self.assertTrue(all(v != v for _, _, v in entries))
        self.good("spgemm", self.good_a, "-D", self.a, "--beta", 0, "--verify", "-q", "-o", out)
        _, _, entries = harness.read_coordinate(out)
        self.assertEqual(sorted(entries), [(0, 0, 4.0), (1, 0, 2.0), (1, 1, 0.0)])


class Dense(harness.ToolTest):
    """Norms of y and C, the operands being generated here once more."""

    def expected(self, name, columns, alpha, beta, transposed, seed):
        rows, cols, entries = harness.read_coordinate(data(name))
        rows, cols = (cols, rows) if transposed else (rows, cols)
        x = harness.generated(cols * columns, seed, 0)
        y = [beta * v for v in harness.generated(rows * columns, seed, 1)]
        for i, j, v in entries:
            i, j = (j, i) if transposed else (i, j)
            for k in range(columns):
                y[i * columns + k] += alpha * v * x[j * columns + k]
        return harness.norm(y)

    def test_semirings(self):
        """Every row of this matrix has entries: no result is infinite."""
        rows, _, entries = harness.read_coordinate(data("karate.mtx.gz"))
        x, old = harness.generated(rows, 5, 0), harness.generated(rows, 5, 1)
        for name, (add, multiply, none) in SEMIRINGS.items():
            for beta in [0, 1]:
                y = list(old) if beta else [none] * rows
                for i, j, v in entries:
                    y[i] = add(y[i], multiply(v, x[j]))
                options = ["--semiring", name, "--beta", beta, "--seed", 5, "--verify"]
                report = self.good_json("spmv", data("karate.mtx.gz"), "--repeat", 2, *options)
                self.check_norm(report, harness.norm(y), 1e-12)
                self.assertEqual(report["semiring"], name)
            self.good_json("spmm", data("karate.mtx.gz"), "--columns", 9, *options)

    def check_norm(self, report, expected, bound):
        self.assertLess(abs(report["result"]["norm"] / expected - 1), bound)
        self.assertTrue(report["verify"]["ok"])

    def test_spmv(self):
        for name in [
            "lp_e226.mtx.gz",
            "1138_bus.mtx.gz",
            "A_multigrid.mtx.gz",
            "m_05_05_crk.mtx.gz",
        ]:
            for alpha, beta, transposed, seed in [
                (1, 0, False, 1),
                (-0.5, 2, False, 7),
                (3, 0, True, 8),
                (1, 1, True, 9),
            ]:
                extra = ["--transpose-a"] if transposed else []
                report = self.good_json(
                    "spmv",
                    data(name),
                    "--alpha",
                    alpha,
                    "--beta",
                    beta,
                    "--seed",
                    seed,
                    "--repeat",
                    2,
                    "--verify",
                    *extra,
                )
                self.check_norm(
                    report, self.expected(name, 1, alpha, beta, transposed, seed), 1e-12
                )

    def test_spmm(self):
        for columns in [1, 3, 16, 33]:
            report = self.good_json(
                "spmm",
                data("lp_e226.mtx.gz"),
                "-k",
                columns,
                "--beta",
                -1,
                "--repeat",
                2,
                "--verify",
            )
            self.check_norm(
                report, self.expected("lp_e226.mtx.gz", columns, 1, -1, False, 1), 1e-12
            )
            report = self.good_json(
                "spmm",
                data("lp_e226.mtx.gz"),
                "-k",
                columns,
                "--transpose-a",
                "--type",
                "f32",
                "--repeat",
                2,
                "--verify",
            )
            self.check_norm(report, self.expected("lp_e226.mtx.gz", columns, 1, 0, True, 1), 1e-5)

    def test_halves(self):
        for type_, bound in [("f16", 1e-3), ("bf16", 8e-3)]:
            for command, columns in [("spmv", 1), ("spmm", 9)]:
                extra = ["-k", columns] if command == "spmm" else []
                report = self.good_json(
                    command, data("pubmed.mtx.gz"), "--type", type_, "--verify", "-r", 1, *extra
                )
                self.assertEqual(report["type"], type_)
                self.check_norm(
                    report, self.expected("pubmed.mtx.gz", columns, 1, 0, False, 1), bound
                )
                self.assertIn(
                    f" {type_}, ",
                    self.good("explain", command, data("pubmed.mtx.gz"), "--type", type_, *extra),
                )
            self.assertIn(
                "spl_convert",
                self.bad(UNSUPPORTED, "spgemm", data("cage4.mtx.gz"), "--type", type_),
            )
            copy = self.path("copy.mtx")
            self.good("convert", data("cage4.mtx.gz"), copy, "--type", type_)
            self.assertEqual(len(harness.read_coordinate(copy)[2]), 49)

    def test_integers(self):
        for type_ in ["i32", "i64"]:
            matrix = self.path(f"{type_}.mtx")
            self.good("gen", "rmat:300,2000", "-o", matrix, "--type", type_)
            with open(matrix, encoding="ascii") as file:
                self.assertIn(" integer ", file.readline())
            values = [v for _, _, v in harness.read_coordinate(matrix)[2]]
            self.assertTrue(all(v == int(v) for v in values) and len(set(values)) > 100)
            for command in ["spmv", "spmm", "spgemm"]:
                for semiring in ["plus_times", "min_plus", "or_second"]:
                    options = ["--type", type_, "--semiring", semiring, "--verify", "-r", 1]
                    options += ["-k", 9] if command == "spmm" else []
                    report = self.good_json(command, matrix, *options)
                    self.assertEqual(report["type"], type_)
                    self.assertEqual(report["verify"]["worst_ratio"], 0)
            self.check_refusals(matrix, type_)

    def check_refusals(self, matrix, type_):
        self.assertIn(
            "floating-point",
            self.bad(UNSUPPORTED, "spmv", matrix, "--type", type_, "--semiring", "min_times"),
        )
        self.assertIn(
            f"is not an integer of {type_}",
            self.bad(harness.INPUT, "spmv", data("west0067.mtx.gz"), "--type", type_),
        )
        self.assertIn(
            "is not a whole number",
            self.bad(harness.USAGE, "spmv", matrix, "--type", type_, "--alpha", 0.5),
        )

    def test_every_method(self):
        for method in self.good_json("list")["methods"]:
            operation = method["id"].split("/")[0]
            if operation == "spgemm":
                continue
            columns = 7 if operation == "spmm" else 1
            extra = ["-k", columns] if operation == "spmm" else []
            extra += ["--device", "emu"] if method["processor"] == "gpu" else []
            matrix = harness.matrix_for(method["id"], data("1138_bus.mtx.gz"))
            special = harness.options_for(method["id"])
            report = self.good_json(
                operation, matrix, "--method", method["id"], "--verify", "-r", 1, *extra, *special
            )
            if matrix == data("1138_bus.mtx.gz") and not special:
                self.check_norm(
                    report, self.expected("1138_bus.mtx.gz", columns, 1, 0, False, 1), 1e-12
                )

    def test_seed(self):
        sums = [
            self.good_json("spmv", data("cage4.mtx.gz"), "--seed", s, "-r", 1)["result"]["checksum"]
            for s in [1, 2, 1]
        ]
        self.assertEqual(sums[0], sums[2])
        self.assertNotEqual(sums[0], sums[1])


class SameBits(harness.ToolTest):
    def test_threads_do_not_matter(self):
        for command, extra in [("spmv", []), ("spmm", ["-k", 8]), ("spgemm", ["--deterministic"])]:
            for name in ["bcsstk16.mtx.gz", "p2p-Gnutella31.mtx.gz"]:
                sums = {
                    self.good_json(command, data(name), "-t", t, "-r", 1, *extra)["result"][
                        "checksum"
                    ]
                    for t in [1, 2, 5]
                }
                self.assertEqual(len(sums), 1, (command, name))


class Text(harness.ToolTest):
    def test_verified_line(self):
        text = self.good(
            "spmv", data("west0067.mtx.gz"), "--verify", "--alpha", 2, "--beta", -1, "--transpose-a"
        )
        self.assertRegex(text, r"(?m)^verified: 67 elements, worst error [\d.e-]+ of the bound$")
        self.assertIn("y = 2*A'*x + -1*y", text)

    def test_spgemm_report(self):
        text = self.good("spgemm", data("west0067.mtx.gz"), "--repeat", 2)
        for word in ["plan", "execute", "cold", "speed", "memory", "result", "method"]:
            self.assertRegex(text, r"(?m)^%s " % word)
        self.assertIn("because", text)


if __name__ == "__main__":
    harness.main()
