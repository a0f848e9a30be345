#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""documents.py [--self-test]: checks what documents claim and a script can know.

Links lead to files. Paths, names of tests and ids of methods in backticks exist, and so do the
names of the glossary. The layers of design.md are those of layers.py. Prose has at most 100
columns, design.md at most 300 lines, the header 800. No name of CUDA or HIP stands in src/ outside
src/device/. Comments name documents that exist.
"""

import re
import sys
import tempfile
from pathlib import Path

import layers

COLUMNS = 100
LINES = {"doc/design.md": 300, "include/sparloom/sparloom.h": 800}
FOLDERS = "src|include|cli|toolkit|tools|test|bench|examples|data|doc|cmake|petsc"
CODE = {".c", ".h", ".def", ".py", ".sh", ".cu", ".hip"}
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
TICKED = re.compile(r"`([^`\s]+)`")
PATH = re.compile(rf"(?:{FOLDERS})/[\w./*-]+")
IN_SRC = re.compile(
    r"(?:api|core|device|file|format|io|matrix|partition|plan|ref|spgemm|spmm|spmv|structure)/"
    r"[a-z_0-9]+(?:\.[ch])?"
)
METHOD = re.compile(r"(spmv|spmm|spgemm)/(compute|symbolic|numeric)/(cpu|gpu)/([a-z_0-9]+)")
TEST = re.compile(r"[a-z]+/test_[a-z_0-9]+")
DOCUMENT = re.compile(r"doc/[\w/-]+\.md")
FOREIGN = re.compile(r"\b(?:cuda|hip)[A-Z]\w*")


def documents(root):
    return sorted([*root.glob("*.md"), *root.glob("doc/**/*.md")])


def prose(text):
    """(number, line) outside fenced code, indented code and tables."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("|", "    ")):
            yield number, line


def exists(root, name):
    """Whether a ticked word that looks like a path, a test or a method is one; True if it looks
    like none of them."""
    method = METHOD.fullmatch(name)
    if method:
        operation, *rest = method.groups()
        return (
            f"METHOD({operation}, {', '.join(rest)})"
            in (root / "src" / operation / "methods.def").read_text()
        )
    if TEST.fullmatch(name):
        return any((root / "test").glob(name + ".*"))
    if IN_SRC.fullmatch(name):
        return any((root / "src").glob(name + ("*" if "." not in name else "")))
    if PATH.fullmatch(name):
        return any(root.glob(name.rstrip("/")))
    return True


def glossary_names(text):
    """Names in the last column of the glossary of design.md."""
    section = text.partition("## 1. Glossary")[2].partition("\n## ")[0]
    for line in section.split("\n"):
        if line.startswith("| ") and line.count(" | ") >= 2:
            yield from TICKED.findall(line.split("|")[3])


def faults_of_document(root, path):
    name, text = str(path.relative_to(root)), path.read_text(encoding="utf-8")
    for number, line in enumerate(text.split("\n"), 1):
        for target in LINK.findall(line):
            if "://" not in target and not (path.parent / target).exists():
                yield f"{name}:{number}: there is no {target}"
        for word in TICKED.findall(line):
            if not exists(root, word):
                yield f"{name}:{number}: there is no {word}"
    for number, line in prose(text):
        if len(line) > COLUMNS:
            yield f"{name}:{number}: {len(line)} columns, more than {COLUMNS}"


def faults_of_design(root):
    text = (root / "doc/design.md").read_text(encoding="utf-8")
    stated = re.search(r"Layers:(.*?)<-\s+toolkit", text, re.DOTALL)
    stated = (
        [set(re.findall(r"\w+", part)) for part in stated.group(1).split("<-")] if stated else []
    )
    if stated != layers.LAYERS:
        yield "doc/design.md:1: its layers are not those of tools/layers.py"
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for path in [*root.glob("src/**/*.[ch]"), *root.glob("include/**/*.h")]
    )
    for word in glossary_names(text):
        if word.split(".")[-1] not in code:
            yield f"doc/design.md:1: the code has no name {word} any more: mend the glossary"


def faults_of_code(root):
    for path in sorted(
        path
        for folder in FOLDERS.split("|")
        for path in root.glob(folder + "/**/*")
        if path.suffix in CODE and path.name != "documents.py"
    ):
        name = str(path.relative_to(root))
        inside = name.startswith("src/") and not name.startswith("src/device/")
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            for document in DOCUMENT.findall(line):
                if not (root / document).exists():
                    yield f"{name}:{number}: there is no {document}"
            if inside and FOREIGN.search(line):
                yield f"{name}:{number}: {FOREIGN.search(line).group()} belongs below src/device"


def faults(root):
    """All faults of the tree, as lines "file:line: what"."""
    for path in documents(root):
        yield from faults_of_document(root, path)
    yield from faults_of_design(root)
    yield from faults_of_code(root)
    for name, most in LINES.items():
        count = (root / name).read_text(encoding="utf-8").count("\n")
        if count > most:
            yield f"{name}:{most}: {count} lines, more than {most}"


LAYERS = "\n<- ".join("{" + ", ".join(sorted(layer)) + "}" for layer in layers.LAYERS)
# (file, a line to add, is it allowed) in the tree of tiny_tree().
PLANTED = [
    ("doc/a.md", "[b](design.md) [c](https://x.org/y) [d](design.md#z)", True),
    ("doc/a.md", "[b](absent.md)", False),
    (
        "doc/a.md",
        "`src/spmv/one.c`, `src/spmv/*.c`, `spmv/one`, `spmv/compute/cpu/one`, `spmv/test_one`, "
        "`a/b`",
        True,
    ),
    ("doc/a.md", "`src/spmv/two.c`", False),
    ("doc/a.md", "`spmv/two`", False),
    ("doc/a.md", "`file/two.c`", False),
    ("doc/a.md", "`format/two`", False),
    ("doc/a.md", "`structure/two`", False),
    ("doc/a.md", "`spmv/compute/cpu/two`", False),
    ("doc/a.md", "`spmv/test_two`", False),
    ("doc/a.md", "x" * 101, False),
    ("doc/a.md", "| " + "x" * 101 + " |", True),
    ("doc/design.md", "x\n" * 300, False),
    ("doc/design.md", "## 1. Glossary\n| a | b | `spl__one` |", True),
    ("doc/design.md", "## 1. Glossary\n| a | b | `spl__two` |", False),
    ("src/spmv/one.c", "/* doc/design.md */", True),
    ("src/spmv/one.c", "/* doc/absent.md */", False),
    ("src/spmv/one.c", "cudaMalloc();", False),
    ("src/device/cuda.c", "cudaMalloc();", True),
]


def tiny_tree(root):
    texts = {
        "doc/design.md": f"Layers:\n{LAYERS}\n<- toolkit\n",
        "doc/a.md": "",
        "include/sparloom/sparloom.h": "",
        "src/device/cuda.c": "",
        "src/spmv/one.c": "int spl__one;\n",
        "src/spmv/methods.def": "METHOD(spmv, compute, cpu, one)\n",
        "test/spmv/test_one.c": "",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def self_test():
    """Plants each line in a small tree and looks whether it is judged as it should be."""
    wrong = 0
    for file, line, allowed in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            tiny_tree(root)
            with open(root / file, "a", encoding="utf-8") as out:
                out.write(line + "\n")
            if (not list(faults(root))) != allowed:
                print(f"{file}: {line[:60]} should be {'allowed' if allowed else 'a fault'}")
                wrong += 1
    print(f"{len(PLANTED) - wrong} of {len(PLANTED)} planted lines judged rightly")
    return wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    found = list(faults(Path(__file__).resolve().parent.parent))
    print("\n".join(found) if found else "documents: what they name is there")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
