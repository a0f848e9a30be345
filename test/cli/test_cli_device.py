# SPDX-License-Identifier: Apache-2.0
"""--device: products on emulated devices, and messages about devices that do not exist."""

import os
import re

import harness
from harness import RESOURCE, UNSUPPORTED, USAGE, data, run

SMALL = data("cage4.mtx.gz")
WIDTHS = [("emu", 32), ("emu64", 64)]


def without_plugins():
    """An environment without plug-ins."""
    return dict(
        harness.environment(), SPARLOOM_PLUGINS=os.path.join(harness.HERE, "no-plug-ins-here")
    )


class Products(harness.ToolTest):
    def check_report(self, device, lanes, *arguments):
        report = self.good_json(*arguments, "--device", device, "--verify", "--repeat", 3)
        self.assertRegex(report["device"], r"\b%d lanes\b" % lanes)
        self.assertTrue(report["verify"]["ok"])
        self.assertGreater(report["verify"]["compared"], 0)
        self.assertGreaterEqual(report["counters"]["launches"], 3)
        self.assertGreaterEqual(report["counters"]["synchronisations"], 3)
        self.assertGreater(report["memory"]["device_peak"], 0)
        self.assertIn("/gpu/", report["chosen"][-1]["method"])
        return report

    def test_spmv_and_spmm(self):
        for device, lanes in WIDTHS:
            for name in ["west0067.mtx.gz", "1138_bus.mtx.gz", "lp_e226.mtx.gz"]:
                for extra in [
                    [],
                    ["--type", "f32", "--beta", 2],
                    ["--transpose-a", "--alpha", 0, "--beta", -1],
                ]:
                    self.check_report(device, lanes, "spmv", data(name), *extra)
                    self.check_report(device, lanes, "spmm", data(name), "-k", 9, *extra)

    def test_policies_and_other_devices_of_the_kind(self):
        for policy in ["cost", "rules"]:
            self.check_report("emu:1", 32, "spmv", SMALL, "--policy", policy)
            self.check_report("emu64:1", 64, "spmm", SMALL, "-k", 2, "--policy", policy)

    def test_spgemm(self):
        methods = self.good_json("list")["methods"]
        if not any(m["id"].startswith("spgemm/numeric/gpu/") for m in methods):
            self.skipTest("no method of spgemm for devices is listed yet")
        for device, lanes in WIDTHS:
            for name in ["west0067.mtx.gz", "1138_bus.mtx.gz"]:
                self.check_report(device, lanes, "spgemm", data(name))
                self.check_report(
                    device,
                    lanes,
                    "spgemm",
                    data(name),
                    "--type",
                    "f32",
                    "--transpose-b",
                    "-D",
                    data(name),
                )

    def test_cpu(self):
        report = self.good_json("spmv", SMALL, "--device", "cpu", "--repeat", 1)
        self.assertEqual((report["device"], report["counters"]["launches"]), ("cpu", 0))
        self.assertEqual(
            (report["memory"]["device_live"], report["memory"]["device_peak"]), (None, None)
        )

    def test_same_bits_on_the_host_of_any_number_of_threads(self):
        for device, _ in WIDTHS:
            sums = {
                self.good_json(
                    "spmv", data("1138_bus.mtx.gz"), "--device", device, "-t", t, "-r", 1
                )["result"]["checksum"]
                for t in [1, 3]
            }
            self.assertEqual(len(sums), 1)

    def test_text_names_the_device_and_the_copies(self):
        text = self.good("spmv", SMALL, "--device", "emu64", "--repeat", 2)
        self.assertRegex(text, r"(?m)^device +.*64 lanes$")
        self.assertRegex(text, r"(?m)^plan .*copies to the device$")
        self.assertRegex(text, r"(?m)^execute .*: the product, with copies to and from the device$")
        self.assertNotIn("device", self.good("spmv", SMALL, "--device", "cpu", "--repeat", 2))

    def test_explain(self):
        report = self.good_json("explain", "spmv", SMALL, "--device", "emu")
        self.assertTrue(all("/gpu/" in c["method"] for c in report["candidates"]))
        self.assertIn("/gpu/", self.good("explain", "spmm", SMALL, "-k", 4, "--device", "emu"))

    def test_budget_holds_on_the_device_too(self):
        """The tool's own dense matrices do not count, their copies on the device do."""
        problem = ["spmm", data("1138_bus.mtx.gz"), "--budget", "14M", "-r", 1]
        self.good_json(*problem, "-k", 1000, "--device", "cpu")
        self.assertIn(
            "budget 14,000,000", self.bad(RESOURCE, *problem, "-k", 1000, "--device", "emu")
        )
        report = self.good_json(*problem, "-k", 3, "--device", "emu")
        self.assertLess(report["memory"]["device_peak"], 14000000)


class Processors(harness.ToolTest):
    """--processors: rows are shared out, and the output lists each processor's part."""

    def test_products(self):
        for arguments in [["spmv", SMALL], ["spmm", SMALL, "-k", 3], ["spgemm", SMALL]]:
            report = self.good_json(
                *arguments, "--processors", "cpu,emu,emu64", "--verify", "--repeat", 2
            )
            self.assertTrue(report["verify"]["ok"])
            self.assertEqual(len(report["parts"]), 3)
            self.assertGreater(report["flop"], 0)
            self.assertEqual(
                sum(part["rows"] for part in report["parts"]), report["inputs"][0]["rows"]
            )
            self.assertEqual(
                self.good_json(*arguments, "--device", "cpu", "--repeat", 1)["parts"], []
            )

    def test_text_and_explanation(self):
        text = run("spmv", SMALL, "--processors", "cpu,emu", "--repeat", 1).stdout
        self.assertRegex(text, r"parts +[0-9,]+ rows: ")
        text = run("explain", "spmv", SMALL, "--processors", "cpu,emu").stdout
        self.assertRegex(text, "shared out among 2 processors by cost")
        self.assertRegex(text, r"part 2: .*emulat.*\n  predicted T_t .*, T_e ")

    def test_wrong_use(self):
        for arguments in [
            ["--processors", "cpu,emu", "--device", "emu"],
            ["--processors", ""],
            ["--processors", "cpu,none"],
        ]:
            self.assertNotEqual(run("spmv", SMALL, *arguments).returncode, 0)


class Choice(harness.ToolTest):
    def test_methods_decide_where_auto_computes(self):
        for device in [[], ["--device", "auto"]]:
            report = self.good_json(
                "spmv", SMALL, "-m", "spmv/compute/cpu/csr_scalar", "-r", 1, *device
            )
            self.assertEqual(report["device"], "cpu")
            message = self.bad(
                UNSUPPORTED,
                "spmv",
                SMALL,
                "-m",
                "spmv/compute/gpu/csr_vector",
                *device,
                env=without_plugins(),
            )
            self.assertIn("cuda", message)

    def test_method_and_device_that_do_not_go_together(self):
        self.assertIn(
            "does not run on",
            self.bad(USAGE, "spmv", SMALL, "-m", "spmv/compute/cpu/csr_scalar", "--device", "emu"),
        )
        self.assertIn(
            "does not run on",
            self.bad(USAGE, "spmv", SMALL, "-m", "spmv/compute/gpu/csr_vector", "--device", "cpu"),
        )

    def test_auto_is_never_an_error(self):
        for extra in [[], ["--device", "auto"]]:
            report = harness.json.loads(
                self.good(
                    "spmv", SMALL, "--json", "--quiet", "-r", 1, *extra, env=without_plugins()
                )
            )
            self.assertEqual(report["device"], "cpu")


class Missing(harness.ToolTest):
    def test_no_gpu(self):
        for device, missing in [
            ("gpu", ["libsparloom-cuda.so", "libsparloom-hip.so"]),
            ("cuda", ["libsparloom-cuda.so"]),
            ("hip:3", ["libsparloom-hip.so"]),
            ("emu64", ["libsparloom-emu64.so"]),
        ]:
            for command in [["spmv", SMALL], ["explain", "spmv", SMALL], ["doctor"]]:
                message = self.bad(UNSUPPORTED, *command, "--device", device, env=without_plugins())
                for file in missing:
                    self.assertIn(file + " is not installed", message)
                self.assertEqual(message.count("\n"), 1)

    def test_no_such_number(self):
        self.assertRegex(
            self.bad(UNSUPPORTED, "spmv", SMALL, "--device", "emu:9"),
            r"emu:9: there are \d devices",
        )

    def test_as_json(self):
        done = run("spmv", SMALL, "--device", "emu:9", "--json")
        self.assertEqual(done.returncode, UNSUPPORTED)
        self.assertEqual(harness.json.loads(done.stdout)["error"]["status"], "SPL_UNSUPPORTED")


class Doctor(harness.ToolTest):
    def test_devices_are_listed(self):
        drivers = {d["name"]: d for d in self.good_json("doctor")["drivers"]}
        for name, lanes in WIDTHS:
            self.assertTrue(drivers[name]["devices"])
            for device in drivers[name]["devices"]:
                self.assertIn("%d lanes" % lanes, device)
            self.assertIsNone(drivers[name]["problem"])
        text = self.good("doctor", env=without_plugins())
        for name in ["cuda", "hip", "emu", "emu64"]:
            self.assertRegex(
                text, r"(?m)^%s +0 devices: .*libsparloom-%s.so is not installed$" % (name, name)
            )

    def test_self_test_runs_on_the_device_too(self):
        has_spgemm = "spgemm/numeric/gpu/" in self.good("list")
        plain = self.good_json("doctor")["self_test"]["run"]
        for device, lanes in WIDTHS:
            done = run("doctor", "--json", "--device", device)
            report = harness.json.loads(done.stdout)
            self.assertEqual([p["kind"] for p in report["processors"]], ["cpu", "emulator"])
            self.assertIn("%d lanes" % lanes, report["processors"][1]["name"])
            self.assertEqual(report["self_test"]["run"], 2 * plain)
            self.assertEqual(report["self_test"]["failed"], 0 if has_spgemm else 2)
            self.assertEqual(done.returncode == 0, has_spgemm)
            self.assertTrue(has_spgemm or re.search("processor 1: spgemm", done.stderr))


if __name__ == "__main__":
    harness.main()
