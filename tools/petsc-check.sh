#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# petsc-check.sh [--short] [BUILD]: builds the plug-in for PETSc and checks it: its own tests,
# faults, the example on 1, 2 and 4 ranks, PETSc's own test programs (petsc/tests/suite.py). Closes
# with "N passed, N failed, N skipped".
# BUILD: a finished build of the library (build/check); faults are planted in the plug-in then.
# Without it the library is compiled.
# --short: a part of PETSc's programs, for CI
# What is missing is installed if run as root; without PETSc all is skipped, unless SPARLOOM_REQUIRE
# names petsc.
# shellcheck disable=SC2317 # functions are reached through check
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/stage.sh

if ! tools/deps.sh petsc-check; then
    skip "no PETSc"
    [[ ,${SPARLOOM_REQUIRE:-}, != *,petsc,* ]] || failed=1
    close
fi

short=
if [[ ${1:-} == --short ]]; then
    short=--short
    shift
fi
root=$PWD
library=${1:-}
build=$root/build/petsc
said=$build/said
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
plugin="-dll_append $build/libsparloom_petsc.so"

# check WHAT COMMAND...: shows what a command said only if it failed.
check() {
    local what=$1 status
    shift
    (cd "$build" && "$@") >"$said" 2>&1
    status=$?
    ((status == 0)) || tail -n 40 "$said"
    verdict $status "$what"
    return $status
}

build_plugin() {
    cmake -S "$root/petsc" -B "$build" -DSPARLOOM_WERROR=ON -DSPARLOOM_EMULATOR=OFF \
        ${library:+-DSPARLOOM_BUILD="$root/$library"} && cmake --build "$build"
}

ranks() {
    local count=$1
    shift
    mpirun --oversubscribe -q --mca mpi_yield_when_idle 1 -n "$count" "$@"
}

# refuses SENTENCE COMMAND...: the command fails within a minute, and says so.
refuses() {
    local sentence=$1 output status
    shift
    output=$(timeout 60 "$@" 2>&1)
    status=$?
    echo "$output"
    ((status != 0 && status != 124)) && grep -q "$sentence" <<<"$output"
}

# What the plug-in was not compiled for, as other_kind.c makes it look.
refuses_kind() {
    local kind=$1 sentence=$2
    refuses "$sentence" env OTHER_KIND="$kind" LD_PRELOAD="$build/libother_kind.so" \
        ./test_plans $plugin
}

# Each event of the plug-in was met.
logs_events() {
    local log event
    log=$(./solve -n 6 -steps 1 $plugin -sparloom -mat_sparloom_plan_after 0 -log_view)
    for event in SplSymbolic SplNumeric SplPlan SplMultPlan; do
        grep -E "^$event +[1-9]" <<<"$log" || return 1
    done
}

# The budget holds on one rank only: all end, none hangs.
over_budget_on_one_rank() {
    refuses "Sparloom, .*budget does not suffice: needs" mpirun --oversubscribe -q \
        -n 1 ./solve -elasticity -n 10 $plugin -sparloom : \
        -n 1 ./solve -elasticity -n 10 $plugin -sparloom -mat_sparloom_memory_budget 100k
}

# A program to which errors are returned gets that of another rank, too.
error_on_all_ranks() {
    timeout 60 mpirun --oversubscribe -q \
        -n 1 ./test_mpi_triple $plugin -expect_failure : \
        -n 1 ./test_mpi_triple $plugin -expect_failure -mat_sparloom_memory_budget 10k : \
        -n 1 ./test_mpi_triple $plugin -expect_failure
}

out_of_memory_on_one_rank() {
    timeout 60 mpirun --oversubscribe -q -n 3 ./test_mpi_triple $plugin -expect_no_room
}

# Iterations of the example, which ours must not change.
iterations() {
    "$@" | sed -n 's/^\([0-9]* iterations\).*/\1/p'
}

same_iterations() {
    local count=$1 plain ours
    shift
    plain=$(iterations ranks "$count" ./solve "$@")
    ours=$(iterations ranks "$count" ./solve "$@" $plugin -sparloom -mat_sparloom_plan_after 0)
    echo "$plain; $ours"
    [[ -n $plain && $plain == "$ours" ]]
}

same_eigenvalues() {
    local plain ours
    plain=$(ranks 2 ./eigenvalues -n 8 | grep eigenvalue)
    ours=$(ranks 2 ./eigenvalues -n 8 $plugin -sparloom | grep eigenvalue)
    echo "$plain; $ours"
    [[ -n $plain && $plain == "$ours" ]]
}

counts_its_products() {
    ranks 2 ./solve -elasticity -n 8 $plugin -sparloom -mat_sparloom_view | tee /dev/stderr |
        awk '$1 == "PtAP" { found = $2 > 0 && $5 > $2 } $1 == "messages" { sent = $2 > 0 }
             END { exit !(found && sent) }'
}

# Triple products are planned for the CPU.
triples_beside_a_device() {
    SPARLOOM_PLUGINS=$root/$library ranks 2 ./solve -n 8 $plugin -sparloom -mat_sparloom_view \
        -mat_sparloom_device emu -mat_sparloom_device_entries 0 | tee /dev/stderr |
        awk '$1 == "mpi_triple" { found = $2 > 0 }
            END { exit !found }'
}

# A*P is stored with AVX-512 only, and where rows of P ascend, those of other ranks, too.
stores_edges() {
    grep -q avx512vl /proc/cpuinfo || return 0
    ranks 2 ./solve -n 20 -steps 1 $plugin -sparloom -mat_sparloom_view detail | tee /dev/stderr |
        awk '/PtAP over MPI/ { edge = /its edge/ } /of rows of A\*P/ && edge { found++ }
            END { exit !(found > 2) }'
}

# Four emulated devices: the fifth rank has the first one, too; a number or a list is left alone.
deals_devices() {
    local option=$1 dealt=$2
    SPARLOOM_PLUGINS=$root/$library ranks 5 ./solve -n 6 -steps 1 $plugin -sparloom \
        -mat_sparloom_view -mat_sparloom_device "$option" | tee /dev/stderr |
        grep -qx "  devices        $dealt"
}

# Products are planned there where they pay, which ranks that share a device change. New values
# plan nothing anew.
plans_on_device() {
    local device=$1 plans=$2
    SPARLOOM_PLUGINS=$root/$library ranks 2 ./solve -n 24 -steps 2 $plugin -sparloom \
        -mat_sparloom_view -mat_sparloom_device "$device" | tee /dev/stderr |
        awk -v plans="$plans" '$1 == "device_plan" { made = $2 } $1 == "replan" { again = $2 }
            END { exit !(again == 0 && (plans ? made > 0 : made == 0)) }'
}

# A face of the grid, 12 x 12 values, comes in one message.
models_traffic() {
    ranks 2 ./solve -n 12 -steps 1 -traffic | tee /dev/stderr |
        grep -q "A .: 864 rows, .* read, 1.15e+03 bytes in 1 messages"
}

mkdir -p "$build"
check "the plug-in compiles without warnings" build_plugin || close
for test in test_plans test_mult; do
    plans="./$test $plugin -mat_sparloom_plan_after 16 -mat_sparloom_plan_transposed"
    check "results and plans ($test)" $plans
    check "the same under PETSc's checks of memory" $plans -malloc_debug -malloc_dump
    check "the same on two threads, by measured methods" $plans -mat_sparloom_threads 2 \
        -mat_sparloom_policy measure
    if [[ -n $library && -f $library/libsparloom-emu.so ]]; then
        SPARLOOM_PLUGINS=$root/$library check "the same on an emulated device" $plans \
            -mat_sparloom_device emu -mat_sparloom_device_entries 0
    fi
done
if [[ -n $library && -f $library/libsparloom-emu.so ]]; then
    check "ranks are dealt over devices" deals_devices emu "emu:0 emu:1 emu:2 emu:3 emu:0"
    check "a device that is named is every rank's" deals_devices emu:2 \
        "emu:2 emu:2 emu:2 emu:2 emu:2"
    check "products that pay are planned on a device" plans_on_device emu 1
    check "products that do not stay on the CPU" plans_on_device emu:0 ""
    check "P'AP over MPI beside an emulated device" triples_beside_a_device
fi
for count in 2 4; do
    check "results, algorithms and block sizes on $count ranks" ranks $count ./test_ranks $plugin \
        -mat_sparloom_plan_after 4
done
for count in 1 2 3 4; do
    check "P'AP over MPI on $count" ranks $count ./test_mpi_triple $plugin
done
check "the same under PETSc's checks of memory" ranks 3 ./test_mpi_triple $plugin -malloc_debug
check "over budget on one rank ends all" over_budget_on_one_rank
check "over budget on one rank is the error of all" error_on_all_ranks
check "too little memory on one rank is the error of all" out_of_memory_on_one_rank
check "an unknown policy is refused" refuses "Unknown option fast" ./test_plans $plugin \
    -mat_sparloom_policy fast
check "a budget that is no number is refused" refuses "takes bytes" ./test_plans $plugin \
    -mat_sparloom_memory_budget lots
check "a mistyped option is refused" refuses "no option -mat_sparloom_thread" ./test_plans $plugin \
    -mat_sparloom_thread 2
check "a prefix where none is read is refused" refuses "takes no prefix" ./test_plans $plugin \
    -fine_mat_sparloom_threads 2
check "a device that is not there is refused" refuses "Sparloom, start" ./test_plans $plugin \
    -mat_sparloom_device nonesuch
check "a PETSc of another release is refused" refuses_kind release "for PETSc .*, not for"
check "one with other integers is refused" refuses_kind integers "for a PetscInt of"
check "one with complex scalars is refused" refuses_kind scalars "has complex or wider scalars"
check "another Sparloom is refused" refuses_kind sparloom "and was loaded with 999.0.0"
check "-log_view has the events" logs_events
check "the plug-in counts its products" counts_its_products
check "rows of P on other ranks come in order" stores_edges
check "the example models its messages" models_traffic
for count in 1 2 4; do
    check "iterations of Poisson on $count" same_iterations $count -n 12
    check "iterations of elasticity on $count" same_iterations $count -elasticity -n 8
done

if [[ -x $build/eigenvalues ]]; then
    check "eigenvalues by SLEPc on 2 ranks" same_eigenvalues
fi

if [[ -n $library ]]; then
    check "planted faults are found" python3 "$root/test/mutants/run.py" --petsc "$root/$library" \
        ${short:+--share 12}
fi

python3 petsc/tests/suite.py $short "$build" | tee "$said"
read -r p _ f _ s _ <<<"$(tail -n 1 "$said" | tr -d ,)"
passed=$((passed + p))
failed=$((failed + f))
skipped=$((skipped + s))
close
