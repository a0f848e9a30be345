#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# python-check.sh [BUILD]: makes the wheel of the Python package, installs it in build/python-venv
# and checks it: tests, the notebook, types, the tool, the READMEs' lines, a part of SciPy's own
# tests under accelerate(), what auditwheel and abi3audit say. Closes with "N passed, N failed, N
# skipped".
# --prepare instead of BUILD: only fetches what the check needs into build/python-venv.
# BUILD: a finished build of the library (build/check), of which the wheel is made; without it
# everything is compiled.
# SPARLOOM_PYTHON: the interpreter, default python3. SPARLOOM_EXAMPLES: random products of each
# kind, default 60.
# shellcheck disable=SC2317 # functions are reached through check
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/stage.sh

python=${SPARLOOM_PYTHON:-python3}
root=$PWD
build=${1:-}
venv=$root/build/python-venv
wheels=$root/build/python-wheel
outside=$root/build/python-outside # where python/sparloom is not found by accident
report=$root/build/python-tests.xml

pip() {
    "$venv/bin/python" -m pip --disable-pip-version-check --quiet "$@"
}

# What builds the wheel is installed by hand, so that a second run compiles only what has changed.
# For free-threaded interpreters some packages have no wheels: their tests are skipped there.
make_venv() {
    local package others=(scikit-learn pyamg networkx jax 'nbclient nbformat ipykernel')
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv" || return
    pip install --only-binary :all: scikit-build-core nanobind 'numpy>=2' 'scipy>=1.14' \
        'cmake>=3.26' ninja pytest hypothesis threadpoolctl tqdm mypy auditwheel abi3audit || return
    for package in "${others[@]}"; do
        # shellcheck disable=SC2086 # several names
        pip install --only-binary :all: $package || is_free_threaded || return
    done
}

is_free_threaded() {
    "$venv/bin/python" -c 'import sys; sys.exit("t" not in sys.abiflags)'
}

if [ "$build" = --prepare ]; then
    make_venv
    exit
fi

make_wheel() {
    rm -rf "$wheels"
    pip wheel --no-build-isolation --no-deps --wheel-dir "$wheels" \
        --config-settings=build-dir="$root/build/python" \
        --config-settings=cmake.define.SPARLOOM_WERROR=ON \
            --config-settings=cmake.define.SPARLOOM_BUILD="${build:+$root/$build}" \
        "$root/python"
}

install_wheel() {
    pip install --force-reinstall --no-deps "$wheels"/*.whl
}

# count_tests: adds what pytest's report has counted.
count_tests() {
    local counts p f s
    counts=$("$venv/bin/python" - "$report" <<'END'
import sys
import xml.etree.ElementTree as tree

suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
failed = int(suite.get("failures")) + int(suite.get("errors"))
skipped = int(suite.get("skipped"))
print(int(suite.get("tests")) - failed - skipped, failed, skipped)
END
    ) || return
    read -r p f s <<<"$counts"
    passed=$((passed + p))
    failed=$((failed + f))
    skipped=$((skipped + s))
    ((p > 0))
}

run_tests() {
    rm -f "$report"
    "$venv/bin/python" -m pytest -q --junitxml "$report" -p no:cacheprovider "$root/python/tests"
    count_tests || verdict 1 "pytest ran tests"
}

# The lines between ```python and ``` of a document, run as one program.
run_document() {
    sed -n '/^```python$/,/^```$/{/^```/!p}' "$1" >document.py
    "$venv/bin/python" document.py
}

says_its_version() {
    local wheel=$1
    [[ $(basename "$wheel") == "sparloom-$("$venv/bin/sparloom" --version | awk '{ print $2 }')-"* \
        ]]
}

mkdir -p "$outside"
cd "$outside" || exit 1
check "virtual environment" make_venv || close
check "the wheel is built" make_wheel || close
check "the wheel is installed" install_wheel || close
wheel=$(echo "$wheels"/*.whl)

run_tests
check "mypy --strict" "$venv/bin/mypy" --config-file "$root/python/pyproject.toml" -p sparloom
check "sparloom doctor" "$venv/bin/sparloom" doctor
check "python -m sparloom doctor" "$venv/bin/python" -m sparloom doctor
check "tool and wheel have one version" says_its_version "$wheel"
for document in README.md python/README.md; do
    if grep -q '^```python$' "$root/$document"; then
        check "$document's lines in Python run" run_document "$root/$document"
    fi
done
check "auditwheel finds a platform" "$venv/bin/auditwheel" show "$wheel"
if [[ $wheel == *-abi3-* ]]; then
    check "abi3audit finds only the stable ABI" "$venv/bin/abi3audit" --strict "$wheel"
else
    skip "abi3audit: $(basename "$wheel") is for one version of Python"
fi
close
