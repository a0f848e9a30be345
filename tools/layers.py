#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layers.py [--self-test]: checks that no file includes a file of a higher layer (DESIGN: layout
and layers).

Layers of src/, lowest first. A file may include its own folder and lower layers; folders of one
layer do not know each other; headers declare nothing that a higher layer defines. Rooms of a
folder: cpu/ and gpu/ do not know each other, kernels/ knows neither. Files of different rooms never
include one another in a circle, a .c file and its .h file taken as one. Within a folder, files that
include one another or call one another's functions form circles of at most three. Some headers are
private to a few files (PRIVATE). What stands above the library (the tool, its helper library,
benchmarks, examples) includes the public headers only.
"""

import re
import sys
import tempfile
from pathlib import Path

LAYERS = [
    {"core"},
    {"device", "file"},
    {"matrix"},
    {"format"},
    {"structure"},
    {"io", "ref", "algebra"},
    {"machine", "problem"},
    {"plan"},
    {"spmv", "spmm", "spgemm"},
    {"partition"},
    {"api"},
    {"graph"},
]
LEVEL = {folder: level for level, layer in enumerate(LAYERS) for folder in layer}
STRANGERS = {("cpu", "gpu"), ("gpu", "cpu"), ("kernels", "cpu"), ("kernels", "gpu")}
OUTSIDE = ["tools", "toolkit", "cli", "bench", "examples", "petsc"]
PUBLIC = {
    f"sparloom/{name}.h"
    for name in ("sparloom", "algebra", "graph", "measured", "structure", "triple")
}
# Headers with the insides of something, and the files, without suffixes, that may know them.
PRIVATE = {
    "device_part.h": {
        "device_part",
        "part_blocks",
        "part_device",
        "part_rows",
        "resident_part",
    },
    "form_kinds.h": {
        "device_plan",
        "form_entries",
        "form_holed_blocks",
        "form_identical_rows",
        "form_kinds",
        "form_node_blocks",
        "form_survey",
    },
}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
SUFFIXES = {".c", ".h", ".def", ".cu", ".hip"}
LARGEST_CIRCLE = 3
NAME = re.compile(r"\bspl__\w+")
DEFINED = re.compile(
    r"^[A-Za-z_][\w \*]*?\b(spl__\w+)\s*(?:\([^;{]*\)\s*\{|(?:\[[^\]]*\])*\s*=)", re.M
)

DECLARED = re.compile(r"\b(spl__\w+)\([^;{}]*\);")
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def includes(path):
    """(line number, included name, is it in quotes) of every #include of the file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[2], match[1] == '"'


def file_in_src(root, path, name):
    """The file below src/ that `#include "name"` in `path` means; None if it is none."""
    for candidate in (path.parent / name, root / "src" / name):
        candidate = candidate.resolve()
        if candidate.is_file() and (root / "src") in candidate.parents:
            return candidate.relative_to(root / "src")
    return None


def fault_in_src(root, path, name):
    """What is wrong with a file of src/ including `name`; None if nothing."""
    includer, included = path.relative_to(root / "src"), file_in_src(root, path, name)
    here, there = includer.parts[0], included and included.parts[0]
    if here not in LEVEL:
        return f"src/{here} is no known layer"
    if there is None:
        return None if name in PUBLIC else f'"{name}" is neither in src/ nor the public header'
    if unit(includer.name) not in PRIVATE.get(included.name, {unit(includer.name)}):
        return f"{included} is private to {sorted(PRIVATE[included.name])}"
    if there == here and (includer.parts[1], included.parts[1]) in STRANGERS:
        return f"{includer.parent} must not include {included.parent}"
    if there == here or LEVEL[there] < LEVEL[here]:
        return None
    return f"{here} must not include {there}"


def fault_outside(root, path, name, quoted):
    """What is wrong with a file above the library including `name`; None if nothing."""
    if file_in_src(root, path, name) or name.startswith("src/"):
        return f'"{name}" is internal to the library; public are {sorted(PUBLIC)}'
    if name.startswith("sparloom/") and name not in PUBLIC:
        return f"there is no public header {name}"
    rooms = [
        path.parent,
        root / top_of(root, path),
        *(root / "toolkit" / room for room in ("", "bench", "gen", "plot")),
    ]
    if quoted and name not in PUBLIC and not any((room / name).is_file() for room in rooms):
        return f'"{name}" is neither beside this file nor in toolkit'
    return None


def top_of(root, path):
    """The folder of the tree that the file is in."""
    return path.relative_to(root).parts[0]


def unit(file):
    """A file and its header as one: path without suffixes."""
    return str(file).split(".", 1)[0]


def unit_graph(root):
    """{unit: units that it includes} of src/."""
    graph = {}
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        user = unit(path.relative_to(root / "src"))
        used = {
            unit(file) for _, name, _ in includes(path) if (file := file_in_src(root, path, name))
        }
        graph.setdefault(user, set()).update(used - {user})
    return graph


def reachable(graph, start):
    """Units that can be reached from one, itself only if it lies in a circle."""
    found, pending = set(), list(graph.get(start, ()))
    while pending:
        found_now = pending.pop()
        if found_now not in found:
            found.add(found_now)
            pending.extend(graph.get(found_now, ()))
    return found


def circles(root):
    """Units of different rooms that include one another, as lines."""
    graph = unit_graph(root)
    reach = {name: reachable(graph, name) for name in graph}
    for name in sorted(graph):
        for other in sorted(graph[name]):
            if name in reach.get(other, ()) and Path(name).parent != Path(other).parent:
                yield f"src/{name}: includes {other}, which leads back to it"


def folder_graph(folder):
    """{unit: units of the folder that it includes, or whose functions and tables it names}."""
    files = [path for path in sorted(folder.iterdir()) if path.suffix in {".c", ".h"}]
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    owners = {
        match[1]: unit(path.name)
        for path, text in texts.items()
        if path.suffix == ".c"
        for match in DEFINED.finditer(text)
    }
    graph = {unit(path.name): set() for path in files}
    for path, text in texts.items():
        named = NAME.findall(text) if path.suffix == ".c" else []
        used = {owners[name] for name in named if name in owners}
        used |= {
            unit(Path(name).name)
            for _, name, _ in includes(path)
            if (folder / Path(name).name).is_file()
        }
        graph[unit(path.name)] |= used - {unit(path.name)}
    return graph


def circles_within(root):
    """Folders of src/ whose largest circle of files is not what it should be, as lines."""
    folders = sorted({path.parent for path in (root / "src").rglob("*.c")})
    for folder in folders:
        graph = folder_graph(folder)
        reach = {name: reachable(graph, name) for name in graph}
        rings = [
            {other for other in reach[name] if name in reach.get(other, ())} for name in graph
        ]
        largest = max(rings, key=len, default=set())
        name = folder.relative_to(root / "src").as_posix()
        if len(largest) > LARGEST_CIRCLE:
            yield f"src/{name}: {len(largest)} files in one circle: {', '.join(sorted(largest))}"


def declared_below(root):
    """Functions that headers declare and a higher layer defines, as lines."""
    paths = sorted(path for path in (root / "src").rglob("*") if path.suffix in {".c", ".h"})
    texts = {path.relative_to(root / "src"): path.read_text(encoding="utf-8") for path in paths}
    levels = {
        match[1]: LEVEL.get(path.parts[0], 0)
        for path, text in texts.items()
        if path.suffix == ".c"
        for match in DEFINED.finditer(text)
    }
    for path, text in texts.items():
        if path.suffix == ".h":
            for name in DECLARED.findall(COMMENT.sub("", text)):
                if levels.get(name, 0) > LEVEL.get(path.parts[0], 0):
                    yield f"src/{path}: declares {name}, which a higher layer defines"


def faults(root):
    """All faults of the tree, as lines "file:line: what"."""
    root = root.resolve()
    for top in ["src", *OUTSIDE]:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            for number, name, quoted in includes(path):
                if top == "src":
                    fault = quoted and fault_in_src(root, path, name)
                else:
                    fault = fault_outside(root, path, name, quoted)
                if fault:
                    yield f"{path.relative_to(root)}:{number}: {fault}"
    yield from circles(root)
    yield from circles_within(root)
    yield from declared_below(root)


# (file, its #include, is it allowed)
PLANTED = [
    ("src/core/a.c", '#include "core/core.h"', True),
    ("src/core/b.c", '#include "matrix/matrix.h"', False),
    ("src/matrix/a.c", '#include "core/core.h"', True),
    ("src/matrix/b.c", '#include "../plan/plan.h"', False),
    ("src/io/a.c", '#include "ref/ref.h"', False),
    ("src/spmv/a.c", '#include "spmm/spmm.h"', False),
    ("src/spmv/b.c", '  #  include   "plan/plan.h"', True),
    ("src/api/a.c", '#include "spmv/methods.def"', True),
    ("src/api/b.c", '#include "sparloom/sparloom.h"', True),
    ("src/plan/a.c", '#include "spmv/methods.def"', False),
    ("src/extra/a.c", '#include "core/core.h"', False),
    ("cli/a.c", "#include <sparloom/sparloom.h>", True),
    ("cli/b.c", '#include "core/core.h"', False),
    ("cli/c.c", '#include "../src/core/core.h"', False),
    ("cli/d.c", '#include "helper.h"', True),
    ("src/spmm/cpu/a.c", '#include "spmm/spmm.h"', True),
    ("src/spmm/cpu/b.c", '#include "spmm/gpu/gpu.h"', False),
    ("src/spmm/kernels/a.h", '#include "spmm/gpu/gpu.h"', False),
    ("src/spmm/gpu/gpu.c", '#include "spmm/circle.h"', False),
    ("src/partition/part_rows.c", '#include "partition/device_part.h"', True),
    ("src/partition/spread.c", '#include "partition/device_part.h"', False),
    ("toolkit/a.c", '#include "helper.h"', True),
    ("toolkit/b.c", '#include "sparloom/internal.h"', False),
    ("examples/a.c", '#include "matrix/matrix.h"', False),
]


def self_test():
    """Plants each include in a small tree and looks whether it is judged as it should be."""
    wrong = 0
    for file, line, allowed in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            present = [
                "src/core/core.h",
                "src/matrix/matrix.h",
                "src/ref/ref.h",
                "src/plan/plan.h",
                "src/spmm/spmm.h",
                "src/spmv/methods.def",
                "toolkit/helper.h",
                "src/spmm/gpu/gpu.h",
                "src/spmm/circle.h",
                "src/partition/device_part.h",
            ]
            for name in [*present, file]:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(
                    f"/* x */\n{line}\n" if name == file else "", encoding="utf-8"
                )
            (root / "src/spmm/circle.h").write_text('#include "spmm/gpu/gpu.h"\n', encoding="utf-8")
            if (not list(faults(root))) != allowed:
                print(f"{file}: {line} should be {'allowed' if allowed else 'a fault'}")
                wrong += 1
    for count, called in [(3, False), (4, False), (3, True), (4, True)]:
        if ring_is_found(count, called) != (count > LARGEST_CIRCLE):
            print(f"a ring of {count} files, {'by calls' if called else 'by includes'}")
            wrong += 1
    for room in ("spmv", "core"):
        if declaration_is_found(room) != (room == "core"):
            print(f"a declaration in {room} of what spmv defines")
            wrong += 1
    count = len(PLANTED) + 6
    print(f"{count - wrong} of {count} planted includes and rings judged rightly")
    return wrong


def declaration_is_found(room):
    """Whether a declaration in that folder of a function of spmv is reported."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        files = {room + "/a.h": "int spl__f(void);\n", "spmv/b.c": "int spl__f(void)\n{\n}\n"}
        for name, text in files.items():
            (root / "src" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "src" / name).write_text(text)
        return bool(list(declared_below(root)))


def ring_is_found(count, called):
    """Whether `count` files in a ring, by includes or by calls, are reported."""
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder) / "src" / "spmv"
        room.mkdir(parents=True)
        for k in range(count):
            other = (k + 1) % count
            line = f"int spl__f{k}(void)\n{{\n    return spl__f{other}();\n}}\n"
            (room / f"ring{k}.c").write_text(line if called else f'#include "ring{other}.h"\n')
            (room / f"ring{k}.h").write_text("")
        return bool(list(circles_within(Path(folder))))


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    found = list(faults(Path(__file__).parent.parent))
    print("\n".join(found) if found else "layers: no file includes a higher layer")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
