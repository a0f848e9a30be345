#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""suite.py [--short] [--ranks N] [--verbose] BUILD [WORD...]: PETSc's own test programs,
unmodified, with every AIJ matrix ours.

BUILD is the folder with libsparloom_petsc.so; programs are compiled and run there. The programs,
their tests and the expected outputs are those of libpetscX.Y-dev-examples. Each test runs as it is
and in the ways of WAYS. It passes if its output is the expected one as PETSc's own petscdiff sees
it (numbers as printed, iteration counts exact); or, where PETSc itself prints something else on
this machine, if ours is the same as that. EXPLAINED lists the lines that may differ, and why.

Matrices that PETSc does not ship (DATAFILESPATH) are replaced by random ones of that kind: the
tests then check what the programs compare inside.

--short  a part, for CI; --ranks N  no more ranks (default 8); WORD: only tests with it in the name
Closes with "N passed, N failed, N skipped".
"""

import argparse
import os
import random
import re
import shlex
import struct
import subprocess
import sys
from pathlib import Path

PROGRAMS = [
    *(f"mat/tests/ex{n}" for n in (62, 93, 94, 96, 111, 122, 209, 258)),
    *(f"ksp/ksp/tutorials/ex{n}" for n in (2, 34, 45, 54, 55, 56)),
    "snes/tutorials/ex19",
]
# Tests of --short: one of each kind of product, rank count and preconditioner.
SHORT = re.compile(
    r"^(mat/tests/ex93_|mat/tests/ex96_1$|mat/tests/ex111_|mat/tests/ex209_|mat/tests/ex258_"
    r"|ksp/ksp/tutorials/ex54_|ksp/ksp/tutorials/ex55_|ksp/ksp/tutorials/ex2_gamg)"
)
WAYS = {  # ours, and what PETSc runs with where its output is not the expected one
    "switch": ("-sparloom", ""),
    "forced": (
        "-sparloom -mat_sparloom_plan_after 0 -mat_sparloom_plan_transposed "
        "-mat_sparloom_backend always",
        "",
    ),
    "named": (
        "-mat_type aijsparloom -dm_mat_type aijsparloom -mat_sparloom_plan_after 0",
        "-mat_type aij -dm_mat_type aij",
    ),
}
EXPLAINED = {
    r"^\s*type: (seq|mpi)aij(sparloom)?\s*$": "the name of the type",
    r"allocated nonzeros=": "what PETSc's algorithms allocate beyond the entries differs by one",
    r"using (non)?scalable MatPtAP": "printed by PETSc's algorithm of that name only",
    r"not using I-node|using I-node|found \d+ nodes": "PETSc says which of its loops it would use",
}
MATRICES = {  # of DATAFILESPATH: rows, longest row, share of empty rows
    "medium": (181, 24, 0),
    "arco1": (1501, 30, 0),
    "matmatmult/A4.BGriffith": (1000, 12, 0.6),
    "tiny": (8, 3, 0),
    "poisson_2d5p": (400, 6, 0),
    "poisson_2d13p": (400, 14, 0),
}


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", **options)


class Petsc:
    """Where PETSc and its examples are, and what it was configured with."""

    def __init__(self):
        version = run(["pkg-config", "--modversion", "petsc"]).stdout.strip()
        self.root = Path("/usr/share/petsc") / ".".join(version.split(".")[:2])
        examples = self.root / "share/petsc/examples"
        self.sources = examples / "src"
        self.config = examples / "config"
        flags = run(["pkg-config", "--cflags", "--libs", "petsc"]).stdout
        self.flags = shlex.split(flags)
        self.have = set()
        for flag in self.flags:
            header = Path(flag[2:]) / "petscconf.h"
            if flag.startswith("-I") and header.exists():
                self.have |= set(re.findall(r"#define (PETSC_\w+)", header.read_text()))
        if not (self.sources / "mat/tests").is_dir():
            sys.exit(f"{self.sources} is missing: install libpetsc*-dev-examples")

    def meets(self, requires):
        """Does this PETSc have what a test requires? PETSc's words, '!' in front for not."""
        for word in requires:
            wanted = not word.startswith("!")
            name = word.lstrip("!").strip("()")
            defined = re.match(r"defined\((\w+)\)?", name)
            if name == "datafilespath":
                has = True
            elif defined:
                has = defined[1] in self.have
            elif name in ("double", "single"):
                has = f"PETSC_USE_REAL_{name.upper()}" in self.have
            elif name in ("complex", "info"):
                has = f"PETSC_USE_{name.upper()}" in self.have
            else:
                has = f"PETSC_HAVE_{name.upper()}" in self.have
            if has != wanted:
                return False
        return True


def words(value):
    if value is None:
        return []
    return [word for part in listed(value) for word in part.split()]


def expand(text):
    """The values of "{{a b}}" and everything around them: each combination."""
    match = re.search(r"\{\{(.*?)\}\}(?:separate output|shared output)?", text)
    if not match:
        return [text]
    return [
        rest
        for choice in match[1].split()
        for rest in expand(text[: match.start()] + choice + text[match.end() :])
    ]


def write_matrix(path, rows, longest, empty, rng):
    """A matrix and a vector in PETSc's binary format."""
    entries = []
    for i in range(rows):
        columns = {i} | {rng.randrange(rows) for _ in range(rng.randrange(1, longest))}
        entries.append([] if rng.random() < empty else sorted(columns))
    columns = [c for row in entries for c in row]
    values = [
        rng.uniform(-1, 1) + (3 if column == i else 0)
        for i, row in enumerate(entries)
        for column in row
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(struct.pack(">4i", 1211216, rows, rows, len(columns)))
        file.write(struct.pack(f">{rows}i", *map(len, entries)))
        file.write(struct.pack(f">{len(columns)}i", *columns))
        file.write(struct.pack(f">{len(values)}d", *values))
        file.write(struct.pack(">2i", 1211214, rows))
        file.write(struct.pack(f">{rows}d", *([1.0] * rows)))


class Suite:
    def __init__(self, build, options):
        self.petsc = Petsc()
        self.build = Path(build).resolve()
        self.work = self.build / "suite"
        self.options = options
        self.counts = {"ok": 0, "FAIL": 0, "skip": 0}
        self.used = 0
        self.like_petsc = 0
        self.work.mkdir(exist_ok=True)
        rng = random.Random(20261127)
        for name, (rows, longest, empty) in MATRICES.items():
            write_matrix(self.work / "data/matrices" / name, rows, longest, empty, rng)
        sys.path.insert(0, str(self.petsc.config))
        import testparse

        self.parse = testparse.parseTestFile

    def say(self, verdict, what, more=""):
        self.counts[verdict] += 1
        if verdict == "FAIL" or self.options.verbose:
            print(f"{verdict:4} {what} {more}".rstrip(), flush=True)

    def compile(self, program):
        target = self.work / program.replace("/", "-")
        source = self.petsc.sources / f"{program}.c"
        if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
            made = run(["mpicc", "-O1", "-o", target, source, *self.petsc.flags, "-lm"])
            if made.returncode:
                sys.exit(f"{program} does not compile:\n{made.stderr}")
        return target

    def start(self, target, ranks, arguments, petsc_options):
        environment = dict(
            os.environ,
            PETSC_OPTIONS=petsc_options,
            OMP_NUM_THREADS="1",
            OMPI_ALLOW_RUN_AS_ROOT="1",
            OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        )
        command = [target, *arguments]
        if ranks > 1:
            mpi = "mpirun --oversubscribe -q --mca mpi_yield_when_idle 1 --mca btl self,vader -n"
            command = [*mpi.split(), str(ranks), *command]
        try:
            done = run(command, env=environment, cwd=self.work, timeout=180)
        except subprocess.TimeoutExpired:
            return "timed out\n"
        end = f"exit status {done.returncode}\n" if done.returncode else ""
        return done.stdout + done.stderr + end

    def differ(self, expected, output, test_filter):
        """What petscdiff finds between two texts; "" if nothing."""
        files = []
        for name, text in (("expected", expected), ("output", output)):
            path = self.work / name
            path.write_text(text)
            if test_filter:
                path.write_text(run(f"{test_filter} < {path}", shell=True).stdout)
            lines = path.read_text().splitlines(keepends=True)
            path.write_text("".join(l for l in lines if not self.explained(l)))
            files.append(path)
        script = self.petsc.root / "lib/petsc/bin/petscdiff"
        found = run(["sh", script, *files], cwd=self.work)
        return (found.stdout + found.stderr) if found.returncode else ""

    @staticmethod
    def explained(line):
        return any(re.search(pattern, line) for pattern in EXPLAINED)

    def counted(self):
        """Calls that ours served in the last run, from the plug-in's own summary."""
        path = self.work / "tally"
        if not path.exists():
            return 0
        counts = dict(re.findall(r"^\s+(\w+)\s+(\d+)", path.read_text(), re.M))
        path.unlink()
        return sum(int(counts.get(name, 0)) for name in ("mult", "dense", "symbolic", "numeric"))

    def check(self, name, target, ranks, arguments, expected, test_filter):
        plain = {}
        for way, (switches, petsc_switches) in WAYS.items():
            if self.options.short and way != "forced":
                continue
            options = f"-dll_append {self.build}/libsparloom_petsc.so {switches}"
            output = self.start(
                target, ranks, arguments, f"{options} -mat_sparloom_view :{self.work}/tally"
            )
            calls = self.counted()
            self.used += calls > 0
            found = self.differ(expected, output, test_filter) if expected else "none shipped"
            if found:
                if petsc_switches not in plain:
                    plain[petsc_switches] = self.start(target, ranks, arguments, petsc_switches)
                theirs = plain[petsc_switches]
                if "Caught signal" in theirs:
                    self.say("skip", f"{name} on {ranks}, {way}: PETSc itself crashes")
                    continue
                if not expected or self.differ(expected, theirs, test_filter):
                    found = self.differ(place_of_error(theirs), place_of_error(output), test_filter)
                    self.like_petsc += 1
            self.say("FAIL" if found else "ok", f"{name} on {ranks}, {way}: {calls} calls")
            if found:
                print("    " + shlex.join(arguments))
                for line in found.splitlines()[:20]:
                    print("    " + line[:160], flush=True)

    def run_test(self, program, name, test):
        title = f"{program}_{name}"
        if self.options.short and not SHORT.search(title):
            return
        if self.options.word and not any(word in title for word in self.options.word):
            return
        if "TODO" in test or "SKIP" in test or not self.petsc.meets(words(test.get("requires"))):
            self.say("skip", title)
            return
        file = test.get("output_file") or f"output/{Path(program).name}_{name}.out"
        path = self.petsc.sources / Path(program).parent / file
        expected = path.read_text() if path.exists() else ""
        arguments = test.get("args", "")
        arguments = " ".join(arguments) if isinstance(arguments, list) else arguments
        arguments = arguments.replace("${DATAFILESPATH}", f"{self.work}/data")
        arguments = arguments.replace("${wPETSC_DIR}", str(self.petsc.root)).split(">")[0]
        for ranks in map(int, expand(str(test.get("nsize", 1)))):
            if ranks > self.options.ranks:
                self.say("skip", f"{title} on {ranks}")
                continue
            for line in expand(arguments):
                self.check(title, self.compile(program), ranks, shlex.split(line), expected,
                           test.get("filter"))

    def run_program(self, program):
        parsed = self.parse(str(self.petsc.sources / f"{program}.c"), 0)
        for tests in parsed.values():
            for test in tests.values():
                if isinstance(test, dict):
                    for name, single in self.flatten(test):
                        self.run_test(program, name, single)

    @staticmethod
    def flatten(test):
        """A test; or, of a set, its tests with what the set says of all."""
        if not test.get("subtests"):
            yield test.get("suffix", "1"), test
            return
        of_all = {k: v for k, v in test.items() if k not in [*test["subtests"], "subtests"]}
        for sub in (test[name] for name in test["subtests"]):
            merged = {**of_all, **sub}
            for key in ("args", "requires"):
                if key in of_all and key in sub:
                    merged[key] = [*listed(of_all[key]), *listed(sub[key])]
            parts = [part["suffix"] for part in (of_all, sub) if "suffix" in part]
            yield "_".join(parts) or "1", merged


def place_of_error(output):
    """Of an error of PETSc's the place where it was found, else the output itself: what follows
    names options and addresses."""
    place = re.search(r"PETSC ERROR: (#1 |Caught signal).*", output)
    return place[0] + "\n" if place else output


def listed(value):
    return value if isinstance(value, list) else [value]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("build")
    parser.add_argument("word", nargs="*")
    options = parser.parse_args()
    suite = Suite(options.build, options)
    for program in PROGRAMS:
        suite.run_program(program)
    counts = suite.counts
    if not suite.used:
        suite.say("FAIL", "no run called Sparloom")
    print(f"{suite.used} of {counts['ok'] + counts['FAIL']} runs called Sparloom")
    print(f"{suite.like_petsc} compared with PETSc's own output here, which is not the shipped one")
    print(f"{counts['ok']} passed, {counts['FAIL']} failed, {counts['skip']} skipped")
    sys.exit(counts["FAIL"] > 0)


if __name__ == "__main__":
    main()
