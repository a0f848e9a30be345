# SPDX-License-Identifier: Apache-2.0
"""What a stranger types: names and values with anything in them, files that are none, links,
streams that are closed. All drawn; a failure says the seed. No run may die, call anything an
internal error, end with a code that is not documented, or send a terminal control characters."""

import json
import os
import random
import re
import shutil
import subprocess
import unittest.mock

import harness
from harness import INPUT, INTERNAL, OK, RESOURCE, UNSUPPORTED, USAGE, data

SEED = int(os.environ.get("SPARLOOM_SEED", "20261126"))
NASTY = [
    b"\x1b[31m",
    b"\n",
    b"\t",
    b"\r",
    b"\x07",
    b"\x7f",
    b"\xff",
    b"\xc2\x9b",
    b"\xe2\x82",
    b"\xed\xa0\x80",
]
PLAIN = [
    b"a",
    b"B",
    b"7",
    b" ",
    b"'",
    b'"',
    b"%s",
    b"\\",
    b",",
    b":",
    b"=",
    "ä".encode(),
    "€".encode(),
    b"-",
]


def draw_name(source, ending=b""):
    pieces = [
        source.choice(NASTY if source.random() < 0.5 else PLAIN)
        for _ in range(source.randint(1, 12))
    ]
    return b"x" + b"".join(pieces) + source.choice(NASTY) + ending


def shown(name):
    """As toolkit/shown_text.h says."""
    text = ""
    for character in name.decode(errors="surrogateescape"):
        code = ord(character)
        if 0xDC80 <= code <= 0xDCFF:
            text += "\\x%02x" % (code - 0xDC00)
        elif character in "\a\b\t\n\v\f\r":
            text += "\\" + "abtnvfr"["\a\b\t\n\v\f\r".index(character)]
        elif code < 0x20 or 0x7F <= code < 0xA0:
            text += "".join("\\x%02x" % byte for byte in character.encode())
        else:
            text += character
    return text


class StrangeTest(harness.ToolTest):
    def setUp(self):
        super().setUp()
        self.bytes = os.fsencode(self.folder)

    def run_bytes(self, *arguments, **options):
        options.setdefault("stdout", subprocess.PIPE)
        command = [os.fsencode(harness.TOOL)] + [
            a if isinstance(a, bytes) else os.fsencode(str(a)) for a in arguments
        ]
        done = subprocess.run(
            command,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            timeout=100,
            cwd=self.folder,
            env=harness.environment(),
            **options,
        )
        what = "seed %d: %r: exit code %d, %r" % (SEED, arguments, done.returncode, done.stderr)
        self.assertIn(done.returncode, range(7), what)
        self.assertNotIn(b"internal error", done.stderr, what)
        for stream in [done.stdout or b"", done.stderr]:
            text = stream.decode()  # which must be UTF-8
            self.assertNotRegex(text, "[\0-\x08\x0b-\x1f\x7f-\x9f]", what)
            self.assertTrue("\t" not in text or "--json" in arguments, what)
        self.assertEqual(done.stderr.count(b"\n"), 1 if done.returncode else 0, what)
        self.assertTrue(done.returncode == OK or done.stderr.startswith(b"sparloom: "), what)
        return done


class Names(StrangeTest):
    def test_in_reports(self):
        source = random.Random(SEED)
        for command in [
            ["info"],
            ["spmv", "-r", 1],
            ["spgemm", "-r", 1],
            ["convert"],
            ["plot"],
            ["explain", "spmv"],
            ["partition", "--capabilities", "1,2"],
            ["bench", "--op", "spmv", "--rivals", "none", "--time-limit", 0],
        ]:
            name, out = draw_name(source), draw_name(source)
            shutil.copy(data("cage4.mtx.gz"), os.path.join(self.bytes, name))
            extra = {"convert": [out + b".mtx"], "plot": ["-o", out + b".svg"]}.get(command[0], [])
            done = self.run_bytes(*command, name, *extra)
            self.assertEqual(done.returncode, OK, (SEED, name, done.stderr))
            expected = out + b".svg" if command[0] == "plot" else name
            self.assertIn(shown(expected), done.stdout.decode(), (SEED, name))

    def test_in_messages(self):
        source = random.Random(SEED + 1)
        for command in [
            ["info", "NAME"],
            ["spmv", "NAME"],
            ["spgemm", data("cage4.mtx.gz"), "NAME"],
            ["explain", "spmv", "NAME"],
            ["NAME"],
            ["--NAME"],
            ["spmv", "a.mtx", "--repeat", "NAME"],
            ["spmv", "a.mtx", "--alpha", "NAME"],
            ["spmv", "a.mtx", "--budget", "NAME"],
            ["spmv", "a.mtx", "--policy", "NAME"],
            ["spmv", "a.mtx", "--method", "NAME"],
            ["spmv", "a.mtx", "--device", "NAME"],
            ["bench", "a.mtx", "--op", "NAME"],
            ["explain", "NAME", "a.mtx"],
            ["wisdom", "NAME"],
            ["gen", "NAME", "-o", "a.mtx"],
            ["bench", "compare", "NAME", "NAME"],
            ["info", "gen:NAME"],
            ["convert", data("cage4.mtx.gz"), "no/NAME.mtx"],
            ["plot", "a.mtx", "-o", "NAME"],
        ]:
            name = (
                draw_name(source)
                .replace(b"=", b"")
                .replace(b",", b"")
                .replace(b":", b"")
                .replace(b"x-", b"x")[:30]
            )
            done = self.run_bytes(
                *[os.fsencode(str(word)).replace(b"NAME", name) for word in command]
            )
            self.assertIn(done.returncode, [USAGE, INPUT, RESOURCE, UNSUPPORTED])
            self.assertIn(shown(name)[:12], done.stderr.decode(), (SEED, command, name))

    def test_in_json(self):
        source = random.Random(SEED + 2)
        for i in range(6):
            name = draw_name(source)
            if i % 2:
                shutil.copy(data("cage4.mtx.gz"), os.path.join(self.bytes, name))
            done = self.run_bytes("info", "--json", name)
            report = json.loads(done.stdout.decode())
            self.assertEqual("error" in report, not i % 2)
            if "error" not in report:
                self.assertEqual(
                    report["inputs"][0]["file"].replace("\ufffd", ""),
                    re.sub("[\udc80-\udcff]", "", name.decode(errors="surrogateescape")),
                )

    def test_long_texts_keep_their_reason(self):
        for arguments, reason in [
            (["spmv", "a", "--repeat", "9" * 20000], "is not between"),
            (["spmv", "a", "--alpha", "x" * 20000], "is not a number"),
            (["x" * 20000], "is not a command"),
            (["convert", data("cage4.mtx.gz"), "x" * 3000 + ".mtx"], "File name too long"),
        ]:
            done = self.run_bytes(*arguments)
            self.assertIn(reason, done.stderr.decode())
            self.assertLess(len(done.stderr), 1200)


class Links(StrangeTest):
    def draw_chain(self, source, target):
        """The first of one to four links, relative or whole, in folders or beside each other,
        that lead to `target`."""
        for i in range(source.randint(1, 4)):
            folder = os.path.join(self.folder, source.choice(["", "one", "one/two"]))
            os.makedirs(folder, exist_ok=True)
            link = os.path.join(folder, "link-%d" % source.getrandbits(60))
            os.symlink(target if source.random() < 0.5 else os.path.relpath(target, folder), link)
            target = link
        return target

    def test_target_is_replaced_or_made(self):
        """The library writes matrices, the tool itself the other files."""
        source = random.Random(SEED + 3)
        for i in range(12):
            target = os.path.join(self.folder, source.choice(["", "one/"]) + "target-%d.mtx" % i)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            live = source.random() < 0.4
            if live:
                with open(target, "w") as file:
                    file.write("old")
            link = self.draw_chain(source, target)
            command = (
                ["convert", data("cage4.mtx.gz"), link]
                if i % 2
                else ["partition", data("cage4.mtx.gz"), "--capabilities", "1,2", "-o", link]
            )
            self.assertEqual(self.run_bytes(*command).returncode, OK, (SEED, i, live, link))
            self.assertTrue(os.path.islink(link), (SEED, i))
            with open(target) as file:
                self.assertNotEqual(file.read(), "old", (SEED, i))
            self.assertGreater(os.path.getsize(target), 3, (SEED, i))

    def test_links_that_lead_nowhere(self):
        os.symlink("b", self.path("a"))
        os.symlink("a", self.path("b"))
        os.symlink("no/such/folder.mtx", self.path("c"))
        for name in ["a", "b", "c"]:
            for command in [
                ["convert", "missing.mtx", name],
                ["partition", "missing.mtx", "--capabilities", "1", "-o", name],
            ]:
                self.assertEqual(self.run_bytes(*command).returncode, RESOURCE, (command, name))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a", "b", "c"])


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

    FILES = [
        "good.mtx.gz",
        "good.mtx.gz",
        "good.mtx.gz",
        "gen:box2d:3,3",
        "wide.mtx",
        "wrong.mtx",
        "empty",
        "folder",
        "folder/",
        "missing",
        "",
        "-",
        "dangling",
        "/dev/null",
        "/dev/full",
        "/",
        "x" * 300,
        "good.mtx.gz/x",
        "gen:",
        "gen:box2d",
        "gen:box2d:-1,3",
        b"\xff.mtx",
    ]
    OUTPUTS = [
        "out.mtx",
        "out.npz",
        "out.graph",
        "out.txt",
        "out.csv",
        "out",
        "",
        "folder",
        "/dev/full",
        "no/out.mtx",
        "x" * 300 + ".mtx",
        "pipe",
        "dangling",
        "out.svg",
        "out.png",
        "good.mtx.gz/x.mtx",
        ".",
        "/",
    ]
    VALUES = [
        "0",
        "1",
        "2",
        "-1",
        "",
        "nan",
        "inf",
        "1e999",
        "1,2",
        "1,2,3",
        ",",
        "x",
        "good.mtx.gz",
        "missing",
        "folder",
        "f32",
        "f16",
        "cost",
        "measure",
        "emu",
        "cpu",
        "spmv/compute/cpu/reference",
        "spgemm/numeric/cpu/hash",
        "1K",
        "10M",
        "rows",
        "all",
        "reduced",
    ]
    COMMANDS = [
        ("info", 1),
        ("convert", 2),
        ("plot", 1),
        ("partition", 1),
        ("spmv", 1),
        ("spmm", 1),
        ("spgemm", 2),
        ("frontier", 2),
        ("explain", 2),
        ("wisdom", 2),
        ("list", 0),
        ("doctor", 0),
        ("gen", 2),
        ("bench", 0),
        ("tune", 0),
        ("regret", 0),
        ("nosuch", 1),
    ]
    OPTIONS = [
        "--columns",
        "--alpha",
        "--beta",
        "--transpose-a",
        "--transpose-b",
        "--transpose",
        "--sort",
        "--sum-duplicates",
        "-D",
        "--semiring",
        "--mask",
        "--mask-pattern",
        "--complement",
        "-o",
        "--kind",
        "--partition",
        "--capabilities",
        "--links",
        "--verify",
        "--repeat",
        "--seed",
        "--type",
        "--policy",
        "--wisdom",
        "--method",
        "--deterministic",
        "--accuracy",
        "--unsorted",
        "--replay",
        "--check-inputs",
        "--processors",
        "--threads",
        "--budget",
        "--json",
        "--quiet",
        "--help",
        "--nosuch",
        "-z",
    ]
    FLAGS = [
        "--transpose-a",
        "--transpose-b",
        "--transpose",
        "--sort",
        "--sum-duplicates",
        "--drop-zeros",
        "--complement",
        "--verify",
        "--deterministic",
        "--unsorted",
        "--replay",
        "--check-inputs",
        "--json",
        "--quiet",
        "--help",
        "--nosuch",
        "-z",
    ]

    def draw_line(self, source):
        command, operands = source.choice(self.COMMANDS)
        line = [command]
        count = operands + source.choice([0, 0, 0, 0, -1, 1])
        for i in range(count):
            pool = self.OUTPUTS if command == "convert" and i == 1 else self.FILES
            line.append(
                source.choice(pool)
                if command != "explain" or i
                else source.choice(["spmv", "spmm", "spgemm", "x"])
            )
        for _ in range(source.choice([0, 1, 1, 2, 3])):
            option = source.choice(self.OPTIONS)
            line.append(option)
            if option not in self.FLAGS:
                line.append(
                    source.choice(
                        self.OUTPUTS
                        if option == "-o"
                        else self.FILES
                        if option == "-D"
                        else self.VALUES
                    )
                )
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
