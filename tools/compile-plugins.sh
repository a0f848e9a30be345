#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compile-plugins.sh: compiles the GPU plug-ins for which there is a compiler, on machines without a
# GPU too, and looks at what came out: size, a clear message where no GPU is; for one architecture
# each, optimised little, which is enough to see that kernels compile. A part of CUDA's kernels is
# optimised fully, to look at their read-only loads: every fourth file from one on that the commit
# chooses. Compiles the adapter to cuSPARSE of `sparloom bench`, too. Closes with "N passed, N
# failed, N skipped". Needs build/check, the suite of `make check`. SPARLOOM_REQUIRE=cuda,hip: a
# compiler that is missing is a failure. SPARLOOM_TEST_HALF: 0 or 1 compiles the plug-in for CUDA or
# that for HIP, of the other its driver only; where no GPU runs them, kernels for offsets of 32 or
# of 64 bits only, as the commit chooses; 2 compiles all for both, and optimises all of CUDA's
# kernels.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/stage.sh

build=build/plugins
most_bytes=$((40 * 1024 * 1024))

# missing DRIVER WHAT
missing() {
    if [[ ,${SPARLOOM_REQUIRE:-}, == *,$1,* ]]; then
        verdict 1 "$1: $2"
    else
        skip "$1: $2"
    fi
}

# compile DRIVER OPTION...: builds libsparloom-DRIVER.so
compile() {
    local driver=$1
    shift
    cmake -S . -B "$build/$driver" -DCMAKE_BUILD_TYPE=Release -DSPARLOOM_TESTS=OFF \
        -DSPARLOOM_CLI=OFF -DSPARLOOM_EMULATOR=OFF \
        -DSPARLOOM_WERROR=ON "$@" >/dev/null &&
            cmake --build "$build/$driver" --parallel 2 --target "sparloom-$driver" \
            >"$build/$driver.log" 2>&1
    local status=$?
    ((status == 0)) || tail -n 40 "$build/$driver.log"
    verdict $status "$driver compiles"
    return $status
}

# compile_rival: the adapter to cuSPARSE, with a toolkit that has it. Other rivals are not looked
# for.
compile_rival() {
    local folder=$build/cusparse
    cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release -DSPARLOOM_TESTS=OFF \
        -DSPARLOOM_EMULATOR=OFF -DSPARLOOM_WERROR=ON -DSPARLOOM_BENCH=AUTO \
        -DCMAKE_DISABLE_FIND_PACKAGE_{MKL,GraphBLAS,Eigen3}=ON >/dev/null ||
            { verdict 1 "cusparse is configured" && return; }
    if ! grep -rq SPARLOOM_RIVAL_CUSPARSE --include={flags.make,build.ninja} "$folder"; then
        missing cuda "the toolkit has no cuSPARSE"
        return
    fi
    cmake --build "$folder" --parallel 2 --target sparloom_rivals >"$folder.log" 2>&1
    local status=$?
    ((status == 0)) || tail -n 40 "$folder.log"
    verdict $status "the rival cusparse compiles"
}

is_small() {
    [ "$(stat -c %s "$1")" -le "$most_bytes" ]
}

# On a machine with such a GPU the product must be right, on any other the tool must say what is
# missing.
speaks() {
    SPARLOOM_PLUGINS="$build/$1" build/check/bin/sparloom spmv gen:diagonal:10 --device "$1" \
        --verify >"$build/said" 2>&1
    case $? in
    0) return 0 ;;
    5) grep -q "^sparloom: .*$1" "$build/said" ;;
    *) cat "$build/said" && return 1 ;;
    esac
}

# compile_driver NAME COMPILER...: the part of a plug-in that is not kernels.
compile_driver() {
    local name=$1
    shift
    "$@" -std=c++17 -Iinclude -Isrc -c "src/device/$name/driver_$name."* -o "$build/driver_$name.o"
    verdict $? "the driver for $name compiles"
}

look_at() {
    is_small "$build/$1/libsparloom-$1.so"
    verdict $? "$1 has at most 40 MiB"
    speaks "$1"
    verdict $? "$1 computes, or says what is missing"
}

commit=$(git rev-parse HEAD 2>/dev/null || echo 0)

# The files that are optimised fully.
chosen_kernels() {
    local parts=4
    [[ ${SPARLOOM_TEST_HALF:-} != 2 ]] || parts=1
    printf '%s\n' "$build"/cuda/kernels/*.cu |
        awk -v parts=$parts -v first=$((16#${commit:0:8} / 2 % parts)) 'NR % parts == first'
}

# shellcheck disable=SC2317 # reached through xargs
# ptx FILE: its PTX in build/plugins/ptx.
ptx() {
    nvcc -std=c++17 -O3 -DNDEBUG -arch=compute_90 -Iinclude -Isrc -ptx "$1" \
        -o "$build/ptx/$(basename "$1" .cu).ptx"
}

offsets=
left_out=
case ${SPARLOOM_TEST_HALF:-} in
0) left_out=hip ;;
1) left_out=cuda ;;
esac
[[ -z $left_out ]] || offsets=-DSPL__KERNEL_OFFSETS=$((16#${commit:0:8} / 2 % 2 ? 64 : 32))
if [ -e /dev/nvidiactl ]; then
    offsets=
    [[ $left_out != cuda ]] || left_out=
fi

mkdir -p "$build"
tools/deps.sh gpu || echo "(what of it is missing is skipped)"

if ! command -v nvcc >/dev/null; then
    missing cuda "there is no nvcc"
elif [[ $left_out == cuda ]]; then
    compile_driver cuda nvcc -arch=sm_80 -Xcompiler=-Wall,-Wextra -Werror=all-warnings
else
    fast=
    ! nvcc --help | grep -q -e --Ofast-compile || fast=--Ofast-compile=max
    compile cuda -DSPARLOOM_CUDA=ON -DSPARLOOM_CUDA_ARCHITECTURES=80-real \
        -DCMAKE_CUDA_FLAGS="${fast:--Xptxas=-O0} $offsets" && look_at cuda
    rm -rf "$build/ptx" && mkdir "$build/ptx"
    export -f ptx
    chosen_kernels | build=$build xargs -P 2 -I{} bash -c 'ptx {}'
    verdict $? "cuda: kernels compile to PTX"
    tools/python.sh tools/read-only-loads.py "$build"/ptx/*.ptx | grep -v '^ok' >"$build/loads"
    verdict "${PIPESTATUS[0]}" "cuda: kernels wait, then read inputs by the read-only path"
    grep '^FAIL' "$build/loads"
    compile_rival
fi
if ! command -v hipcc >/dev/null || [ ! -f /usr/include/rocprim/rocprim.hpp ]; then
    missing hip "there is no hipcc, or no rocPRIM"
elif [[ $left_out == hip ]]; then
    compile_driver hip hipcc --offload-arch=gfx906 -O1 -Wall -Wextra -Werror
else
    export HIPCC_COMPILE_FLAGS_APPEND=$offsets
    compile hip -DCMAKE_BUILD_TYPE=Debug -DSPARLOOM_HIP=ON -DSPARLOOM_HIP_ARCHITECTURES=gfx906 &&
        look_at hip
fi
close
