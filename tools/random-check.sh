#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# random-check.sh [MINUTES] [SEED] [BUILD]: random products on the CPU, both emulated devices and
# several processors, a quarter of the time each (default: 20 minutes, a fresh seed, build/check).
# Closes with the number of cases of each kind, and fails if one was wrong.
set -u
cd "$(dirname "$0")/.." || exit 1

minutes=${1:-20}
seed=${2:-$(date +%s)}
program=${3:-build/check}/test/random-products
status=0
[ -x "$program" ] || { echo "there is no $program: build it first (make check)"; exit 2; }
for where in cpu emu emu64 several; do
    "$program" --on "$where" --seed "$seed" --seconds $((minutes * 15)) || status=1
done
exit "$status"
