# SPDX-License-Identifier: Apache-2.0
"""The command line itself: help, options that are wrong, and documents that agree with the tool."""

import json
import re

import harness
from harness import INPUT, OK, RESOURCE, UNSUPPORTED, USAGE, data, run

SMALL = data("cage4.mtx.gz")
COMMANDS = [
    "info",
    "convert",
    "plot",
    "partition",
    "spmv",
    "spmm",
    "spgemm",
    "frontier",
    "explain",
    "graph",
    "wisdom",
    "list",
    "doctor",
    "gen",
    "bench",
    "tune",
    "regret",
]


def long_options(text):
    return set(re.findall(r"--([a-z][a-z-]+)", text.replace("\\-", "-")))


class Help(harness.ToolTest):
    def test_help_names_commands_options_and_exit_codes(self):
        text = self.good("--help")
        for command in COMMANDS:
            self.assertRegex(text, r"(?m)^  %s " % command)
        for code in range(7):
            self.assertRegex(text, r"(?m)^  %d  " % code)
        self.assertEqual(text, self.good("-h"))

    def test_help_of_a_command_has_its_options_only(self):
        text = self.good("spmv", "--help")
        self.assertIn("--transpose-a", text)
        self.assertNotIn("--transpose-b", text)
        self.assertNotIn("--output", text)
        for command in COMMANDS:
            self.assertIn("Usage: sparloom %s" % command, self.good("--help", command))

    def test_help_of_graph_has_the_algorithms(self):
        text = self.good("graph", "--help")
        named = self.bad(USAGE, "graph", "frobnicate", SMALL).split(" is none of ")[1]
        self.assertIn("bfs", named)
        for algorithm in named.strip().split(", "):
            self.assertRegex(text, r"(?m)^  %s  +\S" % algorithm)

    def test_lines_fit_a_terminal(self):
        for line in self.good("--help").split("\n"):
            self.assertLess(len(line), 120, line)

    def test_version(self):
        self.assertRegex(self.good("--version"), r"^sparloom \d+\.\d+\.\d+\n$")

    def test_manual_page_and_help_agree(self):
        with open(harness.os.path.join(harness.SOURCE, "doc", "man", "sparloom.1")) as file:
            page = file.read()
        text = self.good("--help")
        self.assertEqual(long_options(text), long_options(page))
        for command in COMMANDS:
            self.assertRegex(page, r"(?m)^\\fBsparloom %s\b" % command)
        for letter in re.findall(r"(?m)^  -(\w), --", text):
            self.assertRegex(page, r"(?m)^\.BR \\-%s " % letter)
        version = self.good("--version").split()[1]
        self.assertIn('"sparloom %s"' % version, page)


class Mistakes(harness.ToolTest):
    def check(self, expected, *arguments):
        self.assertIn(expected, self.bad(USAGE, *arguments))

    def test_commands(self):
        self.check(
            "no command",
        )
        self.check('did you mean "spgemm"', "spgem", SMALL)
        self.check("is not a command", "frobnicate")
        self.check("too few operands", "info")
        self.check("too many operands", "info", SMALL, SMALL)
        self.check("too many operands", "spgemm", SMALL, SMALL, SMALL)
        self.check("too many operands", "spgemm", SMALL, SMALL, SMALL, SMALL)
        message = self.bad(USAGE, "list", SMALL)
        self.assertTrue(message.endswith("usage: sparloom list\n"), message)

    def test_options(self):
        self.check('did you mean "--verify"', "spmv", SMALL, "--verifi")
        self.check("unknown option", "spmv", SMALL, "--frobnicate")
        self.check('unknown option "-z"', "spmv", SMALL, "-z")
        self.check("several options: --delta, --deterministic, --device", "spmv", SMALL, "--de")
        self.check("takes no value", "spmv", SMALL, "--verify=yes")
        self.check("needs a value", "spmv", SMALL, "--repeat")
        self.check("needs a value", "spmv", SMALL, "-r")
        self.check("is empty", "spgemm", SMALL, "-o", "")

    def test_options_of_other_commands(self):
        self.check('--columns does not apply to "spmv"', "spmv", SMALL, "--columns", 3)
        self.check('--output does not apply to "spmv"', "spmv", SMALL, "-o", "y.mtx")
        self.check('--verify does not apply to "info"', "info", SMALL, "--verify")
        self.check('--threads does not apply to "list"', "list", "--threads", 2)
        self.check('--device does not apply to "info"', "info", SMALL, "--device", "cpu")
        self.check('--columns does not apply to "spmv"', "explain", "spmv", SMALL, "--columns", 3)
        self.check('--verify does not apply to "explain"', "explain", "spmv", SMALL, "--verify")

    def test_options_that_need_others(self):
        self.check("spmm needs --columns", "spmm", SMALL)
        self.check("spmm needs --columns", "explain", "spmm", SMALL)
        self.check("--beta needs a matrix", "spgemm", SMALL, "--beta", 2)

    def test_sets(self):
        for command in ["bench", "regret"]:
            message = self.bad(INPUT, command, "nosuch")
            self.assertIn(
                'nosuch: neither a file nor a set; "sparloom %s --help"' % command, message
            )
        self.check('"sparloom gen" lists them', "gen", "nosuch", "-o", "x.mtx")
        for name in ["fresh:5", "small:5"]:  # too small a budget for the first of them
            message = self.bad(RESOURCE, "regret", name, "--budget", 1)
            self.assertIn("the matrices of this run: fresh:5", message)

    def test_explain(self):
        self.check("none of spmv, spmm, spgemm", "explain", "info", SMALL)
        self.check("none of spmv, spmm, spgemm", "explain", SMALL, SMALL)
        self.check("at most 1 files", "explain", "spmv", SMALL, SMALL)
        self.check("too few operands", "explain", "spmv")

    def test_values(self):
        for value in ["0", "-1", "1000001", "99999999999999999999"]:
            self.check("is not between", "spmv", SMALL, "--repeat", value)
        for value in ["three", "3x", "", " 3", "0x10", "1e3"]:
            self.check("is not a whole number", "spmv", SMALL, "--repeat", value)
        for value in ["one", "1x", "", " 1"]:
            self.check("is not a number", "spmv", SMALL, "--alpha", value)
        self.check("out of range", "spmv", SMALL, "--alpha", "1e999")
        self.check("out of range of f32", "spmv", SMALL, "--alpha", "1e300", "--type", "f32")
        self.check("none of f32, f64, f16, bf16", "spmv", SMALL, "--type", "f8")
        self.check("out of range of f32", "spmv", SMALL, "--alpha", "1e300", "--type", "bf16")
        self.check("none of cost, rules, measure", "spmv", SMALL, "--policy", "luck")
        self.check(
            '--device: "abacus" is none of cpu, auto, gpu', "spmv", SMALL, "--device", "abacus"
        )
        self.check('"cpu:1": the CPU has no ordinal', "spmv", SMALL, "--device", "cpu:1")
        self.check("the CPU has no ordinal", "spmv", SMALL, "--processors", "cpu:0,emu")
        self.check("does not go with", "spmv", SMALL, "--processors", "cpu", "--device", "cpu")
        self.check('--device: "emu:" has no ordinal', "spmv", SMALL, "--device", "emu:")
        self.check('--device: "emu,cpu" is more than one', "spmv", SMALL, "--device", "emu,cpu")
        self.check("--device: the value is empty", "doctor", "--device", "")
        for value in ["", "K", "8X", "-1", "1.2.3", "8 G", "inf", "8GGiB", "8kb"]:
            self.check("is not a number of bytes", "spmv", SMALL, "--budget", value)
        for value in ["0", "0.1", "1e", "99999999999T"]:
            message = self.bad(USAGE, "spmv", SMALL, "--budget", value)
            self.assertIn("--budget", message)
        self.check("is not between", "spmm", SMALL, "--columns", 0)
        self.check("is not between", "spmv", SMALL, "--threads", 0)

    def test_methods(self):
        self.check('no method "nosuch"; see "sparloom list"', "spmv", SMALL, "--method", "nosuch")
        self.check(
            'did you mean "spmv/compute/cpu/reference"',
            "spmv",
            SMALL,
            "-m",
            "spmv/compute/cpu/refrence",
        )
        self.check('no method ""', "spmv", SMALL, "-m", "spmv/compute/cpu/reference,")
        self.bad(USAGE, "spmv", SMALL, "--method", "spgemm/numeric/cpu/hash")
        message = self.bad(UNSUPPORTED, "spmv", SMALL, "--semiring", "or_second")
        self.assertIn("A holds f64: the semiring or_second is one of integers", message)

    def test_mistakes_as_json(self):
        done = run("spmv", SMALL, "--json", "--repeat", "x")
        self.assertEqual(done.returncode, USAGE)
        shape = {
            "sparloom": str,
            "command": str,
            "error": {"status": str, "message": str, "detail": str},
        }
        report = json.loads(done.stdout)
        self.check_shape(report, shape)
        self.assertEqual(report["error"]["status"], "SPL_INVALID_ARGUMENT")
        self.assertIn(report["error"]["detail"], done.stderr)
        self.assertIsNone(json.loads(run("--json").stdout)["command"])


class Forms(harness.ToolTest):
    """Ways of writing the same thing."""

    def test_order_does_not_matter(self):
        first = self.good_json("--type", "f32", "info", SMALL)
        self.assertEqual(
            first["description"], self.good_json("info", "--type=f32", "--", SMALL)["description"]
        )

    def test_long_options_can_be_shortened(self):
        self.assertEqual(self.good_json("spmm", SMALL, "--col", 3, "--repe", 1)["columns"], 3)
        self.assertEqual(self.good_json("spmm", SMALL, "-k3", "-r1")["columns"], 3)

    def test_file_names_that_look_like_options(self):
        path = self.write("-v", harness.coordinate_text(1, 1, [(0, 0, 1)]))
        self.assertTrue(path)
        done = run("info", "--quiet", "--", "-v", cwd=self.folder)
        self.assertEqual(done.returncode, OK)
        self.assertTrue(done.stdout.startswith("-v\n"))

    def test_budget_suffixes(self):
        for text, value in [
            ("500000000", 5 * 10**8),
            ("64M", 64 * 10**6),
            ("64MB", 64 * 10**6),
            ("1.5g", 15 * 10**8),
            ("64MiB", 64 << 20),
            ("1Gi", 1 << 30),
            ("70000K", 7 * 10**7),
            ("65536kiB", 64 << 20),
            ("1T", 10**12),
            ("100000000B", 10**8),
        ]:
            report = self.good_json("explain", "spmv", SMALL, "--budget", text)
            self.assertEqual(report["memory"]["budget"], value, text)

    def test_negative_numbers_are_values(self):
        self.assertEqual(self.good_json("spmv", SMALL, "--alpha", "-2", "--repeat", 1)["alpha"], -2)

    def test_quiet_and_verbose(self):
        done = run("spmv", SMALL, "--verbose", "--repeat", 1)
        self.assertIn("read ", done.stderr)
        self.good("spmv", SMALL, "--quiet", "--repeat", 1)


if __name__ == "__main__":
    harness.main()
