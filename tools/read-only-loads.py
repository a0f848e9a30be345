#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""read-only-loads.py FILE.ptx...: does every kernel read its inputs through the read-only path
(ld.global.nc)?

Restrict gets lost easily, on members of structs for example, and with it the compiler's right to
load early and through the texture path: a kernel then is silently slower. And does it wait for the
kernel before it, which may still run, before it touches memory (spl__follow in dialect_gpu.h)? The
PTX must be for compute_90 or newer. Prints the loads of each kernel; exits with 1 if one that reads
inputs has none of that kind, or does not wait first. Closes with "N passed, N failed, N
skipped"."""

import re
import sys

# Kernels that read nothing but what they have written, or one pass of an array that is also
# written.
EXEMPT = re.compile(
    r"spmv_coo_scale|spgemm_bin_rows|spgemm_ordered_values|arrange_(gather|values|number)"
)
ENTRY = re.compile(r"\.entry\s+(\w+)")


# Accesses that may be to global memory.
ACCESS = re.compile(r"\b(ld|st|atom|red)\.(?!param|const|shared)")


class Kernel:
    """What one kernel does."""

    def __init__(self):
        self.loads = self.read_only = 0
        self.waits = self.early = False

    def see(self, line):
        """Notes one instruction."""
        self.waits |= "griddepcontrol.wait" in line
        self.early |= not self.waits and bool(ACCESS.search(line))
        self.loads += "ld.global" in line
        self.read_only += "ld.global.nc" in line

    def is_good(self, name):
        """Whether all its promises are kept."""
        reads = self.loads == 0 or self.read_only > 0 or EXEMPT.search(name)
        return bool(self.waits and not self.early and reads)


def kernels(paths):
    """{name: Kernel}"""
    found = {}
    for path in paths:
        kernel = None
        for line in open(path, encoding="utf-8"):
            entry = ENTRY.search(line)
            if entry:
                kernel = found[entry[1]] = Kernel()
            elif kernel:
                kernel.see(line)
    return found


def main():
    failed = 0
    found = kernels(sys.argv[1:])
    for name, kernel in sorted(found.items()):
        good = kernel.is_good(name)
        failed += not good
        waits = "" if kernel.waits and not kernel.early else ", does not wait first"
        reads = f"{kernel.read_only} of {kernel.loads} loads read-only"
        print(f"{'ok  ' if good else 'FAIL'} {name}: {reads}{waits}")
    print(f"{len(found) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
