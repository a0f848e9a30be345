# SPDX-License-Identifier: Apache-2.0
"""What the tests of the tool share: running it, small matrices, products in plain Python, shapes
of JSON."""

import gzip
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
TOOL = os.environ.get("SPARLOOM_TOOL", "")
DATA = os.environ.get("SPARLOOM_DATA", os.path.join(SOURCE, "data"))
MALFORMED = os.path.join(
    os.environ.get("SPARLOOM_TEST_DATA", os.path.join(SOURCE, "test", "data")), "malformed"
)

OK, INTERNAL, USAGE, INPUT, RESOURCE, UNSUPPORTED, INTERRUPTED = range(7)


def environment():
    """Sanitizers refuse huge allocations as malloc does: with NULL."""
    extended = dict(os.environ)
    for name in ["ASAN_OPTIONS", "TSAN_OPTIONS"]:
        extended[name] = ":".join(filter(None, [extended.get(name), "allocator_may_return_null=1"]))
    return extended


def run(*arguments, **options):
    """The finished process of the tool, output as text."""
    command = [TOOL] + [str(a) for a in arguments]
    options.setdefault("env", environment())
    return subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        timeout=250,
        **options,
    )


def data(name):
    return os.path.join(DATA, name)


def options_for(method):
    """Options that a method needs: tensor cores round f32."""
    return ["--type", "f32", "--accuracy", "reduced"] if "/tensor" in method else []


def matrix_for(method, otherwise):
    """A matrix that the method serves: some need blocks."""
    blocks = ["spmv/compute/gpu/blocks", "spgemm/form/gpu/node_blocks"]
    return "gen:box2d:5,4,3" if method in blocks else otherwise


def mask_for(method, path):
    """Options for methods that serve masks only, full ones where they must be."""
    if not ("/mask" in method or method.endswith("/dots")):
        return []
    return ["--mask", path] + (["--mask-pattern", "full"] if method.endswith("/mask") else [])


class ToolTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sparloom-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", newline="") as file:
            file.write(text)
        return self.path(name)

    def good(self, *arguments, **options):
        """stdout of a run that must succeed without a word on stderr."""
        done = run(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (OK, ""), arguments)
        return done.stdout

    def good_json(self, *arguments):
        return json.loads(self.good("--json", "--quiet", *arguments))

    def bad(self, code, *arguments, **options):
        """stderr of a run that must fail with the code, a message, and nothing on stdout."""
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, code, (arguments, done.stderr))
        self.assertEqual(done.stdout, "", arguments)
        self.assertRegex(done.stderr, r"^sparloom: .", arguments)
        return done.stderr

    def check_shape(self, value, shape, where="$"):
        """`shape`: a type, a tuple of alternatives, [shape of elements] or {key: shape}, the
        keys being exactly those."""
        if isinstance(shape, dict):
            self.assertIsInstance(value, dict, where)
            self.assertEqual(sorted(value), sorted(shape), where)
            for key in shape:
                self.check_shape(value[key], shape[key], where + "." + key)
        elif isinstance(shape, list):
            self.assertIsInstance(value, list, where)
            for i, element in enumerate(value):
                self.check_shape(element, shape[0], "%s[%d]" % (where, i))
        elif isinstance(shape, tuple):
            self.assertTrue(any(self.fits(value, s) for s in shape), "%s is %r" % (where, value))
        else:
            self.assertTrue(self.fits(value, shape), "%s is %r" % (where, value))

    @staticmethod
    def fits(value, kind):
        if kind is None:
            return value is None
        if kind is float:  # a real number may look like a whole one, but never like a truth value
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        if kind is int:
            return isinstance(value, int) and not isinstance(value, bool)
        return isinstance(value, kind)


# Matrices are dictionaries {(row, column): value} with "shape" kept beside them.


def coordinate_text(rows, cols, entries):
    """`entries`: list of (row, column, value), from 0, duplicates allowed."""
    lines = [
        "%%MatrixMarket matrix coordinate real general",
        "%d %d %d" % (rows, cols, len(entries)),
    ]
    lines += ["%d %d %r" % (i + 1, j + 1, float(v)) for i, j, v in entries]
    return "\n".join(lines) + "\n"


def random_entries(rows, cols, count, seed):
    """Small whole numbers, so that sums are exact; a few positions twice."""
    source = random.Random(seed)
    return [
        (source.randrange(rows), source.randrange(cols), source.choice([-3, -2, -1, 1, 2, 3, 0.5]))
        for _ in range(count)
    ]


def summed(entries, transposed=False):
    total = {}
    for i, j, v in entries:
        position = (j, i) if transposed else (i, j)
        total[position] = total.get(position, 0.0) + v
    return total


def product(a, b):
    by_row = {}
    for (k, j), v in b.items():
        by_row.setdefault(k, []).append((j, v))
    c = {}
    for (i, k), v in a.items():
        for j, w in by_row.get(k, []):
            c[i, j] = c.get((i, j), 0.0) + v * w
    return c


def read_coordinate(path):
    """(rows, cols, list of entries) of a Matrix Market coordinate file, symmetric ones expanded."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as file:
        lines = file.read().split("\n")
    _, _, layout, field, symmetry = lines[0].lower().split()
    assert layout == "coordinate"
    body = [line.split() for line in lines if line.strip() and not line.startswith("%")]
    rows, cols, count = (int(word) for word in body[0])
    entries = []
    for words in body[1:]:
        i, j = int(words[0]) - 1, int(words[1]) - 1
        v = 1.0 if field == "pattern" else float(words[2])
        entries.append((i, j, v))
        if symmetry != "general" and i != j:
            entries.append((j, i, -v if symmetry == "skew-symmetric" else v))
    assert len(body) == count + 1
    return rows, cols, entries


def generated(count, seed, stream):
    """The tool's operands: SplitMix64 as toolkit/typed_array.h describes it."""
    mask = (1 << 64) - 1
    golden = 0x9E3779B97F4A7C15

    def mix(z):
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        return z ^ (z >> 31)

    state = mix((mix((seed + golden) & mask) + stream) & mask)
    values = []
    for _ in range(count):
        state = (state + golden) & mask
        values.append((mix(state) >> 11) / 2.0**52 - 1.0)
    return values


def norm(values):
    return math.sqrt(sum(v * v for v in values))


def main():
    if not TOOL:
        print("SPARLOOM_TOOL is not set")
        sys.exit(77)
    unittest.main()
