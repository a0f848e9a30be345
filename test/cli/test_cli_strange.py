# SPDX-License-Identifier: Apache-2.0
"""What a stranger types: command lines with anything in them, files that are none, streams that
are closed, little memory, many files."""

import json
import os
import random
import shutil
import unittest.mock

import harness
from harness import INTERNAL, OK, RESOURCE, data
from strange import SEED, StrangeTest


class Circumstances(StrangeTest):
    def test_doctor_with_little_memory(self):
        source = random.Random(SEED + 4)
        for budget in [1] + [source.randint(2, 40000) for _ in range(4)]:
            done = self.run_bytes("doctor", "--budget", budget)
            self.assertIn(done.returncode, [OK, RESOURCE], (SEED, budget))
            report = json.loads(
                self.run_bytes("doctor", "--json", "--budget", budget).stdout.decode()
            )
            self.assertEqual("error" in report, done.returncode == RESOURCE, (SEED, budget))
            self.assertEqual(
                report["self_test"]["failed"] > 0, done.returncode == RESOURCE, (SEED, budget)
            )
            if "error" in report:
                self.assertEqual(report["error"]["status"], "SPL_OVER_BUDGET")

    def test_who_has_no_memory(self):
        """A message about a budget names the file, or the phase; a greater budget gets further."""
        source = random.Random(SEED + 6)
        shutil.copy(data("bcsstk16.mtx.gz"), self.path("matrix.mtx.gz"))
        for command in [
            ["info"],
            ["spmv", "-r", 1],
            ["convert"],
            ["spgemm", "-r", 1],
            ["explain", "spmm", "-k", 3],
        ]:
            for _ in range(2):
                out = ["out.mtx"] if command[0] == "convert" else []
                done = self.run_bytes(
                    *command, "matrix.mtx.gz", *out, "-b", source.randint(1, 9 * 10**6)
                )
                if done.returncode:
                    self.assertEqual(done.returncode, RESOURCE, (SEED, command))
                    self.assertRegex(
                        done.stderr.decode(),
                        r"budget does not suffice: (matrix\.mtx\.gz|out\.mtx|the [a-z ]+): ",
                        SEED,
                    )
        self.assertIn(
            b"gen:box2d:99,99: ", self.run_bytes("info", "gen:box2d:99,99", "-b", 1000).stderr
        )

    def test_doctor_escapes_the_environment(self):
        value = b"\x1b[31m\xff"
        with unittest.mock.patch.dict(os.environb, {b"SPARLOOM_\x1b[31m\xff": value}):
            self.assertIn("SPARLOOM_\\x1b[31m\\xff", self.run_bytes("doctor").stdout.decode())
            json.loads(self.run_bytes("doctor", "--json").stdout.decode())

    def test_any_number_of_files(self):
        done = self.run_bytes(
            "bench",
            "--json",
            "--op",
            "spmv",
            "--rivals",
            "none",
            "--time-limit",
            0,
            data("cage4.mtx.gz"),
        )
        names = ["%d.json" % i for i in range(random.Random(SEED + 5).randint(65, 200))]
        for name in names:
            self.write(name, done.stdout.decode())
        self.assertEqual(self.run_bytes("bench", "page", *names, "-o", "page.html").returncode, OK)
        with open(self.path("page.html")) as file:
            self.assertEqual(file.read().count("<h2>"), len(names))


class Anything(StrangeTest):
    """Whole command lines, drawn."""

    def setUp(self):
        super().setUp()
        shutil.copy(data("cage4.mtx.gz"), self.path("good.mtx.gz"))
        self.write("empty", "")
        self.write("wide.mtx", harness.coordinate_text(2, 3, [(0, 0, 1)]))
        self.write("wrong.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 3 1\n")
        os.mkdir(self.path("folder"))
        os.symlink("nowhere", self.path("dangling"))
        os.mkfifo(self.path("pipe"))

    FILES = (
        "good.mtx.gz|good.mtx.gz|good.mtx.gz|gen:box2d:3,3|wide.mtx|wrong.mtx|empty|folder|"
        "folder/|missing||-|dangling|/dev/null|/dev/full|/|good.mtx.gz/x|gen:|gen:box2d|"
        "gen:box2d:-1,3"
    ).split("|") + ["x" * 300, b"\xff.mtx"]
    OUTPUTS = (
        "out.mtx|out.npz|out.graph|out.txt|out.csv|out||folder|/dev/full|no/out.mtx|pipe|"
        "dangling|out.svg|out.png|good.mtx.gz/x.mtx|.|/"
    ).split("|") + ["x" * 300 + ".mtx"]
    VALUES = (
        "0|1|2|-1||nan|inf|1e999|1,2|1,2,3|,|x|good.mtx.gz|missing|folder|f32|f16|cost|measure|"
        "emu|cpu|spmv/compute/cpu/reference|spgemm/numeric/cpu/hash|1K|10M|rows|all|reduced"
    ).split("|")
    # By the number of their operands; graph and explain have a word before the file.
    COMMANDS = {
        0: "list doctor bench tune regret".split(),
        1: "info plot partition spmv spmm nosuch".split(),
        2: "convert spgemm frontier explain wisdom gen graph".split(),
    }
    VALUED = (
        "--columns|--alpha|--beta|-D|--semiring|--mask|--mask-pattern|-o|--kind|--partition|"
        "--capabilities|--links|--repeat|--seed|--type|--policy|--wisdom|--method|--accuracy|"
        "--processors|--threads|--budget|--source|--delta|--damping|--tolerance|--steps|"
        "--samples|--truss|--nosuch"
    ).split("|")
    FLAGS = (
        "--transpose-a|--transpose-b|--transpose|--sort|--sum-duplicates|--drop-zeros|"
        "--complement|--undirected|--verify|--deterministic|--unsorted|--replay|"
        "--check-inputs|--json|--quiet|--help|--nosuch|-z"
    ).split("|")
    FIRST = {
        "explain": ["spmv", "spmm", "spgemm", "x"],
        "graph": (
            "bfs multi-bfs components pagerank sssp betweenness triangles truss "
            "independent-set colouring x"
        ).split(),
    }

    def draw_line(self, source):
        operands, command = source.choice(
            [(number, name) for number, names in self.COMMANDS.items() for name in names]
        )
        line = [command]
        count = operands + source.choice([0, 0, 0, 0, -1, 1])
        for i in range(count):
            pool = self.OUTPUTS if command == "convert" and i == 1 else self.FILES
            line.append(source.choice(pool if i else self.FIRST.get(command, pool)))
        for _ in range(source.choice([0, 1, 1, 2, 3])):
            option = source.choice(self.VALUED + self.FLAGS)
            line.append(option)
            if option in self.VALUED:
                pool = {"-o": self.OUTPUTS, "-D": self.FILES}.get(option, self.VALUES)
                line.append(source.choice(pool))
        return line

    def test_whatever_is_typed(self):
        for number in range(60):
            source = random.Random(SEED + 100 + number)
            self.run_line(source)

    def run_line(self, source):
        line = self.draw_line(source)
        stdout = source.choice([None, None, None, "/dev/full", "closed"])
        options = {}
        if stdout == "closed":
            reading, writing = os.pipe()
            os.close(reading)
            options["stdout"] = writing
        elif stdout:
            options["stdout"] = os.open(stdout, os.O_WRONLY)
        try:
            done = self.run_bytes(*line, **options)
        finally:
            if options:
                os.close(options["stdout"])
        self.assertNotEqual(done.returncode, INTERNAL, (SEED, line, done.stderr))
        if stdout:
            self.assertNotEqual(done.returncode, OK, (SEED, line))
        self.assertFalse(
            [name for name in os.listdir(self.folder) if name.endswith(".tmp")], (SEED, line)
        )


if __name__ == "__main__":
    harness.main()
