#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# small-check.sh [SEED [THREADS...]]: how choices and speed hold on this machine: for CPU SpMV on
# matrices drawn afresh the regret of each matrix (what was chosen, what was best), then the time
# beside rivals'. Environment: SPARLOOM, the tool (sparloom), built with rivals; LIMIT, seconds of
# repetitions for a case (.01).
set -u
seed=${1:-$(date +%s)}
shift $(($# > 0))
[ $# -gt 0 ] || set -- 1 2
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
"${SPARLOOM:-sparloom}" doctor
for threads; do
    for run in "regret fresh:$seed" "bench small:$seed"; do
        read -ra words <<<"$run"
        echo "== $run, $threads threads, OMP_WAIT_POLICY=$OMP_WAIT_POLICY"
        "${SPARLOOM:-sparloom}" "${words[@]}" --op spmv --threads "$threads" \
            --time-limit "${LIMIT:-.01}" --quiet
    done
done
