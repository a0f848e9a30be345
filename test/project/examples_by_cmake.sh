#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples_by_cmake.sh PREFIX: builds and runs examples/ as a CMake project of its own that finds
# Sparloom under PREFIX.
set -eu

build=$SPARLOOM_BUILD/examples-by-cmake
rm -rf "$build"
cmake -S "$SPARLOOM_SOURCE/examples" -B "$build" -DCMAKE_PREFIX_PATH="$1"
cmake --build "$build"
cd "$build"
ctest --output-on-failure
