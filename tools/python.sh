#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# python.sh [--scipy] SCRIPT ARGUMENT...: runs a Python script, with the interpreter of build/venv
# if tools/deps.sh made one. Without Python (or SciPy >= 1.11) exits with 77, the mark of a skipped
# test; with 1 if SPARLOOM_REQUIRE names what is missing.
set -eu

missing() {
    echo "skipped: no $1" >&2
    case ",${SPARLOOM_REQUIRE:-}," in
    *",$1,"*) exit 1 ;;
    esac
    exit 77
}

root=$(dirname "$0")/..
python=${SPARLOOM_PYTHON:-$root/build/venv/bin/python3}
[ -x "$python" ] || python=python3
command -v "$python" >/dev/null || missing python

if [ "$1" = --scipy ]; then
    shift
    "$python" -c '
import scipy
assert tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 11)' 2>/dev/null || missing scipy
fi
exec "$python" "$@"
