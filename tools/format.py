#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""format.py [--check] [FILE...]: formats C and CUDA sources, all of the tree if none is named.

clang-format takes FN(name)(arguments) for a declaration and tears it apart. It is given FN0name0
instead, a name of the same length, and the result is turned back. --check changes nothing, names
the files that would change, and fails then.
"""

import concurrent.futures
import re
import subprocess
import sys
from pathlib import Path

MACROS = "FN|RUN|NODE_NAME|WALK"
PATTERNS = ["*.c", "*.h", "*.cpp", "*.cu", "*.hip"]


def formatted(path):
    """The file's text as it should be."""
    text = re.sub(rf"\b({MACROS})\((\w+)\)", r"\g<1>0\g<2>0", path.read_text(encoding="utf-8"))
    done = subprocess.run(
        ["clang-format", f"--assume-filename={path}"],
        input=text,
        encoding="utf-8",
        stdout=subprocess.PIPE,
        check=True,
    )
    return re.sub(rf"\b({MACROS})0(\w+)0\b", r"\g<1>(\g<2>)", done.stdout)


def sources():
    """All sources that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PATTERNS],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    ).stdout.split("\n")
    return [
        Path(name)
        for name in listed
        if name and Path(name).is_file() and not name.startswith("test/data/")
    ]


def treat(path, check):
    """Formats a file, or says whether it is formatted."""
    text = formatted(path)
    same = text == path.read_text(encoding="utf-8")
    if not same and not check:
        path.write_text(text, encoding="utf-8")
    return same


def main():
    check = "--check" in sys.argv
    paths = [Path(name) for name in sys.argv[1:] if name != "--check"] or sources()
    foreign = [str(path) for path in paths if f"*{path.suffix}" not in PATTERNS]
    if foreign:  # what clang-format takes for C it tears apart
        sys.exit(f"neither C nor CUDA: {' '.join(foreign)}")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        same = list(pool.map(lambda path: treat(path, check), paths))
    for path, fine in zip(paths, same):
        if check and not fine:
            print(f"{path}:1: is not formatted: tools/format.py")
    return 1 if check and not all(same) else 0


if __name__ == "__main__":
    sys.exit(main())
