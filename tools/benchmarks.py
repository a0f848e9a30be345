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
import math
import re
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIRST, LAST = "<!-- made by tools/benchmarks.py -->", "<!-- end of what was made -->"
OPERATIONS = {"spmv": "SpMV", "spmm": "SpMM", "spgemm": "SpGEMM", "numeric": "SpGEMM, values again"}
BLUE, VERMILION = (
    "rgb(0%,44.705882%,69.803922%)",
    "rgb(83.529412%,36.862745%,0%)",
)  # of dots: gains, losses
GIVEN = re.compile(r"^gen:|:?,?seed=\d+$")


def duration(seconds):
    for unit, factor in [("s", 1), ("ms", 1e3), ("us", 1e6)]:
        if seconds * factor >= 1 or unit == "us":
            return (
                f"{seconds * factor:.3g} {unit}"
                if seconds * factor < 1000
                else f"{seconds * factor:.0f} {unit}"
            )
    return None


def ratio_text(ratio):
    """Losses are bold."""
    return f"**{ratio:.2f}**" if ratio < 1 else f"{ratio:.2f}"


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def place(results, name=""):
    """What computed. Who shares the machine with others names the file so."""
    if results["device"] != "cpu":
        return results["device"]
    return f"{results['cpu']}, {results['threads']} threads" + (
        ", shared machine" if "/shared-" in name else ""
    )


def command(results, script):
    """The command line; instead of all the matrices a word."""
    words = []
    for word in results["arguments"]:
        word = "MATRICES" if word.startswith("gen:") else word
        if word not in ("--quiet", "--json") and word not in words[-1:]:
            words.append(word)
    seeds = sorted(
        {seed for word in results["arguments"] for seed in re.findall(r"seed=(\d+)", word)}
    )
    text = f"`sparloom {' '.join(words)}`"
    return text + (
        f", the matrices those of `{script}` with `SEED={','.join(seeds)}`"
        if seeds and script
        else ""
    )


def rivals(results):
    """Names with versions; algorithms of a library once."""
    named = [library for library in results["libraries"][1:] if "-" not in library["name"]]
    return ", ".join(f"{library['name']} {library['version']}" for library in named)


def group_of(case):
    return (case["operation"], case["type"], case["columns"])


def group_text(group):
    operation, kind, columns = group
    return f"{OPERATIONS[operation]} {kind}" + (f", K = {columns}" if columns > 1 else "")


def groups_of(results):
    """From (operation, type, columns) to the cases that have a ratio, in the order of the
    operations."""
    groups = {}
    for case in results["cases"]:
        if case["ratio"] is not None:
            groups.setdefault(group_of(case), []).append(case)
    order = list(OPERATIONS)
    return dict(sorted(groups.items(), key=lambda item: (order.index(item[0][0]), item[0][1:])))


def best_rival(case):
    timed = [entry for entry in case["entries"][1:] if entry["warm"]]
    return min(timed, key=lambda entry: entry["warm"]["median"])


# ---------------------------------------------------------------------------------- tables of bench


def summary_table(files):
    """A row for each file and group, the smallest mean first."""
    rows = []
    for name, results in files:
        for group, cases in groups_of(results).items():
            ratios = [case["ratio"] for case in cases]
            worst = min(cases, key=lambda case: case["ratio"])
            rows.append(
                (
                    mean(ratios),
                    f"| {group_text(group)} | {place(results, name)} | {rivals(results)} | "
                    f"{ratio_text(mean(ratios))} | "
                    f"{sum(ratio < 1 for ratio in ratios)} of {len(ratios)} | "
                    f"{GIVEN.sub('', worst['matrix'])} {ratio_text(worst['ratio'])} | `{name}` |",
                )
            )
    return [
        "| operation | on | rivals | mean | losses | worst | file |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *[row for _, row in sorted(rows)],
    ]


def least_mean(results):
    return min(mean([case["ratio"] for case in cases]) for cases in groups_of(results).values())


def means_by_rival(results):
    """ "mkl 1.30 (36), ..." for each group: the geometric mean of rival/ours, and of how many
    matrices."""
    names = [library["name"] for library in results["libraries"][1:]]
    lines = []
    for group, cases in groups_of(results).items():
        parts = []
        for i, name in enumerate(names, 1):
            ratios = [
                case["entries"][i]["warm"]["median"] / case["entries"][0]["warm"]["median"]
                for case in cases
                if case["entries"][i]["warm"]
            ]
            parts += [f"{name} {ratio_text(mean(ratios))} ({len(ratios)})"] if ratios else []
        lines += wrapped(f"- {group_text(group)}: {', '.join(parts)}", indent="  ")
    return lines


def faults_of_rivals(results):
    """Which library gave how many wrong results, or failed."""
    counts = {}
    for case in results["cases"]:
        for entry in case["entries"]:
            if entry["verdict"] in ("wrong", "failed"):
                key = (entry["library"], entry["verdict"])
                counts[key] = counts.get(key, 0) + 1
    return [
        f"No time for {library}: {count} {verdict}."
        for (library, verdict), count in sorted(counts.items())
    ]


def missing(results):
    """What the command line asks for and the file has not: its time was over, or it did not fit."""
    have = {case["matrix"] for case in results["cases"]}
    names = [
        GIVEN.sub("", word)
        for word in results["arguments"]
        if word.startswith("gen:") and word not in have
    ]
    return [f"Not reached in the time of the run: {', '.join(names)}."] if names else []


def cell(case):
    best = best_rival(case)
    ours = duration(case["entries"][0]["warm"]["median"])
    return f"{ratio_text(case['ratio'])} ({ours}; {best['library']})"


def matrix_table(results):
    """A row for each matrix, a column for each group, the matrix with the worst ratio first."""
    groups = groups_of(results)
    rows = {}
    for group, cases in groups.items():
        for case in cases:
            rows.setdefault((case["matrix"], case["nnz"]), {})[group] = case
    ordered = sorted(
        rows.items(), key=lambda row: (min(case["ratio"] for case in row[1].values()), row[0])
    )
    lines = [
        "| matrix | entries | " + " | ".join(map(group_text, groups)) + " |",
        "| --- | --- |" + " --- |" * len(groups),
    ]
    for (matrix, nnz), cases in ordered:
        cells = [cell(cases[group]) if group in cases else "-" for group in groups]
        lines.append(f"| {GIVEN.sub('', matrix)} | {nnz:,} | " + " | ".join(cells) + " |")
    return lines


def origin(name, results, script):
    return (
        f"{results['date'][:10]}, sparloom {results['sparloom']}, {results['cpu']}"
        + (f", {results['device']}" if results["device"] != "cpu" else "")
        + f"; `{name}`: {command(results, script)}."
    )


def bench_section(name, results):
    groups = " and ".join(group_text(group) for group in groups_of(results))
    return [
        f"### {groups} on {place(results, name)}",
        "",
        *wrapped(origin(name, results, "tools/benchmarks.sh")),
        "",
        "Geometric means of rival/ours (matrices):",
        "",
        *means_by_rival(results),
        "",
        *(
            line
            for text in faults_of_rivals(results) + missing(results)
            for line in [*wrapped(text), ""]
        ),
        *matrix_table(results),
        "",
    ]


def wrapped(text, most=100, indent=""):
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > most:
            lines.append(line)
            line = indent + word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


# ------------------------------------------------------------------------------------- other tables


def regret_section(files):
    """The plans of the policies against the best of all plans, the largest mean of the usual
    policy first."""
    rows, origins = [], []
    for name, results in files:
        origins += wrapped(origin(name, results, None))
        found = {}
        for row in results["summary"]:
            found.setdefault(row["operation"], {})[row["policy"]] = row
        for operation, policies in found.items():
            cells = [
                f"{policies[policy]['mean']:.3f} ({policies[policy]['worst']:.2f})"
                if policy in policies
                else "-"
                for policy in ("cost", "rules", "measure")
            ]
            rows.append(
                (
                    -policies["cost"]["mean"],
                    f"| {OPERATIONS[operation]} | {place(results)} | {policies['cost']['cases']} | "
                    + " | ".join(cells)
                    + f" | {policies['cost']['worst_matrix']} |",
                )
            )
    return [
        "## Regret of choices",
        "",
        "Time of the plan that a policy makes over the best of all plans: geometric mean "
        "(largest).",
        "",
        *origins,
        "",
        "| operation | on | matrices | cost | rules | measure | worst by cost |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *[row for _, row in sorted(rows)],
        "",
    ]


WAYS = ("cpu", "device", "both")


def processors_section(files):
    """Both together against the better one alone."""
    lines = [
        "## Several processors",
        "",
        "Matrix, dense operands and results on the host, in pageable memory. The ratio is the "
        "time of the",
        "better processor alone over that of both together. *Once*: the plan and its first "
        "execution.",
        "",
    ]
    for name, results in files:
        lines += [
            *wrapped(
                f"{results['date'][:10]}, sparloom {results['sparloom']}, {results['cpu']}, "
                f"{results['device']}; `{name}`: "
                f"`tools/benchmarks.py --processors sparloom {results['argument']} {name}`."
            ),
            "",
            "| product | | CPU | device | both | ratio |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
        rows = []
        for run in results["runs"]:
            for what, word in (("execute", "an execution"), ("cold", "once")):
                if what not in run["both"]:
                    continue
                times = [run[way][what] for way in WAYS]
                ratio = min(times[:2]) / times[2]
                rows.append(
                    (
                        ratio,
                        f"| {run['product']} | {word} | "
                        + " | ".join(map(duration, times))
                        + f" | {ratio_text(ratio)} |",
                    )
                )
        lines += [row for _, row in sorted(rows)]
        lines.append("")
    return lines


PRODUCTS = [
    "spmv gen:stencil27:112,112,112",
    "spmm gen:stencil27:80,80,80 --columns 32",
    "spgemm gen:stencil27:48,48,48",
    "spgemm gen:stencil5:1100,240",
    "spgemm gen:random:60000,60000,24",
]


def measure_processors(tool, device, path):
    """Each product three ways."""
    report = {
        "kind": "processors",
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "argument": device,
        "runs": [],
    }
    for product in PRODUCTS:
        run = {"product": product.replace("gen:", "")}
        for way, processors in zip(WAYS, ("cpu", device, "cpu," + device)):
            done = json.loads(
                subprocess.run(
                    [
                        tool,
                        *product.split(),
                        "--processors",
                        processors,
                        "--repeat",
                        "9",
                        "--json",
                        "--quiet",
                    ],
                    stdout=subprocess.PIPE,
                    check=True,
                ).stdout
            )
            run[way] = {
                "execute": done["seconds"]["execute"]["median"],
                "cold": done["seconds"]["cold"],
            }
        report.update(
            sparloom=done["sparloom"],
            threads=done["threads"],
            cpu=done["parts"][0]["processor"],
            device=done["device"],
        )
        report["runs"].append(run)
    Path(path).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def partitions_section(files):
    """The least time of the partition by density last: losses first."""
    lines = [
        "## Partitions",
        "",
        "Entries over stored places of all parts as ELL, in percent, and the time of S2's model "
        "(transfer",
        "and execution of the slowest part), relative to the partition by rows.",
        "",
    ]
    for name, results in files:
        lines += [
            *wrapped(
                f"{results['date'][:10]}, a model, not a machine; `{name}`: "
                f"`tools/partition_table.py sparloom "
                f"{' '.join(results['arguments'])}`."
            ),
            "",
            "| matrix | "
            + " | ".join(results["kinds"])
            + " | "
            + " | ".join(f"time: {kind}" for kind in results["kinds"][1:])
            + " |",
            "| --- |" + " --- |" * (2 * len(results["kinds"]) - 1),
        ]

        def line(matrix, densities, times):
            return (
                f"| {matrix} | "
                + " | ".join(f"{100 * density:.1f}" for density in densities)
                + " | "
                + " | ".join(
                    f"**{time:.3g}**" if float(f"{time:.3g}") > 1 else f"{time:.3g}"
                    for time in times[1:]
                )
                + " |"
            )

        def mean_line(label, rows):
            columns = range(len(results["kinds"]))
            return line(
                label,
                *(
                    [sum(row[what][k] for row in rows) / len(rows) for k in columns]
                    for what in ("density", "time")
                ),
            )

        rows = sorted(results["matrices"], key=lambda row: (-row["time"][-1], row["matrix"]))
        poor = [row for row in rows if row["density"][0] < 0.5]
        lines += [line(row["matrix"], row["density"], row["time"]) for row in rows]
        lines += [
            mean_line(f"mean of {len(rows)}", rows),
            mean_line(f"mean of the {len(poor)} below 50 % by rows", poor),
            "| S2, mean of 10 | 11 | 40 | 61 | | |",
            "",
        ]
    return lines


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
        row = rows.setdefault((place(results, name), rivals(results)), {})
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
    for (where, who), row in sorted(
        rows.items(), key=lambda item: min(value for value, _ in item[1].values())
    ):
        lines.append(
            f"| {where} | {who} | "
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
        len(re.findall(f"<path[^>]*{re.escape(colour)}", picture)) for colour in (BLUE, VERMILION)
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
    wrong, place_ = [], 0
    for line in expected:
        found = text.find(line, place_)
        wrong += [] if found >= 0 else [line]
        place_ = max(place_, found)
    dot = '<path style="fill:%s"/>\n'
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
