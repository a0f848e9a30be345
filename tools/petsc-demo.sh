#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# petsc-demo.sh BUILD: elasticity with GAMG on two ranks, by PETSc and by PETSc with Sparloom, and
# who computed what.
set -eu
cd "$1"

# Open MPI wants to be told that root is meant, as in a container; and that two cores suffice.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
solve="mpirun --oversubscribe -n 2 ./solve -elasticity -n 20"

show() {
    echo
    echo "$1"
    shift
    echo "\$ $*"
    "$@"
}
show "PETSc alone: GAMG-preconditioned conjugate gradients, three times, with new values" $solve
show "The same program with Sparloom's products" \
    $solve -dll_append ./libsparloom_petsc.so -sparloom -mat_sparloom_view
