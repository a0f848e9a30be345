# SPDX-License-Identifier: Apache-2.0
"""Runs of the tool on what a stranger types. All drawn; a failure says the seed. No run may die,
call anything an internal error, end with a code that is not documented, or send a terminal control
characters."""

import os
import subprocess

import harness
from harness import OK

SEED = int(os.environ.get("SPARLOOM_SEED", "20261126"))
NASTY = b"\x1b[31m|\n|\t|\r|\x07|\x7f|\xff|\xc2\x9b|\xe2\x82|\xed\xa0\x80".split(b"|")
PLAIN = "a|B|7| |'|\"|%s|\\|,|:|=|ä|€|-".encode().split(b"|")


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
