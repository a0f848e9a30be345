# SPDX-License-Identifier: Apache-2.0
"""Measures products of matrices of the host by the CPU, by a device and by both, for
benchmarks.py --processors."""

import json
import re
import subprocess
from datetime import datetime, timezone
from pathlib import Path

from benchmark_tables import WAYS

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
