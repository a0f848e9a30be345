#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo.sh TOOL: multiplies real matrices of data/, verifies each product against the reference and
# shows why it was done so. TOOL is a path from the root of the repository.
set -eu

cd "$(dirname "$0")/.."
tool=$1
fem=data/bcsstk16.mtx.gz
graph=data/p2p-Gnutella31.mtx.gz

# show TITLE ARGUMENT...: runs the tool and prints how to do the same by hand.
show() {
    printf '\n================ %s\n$ sparloom' "$1"
    shift
    printf ' %s' "$@"
    printf '\n\n'
    "$tool" "$@"
}

show "the square of a finite element matrix" spgemm "$fem" --verify
show "why it was computed that way" explain spgemm "$fem"
show "the square of a graph: who is reached in two steps" spgemm "$graph" --verify
show "why it was computed that way" explain spgemm "$graph"
show "a matrix times a vector" spmv "$fem" --verify --repeat 20
show "why it was computed that way" explain spmv "$fem"
show "a graph times a dense block of 32 columns" spmm "$graph" --columns 32 --verify --repeat 5
show "why it was computed that way" explain spmm "$graph" --columns 32
