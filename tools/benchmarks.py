#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""benchmarks.py [--check] [--picture TOOL] | --processors TOOL DEVICE RESULTS.json | --self-test

Writes the tables of doc/benchmarks.md and README.md, all that stands between their markers, from
the files in bench/results; losses first. Files are what `sparloom bench --json`
(tools/benchmarks.sh), `sparloom regret --json`, --processors and tools/partition_table.py wrote.
--check only says whether the tables are those of the files, and the picture has their dots.
--picture draws doc/benchmarks.svg by the tool. --processors measures products of matrices of the
host by the CPU, by the device and by both.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmark_tables import (
    OPERATIONS,
    bench_section,
    group_text,
    groups_of,
    least_mean,
    machine_of,
    mean,
    partitions_section,
    processors_section,
    ratio_text,
    regret_section,
    rivals,
    summary_table,
)
from processor_runs import measure_processors

ROOT = Path(__file__).resolve().parent.parent
FIRST, LAST = "<!-- made by tools/benchmarks.py -->", "<!-- end of what was made -->"
BLUE, VERMILION = "#0072b2", "#d55e00"  # of dots: gains, losses

# ----------------------------------------------------------------------------------------- the page


def read_results(folder):
    return [
        (f"bench/results/{path.name}", json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(folder.glob("*.json"))
    ]


def made(files):
    """The text between the markers."""
    bench = [file for file in files if file[1].get("command") == "bench"]
    regret = [file for file in files if file[1].get("command") == "regret"]
    processors = [file for file in files if file[1].get("kind") == "processors"]
    partitions = [file for file in files if file[1].get("kind") == "partitions"]
    lines = [
        "## Against other libraries",
        "",
        "Geometric means of the time of the fastest rival over ours; below 1 is a loss.",
        "",
        *summary_table(bench),
        "",
    ]
    for name, results in sorted(bench, key=lambda file: least_mean(file[1])):
        lines += bench_section(name, results)
    lines += regret_section(regret) if regret else []
    lines += processors_section(processors) if processors else []
    lines += partitions_section(partitions) if partitions else []
    return "\n" + "\n".join(lines) + "\n"


def made_short(files):
    """For README: a row for each machine, the one with the smallest mean first; a column for
    each kind of product."""
    rows, columns = {}, {}
    for name, results in files:
        if results.get("command") != "bench":
            continue
        row = rows.setdefault((machine_of(results, name), rivals(results)), {})
        for group, cases in groups_of(results).items():
            columns[group] = None
            ratios = [case["ratio"] for case in cases]
            row[group] = (
                mean(ratios),
                f"{ratio_text(mean(ratios))} ({sum(ratio < 1 for ratio in ratios)} of "
                f"{len(ratios)})",
            )
    order = sorted(columns, key=lambda group: (list(OPERATIONS).index(group[0]), group[1:]))
    lines = [
        "| mean (losses) | against | " + " | ".join(map(group_text, order)) + " |",
        "| --- | --- |" + " --- |" * len(order),
    ]
    for (machine, against), row in sorted(
        rows.items(), key=lambda item: min(value for value, _ in item[1].values())
    ):
        lines.append(
            f"| {machine} | {against} | "
            + " | ".join(row[group][1] if group in row else "-" for group in order)
            + " |"
        )
    return "\n" + "\n".join(lines) + "\n\n"


PAGES = (("doc/benchmarks.md", made), ("README.md", made_short))


def with_tables(page, text):
    """The page with that text between its markers; None if it has not both."""
    before, found, rest = page.partition(FIRST)
    _, also, after = rest.partition(LAST)
    return before + FIRST + "\n" + text + LAST + after if found and also else None


def dots(files):
    """How many dots the picture has: gains, losses."""
    ratios = [
        case["ratio"]
        for _, results in files
        if results.get("command") == "bench"
        for case in results["cases"]
        if case["ratio"]
    ]
    return sum(ratio >= 1 for ratio in ratios), sum(ratio < 1 for ratio in ratios)


def faults(root):
    files = read_results(root / "bench/results")
    for name, maker in PAGES:
        page = (root / name).read_text(encoding="utf-8")
        if page != with_tables(page, maker(files)):
            yield f"{name}:1: its tables are not those of bench/results: run tools/benchmarks.py"
    picture = (root / "doc/benchmarks.svg").read_text(encoding="utf-8").replace(" ", "")
    drawn = tuple(
        len(re.findall(f"<circle[^>]*{colour}", picture)) for colour in (BLUE, VERMILION)
    )
    if drawn != dots(files):
        yield (
            f"doc/benchmarks.svg:1: its dots, {drawn}, are not the cases of bench/results, "
            f"{dots(files)}: benchmarks.py --picture TOOL"
        )


# ---------------------------------------------------------------------------------------- self-test

SAMPLE = {
    "command": "bench",
    "sparloom": "1.2.3",
    "date": "2026-01-02T03:04:05Z",
    "cpu": "a CPU",
    "device": "cpu",
    "threads": 2,
    "arguments": [
        "--json",
        "bench",
        "gen:a:1,seed=7",
        "gen:b:2,seed=7",
        "gen:c:3,seed=7",
        "--op",
        "spmv",
    ],
    "libraries": [{"name": name, "version": "1"} for name in ("sparloom", "x", "x-1", "y")],
}


def sample_case(matrix, times):
    """Times of ours and of the rivals; None: a wrong result."""
    entries = [
        {"library": name, "verdict": "good" if time else "wrong", "warm": time and {"median": time}}
        for name, time in zip(("sparloom", "x", "x-1", "y"), times)
    ]
    best = min(time for time in times[1:] if time)
    return {
        "matrix": f"gen:{matrix},seed=7",
        "nnz": 1000,
        "operation": "spmv",
        "type": "f64",
        "columns": 1,
        "ratio": best / times[0],
        "entries": entries,
    }


def self_test():
    """Tables of a made file: each line below must stand there, in this order; a page or picture
    that differs is a fault."""
    results = {
        **SAMPLE,
        "cases": [
            sample_case("a:1", [1e-3, 4e-3, None, 2e-3]),
            sample_case("b:2", [4e-3, 1e-3, 2e-3, 8e-3]),
        ],
    }
    text = made([("bench/results/f.json", results)])
    expected = [
        "| SpMV f64 | a CPU, 2 threads | x 1, y 1 | **0.71** | 1 of 2 | b:2 **0.25** | "
        "`bench/results/f.json` |",
        "`bench/results/f.json`: `sparloom bench",
        "MATRICES --op spmv`",
        "`SEED=7`",
        "- SpMV f64: x 1.00 (2), x-1 **0.50** (1), y 2.00 (2)",
        "No time for x-1: 1 wrong.",
        "Not reached in the time of the run: c:3.",
        "| b:2 | 1,000 | **0.25** (4 ms; x) |",
        "| a:1 | 1,000 | 2.00 (1 ms; y) |",
    ]
    wrong, position = [], 0
    for line in expected:
        found = text.find(line, position)
        wrong += [] if found >= 0 else [line]
        position = max(position, found)
    dot = '<circle fill="%s"/>\n'
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "bench/results").mkdir(parents=True)
        (root / "doc").mkdir()
        (root / "bench/results/f.json").write_text(json.dumps(results), encoding="utf-8")
        page, picture = FIRST + "\n" + text + LAST + "\n", dot % BLUE + dot % VERMILION
        short = FIRST + "\n" + made_short([("bench/results/f.json", results)]) + LAST
        wrong += (
            []
            if "| a CPU, 2 threads | x 1, y 1 | **0.71** (1 of 2) |" in short
            else ["README's line"]
        )
        for changed, drawn, readme, count in [
            (page, picture, short, 0),
            (page.replace("0.71", "1.71"), picture, short, 1),
            (page, picture + dot % BLUE, short, 1),
            (page, picture, short.replace("(1 of 2)", "(0 of 2)"), 1),
            (page.replace(LAST, ""), picture.replace(VERMILION, BLUE), short, 2),
        ]:
            (root / "README.md").write_text(readme, encoding="utf-8")
            (root / "doc/benchmarks.md").write_text(changed, encoding="utf-8")
            (root / "doc/benchmarks.svg").write_text(drawn, encoding="utf-8")
            wrong += (
                [] if len(list(faults(root))) == count else [f"a changed page has {count} faults"]
            )
    print(
        "\n".join(f"not so: {line}" for line in wrong)
        or "benchmarks: tables are made as they should be"
    )
    return 1 if wrong else 0


def main(words):
    if words[:1] == ["--self-test"]:
        return self_test()
    if words[:1] == ["--processors"]:
        measure_processors(*words[1:])
        return 0
    if words[:1] == ["--picture"]:
        bench = [
            str(ROOT / name)
            for name, results in read_results(ROOT / "bench/results")
            if results.get("command") == "bench"
        ]
        subprocess.run(
            [words[1], "bench", "page", *bench, "-o", str(ROOT / "doc/benchmarks.svg")], check=True
        )
    if words[:1] == ["--check"]:
        found = list(faults(ROOT))
        print("\n".join(found) if found else "benchmarks: the tables are those of the result files")
        return 1 if found else 0
    for name, maker in PAGES:
        page = ROOT / name
        text = with_tables(
            page.read_text(encoding="utf-8"), maker(read_results(ROOT / "bench/results"))
        )
        if text is None:
            sys.exit(f"{name}: it lacks a line {FIRST} or {LAST}")
        page.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
