# SPDX-License-Identifier: Apache-2.0
"""Signals and terminals."""

import os
import signal
import subprocess
import threading

import harness
from harness import INTERRUPTED, data


class Signals(harness.ToolTest):
    def interrupted(self, number):
        """A run that would take minutes, ended by a signal once it has read its input."""
        command = [
            harness.TOOL,
            "spmv",
            data("bcsstk16.mtx.gz"),
            "--repeat",
            "1000000",
            "--verbose",
            "--json",
        ]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True
        )
        line = process.stderr.readline()
        self.assertIn("read ", line)
        process.send_signal(number)
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, INTERRUPTED, err)
        self.assertIn("sparloom: ", err)
        self.assertIn('"SPL_CANCELLED"', out)

    def test_interrupt(self):
        self.interrupted(signal.SIGINT)

    def test_terminate(self):
        self.interrupted(signal.SIGTERM)


class Terminal(harness.ToolTest):
    def on_terminal(self, *arguments):
        """What the tool writes to stderr if that is a terminal."""
        import pty

        master, slave = pty.openpty()
        pieces = []

        def collect():
            try:
                while True:
                    piece = os.read(master, 4096)
                    if not piece:
                        break
                    pieces.append(piece)
            except OSError:
                pass

        reader = threading.Thread(target=collect)
        reader.start()
        done = subprocess.run(
            [harness.TOOL] + list(arguments), stdout=subprocess.PIPE, stderr=slave, timeout=200
        )
        os.close(slave)
        reader.join()
        os.close(master)
        self.assertEqual(done.returncode, 0)
        return b"".join(pieces).decode()

    def test_short_work_shows_no_bar(self):
        self.assertEqual(self.on_terminal("spmv", data("cage4.mtx.gz")), "")

    def test_bar_is_taken_away(self):
        """How long reading takes depends on the machine: if a bar is drawn, it must end with an
        empty line."""
        count = 300000
        path = self.path("large.mtx")
        with open(path, "w") as file:
            file.write(
                "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n"
                % (count, count, count)
            )
            file.writelines("%d %d 1.25\n" % (i, count + 1 - i) for i in range(1, count + 1))
        shown = self.on_terminal("info", path)
        self.assertTrue(shown == "" or shown.endswith("\r\033[K"), repr(shown[-100:]))
        self.assertEqual(self.on_terminal("info", path, "--quiet"), "")


if __name__ == "__main__":
    harness.main()
