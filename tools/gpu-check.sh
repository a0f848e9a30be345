#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gpu-check.sh: everything that needs a real GPU, on a machine that has one (NVIDIA): builds, runs
# the tests that make sense on a device there, then small ones under compute-sanitizer. Closes with
# "N passed, N failed, N skipped". Environment: SPARLOOM_GPU_BUILD (build folder),
# SPARLOOM_GPU_CMAKE (more options for cmake).
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/stage.sh

build=$(realpath -m "${SPARLOOM_GPU_BUILD:-build/gpu}")
report=$build.xml
jobs=$(nproc)

configure() {
    # shellcheck disable=SC2086
    cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DSPARLOOM_CUDA=ON ${SPARLOOM_GPU_CMAKE:-} \
        >"$build.cmake.log" 2>&1 ||
        { tail -n 20 "$build.cmake.log" && return 1; }
    cmake --build "$build" --parallel "$jobs" >"$build.log" 2>&1 ||
        { grep -E 'error|Error' "$build.log" | head -n 20 && return 1; }
}

tests() {
    ctest --test-dir "$build" --parallel 4 --output-on-failure --no-tests=error -R '@cuda$' \
        --output-junit "$report" \
        --test-output-size-failed 4000 | tail -n 60
    awk -f tools/count-tests.awk "$report"
}

# sanitize TOOL TEST SCALE: a test program under a tool of compute-sanitizer; the larger the scale,
# the fewer cases
sanitize() {
    SPARLOOM_PLUGINS=$build SPARLOOM_TEST_DEVICE=cuda SPARLOOM_TEST_SCALE=$3 \
        compute-sanitizer --tool "$1" --error-exitcode 9 "$build/test/$2" >"$build.sanitizer.log" \
            2>&1
    local status=$?
    ((status == 0)) || tail -n 30 "$build.sanitizer.log"
    return $status
}

mkdir -p "$(dirname "$build")"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
stage "build" configure
stage "tests on the GPU" tests
for tool in memcheck initcheck synccheck racecheck; do
    for test in spmv-test_spmv_zoo spmm-test_spmm_zoo spgemm-test_spgemm_zoo \
        spgemm-test_spgemm_rows spgemm-test_spgemm_blocks; do
        stage "$tool $test" sanitize "$tool" "$test" 401
    done
done
finish
