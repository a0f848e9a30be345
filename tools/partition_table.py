#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""partition_table.py TOOL [FOLDER...]: the density of the parts of three partitions, as S2 compares
them, as JSON for tools/benchmarks.py.

Matrices: the stand-ins of the set s3, and all *.mtx and *.mtx.gz of the folders that have at
least --rows rows. For each partition (rows, nnz, density) the density is entries / stored positions
of all parts as ELL. The times are a model, not measured: S2's for the slowest part, its bytes as
ELL over the bus plus all stored positions, padding included, over its capability, relative to the
partition by rows. Source: S2, 2 GPUs and 6 cores of CPUs, means over ten matrices of 11, 40 and
61 %. S2 does not tell its processors' capabilities nor the bus; those here are of its time, and
can be set."""

import argparse
import json
import pathlib
import subprocess
import sys
from datetime import datetime, timezone

KINDS = ["rows", "nnz", "density"]
BYTES = 8 + 4  # of a value and a column


def partition(tool, source, kind, arguments):
    """The tool's report on one partition of a matrix; None if it cannot be read."""
    capabilities = [arguments.gpu] * 2 + [arguments.core] * 6
    done = subprocess.run(
        [
            tool,
            "partition",
            source,
            "--kind",
            kind,
            "--json",
            "--quiet",
            "--capabilities",
            ",".join(map(str, capabilities)),
        ],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return json.loads(done.stdout) if done.returncode == 0 else None


def seconds(part, bus):
    """S2's model of a part as ELL: nothing is carried to the cores."""
    positions = part["nnz"] / part["density"] if part["nnz"] else 0
    carried = (positions * BYTES + 4 * part["rows"]) / bus if bus else 0
    return carried + (positions / part["capability"] if positions else 0)


def measure(source, arguments):
    """Density and model time for each kind; None if the matrix is not for the table."""
    result = []
    for kind in KINDS:
        report = partition(arguments.tool, source, kind, arguments)
        if not report or report["inputs"][0]["rows"] < arguments.rows:
            return None
        parts = report["partition"]["parts"]
        slowest = max(seconds(part, arguments.bus if i < 2 else 0) for i, part in enumerate(parts))
        result.append((report["partition"]["density"], slowest))
    return result


def sources(arguments):
    """(name, what the tool reads) of all matrices."""
    listed = json.loads(
        subprocess.run(
            [arguments.tool, "gen", "--json"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
    )
    yield from (
        (row["name"], "gen:" + row["name"]) for row in listed["stand_ins"] if row["set"] == "s3"
    )
    for folder in arguments.folders:
        for path in sorted(pathlib.Path(folder).rglob("*.mtx*")):
            if path.name.endswith((".mtx", ".mtx.gz")):
                yield path.name.split(".")[0], str(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tool", help="the tool sparloom")
    parser.add_argument("folders", nargs="*", help="folders of real matrices")
    parser.add_argument("--rows", type=int, default=1000, help="least rows of a real matrix (1000)")
    parser.add_argument(
        "--gpu", type=float, default=4e9, help="multiplications per second of a GPU (4e9)"
    )
    parser.add_argument("--core", type=float, default=0.5e9, help="of a core (0.5e9)")
    parser.add_argument("--bus", type=float, default=6e9, help="bytes per second to a GPU (6e9)")
    arguments = parser.parse_args()
    report = {
        "kind": "partitions",
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "arguments": sys.argv[2:],
        "kinds": KINDS,
        "matrices": [],
    }
    for name, source in sources(arguments):
        result = measure(source, arguments)
        if result:
            report["matrices"].append(
                {
                    "matrix": name,
                    "density": [density for density, _ in result],
                    "time": [time / result[0][1] for _, time in result],
                }
            )
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
