# SPDX-License-Identifier: Apache-2.0
"""Tables of benchmarks.py: of runs of the benchmark, of regret, of several processors and of
partitions. Each function takes result files, as pairs of a name and the parsed JSON."""

import math
import re

OPERATIONS = {"spmv": "SpMV", "spmm": "SpMM", "spgemm": "SpGEMM", "numeric": "SpGEMM, values again"}
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


def machine_of(results, name=""):
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
                    f"| {group_text(group)} | {machine_of(results, name)} | {rivals(results)} | "
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
        f"### {groups} on {machine_of(results, name)}",
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
                    f"| {OPERATIONS[operation]} | {machine_of(results)} | "
                    f"{policies['cost']['cases']} | "
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


def partitions_section(files):
    """The least time of the partition by density last: losses first."""
    lines = [
        "## Partitions",
        "",
        "Entries over stored positions of all parts as ELL, in percent, and the time of S2's model "
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
