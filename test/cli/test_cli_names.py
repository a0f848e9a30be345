# SPDX-License-Identifier: Apache-2.0
"""Names with anything in them, in reports, messages and JSON; files that are links."""

import json
import os
import random
import re
import shutil

import harness
from harness import INPUT, OK, RESOURCE, UNSUPPORTED, USAGE, data
from strange import SEED, StrangeTest, draw_name, shown


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


if __name__ == "__main__":
    harness.main()
