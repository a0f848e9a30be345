#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""read-only-loads.py FILE.ptx...: does every kernel read its inputs through the read-only path
(ld.global.nc)?

Restrict gets lost easily, on members of structs for example, and with it the compiler's right to
load early and through the texture path: a kernel then is silently slower. Prints the loads of
each kernel; exits with 1 if one that reads inputs has none of that kind. Closes with "N passed,
N failed, N skipped"."""

import re
import sys

# Kernels that read nothing but what they have written, or one pass of an array that is also
# written.
EXEMPT = re.compile(
    r"spmv_coo_scale|spgemm_bin_rows|spgemm_ordered_values|arrange_(gather|values|number)"
)
ENTRY = re.compile(r"\.entry\s+(\w+)")


def loads(paths):
    """{kernel: [global loads, read-only ones]}"""
    found = {}
    for path in paths:
        name = None
        for line in open(path, encoding="utf-8"):
            entry = ENTRY.search(line)
            if entry:
                name = entry[1]
                found[name] = [0, 0]
            elif name and "ld.global" in line:
                found[name][0] += 1
                found[name][1] += ".nc" in line
    return found


def main():
    failed = 0
    found = loads(sys.argv[1:])
    for name, (all_loads, read_only) in sorted(found.items()):
        bad = all_loads > 0 and read_only == 0 and not EXEMPT.search(name)
        failed += bad
        print(f"{'FAIL' if bad else 'ok  '} {name}: {read_only} of {all_loads} loads read-only")
    print(f"{len(found) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
