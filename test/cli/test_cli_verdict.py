# SPDX-License-Identifier: Apache-2.0
"""--verify finds wrong results. Faults are put between the tool and the shared library: a product that writes nothing, one that
is slightly wrong, one that fails."""

import json
import os
import shutil
import subprocess
import unittest

import harness
from harness import INTERNAL, RESOURCE, data

COMPILER = shutil.which(os.environ.get("CC", "cc").split()[0])

FAULTS = """
#include <dlfcn.h>
#include <sparloom/sparloom.h>
#include <stdlib.h>

typedef spl_status (*execute_fn)(spl_plan *, const void *, const void *, const void *, void *, const spl_stream *);

spl_status spl_spmv_execute(spl_plan *plan, const void *alpha, const void *x, const void *beta, void *y,
                            const spl_stream *stream)
{
    int fault = atoi(getenv("TEST_FAULT"));
    if (fault == 0)
        return SPL_OK;
    if (fault == 1)
        return SPL_OUT_OF_MEMORY;
    execute_fn real = (execute_fn)dlsym(RTLD_NEXT, "spl_spmv_execute");
    spl_status status = real(plan, alpha, x, beta, y, stream);
    ((double *)y)[3] *= 1 + 1e-9;
    return status;
}
"""


def is_shared():
    if not harness.TOOL or not shutil.which("ldd"):
        return False
    done = subprocess.run(["ldd", harness.TOOL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    return "libsparloom" in done.stdout


@unittest.skipUnless(COMPILER and is_shared(), "needs a C compiler and a tool that uses the shared library")
class Faults(harness.ToolTest):
    def setUp(self):
        super().setUp()
        source, self.faulty = self.write("faults.c", FAULTS), self.path("faults.so")
        include = os.path.join(harness.SOURCE, "include")
        subprocess.run([COMPILER, "-std=c11", "-D_GNU_SOURCE", "-I", include, "-shared", "-fPIC", "-o", self.faulty, source,
                        "-ldl"], check=True)

    def run_with(self, fault, *arguments):
        environment = dict(os.environ, LD_PRELOAD=self.faulty, TEST_FAULT=str(fault), ASAN_OPTIONS="verify_asan_link_order=0")
        return harness.run("spmv", data("karate.mtx.gz"), "--repeat", 2, *arguments, env=environment)

    def test_result_that_is_not_written(self):
        done = self.run_with(0, "--verify")
        self.assertEqual(done.returncode, INTERNAL)
        self.assertIn("34 of 34 elements", done.stderr)
        self.assertRegex(done.stdout, r"(?m)^WRONG: ")

    def test_wrong_element(self):
        done = self.run_with(2, "--verify", "--json")
        self.assertEqual(done.returncode, INTERNAL)
        report = json.loads(done.stdout)
        self.assertEqual(report["error"]["status"], "SPL_INTERNAL")
        verify = report["verify"]
        self.assertEqual((verify["ok"], verify["compared"], verify["failed"]), (False, 34, 1))
        self.assertEqual((verify["worst_row"], verify["worst_col"]), (3, 0))
        self.assertGreater(verify["worst_ratio"], 1)
        self.assertEqual(self.run_with(2).returncode, 0)

    def test_failure(self):
        done = self.run_with(1, "--verify", "--json")
        self.assertEqual(done.returncode, RESOURCE)
        self.assertEqual(json.loads(done.stdout)["error"]["status"], "SPL_OUT_OF_MEMORY")


if __name__ == "__main__":
    harness.main()
