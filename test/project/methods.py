#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""methods.py ROOT [--self-test]: counts in how many files of the code a method stands.

A method is one file and one line: its table is defined in one file of its operation's folder, and
no other file of src/, toolkit/ or cli/ has its id, but for comments.
"""

import re
import sys
import tempfile
from pathlib import Path

LINE = re.compile(r"^METHOD\((\w+), (\w+), (\w+), (\w+)\)", re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
SUFFIXES = {".c", ".h", ".def"}


def code(root):
    """{path: text without comments} of all code that may name a method."""
    return {
        path.relative_to(root): COMMENT.sub("", path.read_text(encoding="utf-8"))
        for top in ("src", "toolkit", "cli")
        for path in sorted((root / top).rglob("*"))
        if path.suffix in SUFFIXES
    }


def methods(files):
    """(operation, phase, processor, name) of the lines of all methods.def."""
    lists = [text for path, text in files.items() if path.name == "methods.def"]
    return [match for text in lists for match in LINE.findall(text)]


def files_with(name, files):
    """Those in whose text the name stands as a word; most do not have it at all."""
    word = re.compile(rf"(?<!\w){name}(?!\w)")
    return [str(path) for path, text in files.items() if name in text and word.search(text)]


def faults(root):
    """What is wrong, as lines."""
    files = code(root)
    found = methods(files)
    if not found:
        yield "there are no methods"
    for method in found:
        own = files_with(f"spl__{'_'.join(method)}", files)
        others = files_with("/".join(method), files)
        others = [path for path in others if path not in own]
        if len(own) != 1 or not own[0].startswith(f"src/{method[0]}/"):
            yield f"{'/'.join(method)}: its table stands in {own}, not in one file of its folder"
        if others:
            yield f"{'/'.join(method)}: is named by {others}: ask for an attribute instead"


def self_test():
    """Plants faults in a small tree."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "src/spmv").mkdir(parents=True)
        (root / "src/spmv/methods.def").write_text("METHOD(spmv, compute, cpu, coo)\n")
        own, other = root / "src/spmv/coo.c", root / "src/spmv/spmv.c"
        own.write_text("/* spmv/compute/cpu/coo */\nconst spl__method spl__spmv_compute_cpu_coo;\n")
        other.write_text("/* as spmv/compute/cpu/coo */\n")
        assert not list(faults(root))
        other.write_text('forced(plan, "spmv/compute/cpu/coo")\n')
        assert len(list(faults(root))) == 1
        other.write_text("extern const spl__method spl__spmv_compute_cpu_coo;\n")
        assert len(list(faults(root))) == 1


def main():
    if "--self-test" in sys.argv:
        self_test()
        return 0
    root = Path(sys.argv[1])
    found = list(faults(root))
    print("\n".join(found) or f"{len(methods(code(root)))} methods: each stands in one file")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
