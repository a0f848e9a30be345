# SPDX-License-Identifier: Apache-2.0
"""README's command lines work as they stand there, after its set-up, which installs all that they
need."""

import os
import random
import re
import shlex
import subprocess
import unittest

import harness
from harness import OK, UNSUPPORTED

SEED = int(os.environ.get("SPARLOOM_SEED", "20261126"))
REQUIRED = os.environ.get("SPARLOOM_REQUIRE", "").split(",")


class Commands(harness.ToolTest):
    def lines(self):
        with open(os.path.join(harness.SOURCE, "README.md")) as file:
            text = file.read()
        block = re.search(r"## From the command line\n+```sh\n(.*?)```", text, re.DOTALL).group(1)
        return [line for line in block.split("\n") if line]

    def missing(self):
        """Optional libraries that this build lacks, and that SPARLOOM_REQUIRE does not name."""
        report = self.good_json("doctor")
        names = [library["name"] for library in report["libraries"] if not library["available"]]
        self.assertFalse(
            [name for name in names if name[3:] in REQUIRED or name in REQUIRED], names
        )
        for name in names:
            self.assertRegex(self.good("doctor"), r"(?m)^%s +missing" % name)
        return names

    @unittest.skipIf(
        os.environ.get("SPARLOOM_SANITIZE"),
        "slow, and the same products are computed with smaller matrices",
    )
    def test_they_run(self):
        os.symlink(os.path.join(harness.SOURCE, "data"), self.path("data"))
        missing, lines = self.missing(), self.lines()
        self.assertGreater(len(lines), 4)
        for line in lines:
            words = shlex.split(line)
            self.assertEqual(words[0], "sparloom")
            done = harness.run(*words[1:], cwd=self.folder)
            if done.returncode == UNSUPPORTED and any(name in done.stderr for name in missing):
                continue
            self.assertEqual(done.returncode, OK, (line, done.stderr))
            for option in ["-o", "--output"]:
                if option in words:
                    self.assertTrue(os.path.exists(self.path(words[words.index(option) + 1])), line)


STUBS = {
    # A compiler that finds a library unless it is in the list of those that are absent, which has
    # lines "-lNAME PACKAGE".
    "cc": 'for word; do ! grep -q -- "^$word " "$ABSENT" || exit 1; done',
    "cmake": "",
    "pkg-config": "",
    "make": "",
    "id": 'echo "$TEST_ID"',
    # Installs the packages that are not refused.
    "apt-get": """echo "$@" >>"$LOG"
case $* in *install*) ;; *) exit 0 ;; esac
for package; do ! grep -qx -- "$package" "$REFUSED" || exit 100; done
for package; do sed -i "/ $package\\$/d" "$ABSENT"; done""",
}
PACKAGES = {
    "z": "zlib1g-dev",
    "cjson": "libcjson-dev",
    "cmocka": "libcmocka-dev",
    "zip": "libzip-dev",
    "cairo": "libcairo2-dev",
}
OPTIONAL = ["zip", "cairo"]


class SetUp(harness.ToolTest):
    """tools/deps.sh, with a system made up of stubs."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        for name, text in STUBS.items():
            self.write("bin/" + name, "#!/bin/sh\n" + text + "\n")
            os.chmod(self.path("bin/" + name), 0o755)

    def run_deps(self, mode, absent, refused=(), user=1000):
        """The finished process, and what apt-get was asked to install."""
        for name, lines in [
            ("absent", ["-l%s %s" % (name, PACKAGES[name]) for name in absent]),
            ("refused", [PACKAGES[name] for name in refused]),
            ("log", []),
        ]:
            self.write(name, "".join(line + "\n" for line in lines))
        environment = dict(
            os.environ,
            PATH=self.path("bin") + ":" + os.environ["PATH"],
            ABSENT=self.path("absent"),
            REFUSED=self.path("refused"),
            LOG=self.path("log"),
            TEST_ID=str(user),
        )
        done = subprocess.run(
            ["sh", os.path.join(harness.SOURCE, "tools", "deps.sh"), mode],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=100,
        )
        with open(self.path("log")) as file:
            return done, file.read()

    def draw(self, source, mode):
        names = [name for name in PACKAGES if name != "cmocka" or mode == "check"]
        return [name for name in names if source.random() < 0.5]

    def test_a_user_gets_the_line_to_type(self):
        for seed in range(SEED, SEED + 6):
            source = random.Random(seed)
            mode = source.choice(["demo", "check"])
            absent = self.draw(source, mode)
            done, installed = self.run_deps(mode, absent)
            self.assertEqual(
                done.returncode,
                1 if set(absent) - set(OPTIONAL) else 0,
                (seed, absent, done.stderr),
            )
            self.assertEqual(installed, "", seed)
            line = done.stderr.split("\n")[0]
            self.assertEqual(line.startswith("sudo apt-get"), bool(absent), (seed, line))
            self.assertEqual(
                sorted(set(line.split()) & set(PACKAGES.values())),
                sorted(PACKAGES[name] for name in absent),
                seed,
            )

    def test_root_gets_what_can_be_installed(self):
        for seed in range(SEED + 10, SEED + 16):
            source = random.Random(seed)
            mode = source.choice(["demo", "check"])
            absent = self.draw(source, mode)
            refused = [name for name in OPTIONAL if source.random() < 0.4]
            done, installed = self.run_deps(mode, absent, refused, user=0)
            self.assertEqual(done.returncode, 0, (seed, absent, refused, done.stderr))
            for name in absent:
                self.assertIn(PACKAGES[name], installed, seed)
            self.assertEqual(
                "going on without" in done.stderr,
                bool(set(absent) & set(refused)),
                (seed, absent, refused),
            )

    def test_what_is_needed_is_needed(self):
        name = random.Random(SEED + 20).choice(["z", "cjson"])
        self.assertNotEqual(
            self.run_deps("demo", [name, "zip"], refused=[name], user=0)[0].returncode, 0
        )


if __name__ == "__main__":
    harness.main()
