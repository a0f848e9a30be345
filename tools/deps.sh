#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deps.sh demo|check|ci|gpu|petsc|petsc-check: makes sure that everything needed is installed.
#
# Each dependency is probed by using it. If nothing is missing, the network is not touched. Root
# gets what is missing installed by apt-get; anyone else gets the line to type, and exit status 1.
# libzip, which .npz files need, and libcairo, which PNG needs, are asked for as well; but demo
# and check go on without them, and build a tool that says so.
#   demo   compiler, make, CMake, OpenMP, zlib, cJSON; libzip, libcairo
#   check  and cmocka, pkg-config
#   ci     and Python with headers, venv and SciPy (in build/venv), a C++ compiler, clang with its
#          sanitizers and OpenMP, clang-format; ninja and lld, for which builds are shorter; Eigen,
#          a rival of `sparloom bench`
#   gpu    what compiles the plug-in for AMD and Hygon GPUs; CUDA comes from its vendor
#   petsc  what compiles the library and the plug-in for PETSc, PETSc itself and MPI
#   petsc-check  and Python and PETSc's own test programs
set -eu

mode=${1:-}
case $mode in
demo | check | ci | gpu | petsc | petsc-check) ;;
*)
    echo "usage: tools/deps.sh demo|check|ci|gpu|petsc|petsc-check" >&2
    exit 2
    ;;
esac
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# ------------------------------------------------------------------------------------------- probes

# compiles COMPILER CODE FLAG...: does the program compile and link?
compiles() {
    compiler=$1
    printf '%s\n' "$2" >"$scratch/probe.c"
    shift 2
    "$compiler" "$scratch/probe.c" -o "$scratch/probe" "$@" >/dev/null 2>&1
}

have_cmake() {
    printf 'if(CMAKE_VERSION VERSION_LESS 3.22)\nmessage(FATAL_ERROR old)\nendif()\n' \
        >"$scratch/probe.cmake"
    cmake -P "$scratch/probe.cmake"
}

have_scipy() {
    tools/python.sh --scipy -c pass >/dev/null 2>&1
}

# need PACKAGE COMMAND...: the package is missing unless the command succeeds.
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

# want PACKAGE COMMAND...: the same of a package that can be done without, but in CI.
want() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || optional="$optional $package"
}

have_petsc_tests() {
    test -d "/usr/share/petsc/$(pkg-config --modversion petsc | cut -d. -f1,2)/share/petsc/examples"
}

probe_petsc() {
    need pkg-config pkg-config --version
    need libpetsc-real-dev pkg-config --exists petsc
    need libopenmpi-dev mpicc --version
    need openmpi-bin mpirun --version
    [ "$mode" = petsc-check ] || return 0
    need python3 python3 --version
    need libpetsc3.18-dev-examples have_petsc_tests
}

probe() {
    missing=
    optional=
    if [ "$mode" = gpu ]; then
        need hipcc hipcc --version
        need librocprim-dev test -f /usr/include/rocprim/rocprim.hpp
        return 0
    fi
    openmp='#include <omp.h>
int main(void) { return omp_get_max_threads() == 0; }'
    plain='#include <stdio.h>
int main(void) { return puts("") < 0; }'

    need gcc compiles cc "$plain"
    need libc6-dev compiles cc "$plain"
    need gcc compiles cc "$openmp" -fopenmp
    need make make --version
    need cmake have_cmake
    need zlib1g-dev compiles cc '#include <zlib.h>
int main(void) { return !zlibVersion(); }' -lz
    case $mode in
    petsc*)
        probe_petsc
        return 0
        ;;
    esac
    need libcjson-dev compiles cc '#include <cjson/cJSON.h>
int main(void) { return !cJSON_Version(); }' -lcjson
    want libzip-dev compiles cc '#include <zip.h>
int main(void) { return !zip_libzip_version(); }' -lzip
    want libcairo2-dev compiles cc '#include <cairo/cairo.h>
int main(void) { return !cairo_version(); }' -lcairo
    [ "$mode" != demo ] || return 0

    need libcmocka-dev compiles cc '#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
int main(void) { return cmocka_run_group_tests(NULL, NULL, NULL) * 0; }' -lcmocka
    need pkg-config pkg-config --version
    [ "$mode" != check ] || return 0

    missing="$missing$optional"
    optional=
    need g++ c++ --version
    need clang compiles clang "$plain"
    need libomp-dev compiles clang "$openmp" -fopenmp=libomp
    need libclang-rt-dev compiles clang "$plain" -fsanitize=thread
    need clang-format clang-format --version
    need ninja-build ninja --version
    need lld ld.lld --version
    need libeigen3-dev pkg-config --exists eigen3
    need python3 python3 --version
    need python3-venv python3 -c 'import ensurepip, venv'
    need python3-dev python3 -c '
import os.path, sysconfig
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))'
}

# --------------------------------------------------------------------------------------- installing

unique() {
    printf '%s\n' "$@" | sort -u | tr '\n' ' ' | sed 's/ $//'
}

install_packages() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq -o DPkg::Lock::Timeout=300 update &&
        apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@" >/dev/null
}

probe
if [ -n "$missing$optional" ]; then
    # Unquoted from here on: a list of words.
    packages=$(unique $missing $optional)
    if ! command -v apt-get >/dev/null; then
        echo "Please install what your system calls: $packages" >&2
    elif [ "$(id -u)" -ne 0 ]; then
        echo "sudo apt-get update && sudo apt-get install -y $packages" >&2
    else
        echo "installing: $packages"
        [ -z "$missing" ] || install_packages $missing
        for package in $optional; do
            install_packages $package || true
        done
        probe
    fi
    if [ -n "$missing" ]; then
        echo "missing: $(unique $missing)" >&2
        exit 1
    fi
    [ -z "$optional" ] ||
        echo "going on without $(unique $optional): .npz files need libzip, PNG libcairo" >&2
fi

# Distributions' SciPy may be too old, and their Python may refuse pip: a virtual environment suits
# everywhere.
if [ "$mode" = ci ] && ! have_scipy; then
    python3 -m venv build/venv
    build/venv/bin/python3 -m pip install --quiet --disable-pip-version-check 'scipy>=1.11'
    have_scipy
fi
