#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# benchmarks.sh RESULTS.json OP[,OP] [OPTION...]: measures operations by "sparloom bench" on
# generated matrices of all kinds and three sizes, made anew from a seed. OPTION goes to the tool:
# --device, --threads, --rivals, ... tools/benchmarks.py makes tables of such files. Environment:
# SPARLOOM, the tool (sparloom); SEED (the time); LIMIT, seconds after which it ends with what it
# has, the largest matrices missing (600).
set -u

results=${1:?usage: benchmarks.sh RESULTS.json OP[,OP] [OPTION...]}
operations=${2:?usage: benchmarks.sh RESULTS.json OP[,OP] [OPTION...]}
shift 2
seed=${SEED:-$(date +%s)}
state=$((seed % 2147483648))
matrices=()

# add PERCENT FORMAT SIZE...: one matrix whose sizes are so many percent of those given, each
# changed by up to a fifth. SQUARE in the format stands for the first size once more.
add() {
    local percent=$1 format=$2 size sizes=()
    shift 2
    for size; do
        state=$(((state * 1103515245 + 12345) % 2147483648))
        sizes+=($((size * percent / 100 * (80 + (state >> 8) % 41) / 100 + 2)))
    done
    # shellcheck disable=SC2059
    matrices+=("gen:$(printf "${format//SQUARE/${sizes[0]}}" "${sizes[@]}"),seed=$seed")
}

# add_all SHARE: every kind, in sizes that are the percentage SHARE of about ten million entries.
# Lengths of grids are roots of that.
add_all() {
    local share=$1 root2 root3
    root2=$(awk "BEGIN { print int(100 * ($share / 100) ^ (1 / 2)) }")
    root3=$(awk "BEGIN { print int(100 * ($share / 100) ^ (1 / 3)) }")
    add "$root2" "stencil5:%d,%d" 1500 1400
    add "$root3" "stencil27:%d,%d,%d" 75 72 78
    add "$root2" "box2d:%d,%d,6" 190 180
    add "$root3" "box3d:%d,%d,%d,3,drop=0.15" 35 37 36
    add "$root3" "box3d:%d,%d,%d,1,drop=0.4,shuffle=1" 85 82 88
    add "$share" "rmat:%d,%d" 700000 5000000
    add "$share" "rmat:%d,%d,.45,.22" 600000 5000000
    add "$share" "powerlaw:%d,%d,1.6,5000,near=0.5,long=0.1,hubs=0.2" 1800000 8000000
    add "$share" "powerlaw:%d,%d,2.5,300,near=0.3" 1500000 9000000
    add "$share" "random:%d,SQUARE,12" 900000
    add "$share" "banded:%d,9,7" 600000
    add "$share" "denserow:%d" 3000000
}

shares="1 10 100"
case ,$operations, in *,spgemm,* | *,numeric,*) shares="1 4 16" ;; esac
for share in $shares; do
    add_all "$share"
done

echo "seed $seed: ${#matrices[@]} matrices"
OMP_WAIT_POLICY=passive timeout --foreground -k 20 -s INT "${LIMIT:-600}" "${SPARLOOM:-sparloom}" \
    bench "${matrices[@]}" --op "$operations" --widths 32 \
    --json --quiet "$@" >"$results"
status=$?
# Interrupted, it has written what it had.
((status == 0 || status == 124)) && grep -q '"cases"' "$results"
