# SPDX-License-Identifier: Apache-2.0
"""--verify finds wrong results. Faults are put between the tool and the shared library: a
product that writes nothing, one that is slightly wrong, one that fails. What cannot be verified,
or not be decided, is neither right nor wrong."""

import json
import os
import random
import shutil
import subprocess
import unittest

import harness
from harness import INTERNAL, OK, RESOURCE, data

SEED = int(os.environ.get("SPARLOOM_SEED", "20261126"))

COMPILER = shutil.which(os.environ.get("CC", "cc").split()[0])

FAULTS = """
#include <dlfcn.h>
#include <sparloom/sparloom.h>
#include <stdlib.h>

typedef spl_status (*execute_fn)(spl_plan *, const void *, const void *, const void *, void *,
                                 const spl_stream *);

spl_status spl_spmv_execute(spl_plan *plan, const void *alpha, const void *x, const void *beta,
                            void *y, const spl_stream *stream)
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
    done = subprocess.run(
        ["ldd", harness.TOOL],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )
    return "libsparloom" in done.stdout


@unittest.skipUnless(
    COMPILER and is_shared(), "needs a C compiler and a tool that uses the shared library"
)
class Faults(harness.ToolTest):
    def setUp(self):
        super().setUp()
        source, self.faulty = self.write("faults.c", FAULTS), self.path("faults.so")
        include = os.path.join(harness.SOURCE, "include")
        subprocess.run(
            [
                COMPILER,
                "-std=c11",
                "-D_GNU_SOURCE",
                "-I",
                include,
                "-shared",
                "-fPIC",
                "-o",
                self.faulty,
                source,
                "-ldl",
            ],
            check=True,
        )

    def run_with(self, fault, *arguments):
        environment = dict(
            os.environ,
            LD_PRELOAD=self.faulty,
            TEST_FAULT=str(fault),
            ASAN_OPTIONS="verify_asan_link_order=0",
        )
        return harness.run(
            "spmv", data("karate.mtx.gz"), "--repeat", 2, *arguments, env=environment
        )

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


class Undecided(harness.ToolTest):
    def draw_wide(self, source):
        """A, B and C = A*B with few entries, whole numbers, in more columns than memory has room
        for in a row."""
        rows, inner, cols = source.randint(1, 5), source.randint(1, 4), 1 << source.randint(44, 52)
        a = harness.random_entries(rows, inner, source.randint(1, 6), source.random())
        b = [
            (source.randrange(inner), source.randrange(cols), float(source.randint(1, 9)))
            for _ in range(5)
        ]
        files = [
            self.write("a.mtx", harness.coordinate_text(rows, inner, a)),
            self.write("b.mtx", harness.coordinate_text(inner, cols, b)),
        ]
        return files, harness.product(harness.summed(a), harness.summed(b))

    def test_reference_without_memory(self):
        """The result is reported and written all the same."""
        for seed in range(SEED, SEED + 4):
            files, expected = self.draw_wide(random.Random(seed))
            out = self.path("c.mtx")
            line = ["spgemm"] + files + ["-b", "1G", "-r", 1, "-q", "--verify", "-o", out]
            done, as_json = harness.run(*line), harness.run(*line, "--json")
            self.assertEqual(
                (done.returncode, as_json.returncode), (RESOURCE, RESOURCE), (seed, done.stderr)
            )
            for text in [done.stdout, done.stderr]:
                self.assertRegex(text, r"not verified: the reference needs [\d,]+ bytes", seed)
                self.assertNotIn("WRONG", text)
            report = json.loads(as_json.stdout)
            self.assertEqual(
                (
                    report["error"]["status"],
                    report["verify"]["ok"],
                    report["verify"]["failed"],
                    report["verify"]["worst_row"],
                ),
                ("SPL_OUT_OF_MEMORY", None, 0, -1),
                seed,
            )
            self.assertIn(report["verify"]["reason"], report["error"]["detail"])
            self.assertEqual(report["result"]["nnz"], len(expected), seed)
            self.assertEqual(
                {(i, j): v for i, j, v in harness.read_coordinate(out)[2]}, expected, seed
            )

    @unittest.skipIf(
        os.environ.get("SPARLOOM_SANITIZE"), "sanitizers need address space themselves"
    )
    def test_limited_address_space(self):
        """The product of a matrix with few entries fits, a dense row of the reference does not."""
        source = random.Random(SEED)
        cols = source.randint(30, 60) * 10**6
        files = [
            self.write("a.mtx", harness.coordinate_text(1, 1, [(0, 0, 2)])),
            self.write("b.mtx", harness.coordinate_text(1, cols, [(0, source.randrange(cols), 3)])),
        ]
        line = (
            [harness.TOOL, "spgemm"] + files + ["-b", "20M", "-t", "1", "-r", "1", "-q", "--verify"]
        )
        done = subprocess.run(
            ["sh", "-c", 'ulimit -v 1000000; exec "$0" "$@"'] + line,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=100,
        )
        self.assertEqual(done.returncode, RESOURCE, (SEED, done.stderr))
        self.assertRegex(
            done.stdout,
            r"(?m)^result .* 1 entries(.|\n)*^not verified: the reference needs [\d,]+ bytes",
            SEED,
        )

    def test_elements_that_may_overflow(self):
        """Sums that pass the largest number on their way: a right element may be Inf."""
        for seed in range(SEED, SEED + 6):
            source = random.Random(seed)
            terms = [(0, k, source.uniform(1, 1.7) * 1e308) for k in range(2)] + [(0, 3, -1.7e308)]
            rows = terms + [(1, source.randrange(4), 1.0)]
            files = [
                self.write("a.mtx", harness.coordinate_text(2, 4, rows)),
                self.write("b.mtx", harness.coordinate_text(4, 1, [(k, 0, 1) for k in range(4)])),
            ]
            report = self.good_json("spgemm", *files, "-r", 1, "--verify")
            self.assertEqual(
                (report["verify"]["ok"], report["verify"]["compared"], report["verify"]["failed"]),
                (True, 2, 0),
                seed,
            )
            undecided = report["verify"]["undecided"]
            text = self.good("spgemm", *files, "-r", 1, "--verify")
            self.assertIn("verified: %d elements" % (2 - undecided), text, seed)
            self.assertEqual("undecided: %d of 2" % undecided in text, undecided > 0, seed)
            self.assertEqual(undecided, 1 if report["result"]["norm"] is None else 0, seed)


if __name__ == "__main__":
    harness.main()
