# SPDX-License-Identifier: Apache-2.0
"""Runs SciPy's own tests of sparse matrices twice, without Sparloom and with it, and compares.

    python scipy_suite.py            all tests of scipy.sparse: some minutes
    python scipy_suite.py --short    those that multiply most: under a minute

With it means that every product which Sparloom can compute is computed by it, however small. The
comparison is of each test's outcome: passed, failed, skipped, xfailed, xpassed. Exit status 1 if
any differs, or if nothing was computed.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

SHORT_FILES = ("test_base.py", "test_csr.py", "test_csc.py", "test_coo.py")
SHORT_WORDS = "matmul or matvec or mul or dot or power or rmatvec or sum"


class Recorder:
    """A pytest plugin: outcomes of all tests, under accelerate() or not."""

    def __init__(self, accelerated):
        self.outcomes = {}
        self.reasons = {}
        self.products = {}
        self._context = None
        if accelerated:
            import sparloom.scipy

            self._context = sparloom.scipy.accelerate(minimum_work=0)
            self._statistics = self._context.__enter__()

    def pytest_runtest_logreport(self, report):
        outcome = report.outcome
        if hasattr(report, "wasxfail"):
            outcome = "xfailed" if report.skipped else "xpassed"
        if report.when == "call" or outcome != "passed":
            self.outcomes[report.nodeid] = outcome
        if report.failed:
            self.reasons[report.nodeid] = report.longreprtext[-2000:]

    def finish(self):
        if self._context:
            self._context.__exit__(None, None, None)
            names = ("computed", "delegated", "seconds")
            self.products = {name: getattr(self._statistics, name) for name in names}


def selection(short):
    if not short:
        return ["--pyargs", "scipy.sparse"]
    import scipy.sparse

    folder = os.path.join(os.path.dirname(scipy.sparse.__file__), "tests")
    return [*(os.path.join(folder, name) for name in SHORT_FILES), "-k", SHORT_WORDS]


def run_here(accelerated, short, path):
    """One run of the tests, in a process of its own. Writes a summary to `path`."""
    import pytest

    recorder = Recorder(accelerated)
    arguments = ["-q", "--no-header", "--tb=short", "--show-capture=no", "-p", "no:cacheprovider"]
    pytest.main([*arguments, "-W", "ignore", *selection(short)], plugins=[recorder])
    recorder.finish()
    with open(path, "w", encoding="utf-8") as file:
        json.dump([recorder.outcomes, recorder.reasons, recorder.products], file)


def run(accelerated, short):
    """(outcomes, reasons of failures, counts of products) of one run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        command = [sys.executable, __file__, "--into", path]
        command += ["--accelerated"] * accelerated + ["--short"] * short
        log = os.path.join(folder, "log")
        with open(log, "w", encoding="utf-8") as file:
            status = subprocess.call(command, stdout=file, stderr=subprocess.STDOUT, cwd=folder)
        if status or not os.path.exists(path):
            with open(log, encoding="utf-8") as file:
                print("".join(file.readlines()[-50:]))
            raise SystemExit(f"the tests ended with status {status}")
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def summary(outcomes):
    counts = collections.Counter(outcomes.values())
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "no tests"


def compare(short):
    plain, _, _ = run(False, short)
    print("without:", summary(plain), flush=True)
    ours, reasons, products = run(True, short)
    print("with:   ", summary(ours))
    print(
        f"products: {products['computed']} computed in {products['seconds']:.2f} s, "
        f"{products['delegated']} handed to SciPy"
    )
    different = [test for test in sorted(plain | ours) if plain.get(test) != ours.get(test)]
    for test in different:
        print(f"{test}: {plain.get(test)} without, {ours.get(test)} with")
        print(reasons.get(test, ""))
    print(f"{len(different)} outcomes differ")
    return 1 if different or not plain or not products["computed"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--short", action="store_true", help="some tests only")
    parser.add_argument("--accelerated", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--into", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.into:
        run_here(options.accelerated, options.short, options.into)
        return 0
    return compare(options.short)


if __name__ == "__main__":
    sys.exit(main())
