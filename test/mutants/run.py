#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants the faults of mutants.py, one at a time, in a copy of the tree: the named tests must fail.

usage: run.py [-j N] [--keep] [--share N] [WORD...]     only mutants whose description has one of
the words
       run.py --petsc BUILD [--share N] [WORD...]       those of the PETSc plug-in, with the library
       of the finished build BUILD
       run.py --stale                                   plants none: names those that cannot be
       planted (lint.sh)

--share N plants every N-th of them, from one on that the commit chooses, so that N commits plant
about all.

Ends with "N killed, N survived, N stale"; exits 1 if any survived, or is stale: its text no
longer stands once in its file."""

import argparse
import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mutants import MUTANTS  # noqa: E402
from mutants_petsc import COMMANDS, PETSC  # noqa: E402
from mutants_wide import WIDE  # noqa: E402

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 2  # a mutant that takes so many times as long as the test without it hangs,
GRACE = 5  # but for these seconds
TRIES = 3  # runs of its tests that a fault has to survive: they draw cases and meet schedules
IGNORED = shutil.ignore_patterns(".git", "build", "__pycache__")


def target_of(test):
    """The target to build for a test of test/CMakeLists.txt: its program, or the tool for a test
    in Python."""
    name = test.split("@")[0]
    return (
        "sparloom-tool"
        if os.path.exists(os.path.join(SOURCE, "test", name + ".py"))
        else name.replace("/", "-")
    )


class Tree:
    """A copy of the sources and its build folder."""

    parts = ("",)
    flags = "-O1"

    def __init__(self, folder, arguments):
        self.root, self.build, self.jobs = (
            os.path.join(folder, "tree"),
            os.path.join(folder, "build"),
            arguments.j,
        )
        for part in self.parts:
            shutil.copytree(
                os.path.join(SOURCE, part), os.path.join(self.root, part), ignore=IGNORED
            )
        self.configure()
        self.seconds = {}  # of tests without a mutant

    def configure(self):
        self.run(
            "cmake",
            "-S",
            self.root,
            "-B",
            self.build,
            "-DCMAKE_BUILD_TYPE=Debug",
            "-DCMAKE_C_FLAGS_DEBUG=" + self.flags,
            "-DBUILD_SHARED_LIBS=OFF",
            "-DSPARLOOM_VARIANTS=OFF",
        )

    @staticmethod
    def missing():
        """What there is not that it needs, or nothing."""
        return ""

    def run(self, *command, check=True):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if check and done.returncode != 0:
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}")
        return done

    def compile(self, tests, check=True):
        targets = sorted({target_of(test) for test in tests})
        return self.run(
            "cmake", "--build", self.build, "-j", str(self.jobs), "--target", *targets, check=check
        )

    def command(self, test):
        return ["ctest", "--test-dir", self.build, "-R", f"^{test}$", "--no-tests=error"]

    def passes(self, test):
        """Whether the test passes, in time if its time is known."""
        limit = PATIENCE * self.seconds[test] + GRACE if test in self.seconds else None
        done = subprocess.Popen(
            self.command(test),
            cwd=self.build,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return done.wait(limit) == 0
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGKILL)
            done.wait()
            return False

    def learn(self, test):
        """How long the test takes without a mutant; returns what is wrong, or nothing."""
        start = time.monotonic()
        if not self.passes(test):
            return f"{test} fails without any mutant"
        self.seconds[test] = time.monotonic() - start
        return ""


class WideTree(Tree):
    """The same, built for processors with AVX-512."""

    flags = "-O1 -march=x86-64-v4"

    @staticmethod
    def missing():
        native = subprocess.run(
            ["cc", "-march=native", "-dM", "-E", "-x", "c", "/dev/null"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return "" if "__AVX512VL__" in native.stdout else "AVX-512"


class PetscTree(Tree):
    """The same of the PETSc plug-in, which takes a finished library. Its tests are commands."""

    parts = ("petsc", "include")

    def __init__(self, folder, arguments):
        self.built = os.path.abspath(arguments.petsc)
        os.environ["SPARLOOM_PLUGINS"] = self.built  # emulated devices
        super().__init__(folder, arguments)

    def configure(self):
        self.run(
            "cmake",
            "-S",
            os.path.join(self.root, "petsc"),
            "-B",
            self.build,
            "-DCMAKE_BUILD_TYPE=Debug",
            "-DSPARLOOM_BUILD=" + self.built,
        )

    def compile(self, tests, check=True):
        targets = ["sparloom_petsc", *sorted({COMMANDS[test].target for test in tests})]
        return self.run(
            "cmake", "--build", self.build, "-j", str(self.jobs), "--target", *targets, check=check
        )

    def command(self, test):
        return COMMANDS[test].words


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def stale(root, mutant):
    """Why the mutant cannot be planted, or nothing."""
    _, file, old, _, _ = mutant
    path = os.path.join(root, file)
    if not os.path.exists(path):
        return f"stale: there is no {file}"
    count = read(path).count(old)
    return "" if count == 1 else f"stale: its text stands {count} times in {file}"


def try_mutant(tree, mutant):
    """ "killed", "survived", or "stale" with a reason."""
    _, file, old, new, tests = mutant
    if stale(tree.root, mutant):
        return stale(tree.root, mutant)
    path = os.path.join(tree.root, file)
    original = read(path)
    write(path, original.replace(old, new))
    try:
        built = tree.compile(tests, check=False)
        if built.returncode != 0:
            return "stale: it does not compile\n" + built.stdout[-2000:]
        survived = all(tree.passes(test) for _ in range(TRIES) for test in tests)
        return "survived" if survived else "killed"
    finally:
        write(path, original)


def share_of(mutants, count):
    """Every count-th mutant; the commit decides where to begin."""
    commit = subprocess.run(
        ["git", "-C", SOURCE, "rev-parse", "HEAD"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ).stdout.strip()
    return mutants[int(commit or "0", 16) % count :: count]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, help="jobs of the build")
    parser.add_argument("--keep", action="store_true", help="keep the copy of the tree")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="plant every N-th")
    parser.add_argument(
        "--stale", action="store_true", help="name what cannot be planted, plant none"
    )
    parser.add_argument(
        "--petsc", metavar="BUILD", help="those of the PETSc plug-in, with the library in BUILD"
    )
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    library = [(m, Tree) for m in MUTANTS] + [(m, WideTree) for m in WIDE]
    plugin = [(m, PetscTree) for m in PETSC]
    mutants = library + plugin if arguments.stale else plugin if arguments.petsc else library
    words = arguments.words
    chosen = [pair for pair in mutants if not words or any(word in pair[0][0] for word in words)]
    if arguments.stale:
        return name_stale([mutant for mutant, _ in chosen])
    chosen = share_of(chosen, arguments.share)
    verdicts = []
    for kind in [Tree, WideTree, PetscTree]:
        verdicts += plant([mutant for mutant, own in chosen if own is kind], kind, arguments)
    names = ["killed", "survived", "stale"] + ["skipped"] * ("skipped" in verdicts)
    print(", ".join(f"{verdicts.count(name)} {name}" for name in names))
    found = verdicts.count("killed") + verdicts.count("skipped")
    return 0 if found == len(chosen) and chosen else 1


def name_stale(chosen):
    found = [(what, why) for what, why in ((m[0], stale(SOURCE, m)) for m in chosen) if why]
    for what, why in found:
        print(f'test/mutants/mutants.py: "{what}" is {why}')
    return 1 if found else 0


def plant(chosen, kind, arguments):
    """Their verdicts, in a tree of that kind."""
    if not chosen:
        return []
    if kind.missing():
        for mutant in chosen:
            print(f"skipped, no {kind.missing()}: {mutant[0]}")
        return ["skipped"] * len(chosen)
    folder = tempfile.mkdtemp(prefix="sparloom-mutants-")
    try:
        return run_all(kind(folder, arguments), chosen)
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)


def run_all(tree, chosen):
    tests = sorted({test for mutant in chosen for test in mutant[4]})
    tree.compile(tests)
    with concurrent.futures.ThreadPoolExecutor(tree.jobs) as pool:
        for failure in pool.map(tree.learn, tests):
            if failure:
                sys.exit(failure)
    verdicts = []
    for mutant in chosen:
        start = time.monotonic()
        verdict = try_mutant(tree, mutant)
        verdicts.append(verdict.split(":")[0])
        print(f"{verdict:10} {time.monotonic() - start:5.1f} s  {mutant[0]}", flush=True)
    return verdicts


if __name__ == "__main__":
    sys.exit(main())
