#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check-all.sh: the full matrix, for before a release: all that .ci/run does and the builds it
# leaves out. Takes about an hour.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/stage.sh

export SPARLOOM_REQUIRE=python,scipy,libzip,cairo
export SPARLOOM_WERROR=ON
export OMP_WAIT_POLICY=passive

SPARLOOM_TEST_HALF=2 stage "ci" .ci/run
stage "make demo" make demo
stage "Python wheels" tools/wheels.sh
stage "all mutants" tools/python.sh test/mutants/run.py
stage "debug" suite debug
stage "release without assertions" suite release
stage "static library" suite static
stage "libFuzzer" suite fuzz
finish
